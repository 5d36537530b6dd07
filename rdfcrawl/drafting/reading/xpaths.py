"""XPaths as they are written, and what they find on a sample page."""

from __future__ import annotations

from collections.abc import Iterator

from lxml.etree import _Element as Element

from rdfcrawl.drafting.reading.slots import Sample, classes_of, clean


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


def elements_at(path: str, sample: Sample) -> list[Element]:
    """The elements that an XPath finds on a page."""
    return elements_from(sample.document.root, path)


def elements_from(start: Element, path: str) -> list[Element]:
    """The elements that an XPath finds from another one."""
    found = start.xpath(path)
    return [match for match in found if isinstance(match, Element)] if isinstance(found, list) else []


def texts_at(path: str, sample: Sample, start: Element | None = None) -> list[str]:
    """The texts that an XPath finds on a page, or from an element of it, without empty ones."""
    found = (sample.document.root if start is None else start).xpath(path)
    matches = found if isinstance(found, list) else [found]
    texts = (sample.text_of(match) if isinstance(match, Element) else clean(str(match)) for match in matches)
    return [text for text in texts if text]
