"""Relations as an SQLite file."""

from __future__ import annotations

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Final

from rdfcrawl.store.export.relations import Record, Relation, Relations, ScalarType

_ROWS: Final = 5_000
_TYPES: Final = {
    ScalarType.INTEGER: "INTEGER",
    ScalarType.BOOLEAN: "INTEGER",
    ScalarType.DOUBLE: "REAL",
    ScalarType.DECIMAL: "NUMERIC",
}
"""Dates and times are text in SQLite, as its own functions read and write them."""


def write_sqlite(relations: Relations, target: Path) -> dict[str, int]:
    """Write a database in place of the file; returns the number of rows of each table."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
        made = Path(folder, "export.sqlite")
        with closing(sqlite3.connect(made)) as database:
            # The file takes its place only when it is complete, so nothing has to survive a crash before.
            database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
            for relation in relations.relations:
                database.execute(_table(relation))
            for relation, rows in batches(relations, _ROWS):
                marks = ", ".join("?" * len(relation.fields))
                database.executemany(
                    f"INSERT INTO {quoted(relation.name)} VALUES ({marks})", [_row(row) for row in rows]
                )
            for relation in relations.relations:
                for name in relation.indexes:
                    index = quoted(f"{relation.name}_by_{name}")
                    database.execute(f"CREATE INDEX {index} ON {quoted(relation.name)} ({quoted(name)})")
                (counts[relation.name],) = database.execute(f"SELECT count(*) FROM {quoted(relation.name)}").fetchone()
            database.commit()
            database.execute("PRAGMA optimize")
        made.replace(target)
    return dict(counts)


def batches(relations: Relations, size: int) -> Iterator[tuple[Relation, list[Record]]]:
    """The rows, many of one relation at a time."""
    waiting: dict[str, list[Record]] = {relation.name: [] for relation in relations.relations}
    rows = relations.rows()
    while part := list(islice(rows, size)):
        for relation, row in part:
            waiting[relation.name].append(row)
        for relation in relations.relations:
            if found := waiting[relation.name]:
                yield relation, found
                waiting[relation.name] = []


def quoted(name: str) -> str:
    """A name as SQL writes it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def _table(relation: Relation) -> str:
    lines = [
        f"{quoted(field.name)} {_TYPES.get(field.type, 'TEXT')}{' NOT NULL' if field.required else ''}"
        for field in relation.fields
    ]
    lines.append(f"PRIMARY KEY ({', '.join(map(quoted, relation.key))})")
    lines += [f"FOREIGN KEY ({quoted(name)}) REFERENCES {quoted(other)}" for name, other in relation.references.items()]
    return f"CREATE TABLE {quoted(relation.name)} ({', '.join(lines)}) WITHOUT ROWID"


def _row(row: Record) -> list[str | int | float | None]:
    return [value if isinstance(value, str | int | float | None) else str(value) for value in row]
