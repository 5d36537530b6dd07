"""A description without mistakes becomes a frozen ``Model``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from rdflib import Literal
from rdflib.term import Node

from rdfcrawl.metamodel.check.reach import reachable
from rdfcrawl.metamodel.description import MODEL, Description
from rdfcrawl.metamodel.model import (
    Item,
    Link,
    LinksPage,
    Model,
    ObjectPage,
    ObjectsPage,
    Page,
    Property,
    Replacement,
    Section,
)
from rdfcrawl.metamodel.source import SourceGraph
from rdfcrawl.rdf import terms


def build_model(description: Description, source: SourceGraph) -> Model:
    """The model that a valid description stands for; pages that nothing leads to are left out."""
    reached = reachable(description)
    sections = tuple(_section(description, section) for section in description.values(MODEL, "section"))
    pages = {str(page): _page(description, page) for page in description.of_kind("Page") if page in reached}
    return Model(sections, pages, digest(sections, pages), dict(source.prefixes), source.turtle())


def digest(sections: tuple[Section, ...], pages: Mapping[str, Page]) -> str:
    """SHA-256 over what the model says, as JSON with sorted keys.

    Whatever equals its default is left out, so that a term that the metamodel gains later does not change the digests
    of models that do not use it.
    """
    said = {"sections": _canonical(sections), "pages": {iri: _canonical(page) for iri, page in pages.items()}}
    text = json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_canonical(element) for element in value]
    if not is_dataclass(value):
        return value
    said = {
        entry.name: _canonical(content)
        for entry in fields(value)
        if (content := getattr(value, entry.name)) != entry.default or entry.default is MISSING
    }
    return {"kind": type(value).__name__, **said} if isinstance(value, Page) else said


def _section(description: Description, section: Node) -> Section:
    delay = _number(description, section, "delay")
    headers, cookies = (_texts(description, section, term) for term in ("header", "cookie"))
    return Section(str(section), _text(description, section, "page"), delay, headers, cookies)


def _page(description: Description, page: Node) -> Page:
    common: dict[str, Any] = {
        "iri": str(page),
        "links": tuple(_link(description, link) for link in description.values(page, "link")),
        "params": _texts(description, page, "param"),
        "render": _flag(description, page, "render"),
        "next": _optional_text(description, page, "next"),
        "wait": _number(description, page, "wait"),
        "scroll": _number(description, page, "scroll"),
        "wait_for": _optional_text(description, page, "waitFor"),
        "clicks": _texts(description, page, "click"),
        "more": _optional_text(description, page, "more"),
        "total": _optional_text(description, page, "total"),
        "load": _texts(description, page, "load"),
    }
    kind = description.page_kind(page)
    if kind == "LinksPage":
        return LinksPage(path=_text(description, page, "path"), target=_text(description, page, "target"), **common)
    item = _item(description, description.values(page, "item")[0])
    subs = _texts(description, page, "sub")
    return (ObjectPage if kind == "ObjectPage" else ObjectsPage)(item=item, subs=subs, **common)


def _link(description: Description, link: Node) -> Link:
    return Link(
        str(link),
        _text(description, link, "path"),
        _text(description, link, "target"),
        optional=bool(_flag(description, link, "optional")),
    )


def _item(description: Description, item: Node) -> Item:
    return Item(
        str(item),
        _text(description, item, "path"),
        properties=tuple(_property(description, prop) for prop in description.values(item, "property")),
        id_path=_optional_text(description, item, "id"),
        key=_texts(description, item, "key"),
        rdf_class=_optional_text(description, item, "class"),
        alias=_optional_text(description, item, "as"),
    )


def _property(description: Description, prop: Node) -> Property:
    replacements = [_replacement(description, replacement) for replacement in description.values(prop, "replace")]
    return Property(
        str(prop),
        _text(description, prop, "path"),
        optional=bool(_flag(description, prop, "optional")),
        multiple=bool(_flag(description, prop, "multiple")),
        attribute=_optional_text(description, prop, "attribute"),
        pattern=_optional_text(description, prop, "pattern"),
        replacements=tuple(sorted(replacements, key=lambda replacement: replacement.order)),
        datatype=_optional_text(description, prop, "type") or terms.STRING,
        format=_optional_text(description, prop, "format"),
        locale=_optional_text(description, prop, "locale"),
        language=_optional_text(description, prop, "language"),
        alias=_optional_text(description, prop, "as"),
        label=bool(_flag(description, prop, "label")),
    )


def _replacement(description: Description, replacement: Node) -> Replacement:
    return Replacement(
        _text(description, replacement, "old"),
        _text(description, replacement, "new"),
        _number(description, replacement, "order") or 0,
    )


def _text(description: Description, resource: Node, term: str) -> str:
    return str(description.values(resource, term)[0])


def _optional_text(description: Description, resource: Node, term: str) -> str | None:
    values = description.values(resource, term)
    return str(values[0]) if values else None


def _texts(description: Description, resource: Node, term: str) -> tuple[str, ...]:
    return tuple(str(value) for value in description.values(resource, term))


def _number(description: Description, resource: Node, term: str) -> int | None:
    values = description.values(resource, term)
    return int(str(values[0])) if values else None


def _flag(description: Description, resource: Node, term: str) -> bool | None:
    values = description.values(resource, term)
    return bool(values[0].toPython()) if values and isinstance(values[0], Literal) else None
