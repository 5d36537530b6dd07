"""Exactly what a table shows, on all its pages, as CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Final

import pyoxigraph as ox
from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.publish.catalogue.catalogue import ChosenObjects
from rdfcrawl.publish.data.changes import sort_terms
from rdfcrawl.publish.data.objects import Term, facts
from rdfcrawl.publish.data.schema import ObjectClass
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.publish.tables.page import chosen_of
from rdfcrawl.publish.web.negotiation import Format
from rdfcrawl.publish.web.site import send, site_of

CSV: Final = Format("csv", "text/csv")
JSON: Final = Format("json", "application/json")
MOST_ROWS: Final = 100_000
"""A larger table is better taken from `rdfcrawl export`, or from the dump of its run."""
_NUMBERS: Final = {"integer": int, "int": int, "double": float}


def class_csv(request: Request) -> Response:
    """``/class.csv?item=…``: a row for each object; several values of a cell are separated by line breaks."""
    with site_of(request).snapshots.using() as snapshot, chosen_of(request, snapshot) as (shown, _, choice):
        written = io.StringIO(newline="")
        writer = csv.writer(written)
        writer.writerow(["iri", *(column.name for column in shown.columns)])
        for iri, cells in _rows(snapshot, shown, choice):
            writer.writerow([iri, *("\n".join(term.value for term in cell) for cell in cells)])
        return send(request, written.getvalue().encode(), CSV, modified=snapshot.modified)


def class_json(request: Request) -> Response:
    """``/class.json?item=…``: a list of objects; numbers and truth values are those of JSON, several values a list."""
    with site_of(request).snapshots.using() as snapshot, chosen_of(request, snapshot) as (shown, _, choice):
        names = [column.name for column in shown.columns]
        found = [
            {"iri": iri} | {name: _json(cell) for name, cell in zip(names, cells, strict=True) if cell}
            for iri, cells in _rows(snapshot, shown, choice)
        ]
        return send(request, json.dumps(found, ensure_ascii=False).encode(), JSON, modified=snapshot.modified)


def _rows(snapshot: Snapshot, shown: ObjectClass, choice: ChosenObjects) -> Iterator[tuple[str, list[Sequence[Term]]]]:
    for iri in choice.objects(MOST_ROWS):
        known = facts(snapshot, iri, snapshot.graphs)
        yield iri, [sort_terms(known.values.get(column.predicate, ())) for column in shown.columns]


def _json(cell: Sequence[Term]) -> object:
    values = [_value(term) for term in cell]
    return values[0] if len(values) == 1 else values


def _value(term: Term) -> object:
    if isinstance(term, ox.Literal):
        kind = term.datatype.value.rpartition("#")[2]
        if kind == "boolean":
            return term.value in ("true", "1")
        try:
            return _NUMBERS[kind](term.value) if kind in _NUMBERS else term.value
        except ValueError:
            return term.value
    return term.value
