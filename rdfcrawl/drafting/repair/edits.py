"""Edits of a model: what stands in place of a selector, applied to the model itself and to its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.model import Item, Link, Model, Page, Property
from rdfcrawl.metamodel.parts import Replacement


@dataclass(frozen=True, slots=True)
class Edit:
    """A term of a page, item, property or link that gets another value; without ``old`` it had none.

    ``name`` is the term without its namespace. For a ``:replace`` that is added, ``new`` is what is found,
    ``replacement`` what stands in its place, and ``order`` its place among others.
    """

    term: str
    name: str
    old: str | None
    new: str
    replacement: str = ""
    order: int = 0


def edited(model: Model, edits: Sequence[Edit]) -> Model:
    """The model with the edits made."""
    return replace(model, pages={name: _page(page, edits) for name, page in model.pages.items()}) if edits else model


def _page(page: Page, edits: Sequence[Edit]) -> Page:
    for edit in edits:
        if edit.term == page.iri and edit.name == "next":
            page = replace(page, next=edit.new)
        elif edit.term == page.iri and edit.name == "path":
            page = page.with_path(edit.new)
    links = tuple(_link(link, edits) for link in page.links)
    item = None if page.item is None else _item(page.item, edits)
    return replace(page, links=links, item=item)


def _link(link: Link, edits: Sequence[Edit]) -> Link:
    new = next((edit.new for edit in edits if edit.term == link.iri and edit.name == "path"), None)
    return link if new is None else replace(link, path=new)


def _item(item: Item, edits: Sequence[Edit]) -> Item:
    for edit in edits:
        if edit.term == item.iri and edit.name == "path":
            item = replace(item, path=edit.new)
        elif edit.term == item.iri and edit.name == "id":
            item = replace(item, id_path=edit.new)
    return replace(item, properties=tuple(edited_property(prop, edits) for prop in item.properties))


def edited_property(prop: Property, edits: Sequence[Edit]) -> Property:
    """The property with those of the edits made that concern it."""
    for edit in edits:
        if edit.term != prop.iri:
            continue
        if edit.name == "replace":
            added = Replacement(edit.new, edit.replacement, edit.order)
            prop = replace(prop, replacements=(added, *prop.replacements))
        elif edit.name == "old":
            steps = (replace(step, old=edit.new) if step.old == edit.old else step for step in prop.replacements)
            prop = replace(prop, replacements=tuple(steps))
        else:
            changed: dict[str, Any] = {edit.name: edit.new}
            prop = replace(prop, **changed)
    return prop
