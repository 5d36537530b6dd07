"""A model as frozen values, named after the terms of the metamodel.

Pages refer to each other by IRI, because links may be cyclic; ``Model.pages`` resolves them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.alerts.alert import Alert
from rdfcrawl.metamodel.forms import Fill, Login
from rdfcrawl.metamodel.kinds.links_page import LinksPage
from rdfcrawl.metamodel.kinds.object_page import ObjectPage
from rdfcrawl.metamodel.kinds.objects_page import ObjectsPage
from rdfcrawl.metamodel.kinds.page import Page
from rdfcrawl.metamodel.kinds.site_page import SitePage
from rdfcrawl.metamodel.parts import Item, Link, Property, Replacement

__all__ = [
    "Alert",
    "Fill",
    "Item",
    "Link",
    "LinksPage",
    "Login",
    "Model",
    "ObjectPage",
    "ObjectsPage",
    "Page",
    "Property",
    "Replacement",
    "Section",
    "SitePage",
]


@dataclass(frozen=True, slots=True)
class Section:
    """A start address and the page that describes it; headers and cookies name the variables with their values."""

    address: str
    page: str
    delay: int | None = None
    headers: tuple[str, ...] = ()
    cookies: tuple[str, ...] = ()
    login: Login | None = None
    window: str | None = None
    """``:window``: the time of day in which the section is read."""


@dataclass(frozen=True, slots=True)
class Model:
    """A valid model. ``digest`` depends on what the model says, not on how it is written or whom it tells."""

    sections: tuple[Section, ...]
    pages: Mapping[str, Page]
    digest: str
    prefixes: Mapping[str, str] = field(default_factory=dict)
    turtle: str = ""
    alerts: tuple[Alert, ...] = ()

    def page(self, iri: str) -> Page:
        """The page with that IRI."""
        return self.pages[iri]

    def items(self) -> tuple[Item, ...]:
        """The items of all pages, without duplicates, ordered by IRI."""
        items: dict[str, Item] = {}
        for item in (item for page in self.pages.values() for item in page.items):
            known = items.get(item.iri)
            # The addresses of a site with criteria have more facts than those of another.
            if known is None or len(item.properties) > len(known.properties):
                items[item.iri] = item
        return tuple(items[iri] for iri in sorted(items))
