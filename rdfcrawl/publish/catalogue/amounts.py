"""How much the current state has, without going through it: what the catalogue knows, and what a small state says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

import pyoxigraph as ox

from rdfcrawl.publish.catalogue.catalogue import Catalogue
from rdfcrawl.publish.catalogue.keeping import catalogue_soon
from rdfcrawl.publish.catalogue.writing import MANY_INSIDE
from rdfcrawl.publish.data.classes import number_of_objects, object_count
from rdfcrawl.publish.data.current import objects_in, triple_count
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.store.triples import size_of

LARGE: Final = 20_000_000
"""So many bytes of statements take more than a moment to go through."""


@dataclass(frozen=True, slots=True)
class Amounts:
    """How many statements and objects there are, by class and by section too; ``None`` is still being counted."""

    statements: int | None = None
    objects: int | None = None
    classes: Mapping[str, int] = field(default_factory=dict)
    sections: Mapping[str, int] = field(default_factory=dict)


def amounts(snapshot: Snapshot) -> Amounts:
    """The amounts of a snapshot; of a large one, as far as they are known."""
    catalogue = snapshot.kept.get("catalogue") if is_large(snapshot) else catalogue_soon(snapshot)
    sections = [section.address for record in snapshot.current for section in record.sections]
    if not isinstance(catalogue, Catalogue):
        return Amounts() if is_large(snapshot) else _counted(snapshot, sections)
    is_counted = snapshot.prepared.is_set() or not is_large(snapshot)
    return Amounts(
        triple_count(snapshot) if is_counted else None,
        catalogue.object_count,
        catalogue.counts(),
        {section: _in_section(snapshot, catalogue, section) for section in sections},
    )


def is_large(snapshot: Snapshot) -> bool:
    """Whether there is so much in the current state that nobody should wait for somebody who goes through it."""
    known = snapshot.data.held.graphs
    return sum(size_of(known[graph]) for graph in snapshot.data.held.default if graph in known) > LARGE


def _counted(snapshot: Snapshot, sections: list[str]) -> Amounts:
    return Amounts(
        triple_count(snapshot),
        object_count(snapshot),
        {predicate: number_of_objects(snapshot, predicate) for predicate in snapshot.schema.classes},
        {section: objects_in(snapshot, section) for section in sections},
    )


def _in_section(snapshot: Snapshot, catalogue: Catalogue, section: str) -> int:
    return snapshot.keep(("objects of a section", section), lambda: _within(snapshot, catalogue, section))


def _within(snapshot: Snapshot, catalogue: Catalogue, section: str) -> int:
    """The objects that a section leads to: of a class with many of them the catalogue knows how many."""
    node = ox.NamedNode(section)
    many: list[str] = []
    few: set[str] = set()
    for predicate in sorted(snapshot.items):
        pattern = node, ox.NamedNode(predicate), None
        quads = (quad for graph in snapshot.graphs for quad in snapshot.data.store.quads_for_pattern(*pattern, graph))
        some = {quad.object.value for quad in islice(quads, MANY_INSIDE + 1) if isinstance(quad.object, ox.NamedNode)}
        if len(some) < MANY_INSIDE:
            few |= some
        else:
            many.append(predicate)
    if not many:
        return len(few)
    found = catalogue.of_class(many[0])
    inside = catalogue.inside(found, section)
    if len(many) > 1 or inside is None:
        # Two large classes may share objects, which only going through them tells.
        return objects_in(snapshot, section)
    return inside.bit_count() + len(few) - len(catalogue.places(found, [*few]))
