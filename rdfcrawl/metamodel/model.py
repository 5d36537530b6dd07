"""A model as frozen values, in the words of the metamodel.

Pages refer to each other by IRI, because links may lead in circles; ``Model.pages`` resolves them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rdfcrawl.rdf import terms


@dataclass(frozen=True, slots=True)
class Replacement:
    """``:replace``: every match of ``old`` becomes ``new``, in which ``$1`` is the first group."""

    old: str
    new: str
    order: int = 0


@dataclass(frozen=True, slots=True)
class Property:
    """A value of an object: where it stands on the page and what becomes of its text."""

    iri: str
    path: str
    optional: bool = False
    multiple: bool = False
    attribute: str | None = None
    pattern: str | None = None
    replacements: tuple[Replacement, ...] = ()
    datatype: str = terms.STRING
    format: str | None = None
    locale: str | None = None
    language: str | None = None
    alias: str | None = None
    label: bool = False

    @property
    def predicate(self) -> str:
        """The predicate that is written: ``:as`` if given, else the property's own IRI."""
        return self.alias or self.iri


@dataclass(frozen=True, slots=True)
class Item:
    """A class of objects: its root element, its properties and what identifies it."""

    iri: str
    path: str
    properties: tuple[Property, ...] = ()
    id_path: str | None = None
    key: tuple[str, ...] = ()
    rdf_class: str | None = None
    alias: str | None = None

    @property
    def predicate(self) -> str:
        """The predicate of the edges that lead to this item's objects."""
        return self.alias or self.iri


@dataclass(frozen=True, slots=True)
class Link:
    """``:link``: the elements at ``path`` lead to the page ``target``."""

    iri: str
    path: str
    target: str
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What every kind of page has: its links and what must be done with it."""

    iri: str
    links: tuple[Link, ...] = ()
    params: tuple[str, ...] = ()
    render: bool | None = None
    next: str | None = None
    wait: int | None = None
    scroll: int | None = None
    wait_for: str | None = None
    clicks: tuple[str, ...] = ()
    more: str | None = None
    total: str | None = None
    load: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectPage(Page):
    """``type:object``: one object, whose address is its IRI."""

    item: Item
    subs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectsPage(Page):
    """``type:objects``: several objects."""

    item: Item
    subs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksPage(Page):
    """``type:links``: links to ``target``."""

    path: str
    target: str


ItemPage = ObjectPage | ObjectsPage
"""The pages that contain objects, rather than only links."""


@dataclass(frozen=True, slots=True)
class Section:
    """A start address and the page that describes it; headers and cookies name the variables of their values."""

    address: str
    page: str
    delay: int | None = None
    headers: tuple[str, ...] = ()
    cookies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Model:
    """A valid model. ``digest`` depends on what the model says, not on how it is written."""

    sections: tuple[Section, ...]
    pages: Mapping[str, Page]
    digest: str
    prefixes: Mapping[str, str] = field(default_factory=dict)
    turtle: str = ""

    def page(self, iri: str) -> Page:
        """The page of that IRI."""
        return self.pages[iri]

    def items(self) -> tuple[Item, ...]:
        """The items of all pages, each once, ordered by IRI."""
        items = {page.item.iri: page.item for page in self.pages.values() if isinstance(page, ItemPage)}
        return tuple(items[iri] for iri in sorted(items))
