"""What pages are made of: items with their properties, and links."""

from __future__ import annotations

from dataclasses import dataclass

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
