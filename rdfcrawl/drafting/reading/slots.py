"""A page as the visible texts that it shows, in document order: the slots that a template fills."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from lxml.etree import _Element as Element

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.document.boxes import HIDDEN_MARK
from rdfcrawl.engine.document.tree import Document, address_of

if TYPE_CHECKING:
    from rdfcrawl.drafting.reading.repeated import RepeatedRows

KIND_LEVELS: Final = 4
"""How many levels of tags and classes make the kind of a text."""

_UNSEEN: Final = frozenset(
    (
        "script",
        "style",
        "noscript",
        "template",
        "head",
        "svg",
        "math",
        "iframe",
        "select",
        "textarea",
        "object",
        "button",
    )
)
_NO_DISPLAY: Final = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_SPACE: Final = re.compile(r"\s+")


@dataclass(slots=True, eq=False)
class Slot:
    """One visible text. ``number`` counts the text nodes of ``node``, its parent, as XPath's ``text()`` does.

    ``box`` is the topmost element that shows this text and no other; a text beside others in its parent has none.
    """

    page: int
    place: int
    node: Element
    number: int
    text: str
    kind: tuple[str, ...]
    box: Element | None = None
    linked: bool = False

    def boxes(self) -> Iterator[Element]:
        """The elements that show only this text, from its parent upwards."""
        if self.box is None:
            return
        element = self.node
        while True:
            yield element
            if element is self.box:
                return
            parent = element.getparent()
            assert parent is not None
            element = parent


@dataclass(frozen=True, slots=True)
class Value:
    """What a way finds on a page: a text, and the slots that it consists of."""

    text: str
    first: int
    count: int


@dataclass(slots=True, eq=False)
class Sample:
    """A sample page: its slots, and its elements by what paths can name them by."""

    number: int
    document: Document
    slots: list[Slot] = field(default_factory=list)
    texts: dict[Element, int] = field(default_factory=dict)
    """How many slots lie in each element."""
    first: dict[Element, int] = field(default_factory=dict)
    """The place of the first slot of each element."""
    by_id: dict[str, list[Element]] = field(default_factory=lambda: defaultdict(list))
    by_class: dict[tuple[str, str], list[Element]] = field(default_factory=lambda: defaultdict(list))
    by_itemprop: dict[str, list[Element]] = field(default_factory=lambda: defaultdict(list))
    by_tag: dict[str, list[Element]] = field(default_factory=lambda: defaultdict(list))
    by_text: dict[str, list[Slot]] = field(default_factory=lambda: defaultdict(list))

    addresses: dict[Element, str | None] = field(default_factory=dict)
    """Where links lead, as far as it was asked for."""
    children: dict[Element, dict[str, list[Element]]] = field(default_factory=dict)
    """The children of elements by their names, as far as it was asked for."""
    steps: dict[Element, str] = field(default_factory=dict)
    """How the fields of rows lead to elements, as far as it was asked for."""
    surroundings: dict[Element, frozenset[str]] = field(default_factory=dict)
    """What the elements around an element are called, as far as it was asked for."""
    boilerplate: dict[Element, bool] = field(default_factory=dict)
    """Whether an element or one around it is for finding one's way, as far as it was asked for."""
    conditions: dict[Element, tuple[str, ...]] = field(default_factory=dict)
    """What recognises a link, as far as it was asked for."""
    reached: dict[tuple[str, str, str, tuple[tuple[str, int], ...]], list[Element]] = field(default_factory=dict)
    """Where steps from an anchor lead, as far as it was asked for."""
    values: dict[tuple[Element, int], list[Value]] = field(default_factory=dict)
    """What elements show, or one of their texts, as far as it was asked for."""
    called: dict[str, dict[str, list[Element]]] = field(default_factory=dict)
    """All elements, hidden ones included, by the values of an attribute, as far as it was asked for."""
    told: dict[str, dict[str, list[Element]]] = field(default_factory=dict)
    """All elements of a tag by their text, and the tags that were ``asked`` for at all."""
    asked: set[str] = field(default_factory=set)
    rows: list[list[RepeatedRows]] = field(default_factory=list)
    """The repeated elements, if they were asked for."""

    def numbered(self, number: int) -> Sample:
        """The same page with another number."""
        if number == self.number:
            return self
        # Not by ``replace``, which takes four times as long: there are thousands of these.
        slots = [
            Slot(number, old.place, old.node, old.number, old.text, old.kind, old.box, old.linked) for old in self.slots
        ]
        by_text: dict[str, list[Slot]] = defaultdict(list)
        for slot in slots:
            by_text[slot.text].append(slot)
        return replace(self, number=number, slots=slots, by_text=by_text)

    def children_of(self, element: Element, name: str) -> list[Element]:
        """The children of an element that have a name, in their order."""
        known = self.children.get(element)
        if known is None:
            known = self.children[element] = defaultdict(list)
            for child in element:
                known[str(child.tag)].append(child)
        return known.get(name, [])

    def address_of(self, element: Element) -> str | None:
        """The web address that an element links to; found out once, because paths by the dozen ask for it."""
        if element not in self.addresses:
            self.addresses[element] = address_of(element, self.document.base)
        return self.addresses[element]

    def text_of(self, element: Element) -> str:
        """The text that an element shows, on one line."""
        first = self.first.get(element)
        if first is None:
            return ""
        return " ".join(slot.text for slot in self.slots[first : first + self.texts[element]])


