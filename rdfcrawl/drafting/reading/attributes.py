"""Values that a page does not show as text: in attributes of elements that every sample page has."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from lxml.etree import _Element as Element

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.slots import Sample, clean
from rdfcrawl.drafting.reading.xpaths import elements_at, has_class, literal

_READ: Final = {
    "input": ("value",),
    "time": ("datetime",),
    "meta": ("content",),
    "data": ("value",),
    "img": ("src",),
    "abbr": ("title",),
    "span": ("content", "title", "class"),
    "div": ("content", "class"),
    "i": ("title", "class"),
}
_ENTERED: Final = frozenset(("", "text", "number"))
_NUMBERED: Final = re.compile(r"(?P<stem>[a-z][a-z_-]*[-_])(?P<number>\d{1,3}([_.]\d)?)")
_MOST: Final = 400
_LEAST_SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class FoundAttribute:
    """An attribute whose value differs from page to page; ``stem`` stands before a number in a class name."""

    name: str
    path: str
    attribute: str
    values: tuple[str | None, ...]
    stem: str = ""


def find_attributes(samples: Sequence[Sample]) -> list[FoundAttribute]:
    """The attributes of the sample pages that tell something, in the order of the first page that has them."""
    paths: dict[tuple[str, str, str, str], None] = {}
    for sample in samples:
        for element in _elements(sample):
            for attribute in _READ[str(element.tag)]:
                paths.update(dict.fromkeys(_paths(element, attribute)))
    found: list[FoundAttribute] = []
    told: set[tuple[str | None, ...]] = set()
    for name, path, attribute, stem in list(paths)[:_MOST]:
        values = tuple(_value(path, attribute, stem, sample) for sample in samples)
        if values not in told and _tells(values):
            told.add(values)
            found.append(FoundAttribute(name, path, attribute, values, stem))
    return found


def _elements(sample: Sample) -> Iterator[Element]:
    """Elements that may have such values; what is hidden for some other reason is not looked at."""
    for tag in _READ:
        for element in sample.by_tag.get(tag, ())[:_MOST]:
            if tag != "input" or (element.get("type") or "") in _ENTERED:
                yield element


def _paths(element: Element, attribute: str) -> Iterator[tuple[str, str, str, str]]:
    """Name, path, attribute and stem of what an attribute may say, if the element can be recognised."""
    value = element.get(attribute)
    if not value:
        return
    tag, stem, condition = str(element.tag), "", ""
    if attribute == "class":
        numbered = next((hit for part in value.split() if (hit := _NUMBERED.fullmatch(part))), None)
        if numbered is None:
            return
        stem = numbered["stem"]
        condition = f"[contains(translate(@class, '123456789', '000000000'), {literal(f'{stem}0')})]"
    if attribute in ("title", "class") and any(str(text).strip() for text in element.itertext()):
        return
    for name, start in _starts(element, is_class=attribute == "class"):
        yield name or stem.strip("-_"), f"{start}{condition}" if start else f"//{tag}{condition}", attribute, stem


def _starts(element: Element, *, is_class: bool) -> Iterator[tuple[str, str]]:
    """Names and paths of an element by what it is called itself, else by the nearest element around it with an id."""
    tag = str(element.tag)
    if itemprop := element.get("itemprop"):
        yield itemprop, f"//{tag}[@itemprop={literal(itemprop)}]"
        return
    if identifier := element.get("id"):
        yield element.get("name") or identifier, f"//{tag}[@id={literal(identifier)}]"
        return
    if (name := element.get("class")) and not is_class and not any(map(str.isdigit, name)):
        yield name.split()[0], f"//{tag}{has_class(name.split()[0])}"
    for level, ancestor in enumerate(element.iterancestors(), 1):
        if ancestor.tag == "body" or level > 5:
            break
        if identifier := ancestor.get("id"):
            yield "" if is_class else identifier, f"//{ancestor.tag}[@id={literal(identifier)}]//{tag}"
            return
    if is_class:
        yield "", ""


def _value(path: str, attribute: str, stem: str, sample: Sample) -> str | None:
    """The value on a page; several elements there are no value, because nothing tells which of them is meant."""
    values = {clean(element.get(attribute) or "") for element in elements_at(path, sample)} - {""}
    if len(values) != 1:
        return None
    value = values.pop()
    if not stem:
        return value
    numbers = [hit["number"] for part in value.split() if (hit := _NUMBERED.fullmatch(part)) and hit["stem"] == stem]
    return numbers[0] if numbers else None


def _tells(values: Sequence[str | None]) -> bool:
    known = [value for value in values if value is not None]
    shares: dict[str, int] = defaultdict(int)
    for value in known:
        shares[value] += 1
    return len(known) >= max(2, _LEAST_SHARE * len(values)) and len(shares) > 1
