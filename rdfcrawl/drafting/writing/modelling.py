"""A drafted model as the ``Model`` that its text describes.

A draft is tried on its own samples before it is written. To read its text for that, as Turtle and with all checks,
would take longer than to try it: most of that is importing what reads and checks what people write. What has no order
in RDF is ordered by name, as a text is read.
"""

from __future__ import annotations

from typing import Any, Final

from rdfcrawl.drafting.writing.outline import (
    NAMESPACES,
    DraftedItem,
    DraftedPage,
    DraftedProperty,
    Outline,
    property_namespace,
)
from rdfcrawl.metamodel.kinds.table import KINDS
from rdfcrawl.metamodel.model import Item, Link, Model, Page, Property, Section

_PAGE: Final = NAMESPACES["page"]
_SCHEMA: Final = "schema:"


def model_of(outline: Outline) -> Model:
    """The model of an outline, without what only tells texts apart."""
    sections = tuple(Section(address, _PAGE + page) for address, page in sorted(outline.sections))
    return Model(sections, {_PAGE + page.name: _page(page) for page in outline.all_pages()}, digest="")


def _page(page: DraftedPage) -> Page:
    said: dict[str, Any] = {
        "iri": _PAGE + page.name,
        "subs": tuple(sorted(_PAGE + sub.name for sub in page.subs)),
        "links": tuple(
            Link(NAMESPACES["link"] + link.name, link.path, _PAGE + link.target, optional=True)
            for link in sorted(page.links, key=lambda link: link.name)
        ),
        "params": tuple(sorted(page.params)),
        "render": page.render or None,
        "next": page.next,
        "scroll": page.scroll,
        "more": page.more,
    }
    if page.item is not None:
        said["item"] = _item(page.item)
    if page.path and page.target:
        said |= {"path": page.path, "target": _PAGE + page.target}
    return KINDS[NAMESPACES["type"] + page.kind](**said)


def _item(item: DraftedItem) -> Item:
    active = sorted((found for found in item.properties if found.active), key=lambda found: found.name)
    return Item(
        NAMESPACES["item"] + item.name,
        item.path,
        properties=tuple(_property(item, found) for found in active),
        id_path=item.id_path,
        key=tuple(sorted(property_namespace(item.name) + name for name in item.key)),
    )


def _property(item: DraftedItem, found: DraftedProperty) -> Property:
    form = found.form
    return Property(
        property_namespace(item.name) + found.name,
        found.path,
        optional=found.optional,
        multiple=found.multiple,
        attribute=found.attribute,
        pattern=form.pattern,
        replacements=tuple(sorted(form.replacements, key=lambda step: step.order)),
        datatype=form.datatype,
        format=form.format,
        locale=form.locale,
        alias=found.alias and found.alias.replace(_SCHEMA, NAMESPACES["schema"], 1),
        label=found.is_label,
    )