def clean(text: str) -> str:
    """A text on one line, with plain spaces."""
    return _SPACE.sub(" ", text).strip()


def read_sample(document: Document, number: int) -> Sample:
    """The slots of a page and the indexes of its elements."""
    sample = Sample(number, document)
    body = document.root.find("body")
    if body is not None:
        _walk(sample, body)
    _find_boxes(sample)
    return sample


def classes_of(element: Element) -> list[str]:
    """The classes of an element, each once."""
    names = (element.get("class") or "").split()
    return names if len(names) < 2 else list(dict.fromkeys(names))


def _walk(sample: Sample, top: Element) -> None:
    """Visit what is visible, without recursion: pages of a hostile site nest deeply."""
    waiting: list[tuple[Element, tuple[str, ...], bool, int]] = [(top, (), False, 0)]
    while waiting:
        element, around, linked, tail_number = waiting.pop()
        if tail_number:
            parent = element.getparent()
            assert parent is not None
            _add(sample, parent, tail_number, element.tail or "", around, linked)
            continue
        tag = element.tag
        if not isinstance(tag, str) or _is_hidden(element, tag):
            continue
        _index(sample, element, tag)
        kind = (_signature(element, tag), *around)[:KIND_LEVELS]
        linked = linked or (tag == "a" and element.get("href") is not None)
        _add(sample, element, 1, element.text or "", kind, linked)
        number = 1 if element.text else 0
        inside: list[tuple[Element, tuple[str, ...], bool, int]] = []
        for child in element:
            inside.append((child, kind, linked, 0))
            if child.tail:
                number += 1
                inside.append((child, kind, linked, number))
        waiting.extend(reversed(inside))


def _add(sample: Sample, node: Element, number: int, raw: str, kind: tuple[str, ...], linked: bool) -> None:
    text = clean(raw)
    if not any(character.isalnum() for character in text):
        return
    slot = Slot(sample.number, len(sample.slots), node, number, text, kind, linked=linked)
    sample.slots.append(slot)
    sample.by_text[text].append(slot)


def _find_boxes(sample: Sample) -> None:
    texts, first = sample.texts, sample.first
    for slot in sample.slots:
        element: Element | None = slot.node
        while element is not None:
            texts[element] = texts.get(element, 0) + 1
            first.setdefault(element, slot.place)
            element = element.getparent()
    for slot in sample.slots:
        if texts[slot.node] > 1:
            continue
        slot.box = slot.node
        parent = slot.box.getparent()
        while parent is not None and texts[parent] == 1 and parent.tag != "body":
            slot.box, parent = parent, parent.getparent()


def _is_hidden(element: Element, tag: str) -> bool:
    if tag in _UNSEEN or element.get("hidden") is not None or element.get(HIDDEN_MARK) is not None:
        return True
    style = element.get("style")
    return style is not None and _NO_DISPLAY.search(style) is not None


def _index(sample: Sample, element: Element, tag: str) -> None:
    sample.by_tag[tag].append(element)
    if identifier := element.get("id"):
        sample.by_id[identifier].append(element)
    if itemprop := element.get("itemprop"):
        sample.by_itemprop[itemprop].append(element)
    for name in classes_of(element):
        sample.by_class[tag, name].append(element)


def _signature(element: Element, tag: str) -> str:
    names = element.get("class")
    return f"{tag}.{'.'.join(sorted(names.split()))}" if names else tag
