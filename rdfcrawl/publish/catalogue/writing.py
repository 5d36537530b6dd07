"""The tables of a snapshot, written once into a file of SQLite: columns in pieces that are read as they are."""

from __future__ import annotations

import sqlite3
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import pyoxigraph as ox

from rdfcrawl.publish.catalogue.columns import SortedColumn, TextBlock, Values, facets_of, text_blocks
from rdfcrawl.publish.catalogue.numbers import is_measured
from rdfcrawl.publish.catalogue.pieces import pieces_of
from rdfcrawl.publish.catalogue.sets import packed, set_of
from rdfcrawl.publish.catalogue.statements import Statements, spool
from rdfcrawl.publish.data.schema import ObjectClass
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.rdf import terms
from rdfcrawl.store.files.lines import Advance

LABEL: Final = ""
"""Takes the place of a predicate: the best label of each object."""
MANY_INSIDE: Final = 1000
"""So many objects within one are noted here; fewer are quickly found in the store."""
_READING: Final = 0.3
"""The share of the work that reading takes."""
_SCHEMA: Final = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE class (
    id INTEGER PRIMARY KEY, predicate TEXT NOT NULL, first INTEGER NOT NULL, objects INTEGER NOT NULL
);
CREATE TABLE object (id INTEGER PRIMARY KEY, iri TEXT NOT NULL);
CREATE TABLE property (
    id INTEGER PRIMARY KEY, class INTEGER NOT NULL, predicate TEXT NOT NULL, is_text INTEGER NOT NULL,
    is_single INTEGER NOT NULL
);
CREATE TABLE piece (
    property INTEGER NOT NULL, count INTEGER NOT NULL, least REAL,
    held BLOB NOT NULL, objects BLOB NOT NULL, numbers BLOB NOT NULL
);
CREATE TABLE facet (property INTEGER NOT NULL, text TEXT NOT NULL, count INTEGER NOT NULL, objects BLOB NOT NULL);
CREATE TABLE block (property INTEGER NOT NULL, objects BLOB NOT NULL, starts BLOB NOT NULL, content BLOB NOT NULL);
CREATE TABLE inside (class INTEGER NOT NULL, parent TEXT NOT NULL, objects BLOB NOT NULL);
CREATE TABLE total (objects INTEGER NOT NULL);
"""
_INDEXES: Final = """
CREATE INDEX object_iri ON object (iri);
CREATE INDEX property_class ON property (class);
CREATE INDEX piece_property ON piece (property);
CREATE INDEX facet_property ON facet (property);
CREATE INDEX block_property ON block (property);
CREATE INDEX inside_parent ON inside (class, parent);
INSERT INTO total SELECT count(DISTINCT iri) FROM object;
"""


def write_catalogue(snapshot: Snapshot, path: Path, advance: Advance) -> None:
    """Write the classes of a snapshot; of one class at a time the names of its objects, and one column, are held."""
    schema = snapshot.schema
    predicates = dict.fromkeys((*schema.classes, *schema.labels, *schema.property_names))
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".parts-") as parts:
        said = spool(snapshot, predicates, Path(parts), lambda share: advance(share * _READING))
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.executescript(_SCHEMA)
            db.execute("BEGIN")
            writer = _Writer(db, said, schema.labels)
            work = sum(len(shown.columns) + 1 for shown in schema.classes.values()) or 1
            for done, _ in enumerate(writer.columns(schema.classes.values()), 1):
                advance(_READING + (1 - _READING) * min(1.0, done / work))
            db.execute("COMMIT")
            db.executescript(_INDEXES)


class _Writer:
    """Writes classes after each other; the numbers of their objects go on from one to the next."""

    def __init__(self, db: sqlite3.Connection, said: Statements, labels: Sequence[str]) -> None:
        self._db, self._said, self._labels = db, said, labels
        self._properties = 0

    def columns(self, classes: Iterable[ObjectClass]) -> Iterator[None]:
        """Write all classes, and say so after each column."""
        first = 1
        for number, shown in enumerate(classes):
            places = self._objects(number, first, shown.predicate)
            for column in shown.columns:
                values = self._said.values(column.predicate, places)
                is_text = not is_measured(column.datatype)
                self._column(number, column.predicate, SortedColumn.of(values, column.datatype), is_text, len(places))
                self._facets(values if is_text else (), column.datatype, len(places))
                self._blocks(text_blocks(values))
                yield
            self._column(number, LABEL, SortedColumn(array("I"), array("d"), True), False, len(places))
            self._blocks(text_blocks(self._label_values(places)))
            yield
            first += len(places)

    def _objects(self, number: int, first: int, predicate: str) -> dict[bytes, int]:
        """Write the objects of a class in the order of their IRIs; returns the place of each."""
        targets = {value for _, value in self._said.of(predicate) if value.startswith(b"<")}
        places = {iri: place for place, iri in enumerate(sorted(targets))}
        self._db.execute("INSERT INTO class VALUES (?, ?, ?, ?)", (number, predicate, first, len(places)))
        rows = ((first + place, iri[1:-1].decode()) for iri, place in places.items())
        self._db.executemany("INSERT INTO object VALUES (?, ?)", rows)
        inside: dict[bytes, array[int]] = {}
        for parent, value in self._said.of(predicate):
            if (place := places.get(value)) is not None:
                inside.setdefault(parent, array("I")).append(place)
        many = (
            (number, parent[1:-1].decode(), found.tobytes())
            for parent, found in inside.items()
            if len(found) >= MANY_INSIDE
        )
        self._db.executemany("INSERT INTO inside VALUES (?, ?, ?)", many)
        return places

    def _label_values(self, places: Mapping[bytes, int]) -> Values:
        """The best label of each object that has one; several values of it are one."""
        best: dict[int, str] = {}
        for predicate in reversed(self._labels):
            found: dict[int, str] = {}
            for place, text in self._said.values(predicate, places):
                found[place] = f"{found[place]} {text}" if place in found else text
            best.update((place, text) for place, text in found.items() if text.strip())
        return sorted(best.items())

    def _column(self, number: int, predicate: str, column: SortedColumn, is_text: bool, size: int) -> None:
        self._properties += 1
        row = (self._properties, number, predicate, is_text, column.is_single)
        self._db.execute("INSERT INTO property VALUES (?, ?, ?, ?, ?)", row)
        for piece in pieces_of(column):
            held = packed(set_of(piece.objects, size), size)
            kept = (held, piece.objects.tobytes(), piece.numbers.tobytes())
            head = (self._properties, len(piece.objects), piece.least)
            self._db.execute("INSERT INTO piece VALUES (?, ?, ?, ?, ?, ?)", (*head, *kept))

    def _facets(self, values: Values, datatype: str, size: int) -> None:
        chosen: dict[str, int] = {}
        for text, places in facets_of(values).items():
            spelled = _as_indexed(text, datatype)
            chosen[spelled] = chosen.get(spelled, 0) | set_of(places, size)
        rows = ((self._properties, text, found.bit_count(), packed(found, size)) for text, found in chosen.items())
        self._db.executemany("INSERT INTO facet VALUES (?, ?, ?, ?)", rows)

    def _blocks(self, blocks: Iterable[TextBlock]) -> None:
        rows = ((self._properties, one.objects.tobytes(), one.starts.tobytes(), one.content) for one in blocks)
        self._db.executemany("INSERT INTO block VALUES (?, ?, ?, ?)", rows)


def _as_indexed(text: str, datatype: str) -> str:
    """A value as the index spells it: of an hour and of sixty minutes it keeps how long they are."""
    if datatype == terms.STRING:
        return text
    store, node = ox.Store(), ox.NamedNode("value:")
    store.add(ox.Quad(node, node, ox.Literal(text, datatype=ox.NamedNode(datatype))))
    (kept,) = store
    return kept.object.value if isinstance(kept.object, ox.Literal) else text
