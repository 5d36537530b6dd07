"""The elements that paths begin at: those that have an id, a class or a text.

libxml2 looks for them through the whole page, for every path anew. Here they are looked up, hidden ones included, and
only the rest of a path is evaluated.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from lxml import etree
from lxml.etree import _Element as Element

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.slots import Sample

_STEP: Final = r"//?(?:\.\.|(?:following-sibling::)?(?:[A-Za-z][\w-]*|\*|text\(\)))(?:\[(?!/)[^\[\]|]*\])*"
_BEGUN: Final = re.compile(
    r"(?P<dot>\.?)//(?P<tag>[A-Za-z][\w-]*|\*)\[(?:@(?P<attribute>id|class|itemprop)='(?P<value>[^']*)'"
    r"|contains\(concat\(' ', normalize-space\(@class\), ' '\), ' (?P<name>[^' ]+) '\)"
    rf"|normalize-space\(\)='(?P<text>[^']*)')\](?P<rest>(?:{_STEP})*)"
)
_SPACE: Final = re.compile(r"[ \t\r\n]+")
"""What XPath takes for white space."""
_FEW: Final = 8
"""From more anchors on it takes longer to go on from each than to go through the page."""
_CLASS: Final = "class names"

_string_value: Final[Any] = etree.XPath("normalize-space()", smart_strings=False)


@dataclass(frozen=True, slots=True)
class _Beginning:
    """How a path begins: with elements of a tag, or of any, that have something."""

    is_relative: bool
    tag: str
    attribute: str
    value: str
    rest: str

    @property
    def leads_down(self) -> bool:
        """Whether the rest of the path stays inside the elements that it begins at."""
        return ".." not in self.rest and "::" not in self.rest


def anchored(path: str, sample: Sample, start: Element) -> list[Any] | None:
    """What a path finds from an element, if it begins at few elements that can be looked up."""
    begun = _beginning(path)
    anchors = _anchors(begun, sample) if begun is not None else None
    if begun is None or anchors is None:
        return None
    if begun.is_relative:
        anchors = [anchor for anchor in anchors if any(around is start for around in anchor.iterancestors())]
    if not begun.rest or not anchors:
        return anchors
    if len(anchors) > 1 and (len(anchors) > _FEW or not begun.leads_down or _are_nested(anchors)):
        # What several anchors lead to would have to be put in order.
        return None
    rest = compiled(f".{begun.rest}")
    return [match for anchor in anchors for match in rest(anchor)]


@lru_cache(maxsize=5_000)
def compiled(path: str) -> Any:
    """A path to be evaluated on several elements."""
    return etree.XPath(path, smart_strings=False)


@lru_cache(maxsize=5_000)
def _beginning(path: str) -> _Beginning | None:
    found = _BEGUN.fullmatch(path)
    if found is None:
        return None
    if (text := found["text"]) is not None:
        attribute, value = "", text
    elif (name := found["name"]) is not None:
        attribute, value = _CLASS, name
    else:
        attribute, value = found["attribute"], found["value"]
    return _Beginning(bool(found["dot"]), found["tag"], attribute, value, found["rest"])


def _anchors(begun: _Beginning, sample: Sample) -> list[Element] | None:
    if not begun.attribute:
        return _with_text(begun, sample)
    known = sample.called.get(begun.attribute)
    if known is None:
        known = sample.called[begun.attribute] = _called(begun.attribute, sample)
    found = known.get(begun.value, [])
    return [element for element in found if element.tag == begun.tag] if begun.tag != "*" else list(found)


def _called(attribute: str, sample: Sample) -> dict[str, list[Element]]:
    """The elements of a page by the values of an attribute, or by the names in their class."""
    called: dict[str, list[Element]] = defaultdict(list)
    name = "class" if attribute == _CLASS else attribute
    for element in compiled(f"//*[@{name}]")(sample.document.root):
        value = element.get(name)
        for each in dict.fromkeys(_SPACE.split(value)) if attribute == _CLASS else (value,):
            called[each].append(element)
    return called


def _with_text(begun: _Beginning, sample: Sample) -> list[Element] | None:
    """The elements that consist of a text; for a single question it is not worth while to find out all texts."""
    if begun.tag == "*":
        return None
    known = sample.told.get(begun.tag)
    if known is None:
        if begun.tag not in sample.asked:
            sample.asked.add(begun.tag)
            return None
        known = sample.told[begun.tag] = defaultdict(list)
        for element in sample.document.root.iter(begun.tag):
            text = _string_value(element) if len(element) else _SPACE.sub(" ", element.text or "").strip(" ")
            known[text].append(element)
    return list(known.get(begun.value, ()))


def _are_nested(anchors: Iterable[Element]) -> bool:
    known = set(anchors)
    return any(around in known for anchor in known for around in anchor.iterancestors())
