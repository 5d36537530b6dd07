"""The ways that may lead to a slot, each with the weight that its form deserves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Final, NamedTuple

from lxml.etree import _Element as Element

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.labels import Labels
from rdfcrawl.drafting.reading.slots import Sample, Slot, clean
from rdfcrawl.drafting.ways.paths import PathAnchor, Way, children_after
from rdfcrawl.drafting.ways.positions import DEPTH, WEIGHTS, Position, Stable, Weighed

_CLIMB: Final = 4
_LABELS_BACK: Final = 3
_MOST_IN_BLOCK: Final = 12
_MOST_WAYS: Final = 10
"""The heaviest ways to a text are tried; a page may have dozens to each."""


class _Situation(NamedTuple):
    """What the ways to a slot depend on: where it stands, whether its block counts, and what its labels lead to.

    ``boxes`` is how many elements show only this text, ``text`` the number of the text where there is none.
    """

    position: Position
    boxes: int
    text: int
    in_block: bool
    prefix: str | None
    by_label: Weighed
    block_by_label: Weighed


@dataclass(frozen=True, slots=True)
class Candidates:
    """The heaviest ways to slots; ``weights`` are the most that each way has anywhere.

    Texts at the same place of several pages have the same ways, mostly, which are found once.
    """

    stable: Stable
    labels: Labels
    weights: dict[Way, float] = field(default_factory=dict)
    _heaviest: dict[_Situation, list[Way]] = field(default_factory=dict)

    def heaviest(self, slot: Slot, sample: Sample) -> list[Way]:
        """The heaviest ways to a slot; slots in the same situation share the list."""
        situation = self._situation(slot, sample)
        known = self._heaviest.get(situation)
        if known is None:
            ways: dict[Way, float] = {}
            for way, weight in self._ways(situation):
                if weight > ways.get(way, 0.0):
                    ways[way] = weight
            known = self._heaviest[situation] = sorted(ways, key=lambda way: -ways[way])[:_MOST_WAYS]
            for way in known:
                self.weights[way] = max(ways[way], self.weights.get(way, 0.0))
        return known

    def lists(self) -> Iterator[list[Way]]:
        """All lists that were found, each once."""
        return iter(self._heaviest.values())

    def _situation(self, slot: Slot, sample: Sample) -> _Situation:
        targets = list(slot.boxes())
        text = 0 if targets else slot.number
        target = targets[-1] if targets else slot.node
        block = slot.node if text else target.getparent()
        if block is not None and not 1 < sample.texts.get(block, 0) <= _MOST_IN_BLOCK:
            block = None
        prefix = self.labels.prefix(slot.text)
        by_label: Weighed = ()
        block_by_label: Weighed = ()
        if (before := _label_before(slot, sample, self.labels)) is not None:
            label, form = before
            by_label = tuple((way, weight * form) for way, weight in _from_label(label, target, text, self.stable))
            if block is not None:
                found = _from_label(label, block, 0, self.stable)
                block_by_label = tuple((way, weight * form * 0.9) for way, weight in found)
        return _Situation(
            self.stable.position(slot.node),
            len(targets),
            text,
            block is not None,
            prefix[0] if prefix else None,
            by_label,
            block_by_label,
        )

    def _ways(self, found: _Situation) -> Iterator[tuple[Way, float]]:
        """The ways that lead to a slot or to the block around it, with their weights."""
        position, text = found.position, found.text
        if found.prefix is not None:
            yield Way(PathAnchor.PREFIX, position.tag, found.prefix), WEIGHTS[PathAnchor.PREFIX]
        for _ in range(found.boxes - 1):
            yield from position.named
            assert position.above is not None
            position = position.above
        for way, weight in position.named:
            yield self.stable.lower(way, text=text), weight * (0.9 if text else 1.0)
        yield from self.stable.below(position, text)
        yield from found.by_label
        block = position if text else position.above
        if found.in_block and block is not None:
            for way, weight in block.named:
                yield way, weight * 0.9
            yield from ((way, weight * 0.85) for way, weight in self.stable.below(block, 0))
            yield from found.block_by_label


def _label_before(slot: Slot, sample: Sample, labels: Labels) -> tuple[Slot, float] | None:
    """The label that stands before a slot, and how much of a label it is there."""
    for back in range(1, _LABELS_BACK + 1):
        if slot.place < back:
            return None
        label = sample.slots[slot.place - back]
        if labels.is_label(label):
            if back > 1 and _is_nearer(sample.slots[label.place + 1], slot, label):
                return None
            return label, min(1.0, 0.75 + 0.25 * labels.strength(label)) - 0.04 * (back - 1)
    return None


def _is_nearer(other: Slot, slot: Slot, label: Slot) -> bool:
    """Whether another text stands closer to a label than a slot does, as its value in the same block."""
    around = set(other.node.iterancestors()) | {other.node}
    ours = set(slot.node.iterancestors()) | {slot.node}
    for ancestor in (label.node, *label.node.iterancestors()):
        if ancestor in around or ancestor in ours:
            return ancestor not in ours
    return False


def _from_label(label: Slot, target: Element, text: int, stable: Stable) -> Iterator[tuple[Way, float]]:
    around = {target: 0}
    chain = [target]
    current = target.getparent()
    while current is not None and len(chain) <= DEPTH:
        around[current] = len(chain)
        chain.append(current)
        current = current.getparent()
    if label.box is None:
        yield from _beside_label(label, chain, text, stable)
    for element in label.boxes():
        climb, child = 0, element
        while climb <= _CLIMB:
            parent = child.getparent()
            if parent is None:
                break
            if parent in around:
                yield from _across(element, climb, child, parent, chain[: around[parent]], text, stable)
                break
            child, climb = parent, climb + 1


def _beside_label(label: Slot, chain: list[Element], text: int, stable: Stable) -> Iterator[tuple[Way, float]]:
    """From a label that is a text of its own to an element behind it."""
    branch = next((element for element in chain if element.getparent() is label.node), None)
    if branch is None:
        return
    alike = [child for child in children_after(label) if child.tag == branch.tag]
    if branch not in alike:
        return
    number = alike.index(branch) + 1
    down = tuple(stable.step_to(inner)[0] for inner in reversed(chain[: chain.index(branch)]))
    weight = WEIGHTS[PathAnchor.INLINE] - 0.02 * (number - 1) - 0.03 * len(down)
    yield Way(PathAnchor.INLINE, str(label.node.tag), label.text, 0, (str(branch.tag), number), down, text), weight


def _across(
    element: Element, climb: int, child: Element, parent: Element, chain: list[Element], text: int, stable: Stable
) -> Iterator[tuple[Way, float]]:
    tag, name = str(element.tag), clean("".join(map(str, element.itertext())))
    weight = WEIGHTS[PathAnchor.LABEL] - 0.03 * climb
    if not chain:
        if text:
            yield from _text_after(tag, name, climb, child, parent, text, weight)
        return
    branch = chain[-1]
    for number, sibling in enumerate(child.itersiblings(str(branch.tag)), 1):
        if sibling is branch:
            down = tuple(stable.step_to(inner)[0] for inner in reversed(chain[:-1]))
            cost = 0.02 * (number - 1) + 0.03 * len(down)
            yield Way(PathAnchor.LABEL, tag, name, climb, (str(branch.tag), number), down, text), weight - cost
            return


def _text_after(
    tag: str, name: str, climb: int, child: Element, parent: Element, text: int, weight: float
) -> Iterator[tuple[Way, float]]:
    """A text beside its label in the same element: the first text after the label."""
    before = (1 if parent.text else 0) + sum(1 for sibling in child.itersiblings(preceding=True) if sibling.tail)
    number = text - before
    if 1 <= number <= 3:
        yield Way(PathAnchor.LABEL, tag, name, climb, ("text()", number)), weight - 0.03 * (number - 1)
