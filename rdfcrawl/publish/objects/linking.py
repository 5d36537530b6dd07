"""The objects that lead to an object, as tables of their classes; what belongs to no class, as a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.catalogue.chosen import ChosenObjects
from rdfcrawl.publish.catalogue.keeping import catalogue_soon
from rdfcrawl.publish.catalogue.wishes import Wish
from rdfcrawl.publish.data.objects import linking
from rdfcrawl.publish.data.schema import ObjectClass
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
    # While the tables are being prepared, there is the list.
    catalogue = None if is_hash_name(iri) else catalogue_soon(showing.snapshot)
    for predicate, subjects in linking(showing.snapshot, iri, _COUNTED + 1).items():
        left = dict.fromkeys(subjects)
        uncounted = len(subjects) > _COUNTED
        known = catalogue.by_class(subjects[:_COUNTED]) if catalogue else {}
        for object_class, objects in known.items():
            shown = showing.snapshot.schema.classes[object_class]
            link = Wish(link=(predicate, iri))
            first = ChosenObjects(catalogue, shown, link, [objects]).objects(ROWS_SHOWN) if catalogue else []
            tables.append(_table(showing, link, shown, first, len(objects), uncounted))
            for one in objects:
                left.pop(one, None)
        if not (known and uncounted):
            name = showing.predicate(predicate)
            others += [(name, showing.object(subject)) for subject in list(left)[: _LISTED - len(others)]]
    return LinkingHere(tables, others)


def _table(
    showing: Showing, wish: Wish, shown: ObjectClass, first: Sequence[str], count: int, uncounted: bool
) -> ObjectTable:
    predicate, iri = wish.link or ("", "")
    is_cut = uncounted or count > len(first)
    return ObjectTable(
        shown,
        visible_columns(shown),
        rows(showing, first, shown, showing.snapshot.graphs),
        count,
        uncounted,
        showing.addresses.object_class(shown.predicate, **{"with": f"{predicate} {iri}"}) if is_cut else None,
        showing.predicate(predicate),
    )
