"""The ways that may lead to a slot, each with the weight that its form deserves."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Final

from lxml.etree import _Element as Element

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.labels import Labels
from rdfcrawl.drafting.reading.slots import Sample, Slot, classes_of, clean
from rdfcrawl.drafting.ways.paths import PathAnchor, Step, Way, children_after, step_to

_STABLE_SHARE: Final = 0.4
_CLIMB: Final = 4
_DEPTH: Final = 6
_LABELS_BACK: Final = 3
_NUMBERED: Final = re.compile(r"(.*?)[-_]?\d+(.*)")
_WEIGHTS: Final = {
    PathAnchor.ITEMPROP: 1.0,
    PathAnchor.HEADING: 0.95,
    PathAnchor.ID: 0.95,
    PathAnchor.LABEL: 0.97,
    PathAnchor.INLINE: 0.95,
    PathAnchor.PREFIX: 0.9,
    PathAnchor.CLASS: 0.88,
    PathAnchor.BODY: 0.4,
}
_BODY: Final = Way(PathAnchor.BODY, "body", "")


@dataclass(frozen=True, slots=True)
class Stable:
    """The ids and classes that the template gives, as opposed to those that a page or a row gives."""

    ids: frozenset[str]
    classes: frozenset[tuple[str, str]]
    _named: dict[Element, tuple[tuple[Way, float], ...]] = field(default_factory=dict, compare=False)
    _below: dict[tuple[Element, int], tuple[tuple[Way, float], ...]] = field(default_factory=dict, compare=False)
    _steps: dict[Element, tuple[Step, bool]] = field(default_factory=dict, compare=False)
    _ways: dict[tuple[Way, tuple[Step, ...], int], Way] = field(default_factory=dict, compare=False)

    def named(self, element: Element) -> tuple[tuple[Way, float], ...]:
        """The ways to an element by a name of its own; every text below it asks for them."""
        if element not in self._named:
            self._named[element] = tuple((self.lower(way), weight) for way, weight in _named(element, self))
        return self._named[element]

    def below_named(self, element: Element, text: int) -> tuple[tuple[Way, float], ...]:
        """The ways to an element, or to one of its texts, from those around it; all texts of a block ask for them."""
        if (element, text) not in self._below:
            self._below[element, text] = tuple(_below_named(element, text, self))
        return self._below[element, text]

    def lower(self, way: Way, down: tuple[Step, ...] = (), text: int = 0) -> Way:
        """The way that goes on from a name by steps down; each exists once, so that looking it up takes no time."""
        key = way, down, text
        known = self._ways.get(key)
        if known is None:
            known = self._ways[key] = Way(way.anchor, way.tag, way.name, down=down, text=text)
        return known

    def step_to(self, element: Element) -> tuple[Step, bool]:
        """The step from an element's parent to it, and whether the parent has more children of its name."""
        if element not in self._steps:
            # All children at once: a table may have a thousand rows, and each would count those before it.
            counts: Counter[str] = Counter()
            numbered = []
            parent = element.getparent()
            for child in parent if parent is not None else (element,):
                counts[str(child.tag)] += 1
                numbered.append((child, (str(child.tag), counts[str(child.tag)])))
            self._steps.update((child, (step, counts[step[0]] > 1)) for child, step in numbered)
        return self._steps[element]


def find_stable(samples: Sequence[Sample]) -> Stable:
    """The names that stand on enough pages and are not numbered through."""
    ids: dict[str, int] = defaultdict(int)
    classes: dict[tuple[str, str], int] = defaultdict(int)
    for sample in samples:
        for name in sample.by_id:
            ids[name] += 1
        for key in sample.by_class:
            classes[key] += 1
    least = _STABLE_SHARE * len(samples)
    names = {name for _, name in classes}
    unnumbered = _unnumbered(names, names)
    return Stable(
        _unnumbered({name for name, count in ids.items() if count >= least}, set(ids)),
        frozenset((tag, name) for (tag, name), count in classes.items() if count >= least and name in unnumbered),
    )


def _unnumbered(names: set[str], known: set[str]) -> frozenset[str]:
    """Names without those of a numbered row, such as ``row_01`` beside ``row_02``."""
    stems: dict[tuple[str, str], int] = defaultdict(int)
    for name in known:
        if found := _NUMBERED.fullmatch(name):
            stems[found[1], found[2]] += 1
    return frozenset(
        name for name in names if (found := _NUMBERED.fullmatch(name)) is None or stems[found[1], found[2]] < 2
    )


def candidates(slot: Slot, sample: Sample, labels: Labels, stable: Stable) -> Iterator[tuple[Way, float]]:
    """The ways that lead to a slot or to the block around it, with their weights."""
    if prefix := labels.prefix(slot.text):
        yield Way(PathAnchor.PREFIX, str(slot.node.tag), prefix[0]), _WEIGHTS[PathAnchor.PREFIX]
    targets = list(slot.boxes())
    text = 0
    if not targets:
        targets, text = [slot.node], slot.number
    for element in targets:
        for way, weight in stable.named(element):
            yield stable.lower(way, text=text), weight * (0.9 if text else 1.0)
    yield from stable.below_named(targets[-1], text)
    yield from _after_label(slot, targets[-1], text, sample, labels)
    block = targets[-1].getparent() if text == 0 else slot.node
    if block is not None and 1 < sample.texts.get(block, 0) <= 12:
        for way, weight in stable.named(block):
            yield way, weight * 0.9
        yield from ((way, weight * 0.85) for way, weight in stable.below_named(block, 0))
        yield from ((way, weight * 0.9) for way, weight in _after_label(slot, block, 0, sample, labels))


