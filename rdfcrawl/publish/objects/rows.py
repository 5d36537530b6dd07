"""Objects as rows of a table, named by what their class is named by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.data.changes import sort_terms
from rdfcrawl.publish.data.objects import facts
from rdfcrawl.publish.data.schema import ObjectClass, PropertyColumn
from rdfcrawl.publish.web.presentation import IN_TABLE, UNFOLDED_IN_TABLE, Showing, Shown


@dataclass(frozen=True, slots=True)
class Row:
    """An object in a table: the object itself and its values, column by column."""

    object: Shown
    cells: Sequence[Sequence[Shown]]


@dataclass(frozen=True, slots=True)
class ObjectTable:
    """Some objects of one class on the page of another; ``all`` leads to a table of them where not all are shown.

    ``count`` is how many there are; with ``uncounted``, there are still more. ``link`` names the property by which they
    lead to the object of the page; those without are inside it.
    """

    shown: ObjectClass
    columns: Sequence[PropertyColumn]
    rows: Sequence[Row]
    count: int
    uncounted: bool = False
    all: str | None = None
    link: str | None = None


def rows(
    showing: Showing, objects: Sequence[str], shown_class: ObjectClass, graphs: Sequence[ox.NamedNode]
) -> list[Row]:
    """Objects as rows of a table, named by the class's key."""
    key, columns = shown_class.key, visible_columns(shown_class)
    found = []
    for iri in objects:
        known = facts(showing.snapshot, iri, graphs)
        name = known.values.get(key.predicate) if key else None
        shown = showing.term(sort_terms(name)[0], IN_TABLE) if name else showing.object(iri)
        page = showing.addresses.page(iri)
        cells = [
            [
                *(
                    showing.term(value, IN_TABLE, unfolded=UNFOLDED_IN_TABLE)
                    for value in sort_terms(known.values.get(column.predicate, ()))
                ),
                *([Shown("and more", page)] if column.predicate in known.more else ()),
            ]
            for column in columns
        ]
        link = replace(shown, href=page, external=False, language=None, title=None)
        found.append(Row(link if known else shown, cells))
    return found


def visible_columns(shown: ObjectClass) -> list[PropertyColumn]:
    """The columns that a table shows beside the object itself."""
    return [column for column in shown.columns if column != shown.key]
