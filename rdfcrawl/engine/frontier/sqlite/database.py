"""The file of the queue: its tables, how it is opened, and how one of the previous version is converted."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rdfcrawl.engine.frontier.entries import MAIN_WORKER
from rdfcrawl.errors import StoreError

# The states of entries are written out as numbers, those of ``EntryState``: an index on some of them is found by that.
# Leads are in the order of the pages that have them, so that a commit appends its own: in the order of the addresses
# they lead to, every commit of a large level rewrites most of the table.
FORMAT: Final = 5
_WITHOUT_FORMAT: Final = 0
_WITHOUT_SURVEYS: Final = (1, 2)
_WITHOUT_ANCHORS: Final = 3
_LEADS_BY_ADDRESS: Final = 4
_BUSY_SECONDS: Final = 60.0

FAULTS: Final = (sqlite3.Error,)
"""What is raised where the file cannot be read or written."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS run (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL,
    ended INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS entry (
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
    level INTEGER NOT NULL DEFAULT 0,
    score REAL NOT NULL DEFAULT 0,
    worker TEXT,
    list_address TEXT,
    anchors TEXT,
    UNIQUE (run, page, key)
);
CREATE INDEX IF NOT EXISTS entry_queued ON entry (run, host, level, score DESC) WHERE state = 0;
CREATE INDEX IF NOT EXISTS entry_claimed ON entry (run) WHERE state = 1;
CREATE TABLE IF NOT EXISTS lead (
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
    PRIMARY KEY (run, source, page, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS lead_anchors ON lead (run, page, key) WHERE anchors IS NOT NULL;
CREATE TABLE IF NOT EXISTS family (
    run INTEGER NOT NULL,
    page TEXT NOT NULL,
    family TEXT NOT NULL,
    taken INTEGER NOT NULL,
    PRIMARY KEY (run, page, family)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS surveyed (
    entry INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    page TEXT NOT NULL,
    level INTEGER NOT NULL,
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    digest TEXT,
    reason TEXT,
    seconds REAL,
    original INTEGER
);
CREATE INDEX IF NOT EXISTS surveyed_content ON surveyed (run, page, digest, level, key) WHERE digest IS NOT NULL;
CREATE TABLE IF NOT EXISTS edge (
    child INTEGER NOT NULL,
    source INTEGER NOT NULL,
    parent TEXT NOT NULL,
    PRIMARY KEY (child, source, parent)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS edge_source ON edge (source);
CREATE TABLE IF NOT EXISTS top (
    entry INTEGER NOT NULL,
    predicate TEXT NOT NULL,
    object TEXT NOT NULL,
    PRIMARY KEY (entry, predicate, object)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS listed (
    list INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (list, entry)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unread (
    run INTEGER NOT NULL,
    source INTEGER NOT NULL,
    parent TEXT NOT NULL,
    page TEXT NOT NULL,
    PRIMARY KEY (run, source, parent, page)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS moved (
    page TEXT NOT NULL,
    key TEXT NOT NULL,
    object TEXT NOT NULL,
    PRIMARY KEY (page, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS journal (
    run INTEGER NOT NULL,
    worker TEXT NOT NULL,
    triples INTEGER NOT NULL,
    problems INTEGER NOT NULL,
    links INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run, worker)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tally (
    run INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    amount NUMERIC NOT NULL,
    PRIMARY KEY (run, name, kind)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS reason (
    run INTEGER NOT NULL,
    page TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (run, page)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS postponed (
    run INTEGER NOT NULL,
    host TEXT NOT NULL,
    until REAL NOT NULL,
    PRIMARY KEY (run, host)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS robots (
    run INTEGER NOT NULL,
    origin TEXT NOT NULL,
    rules TEXT NOT NULL,
    PRIMARY KEY (run, origin)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS standing (
    run INTEGER NOT NULL,
    host TEXT NOT NULL,
    bound REAL NOT NULL,
    failures INTEGER NOT NULL,
    asides INTEGER NOT NULL,
    until REAL NOT NULL,
    PRIMARY KEY (run, host)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS public_host (
    host TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seen (
    model TEXT NOT NULL,
    page TEXT NOT NULL,
    key TEXT NOT NULL,
    engine TEXT NOT NULL,
    run INTEGER NOT NULL,
    fingerprint BLOB NOT NULL,
    known TEXT,
    extraction BLOB NOT NULL,
    list_address TEXT,
    UNIQUE (model, page, key, engine)
)
"""


def connect(path: Path) -> sqlite3.Connection:
    """Open the file, which several processes may share, each with its own run; the tables are left as they are."""
    # Threads take turns at a connection here, and never use it at the same time.
    db = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    _write_ahead(db)
    db.execute("PRAGMA synchronous = NORMAL")
    return db


def prepare(db: sqlite3.Connection, path: Path, notice: Callable[[str], None]) -> None:
    """Create the tables that are missing, and convert those of the previous version."""
    if _format(db) == FORMAT:
        return
    with writing(db):
        # Another process may have done it while this one waited.
        found = _format(db)
        if found == FORMAT:
            return
        if found > FORMAT:
            raise StoreError(f"the queue {path} has format {found}; this rdfcrawl reads and writes format {FORMAT}")
        has_entries = bool(db.execute("SELECT 1 FROM sqlite_master WHERE name = 'entry'").fetchone())
        is_old = found == _WITHOUT_FORMAT and has_entries
        if is_old:
            _extend_entries(db)
            # What was extracted then has the names of then.
            db.execute("DROP TABLE IF EXISTS seen")
        if found in _WITHOUT_SURVEYS:
            # No page of these versions had leads.
            db.execute("DROP TABLE lead")
            db.execute("ALTER TABLE journal ADD COLUMN links INTEGER NOT NULL DEFAULT 0")
        if has_entries and found <= _WITHOUT_ANCHORS:
            db.execute("ALTER TABLE entry ADD COLUMN anchors TEXT")
        if found == _WITHOUT_ANCHORS:
            db.execute("ALTER TABLE lead ADD COLUMN anchors TEXT")
        is_by_address = found in (_WITHOUT_ANCHORS, _LEADS_BY_ADDRESS)
        if is_by_address:
            db.execute("ALTER TABLE lead RENAME TO lead_by_address")
        for statement in _SCHEMA.split(";"):
            db.execute(statement)
        if is_by_address:
            db.execute("INSERT INTO lead SELECT * FROM lead_by_address")
            db.execute("DROP TABLE lead_by_address")
        if is_old:
            _divide_runs(db)
        db.execute(f"PRAGMA user_version = {FORMAT}")
    if is_old:
        notice(f"the queue {path} was written by an earlier version and has been converted; unfinished runs continue")


@contextmanager
def writing(db: sqlite3.Connection) -> Iterator[None]:
    """One transaction that writes; a full disk is an ``OSError``, as everywhere else."""
    with full_disk_named():
        db.execute("BEGIN IMMEDIATE")
        with db:
            yield


@contextmanager
def full_disk_named() -> Iterator[None]:
    """Raise ``OSError`` where SQLite says that the disk is full."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_FULL:
            raise
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error


def _write_ahead(db: sqlite3.Connection) -> None:
    """Switch to write-ahead logging, so that others can read meanwhile; SQLite does not wait for others here."""
    end = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)


def _format(db: sqlite3.Connection) -> int:
    """The format of the tables; 0 for those of the previous version and where there are none."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _extend_entries(db: sqlite3.Connection) -> None:
    """Add the new columns to the entries of the previous version; claims belong to the only worker it had."""
    db.execute("ALTER TABLE entry ADD COLUMN level INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE entry ADD COLUMN score REAL NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE entry ADD COLUMN worker TEXT")
    db.execute("ALTER TABLE entry ADD COLUMN list_address TEXT")
    db.execute("UPDATE entry SET worker = ? WHERE state = 1", (MAIN_WORKER,))
    db.execute("DROP INDEX IF EXISTS entry_state")


def _divide_runs(db: sqlite3.Connection) -> None:
    """Assign what the previous version kept with a run, lengths and tally, to its only worker."""
    for run, triples, problems, tally in db.execute(
        "SELECT id, lines, problems, tally FROM run WHERE NOT ended"
    ).fetchall():
        lengths = (run, MAIN_WORKER, triples, problems)
        db.execute("INSERT INTO journal (run, worker, triples, problems) VALUES (?, ?, ?, ?)", lengths)
        values = json.loads(tally)
        choice = values.pop("choice", {})
        db.executemany(
            "INSERT INTO reason VALUES (?, ?, ?)", [(run, *item) for item in choice.pop("reasons", {}).items()]
        )
        for name, amounts in (values | choice).items():
            kinds = amounts if isinstance(amounts, dict) else {"": amounts}
            db.executemany("INSERT INTO tally VALUES (?, ?, ?, ?)", [(run, name, *item) for item in kinds.items()])
    for column in ("lines", "problems", "tally"):
        db.execute(f"ALTER TABLE run DROP COLUMN {column}")
