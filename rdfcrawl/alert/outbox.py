"""The outbox: what is to be sent, what was sent, and what servers said; on the disk before anything is sent.

A message is marked as sent after its server took it. A process that is killed in between sends it again, under the
same name, by which mail programs and webhooks recognise it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any, Final

from rdfcrawl.alert.messages.message import Content, Message, joined_keys, parted_keys
from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import StoreError
from rdfcrawl.store.files.databases import open_to_read

FORMAT: Final = 1
_BUSY_SECONDS: Final = 60.0
FIRST_PAUSE: Final = 300.0
LONGEST_PAUSE: Final = 12 * 3600.0
_REMEMBERED: Final = 90 * 86400.0
"""After this time only who was told when is kept of a message, not what it said."""

_SCHEMA: Final = f"""
CREATE TABLE IF NOT EXISTS noted (run INTEGER PRIMARY KEY, accepted TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS rows_seen (query TEXT PRIMARY KEY, keys BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS message (
    id TEXT PRIMARY KEY,
    run INTEGER NOT NULL,
    recipient TEXT NOT NULL,
    subject TEXT NOT NULL,
    secret TEXT,
    content BLOB,
    keys BLOB NOT NULL,
    made REAL NOT NULL,
    state INTEGER NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0,
    due REAL NOT NULL DEFAULT 0,
    tried REAL,
    said TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS message_open ON message (state, due) WHERE state != 1;
CREATE INDEX IF NOT EXISTS message_run ON message (run);
PRAGMA user_version = {FORMAT};
"""


class MessageState(IntEnum):
    """What became of a message."""

    WAITING = 0
    SENT = 1
    REFUSED = 2


@dataclass(frozen=True, slots=True)
class Listed:
    """A message as a list shows it; times are in seconds since 1970."""

    id: str
    run: int
    recipient: str
    subject: str
    made: float
    state: MessageState
    tries: int
    due: float
    tried: float | None
    said: str


@dataclass(frozen=True, slots=True)
class Noted:
    """What is put into the outbox at once: the messages of a run, and the rows that queries have now."""

    run: int
    accepted: str
    messages: tuple[tuple[Message, str], ...] = ()
    """Each with its subject."""
    rows: Mapping[str, frozenset[bytes]] | None = None


class Outbox:
    """The outbox of a store, open for reading and writing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._db = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA synchronous = FULL")
            (found,) = self._db.execute("PRAGMA user_version").fetchone()
            if found == 0:
                self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
            elif found != FORMAT:
                raise StoreError(f"{path} is an outbox of format {found}; this rdfcrawl reads and writes {FORMAT}")
        except sqlite3.Error as error:
            raise _unusable(path, error) from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Outbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise _unusable(self.path, error) from error

    def _read(self, query: str, *values: object) -> list[Any]:
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise _unusable(self.path, error) from error

    def noted(self) -> dict[int, str]:
        """The runs whose events are in here, each with what was accepted then."""
        return dict(self._read("SELECT run, accepted FROM noted"))

    def note_past(self, runs: Iterable[int]) -> None:
        """Say that nothing is to be told of runs that ended before there was an outbox."""
        with self._writing() as db:
            db.executemany("INSERT OR IGNORE INTO noted VALUES (?, '')", [(run,) for run in runs])

    def note(self, noted: Noted) -> None:
        """Put the messages of a run into the outbox, all or nothing; those that are in there stay as they are."""
        now = time.time()
        with self._writing() as db:
            db.executemany(
                """INSERT OR IGNORE INTO message (id, run, recipient, subject, secret, content, keys, made)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
                [
                    (one.id, noted.run, one.to, subject, one.secret, one.content.packed(), joined_keys(one.keys), now)
                    for one, subject in noted.messages
                ],
            )
            db.executemany(
                "INSERT INTO rows_seen VALUES (?, ?) ON CONFLICT DO UPDATE SET keys = excluded.keys",
                [(query, joined_keys(keys)) for query, keys in (noted.rows or {}).items()],
            )
            db.execute(
                "INSERT INTO noted VALUES (?, ?) ON CONFLICT DO UPDATE SET accepted = excluded.accepted",
                (noted.run, noted.accepted),
            )
            db.execute(
                "UPDATE message SET content = NULL, keys = x'' WHERE state = 1 AND tried < ? AND content IS NOT NULL",
                (now - _REMEMBERED,),
            )

    def rows_seen(self, query: str) -> frozenset[bytes] | None:
        """The rows that a query had when it was last asked; ``None`` if it never was."""
        rows = self._read("SELECT keys FROM rows_seen WHERE query = ?", query)
        return parted_keys(rows[0][0]) if rows else None

    def told(self, run: int) -> frozenset[bytes]:
        """The events of a run that some message tells of."""
        rows = self._read("SELECT keys FROM message WHERE run = ?", run)
        return frozenset(key for (keys,) in rows for key in parted_keys(keys))

    def waiting(self, *, everything: bool = False) -> list[Message]:
        """What is due, the oldest first; with ``everything`` also what is to wait longer, or was refused."""
        which = "state != 1" if everything else "state = 0 AND due <= ?"
        query = f"SELECT id, recipient, content, secret FROM message WHERE {which} ORDER BY made, rowid"
        rows = self._read(query, *(() if everything else (time.time(),)))
        return [Message(name, to, Content.unpacked(content), secret=secret) for name, to, content, secret in rows]

    def mark_sent(self, message: str, said: str) -> None:
        """A server took it."""
        self._mark(MessageState.SENT, message, said)

    def mark_refused(self, message: str, said: str) -> None:
        """A server will never take it, unless somebody has it tried again."""
        self._mark(MessageState.REFUSED, message, said)

    def mark_failed(self, message: str, said: str, pause: float | None = None) -> None:
        """It is tried again after a pause, which grows from try to try; the server may ask for a longer one."""
        with self._writing() as db:
            db.execute(
                """UPDATE message SET state = 0, said = :said, tried = :now, tries = tries + 1,
                          due = :now + max(min(:first * (1 << min(tries, 20)), :longest), :asked)
                    WHERE id = :id""",
                {
                    "id": message,
                    "said": said,
                    "now": time.time(),
                    "first": FIRST_PAUSE,
                    "longest": LONGEST_PAUSE,
                    "asked": min(pause or 0.0, LONGEST_PAUSE),
                },
            )

    def _mark(self, state: MessageState, message: str, said: str) -> None:
        with self._writing() as db:
            db.execute(
                "UPDATE message SET state = ?, said = ?, tried = ?, tries = tries + 1 WHERE id = ?",
                (state, said, time.time(), message),
            )

    def listed(self) -> list[Listed]:
        """All messages, the oldest first."""
        return _listed(self._db)


def open_outbox(folder: Path) -> Outbox:
    """The outbox of a store's folder; it is made if there is none."""
    return Outbox(outbox_path(folder))


def outbox_path(folder: Path) -> Path:
    """Where the outbox of a store is."""
    return folder / "alerts.sqlite"


def list_messages(folder: Path) -> list[Listed]:
    """All messages of a store, the oldest first; nothing is written, and nothing is made."""
    path = outbox_path(folder)
    if not path.exists():
        return []
    try:
        db = open_to_read(path, busy_seconds=_BUSY_SECONDS)
        try:
            return _listed(db)
        finally:
            db.close()
    except sqlite3.Error as error:
        raise _unusable(path, error) from error


def _listed(db: sqlite3.Connection) -> list[Listed]:
    rows: Iterable[Any] = db.execute(
        "SELECT id, run, recipient, subject, made, state, tries, due, tried, said FROM message ORDER BY made, rowid"
    )
    return [
        Listed(name, run, recipient, subject, made, MessageState(state), tries, due, tried, said)
        for name, run, recipient, subject, made, state, tries, due, tried, said in rows
    ]


def _unusable(path: Path, error: sqlite3.Error) -> StoreError:
    if "not a database" in str(error) or "malformed" in str(error):
        return StoreError(
            f"the outbox {path} is damaged ({error}); restore it from a backup, or move it away: then runs that have "
            "ended are not reported again"
        )
    return StoreError(f"the outbox {path} cannot be used: {error}")
