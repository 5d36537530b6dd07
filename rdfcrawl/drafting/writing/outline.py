"""A drafted model before it is written down: pages, items and properties with what speaks for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.writing.forms import Form
from rdfcrawl.rdf import terms

NAMESPACES: Final = {
    "": terms.METAMODEL,
    "type": terms.TYPE,
    "page": "page://",
    "item": "item://",
    "link": "link://",
    "xsd": terms.XSD,
    "schema": "https://schema.org/",
}
"""What the prefixes of a drafted model stand for, in the order in which its text declares them."""


def property_namespace(item: str) -> str:
    """What the prefix of an item's properties stands for."""
    return f"property://{item}/"


@dataclass(frozen=True, slots=True)
class DraftedProperty:
    """A property, the samples that it was found with, and on how many of the pages it was seen.

    One that is not ``active`` is written as a comment. ``alias`` is what the page itself calls it in its own markup.
    """

    name: str
    path: str
    samples: tuple[str, ...]
    seen: int
    pages: int
    form: Form = field(default_factory=Form)
    multiple: bool = False
    attribute: str | None = None
    is_label: bool = False
    active: bool = True
    alias: str | None = None

    @property
    def optional(self) -> bool:
        """Whether some of the samples lack it."""
        return self.seen < self.pages


@dataclass(frozen=True, slots=True)
class DraftedItem:
    """A class of objects; ``key`` names the properties that identify an object without address."""

    name: str
    path: str
    properties: tuple[DraftedProperty, ...]
    key: tuple[str, ...] = ()
    id_path: str | None = None


@dataclass(frozen=True, slots=True)
class DraftedLink:
    """More links of a page, which lead to another kind of pages than its own."""

    name: str
    path: str
    target: str


@dataclass(frozen=True, slots=True)
class DraftedPage:
    """A page of the model: links to a target, one object, or several; ``why`` says what speaks for it."""

    name: str
    kind: str
    item: DraftedItem | None = None
    path: str | None = None
    target: str | None = None
    next: str | None = None
    more: str | None = None
    scroll: int | None = None
    render: bool = False
    params: tuple[str, ...] = ()
    subs: tuple[DraftedPage, ...] = ()
    why: str = ""
    links: tuple[DraftedLink, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """Everything that was found: start addresses with their pages, all pages, and what is unsure."""

    sections: tuple[tuple[str, str], ...]
    pages: tuple[DraftedPage, ...]
    doubts: tuple[str, ...] = ()

    def all_pages(self) -> Iterator[DraftedPage]:
        """The pages, each followed by those inside it."""
        waiting = list(reversed(self.pages))
        while waiting:
            page = waiting.pop()
            yield page
            waiting += reversed(page.subs)

    def items(self) -> Iterator[DraftedItem]:
        """The items of the pages."""
        return (page.item for page in self.all_pages() if page.item is not None)
