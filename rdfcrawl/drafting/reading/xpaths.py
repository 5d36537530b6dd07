"""XPaths as they are written, and what they find on a sample page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from lxml.etree import _Element as Element

from rdfcrawl.drafting.reading.anchors import anchored, compiled
from rdfcrawl.drafting.reading.slots import Sample, classes_of, clean

_TOLD_APART: Final = re.compile(r"(?<!.)(\.?)//(?=[\w*-]+\[(@|contains\(|normalize-space\())")
_COUNTS: Final = re.compile(r"\]\[\d|position\(\)|last\(\)")


def literal(text: str) -> str:
    """A text as an XPath literal."""
    if "'" not in text:
        return f"'{text}'"
    if '"' not in text:
        return f'"{text}"'
    pieces = ', "\'", '.join(f"'{piece}'" for piece in text.split("'"))
    return f"concat({pieces})"


def has_class(name: str) -> str:
    """The condition that an element has a class, among others."""
    return f"[contains(concat(' ', normalize-space(@class), ' '), {literal(f' {name} ')})]"


def predicates(element: Element) -> Iterator[str]:
    """Conditions that recognise an element by its id or its classes."""
    if identifier := element.get("id"):
        yield f"[@id={literal(identifier)}]"
    if names := element.get("class"):
        yield f"[@class={literal(names)}]"
        for name in classes_of(element):
            if not any(character.isdigit() for character in name):
                yield has_class(name)


def elements_at(path: str, sample: Sample, start: Element | None = None) -> list[Element]:
    """The elements that an XPath finds on a page, or from an element of it."""
    return [match for match in _matches(path, sample, start) if isinstance(match, Element)]


def texts_at(path: str, sample: Sample, start: Element | None = None) -> list[str]:
    """The texts that an XPath finds on a page, or from an element of it, without empty ones."""
    matches = _matches(path, sample, start)
    texts = (sample.text_of(match) if isinstance(match, Element) else clean(str(match)) for match in matches)
    return [text for text in texts if text]


def _matches(path: str, sample: Sample, start: Element | None) -> list[Any]:
    begin = sample.document.root if start is None else start
    found: Any = anchored(path, sample, begin)
    if found is None:
        found = compiled(_quick(path))(begin)
    return found if isinstance(found, list) else [found]


def _quick(path: str) -> str:
    """The same path as libxml2 evaluates it in half the time: it asks every node of ``//a[…]`` for its children.

    Where a condition is a number, the other form would count other elements.
    """
    return path if _COUNTS.search(path) else _TOLD_APART.sub(r"\1/descendant::", path)
