"""The objects that lead to an object, as tables of their classes; what belongs to no class, as a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rdfcrawl.publish.catalogue.catalogue import Catalogue
from rdfcrawl.publish.catalogue.wishes import Wish
from rdfcrawl.publish.data.objects import linking
from rdfcrawl.publish.objects.rows import ObjectTable, rows, visible_columns
from rdfcrawl.publish.web.presentation import Showing, Shown
from rdfcrawl.rdf.names import is_hash_name

ROWS_SHOWN: Final = 10
_COUNTED: Final = 2_000
"""Of more objects than that the table of their class tells the number."""
_LISTED: Final = 30


@dataclass(frozen=True, slots=True)
class LinkingHere:
    """What leads to an object: tables of objects, and single things with the name of the property."""

    tables: Sequence[ObjectTable] = ()
    others: Sequence[tuple[str, Shown]] = ()


def linking_here(showing: Showing, iri: str) -> LinkingHere:
    """What leads to an object now; an object without an address of its own is part of the one that leads to it."""
    tables: list[ObjectTable] = []
    others: list[tuple[str, Shown]] = []
    is_part = is_hash_name(iri)
    for predicate, subjects in linking(showing.snapshot, iri, _COUNTED + 1).items():
        left = dict.fromkeys(subjects)
        known = {} if is_part else Catalogue.of(showing.snapshot).by_class(subjects[:_COUNTED])
        for object_class, objects in known.items():
            uncounted = len(subjects) > _COUNTED
            tables.append(_table(showing, iri, predicate, object_class, objects, uncounted))
            for one in objects:
                left.pop(one, None)
        if not (known and len(subjects) > _COUNTED):
            name = showing.predicate(predicate)
            others += [(name, showing.object(subject)) for subject in list(left)[: _LISTED - len(others)]]
    return LinkingHere(tables, others)


def _table(
    showing: Showing, iri: str, predicate: str, object_class: str, objects: Sequence[str], uncounted: bool
) -> ObjectTable:
    snapshot = showing.snapshot
    shown = snapshot.schema.classes[object_class]
    with Catalogue.of(snapshot).choosing(shown, Wish(link=(predicate, iri)), objects) as chosen:
        first = chosen.objects(ROWS_SHOWN)
    is_cut = uncounted or len(objects) > len(first)
    return ObjectTable(
        shown,
        visible_columns(shown),
        rows(showing, first, shown, snapshot.graphs),
        len(objects),
        uncounted,
        showing.addresses.object_class(object_class, **{"with": f"{predicate} {iri}"}) if is_cut else None,
        showing.predicate(predicate),
    )
