"""The tables of a snapshot, written once into a file of SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from rdfcrawl.publish.catalogue.numbers import as_number
from rdfcrawl.publish.data.classes import MOST_OF_TEXT, text_rows
from rdfcrawl.publish.data.schema import ObjectClass
from rdfcrawl.publish.data.snapshot import Snapshot

MOST_FACETS: Final = 25
"""A column with more values than that is no facet."""
_SORTED: Final = 60
_AT_ONCE: Final = 1000
_SCHEMA: Final = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE object (id INTEGER PRIMARY KEY, class INTEGER NOT NULL, iri TEXT NOT NULL, folded TEXT NOT NULL);
CREATE TABLE value (
    property INTEGER NOT NULL,
    object INTEGER NOT NULL,
    first INTEGER NOT NULL,
    number REAL,
    sort TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE TABLE property (id INTEGER PRIMARY KEY, class INTEGER NOT NULL, predicate TEXT NOT NULL, facet INTEGER NOT NULL);
CREATE TABLE class (id INTEGER PRIMARY KEY, predicate TEXT NOT NULL, objects INTEGER NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (text, content = '', tokenize = 'unicode61 remove_diacritics 2');
"""
_INDEXES: Final = """
CREATE INDEX object_of_class ON object (class, iri);
CREATE INDEX object_iri ON object (iri);
CREATE INDEX value_order ON value (property, first, number, sort, object);
CREATE INDEX value_text ON value (property, text, object);
CREATE INDEX value_object ON value (object, property, first);
ANALYZE;
"""


def write_catalogue(snapshot: Snapshot, path: Path) -> None:
    """Write the classes of a snapshot; one class is held in memory at a time, by the names of its objects."""
    with closing(sqlite3.connect(path)) as db:
        db.executescript(_SCHEMA)
        objects = properties = 0
        for number, shown in enumerate(snapshot.schema.classes.values()):
            ids = {iri: objects + place for place, (iri,) in enumerate(_objects(snapshot, shown), 1)}
            db.execute("INSERT INTO class VALUES (?, ?, ?)", (number, shown.predicate, len(ids)))
            for column in shown.columns:
                properties += 1
                db.execute("INSERT INTO property VALUES (?, ?, ?, 0)", (properties, number, column.predicate))
                rows = _values(snapshot, column.predicate, column.datatype, ids, properties)
                db.executemany("INSERT INTO value VALUES (?, ?, ?, ?, ?, ?)", rows)
            db.execute("CREATE INDEX texts ON value (object, property)")
            _write_objects(db, number, ids, first=objects)
            db.execute("DROP INDEX texts")
            objects += len(ids)
        db.executescript(_INDEXES)
        db.execute(
            """UPDATE property SET facet = 1 WHERE
               (SELECT count(*) FROM (SELECT DISTINCT text FROM value WHERE value.property = property.id LIMIT ?))
               BETWEEN 2 AND ?""",
            (MOST_FACETS + 1, MOST_FACETS),
        )
        db.commit()


def _write_objects(db: sqlite3.Connection, number: int, ids: Mapping[str, int], first: int) -> None:
    """Write the objects of a class with all of their texts: in lower case for filters, word by word for the search."""
    values = db.execute("SELECT object, text FROM value WHERE object > ? ORDER BY object, property", (first,))
    texts = ((own, "\n".join(text for _, text in group)) for own, group in groupby(values, itemgetter(0)))
    own, text = next(texts, (0, ""))
    rows = []
    for iri, wanted in ids.items():
        folded = text[:MOST_OF_TEXT].casefold() if own == wanted else ""
        if own == wanted:
            own, text = next(texts, (0, ""))
        rows.append((wanted, number, iri, folded))
        if len(rows) == _AT_ONCE:
            _insert(db, rows)
            rows = []
    _insert(db, rows)


def _insert(db: sqlite3.Connection, rows: Sequence[tuple[int, int, str, str]]) -> None:
    db.executemany("INSERT INTO object VALUES (?, ?, ?, ?)", rows)
    db.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", ((row[0], row[3]) for row in rows))


def _objects(snapshot: Snapshot, shown: ObjectClass) -> Iterable[list[str]]:
    return text_rows(snapshot, "SELECT DISTINCT ?o { ?s %s ?o FILTER(isIRI(?o)) }", shown.predicate)


def _values(
    snapshot: Snapshot, predicate: str, datatype: str, ids: Mapping[str, int], number: int
) -> Iterable[tuple[int, int, int, float | None, str, str]]:
    """The values of a property; those of one object follow each other, the least first."""
    query = f"SELECT ?s (SUBSTR(STR(?o), 1, {MOST_OF_TEXT}) AS ?t) {{ ?s %s ?o }}"
    seen: set[int] = set()
    for subject, text in text_rows(snapshot, query, predicate):
        if (object_ := ids.get(subject)) is not None:
            is_first = object_ not in seen
            seen.add(object_)
            yield number, object_, is_first, as_number(text, datatype), text.casefold()[:_SORTED], text
