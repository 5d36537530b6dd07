"""Ways to a value: what a path is anchored at, and the steps from there.

A way is tried on all sample pages through their indexes, because an XPath engine would take a hundred times as long for
the thousands of ways there are; what is chosen is then written as an XPath.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import Final

from lxml.etree import _Element as Element

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.labels import beginning
from rdfcrawl.drafting.reading.slots import Sample, Slot, Value
from rdfcrawl.drafting.reading.xpaths import has_class, literal

Step = tuple[str, int]
"""The name of a child element, and its place among those of that name; 0 stands for all of them."""


TEXT = "text()"


_MOST_ANCHORS: Final = 60
"""Where one value is looked for, more elements only tell that the way is ambiguous, which is known by then."""


class PathAnchor(StrEnum):
    """What a path begins with, from what is most likely to last to what is least."""

    ITEMPROP = "itemprop"
    ID = "id"
    HEADING = "heading"
    LABEL = "label"
    INLINE = "inline"
    PREFIX = "prefix"
    CLASS = "class"
    BODY = "body"

    # That of an enumeration is written in Python, and anchors are looked up with every way.
    __hash__ = str.__hash__


LABELLED: Final = frozenset((PathAnchor.LABEL, PathAnchor.INLINE, PathAnchor.PREFIX, PathAnchor.ITEMPROP))
"""What a path begins with where the page itself says what the value is."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to the values of a property.

    From the anchor it climbs, goes across to a following sibling and down; ``text`` is the number of a text node there.
    A way with the step 0 finds several values.
    """

    anchor: PathAnchor
    tag: str
    name: str
    climb: int = 0
    across: Step | None = None
    down: tuple[Step, ...] = ()
    text: int = 0
    below: str = ""
    """Every element of this name below the last step."""
    is_multiple: bool = field(init=False, repr=False, compare=False, default=False)
    """Whether the way is meant to find several values."""
    _hash: int = field(init=False, repr=False, compare=False, default=0)

    def __post_init__(self) -> None:
        # Ways are looked up so often that computing these anew takes a tenth of the time of a draft.
        across = self.across is not None and self.across[1] == 0
        object.__setattr__(self, "is_multiple", across or bool(self.below) or any(step[1] == 0 for step in self.down))
        parts = (self.anchor, self.tag, self.name, self.climb, self.across, self.down, self.text, self.below)
        object.__setattr__(self, "_hash", hash(parts))

    def __hash__(self) -> int:
        return self._hash


def follow(way: Way, sample: Sample) -> list[Value]:
    """What a way finds on a page, in document order; where one value is meant, enough to tell that there are more."""
    if way.anchor is PathAnchor.PREFIX:
        return _prefixed(way, sample)
    if way.anchor is PathAnchor.INLINE:
        return _beside(way, sample)
    found: list[Value] = []
    if way.across is None and not way.climb and not way.is_multiple:
        for target in _reached(way, way.down, sample):
            found += _values(way, target, sample)
            if len(found) > 1 and found[-1].text != found[0].text:
                break
        return found
    anchors = _anchors(way, sample)
    for element in anchors if way.is_multiple else anchors[:_MOST_ANCHORS]:
        if way.across is not None and way.across[0] == TEXT:
            found += _text_after(way, element, sample)
            continue
        for target in _targets(way, element, sample):
            found += _values(way, target, sample)
        if not way.is_multiple and len(found) > 1 and found[-1].text != found[0].text:
            break
    return found


def _prefixed(way: Way, sample: Sample) -> list[Value]:
    start = beginning(way.name)
    return [
        Value(slot.text[len(start) :].strip(), slot.place, 1)
        for slot in sample.slots
        if slot.text.startswith(start) and slot.node.tag == way.tag
    ]


def _beside(way: Way, sample: Sample) -> list[Value]:
    """What follows a label that is a text of its own beside its value."""
    assert way.across is not None
    name, number = way.across
    found: list[Value] = []
    for slot in sample.by_text.get(way.name, ()):
        if slot.box is not None or slot.node.tag != way.tag:
            continue
        following = [child for child in children_after(slot) if child.tag == name]
        for target in following[number - 1 : number] if number else following:
            for inner in _down(way, [target], sample):
                found += _values(way, inner, sample)
    return found


def children_after(slot: Slot) -> list[Element]:
    """The children of a text's parent that stand behind the text."""
    seen = 1 if slot.node.text else 0
    if seen == slot.number:
        return list(slot.node)
    children = list(slot.node)
    for place, child in enumerate(children):
        seen += 1 if child.tail else 0
        if seen == slot.number:
            return children[place + 1 :]
    return []


