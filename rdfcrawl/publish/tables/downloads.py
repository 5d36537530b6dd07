"""Exactly what a table shows, on all its pages, as CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final

import pyoxigraph as ox
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.publish.catalogue.chosen import ChosenObjects
from rdfcrawl.publish.catalogue.keeping import catalogue_soon
from rdfcrawl.publish.data.changes import sort_terms
from rdfcrawl.publish.data.objects import Term, all_values
from rdfcrawl.publish.data.schema import ObjectClass
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.publish.server.lanes import RETRY_AFTER
from rdfcrawl.publish.tables.links import wish_of
from rdfcrawl.publish.tables.page import chosen, class_asked
from rdfcrawl.publish.web.negotiation import Format
from rdfcrawl.publish.web.site import send, site_of
from rdfcrawl.rdf import terms
from rdfcrawl.store.export.parquet_tables import parquet_content
from rdfcrawl.store.export.tables import Column, Row, Table

CSV: Final = Format("csv", "text/csv")
JSON: Final = Format("json", "application/json")
PARQUET: Final = Format("parquet", "application/vnd.apache.parquet")
HAS_PARQUET: Final = find_spec("pyarrow") is not None
MOST_ROWS: Final = 100_000
"""A larger table is better taken from `rdfcrawl export`, or from the dump of its run."""
_TOO_MANY: Final = (
    f"the table has {{:,}} rows, and a file at most {MOST_ROWS:,}; choose fewer of them, "
    "or take all from /current.nt.gz or with `rdfcrawl export`"
)
TableRow = tuple[str, list[Sequence[Term]]]
"""The IRI of an object, and its values column by column."""
_NUMBERS: Final = {"integer": int, "int": int, "double": float}


def class_csv(request: Request) -> Response:
    """``/class.csv?item=…``: a row for each object; several values of a cell are separated by line breaks."""
    with _asked(request) as (snapshot, shown, rows):
        written = io.StringIO(newline="")
        writer = csv.writer(written)
        writer.writerow(["iri", *_names(shown)])
        for iri, cells in rows:
            writer.writerow([iri, *("\n".join(term.value for term in cell) for cell in cells)])
        return send(request, written.getvalue().encode(), CSV, modified=snapshot.modified)


def class_json(request: Request) -> Response:
    """``/class.json?item=…``: a list of objects; numbers and truth values are those of JSON, several values a list."""
    with _asked(request) as (snapshot, shown, rows):
        names = _names(shown)
        found = [
            {"iri": iri} | {name: _json(cell) for name, cell in zip(names, cells, strict=True) if cell}
            for iri, cells in rows
        ]
        return send(request, json.dumps(found, ensure_ascii=False).encode(), JSON, modified=snapshot.modified)


def class_parquet(request: Request) -> Response:
    """``/class.parquet?item=…``: a typed column for each property; one with several values is a column of lists."""
    if not HAS_PARQUET:
        raise HTTPException(501, 'this server has no pyarrow: pip install "rdfcrawl[parquet]"')
    with _asked(request) as (snapshot, shown, rows):
        found = [(iri, [[term.value for term in cell] for cell in cells]) for iri, cells in rows]
        columns = [
            Column(name, column.datatype, column.multiple or any(len(cells[place]) > 1 for _, cells in found))
            for place, (name, column) in enumerate(zip(_names(shown), shown.columns, strict=True))
        ]
        table = Table("class", (Column("iri", terms.ANY_URI), *columns))
        typed: list[Row] = [
            (
                iri,
                *(
                    cell if column.multiple else next(iter(cell), None)
                    for column, cell in zip(columns, cells, strict=True)
                ),
            )
            for iri, cells in found
        ]
        return send(request, parquet_content(table, typed), PARQUET, modified=snapshot.modified)


@contextmanager
def _asked(request: Request) -> Iterator[tuple[Snapshot, ObjectClass, Iterator[TableRow]]]:
    """The class that a request names, with the rows that it wants."""
    with site_of(request).snapshots.using() as snapshot:
        shown = class_asked(request, snapshot)
        catalogue = catalogue_soon(snapshot)
        if catalogue is None:
            raise HTTPException(503, "the tables are being prepared; try again in a moment", RETRY_AFTER)
        choice = chosen(snapshot, catalogue, shown, wish_of(request.query_params, shown))
        if choice.found > MOST_ROWS:
            # A shortened file would look complete.
            raise HTTPException(413, _TOO_MANY.format(choice.found))
        yield snapshot, shown, _rows(snapshot, shown, choice)


def _rows(snapshot: Snapshot, shown: ObjectClass, choice: ChosenObjects) -> Iterator[TableRow]:
    predicates = [column.predicate for column in shown.columns]
    for iri in choice.objects(MOST_ROWS):
        yield iri, [sort_terms(values) for values in all_values(snapshot, iri, predicates)]


def _names(shown: ObjectClass) -> list[str]:
    """The names of the columns, with a number where one is taken."""
    names = ["iri"]
    for column in shown.columns:
        name, number = column.name, 2
        while name in names:
            name, number = f"{column.name} {number}", number + 1
        names.append(name)
    return names[1:]


def _json(cell: Sequence[Term]) -> object:
    values = [_value(term) for term in cell]
    return values[0] if len(values) == 1 else values


def _value(term: Term) -> object:
    if isinstance(term, ox.Literal):
        kind = term.datatype.value.rpartition("#")[2]
        if kind == "boolean":
            return term.value in ("true", "1")
        try:
            found = _NUMBERS[kind](term.value) if kind in _NUMBERS else term.value
        except ValueError:
            return term.value
        # JSON has neither infinity nor what is no number.
        return term.value if isinstance(found, float) and not math.isfinite(found) else found
    return term.value
