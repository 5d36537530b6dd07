"""The queue as the version before wrote it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

OLD_SCHEMA = """
CREATE TABLE entry (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    page TEXT NOT NULL,
    key TEXT NOT NULL,
    address TEXT NOT NULL,
    host TEXT NOT NULL,
    section INTEGER NOT NULL,
    list INTEGER,
    part INTEGER NOT NULL DEFAULT 0,
    state INTEGER NOT NULL DEFAULT 0,
    due REAL NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    failure TEXT,
    unread INTEGER NOT NULL DEFAULT 0,
    UNIQUE (run, page, key)
);
CREATE INDEX entry_state ON entry (run, state);
CREATE TABLE edge (
    child INTEGER NOT NULL, source INTEGER NOT NULL, parent TEXT NOT NULL, PRIMARY KEY (child, source, parent)
) WITHOUT ROWID;
CREATE INDEX edge_source ON edge (source);
CREATE TABLE top (
    entry INTEGER NOT NULL, predicate TEXT NOT NULL, object TEXT NOT NULL, PRIMARY KEY (entry, predicate, object)
) WITHOUT ROWID;
CREATE TABLE listed (list INTEGER NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (list, entry)) WITHOUT ROWID;
CREATE TABLE unread (
    run INTEGER NOT NULL, source INTEGER NOT NULL, parent TEXT NOT NULL, page TEXT NOT NULL,
    PRIMARY KEY (run, source, parent, page)
) WITHOUT ROWID;
CREATE TABLE moved (
    page TEXT NOT NULL, key TEXT NOT NULL, object TEXT NOT NULL, PRIMARY KEY (page, key)
) WITHOUT ROWID;
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL,
    ended INTEGER NOT NULL DEFAULT 0,
    lines INTEGER NOT NULL DEFAULT 0,
    problems INTEGER NOT NULL DEFAULT 0,
    tally TEXT NOT NULL DEFAULT '{}'
);
"""
"""The tables of the version before; those of hosts and seen pages came only with their first use."""

_SAME = ("edge", "top", "listed", "unread", "moved")
_ENTRY = "id, run, page, key, address, host, section, list, part, state, due, attempts, failure, unread"


def make_old(store: Path) -> None:
    """Rewrite the queue and the journals of a store as the version before would have left them."""
    queue = store / "queue.sqlite"
    new = queue.rename(store / "new.sqlite")
    with closing(sqlite3.connect(queue)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(OLD_SCHEMA)
        db.execute("ATTACH ? AS new", (str(new),))
        with db:
            for table in _SAME:
                db.execute(f"INSERT INTO {table} SELECT * FROM new.{table}")
            db.execute(f"INSERT INTO entry SELECT {_ENTRY} FROM new.entry")
            for run, triples, problems in db.execute("SELECT run, triples, problems FROM new.journal").fetchall():
                db.execute(
                    "INSERT INTO run SELECT id, identity, ended, ?, ?, ? FROM new.run WHERE id = ?",
                    (triples, problems, json.dumps(_tally(db, run)), run),
                )
    for path in store.glob("new.sqlite*"):
        path.unlink()
    for folder in store.glob("work/*/main"):
        for path in folder.iterdir():
            path.rename(folder.parent / path.name)
        folder.rmdir()


def _tally(db: sqlite3.Connection, run: int) -> dict[str, Any]:
    choice: dict[str, Any] = {"reasons": {}, "plain": {}, "helped": {}, "in_vain": {}}
    tally: dict[str, Any] = {"pages": {}, "problems": {}, "choice": choice}
    for name, kind, amount in db.execute("SELECT name, kind, amount FROM new.tally WHERE run = ?", (run,)):
        if kind:
            (choice if name in choice else tally)[name][kind] = amount
        else:
            tally[name] = amount
    return tally


WITHOUT_SURVEYS = """
DROP TABLE surveyed;
DROP TABLE family;
DROP TABLE lead;
CREATE TABLE lead (
    run INTEGER NOT NULL,
    page TEXT NOT NULL,
    key TEXT NOT NULL,
    address TEXT NOT NULL,
    host TEXT NOT NULL,
    section INTEGER NOT NULL,
    score REAL NOT NULL,
    source INTEGER NOT NULL,
    PRIMARY KEY (run, page, key)
) WITHOUT ROWID;
ALTER TABLE journal DROP COLUMN links;
ALTER TABLE entry DROP COLUMN anchors;
PRAGMA user_version = 1;
"""
"""Makes a queue what it was in format 1, before there were surveys."""

LEADS_BY_ADDRESS = """
DROP INDEX lead_anchors;
ALTER TABLE lead RENAME TO new_lead;
CREATE TABLE lead (
    run INTEGER NOT NULL,
    page TEXT NOT NULL,
    key TEXT NOT NULL,
    source INTEGER NOT NULL,
    address TEXT NOT NULL,
    host TEXT NOT NULL,
    section INTEGER NOT NULL,
    level INTEGER NOT NULL,
    hop INTEGER NOT NULL,
    score REAL NOT NULL,
    start TEXT,
    held TEXT,
    family TEXT,
    most INTEGER NOT NULL,
    anchors TEXT,
    PRIMARY KEY (run, page, key, source)
) WITHOUT ROWID;
INSERT INTO lead SELECT * FROM new_lead;
DROP TABLE new_lead;
PRAGMA user_version = 4;
"""
"""Makes a queue what it was in format 4, when leads were in the order of the addresses that they lead to."""

WITHOUT_ANCHORS = f"""
{LEADS_BY_ADDRESS}
ALTER TABLE lead DROP COLUMN anchors;
ALTER TABLE entry DROP COLUMN anchors;
PRAGMA user_version = 3;
"""
"""Makes a queue what it was in format 3, before the texts of links had a part in scores."""