def _anchors(way: Way, sample: Sample) -> list[Element]:
    match way.anchor:
        case PathAnchor.ITEMPROP:
            return sample.by_itemprop.get(way.name, [])
        case PathAnchor.ID:
            return sample.by_id.get(way.name, [])
        case PathAnchor.CLASS:
            return sample.by_class.get((way.tag, way.name), [])
        case PathAnchor.LABEL:
            return [
                element
                for slot in sample.by_text.get(way.name, ())
                if (element := label_element(slot, way.tag)) is not None
            ]
        case _:
            return sample.by_tag.get(way.tag, [])


def label_element(slot: Slot, tag: str) -> Element | None:
    """The element of a label that has this name: one that shows the label and nothing else."""
    return next((element for element in slot.boxes() if element.tag == tag), None)


def _reached(way: Way, down: tuple[Step, ...], sample: Sample) -> list[Element]:
    """Where numbered steps down from the anchors lead; ways to neighbouring cells have all but the last in common."""
    key = way.anchor, way.tag, way.name, down
    known = sample.reached.get(key)
    if known is None:
        if down:
            name, number = down[-1]
            groups = (sample.children_of(above, name) for above in _reached(way, down[:-1], sample))
            known = [children[number - 1] for children in groups if len(children) >= number]
        else:
            known = _anchors(way, sample)[:_MOST_ANCHORS]
        sample.reached[key] = known
    return known


def _targets(way: Way, element: Element, sample: Sample) -> list[Element]:
    current: Element | None = element
    for _ in range(way.climb):
        current = current.getparent() if current is not None else None
    if current is not None and way.across is not None:
        name, number = way.across
        following = list(current.itersiblings(name))
        return _down(way, following[number - 1 : number] if number else following, sample)
    if current is None:
        return []
    return _down(way, [current], sample)


def _down(way: Way, targets: list[Element], sample: Sample) -> list[Element]:
    for name, number in way.down:
        found: list[Element] = []
        for target in targets:
            children = sample.children_of(target, name)
            found += children[number - 1 : number] if number else children
        if not found:
            return []
        targets = found
    if way.below:
        targets = [inner for target in targets for inner in target.iter(way.below)]
    return targets


def _text_after(way: Way, element: Element, sample: Sample) -> list[Value]:
    assert way.across is not None
    current = element
    for _ in range(way.climb):
        parent = current.getparent()
        if parent is None:
            return []
        current = parent
    parent = current.getparent()
    if parent is None:
        return []
    before = (1 if parent.text else 0) + sum(1 for sibling in current.itersiblings(preceding=True) if sibling.tail)
    return _piece(sample, parent, before + way.across[1])


def _values(way: Way, target: Element, sample: Sample) -> list[Value]:
    """What an element shows, or one of its texts; a dozen ways lead to each."""
    key = target, way.text
    known = sample.values.get(key)
    if known is None:
        known = sample.values[key] = _piece(sample, target, way.text) if way.text else _whole(sample, target)
    return known


def _whole(sample: Sample, target: Element) -> list[Value]:
    count = sample.texts.get(target, 0)
    return [Value(sample.text_of(target), sample.first[target], count)] if count else []


def _piece(sample: Sample, node: Element, number: int) -> list[Value]:
    """One of the texts that stand directly in an element."""
    first = sample.first.get(node)
    if first is None:
        return []
    slots = sample.slots[first : first + sample.texts[node]]
    return [Value(slot.text, slot.place, 1) for slot in slots if slot.node is node and slot.number == number]


def as_xpath(way: Way) -> str:
    """The way as an XPath from the root of the document."""
    path = _anchor_path(way)
    path += "/.." * way.climb
    if way.across is not None:
        name, number = way.across
        path += f"/following-sibling::{name}[{number}]" if number else f"/following-sibling::{name}"
    for name, number in way.down:
        path += f"/{name}" if number == 0 else f"/{name}[{number}]"
    if way.below:
        path += f"//{way.below}"
    if way.text:
        path += f"/text()[{way.text}]"
    return path


def _anchor_path(way: Way) -> str:
    name = literal(way.name)
    match way.anchor:
        case PathAnchor.ITEMPROP:
            return f"//*[@itemprop={name}]"
        case PathAnchor.ID:
            return f"//*[@id={name}]"
        case PathAnchor.CLASS:
            return f"//{way.tag}{has_class(way.name)}"
        case PathAnchor.LABEL:
            return f"//{way.tag}[normalize-space()={name}]"
        case PathAnchor.INLINE:
            return f"//{way.tag}/text()[normalize-space()={name}]"
        case PathAnchor.PREFIX:
            return f"//{way.tag}/text()[starts-with(normalize-space(), {name})]"
        case _:
            return f"//{way.tag}"
