"""What pages are made of: items with their properties, and links."""

from __future__ import annotations

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.criteria import Criterion, parts_of
from rdfcrawl.rdf import terms


@dataclass(frozen=True, slots=True)
class Replacement:
    """``:replace``: every match of ``old`` becomes ``new``, in which ``$1`` is the first group."""

    old: str
    new: str
    order: int = 0


@dataclass(frozen=True, slots=True)
class Property:
    """A value of an object: where it is on the page and how its text is converted."""

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
    split: str | None = None
    later_formats: tuple[str, ...] = ()
    """The formats that are tried after ``format``, in their order."""
    recognise: str | None = None
    names: str | None = None

    @property
    def formats(self) -> tuple[str, ...]:
        """All formats, in the order in which they are tried."""
        return () if self.format is None else (self.format, *self.later_formats)

    @property
    def is_single(self) -> bool:
        """Whether an object has one value at most; a recogniser takes every find from an element."""
        return not self.multiple and self.split is None and self.recognise is None

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
    volatile: bool = False
    template: str | None = None
    """``:iri``: the template of the object's IRI, with the IRIs of properties in braces."""

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


@dataclass(frozen=True, slots=True)
class Focus:
    """What is looked for on the pages of a site; those that score at least ``threshold`` are finds."""

    criteria: tuple[Criterion, ...]
    threshold: float | None = None

    @property
    def parts(self) -> frozenset[str]:
        """The parts of a page that its criteria look into."""
        return parts_of(self.criteria)


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a survey extends: how many links deep, in which scope, without what, along which links.

    ``sitemap`` is whether the addresses that the site names itself are read as well. ``leads`` weigh links; those that
    weigh less than ``lead_threshold`` are not followed.
    """

    depth: int | None
    scope: str
    skips: tuple[str, ...] = ()
    follow: str | None = None
    sitemap: bool = False
    leads: tuple[Criterion, ...] = ()
    lead_threshold: float | None = None