def _named(element: Element, stable: Stable) -> Iterator[tuple[Way, float]]:
    """The element by a name of its own."""
    tag = str(element.tag)
    if itemprop := element.get("itemprop"):
        yield Way(PathAnchor.ITEMPROP, tag, itemprop), _WEIGHTS[PathAnchor.ITEMPROP]
    if (identifier := element.get("id")) in stable.ids and identifier:
        yield Way(PathAnchor.ID, tag, identifier), _WEIGHTS[PathAnchor.ID]
    if tag == "h1":
        yield Way(PathAnchor.HEADING, tag, ""), _WEIGHTS[PathAnchor.HEADING]
    for name in classes_of(element):
        if (tag, name) in stable.classes:
            yield Way(PathAnchor.CLASS, tag, name), _WEIGHTS[PathAnchor.CLASS]


def _below_named(element: Element, text: int, stable: Stable) -> Iterator[tuple[Way, float]]:
    """The element by steps down from one that has a name."""
    steps: list[Step] = []
    current = element
    several = not text and stable.step_to(element)[1]
    while (parent := current.getparent()) is not None:
        steps.insert(0, stable.step_to(current)[0])
        depth = len(steps)
        if parent.tag == "body":
            yield (
                stable.lower(_BODY, tuple(steps), text),
                _WEIGHTS[PathAnchor.BODY] - 0.01 * depth,
            )
            return
        if depth <= _DEPTH:
            down = tuple(steps)
            for way, weight in stable.named(parent):
                yield stable.lower(way, down, text), weight * (0.93 if text else 0.97) - 0.05 * depth
                if several:
                    yield stable.lower(way, (*down[:-1], (down[-1][0], 0))), weight * 0.95 - 0.05 * depth
        current = parent


def _after_label(slot: Slot, target: Element, text: int, sample: Sample, labels: Labels) -> Iterator[tuple[Way, float]]:
    """The element by the label that stands before it."""
    for back in range(1, _LABELS_BACK + 1):
        if slot.place < back:
            return
        label = sample.slots[slot.place - back]
        strength = labels.strength(label)
        if labels.is_label(label):
            if back > 1 and _is_nearer(sample.slots[label.place + 1], slot, label):
                return
            form = min(1.0, 0.75 + 0.25 * strength) - 0.04 * (back - 1)
            for way, weight in _from_label(label, target, text):
                yield way, weight * form
            return


def _is_nearer(other: Slot, slot: Slot, label: Slot) -> bool:
    """Whether another text stands closer to a label than a slot does, as its value in the same block."""
    around = set(other.node.iterancestors()) | {other.node}
    ours = set(slot.node.iterancestors()) | {slot.node}
    for ancestor in (label.node, *label.node.iterancestors()):
        if ancestor in around or ancestor in ours:
            return ancestor not in ours
    return False


def _from_label(label: Slot, target: Element, text: int) -> Iterator[tuple[Way, float]]:
    around = {target: 0}
    chain = [target]
    current = target.getparent()
    while current is not None and len(chain) <= _DEPTH:
        around[current] = len(chain)
        chain.append(current)
        current = current.getparent()
    if label.box is None:
        yield from _beside_label(label, chain, text)
    for element in label.boxes():
        climb, child = 0, element
        while climb <= _CLIMB:
            parent = child.getparent()
            if parent is None:
                break
            if parent in around:
                yield from _across(element, climb, child, parent, chain[: around[parent]], text)
                break
            child, climb = parent, climb + 1


def _beside_label(label: Slot, chain: list[Element], text: int) -> Iterator[tuple[Way, float]]:
    """From a label that is a text of its own to an element behind it."""
    branch = next((element for element in chain if element.getparent() is label.node), None)
    if branch is None:
        return
    alike = [child for child in children_after(label) if child.tag == branch.tag]
    if branch not in alike:
        return
    number = alike.index(branch) + 1
    down = tuple(step_to(inner) for inner in reversed(chain[: chain.index(branch)]))
    weight = _WEIGHTS[PathAnchor.INLINE] - 0.02 * (number - 1) - 0.03 * len(down)
    yield Way(PathAnchor.INLINE, str(label.node.tag), label.text, 0, (str(branch.tag), number), down, text), weight


def _across(
    element: Element, climb: int, child: Element, parent: Element, chain: list[Element], text: int
) -> Iterator[tuple[Way, float]]:
    tag, name = str(element.tag), clean("".join(map(str, element.itertext())))
    weight = _WEIGHTS[PathAnchor.LABEL] - 0.03 * climb
    if not chain:
        if text:
            yield from _text_after(tag, name, climb, child, parent, text, weight)
        return
    branch = chain[-1]
    for number, sibling in enumerate(child.itersiblings(str(branch.tag)), 1):
        if sibling is branch:
            down = tuple(step_to(inner) for inner in reversed(chain[:-1]))
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
