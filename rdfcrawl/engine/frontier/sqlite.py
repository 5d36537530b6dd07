"""The durable queue of a run: which pages are to be read, which are read, and how they hang together.

Everything that a page brought is in its files before the page is acknowledged here, and one transaction
acknowledges pages, queues what they link to and notes how long the files are. After a crash the files are cut
to that length and the unacknowledged pages are read again: the result is that of an undisturbed run.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from rdfcrawl.engine.address import host_of
from rdfcrawl.engine.extract.page import Follow
from rdfcrawl.metamodel.model import Section

LEASE_SECONDS: Final = 600.0
LONGEST_WAIT_SECONDS: Final = 3600.0
"""Nothing is put off for longer; what seems to be was written before the clock was set back."""

_BUSY_SECONDS: Final = 60.0
_AT_ONCE: Final = 500
"""How many values one statement asks for."""

_SCHEMA: Final = """
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
    UNIQUE (run, page, key)
);
CREATE INDEX IF NOT EXISTS entry_state ON entry (run, state);
DROP INDEX IF EXISTS entry_due;
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
CREATE TABLE IF NOT EXISTS run (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL,
    ended INTEGER NOT NULL DEFAULT 0,
    lines INTEGER NOT NULL DEFAULT 0,
    problems INTEGER NOT NULL DEFAULT 0,
    tally TEXT NOT NULL DEFAULT '{}'
);
"""

_REACH: Final = """
WITH RECURSIVE reach (entry, parent) AS (
    SELECT edge.child, edge.parent FROM edge JOIN entry ON entry.id = edge.child
     WHERE entry.run = :run AND edge.parent != ''
    UNION
    SELECT edge.child, reach.parent FROM edge JOIN reach ON edge.source = reach.entry WHERE edge.parent = ''
)
"""


class EntryState:
    """Where an entry stands; plain integers, because they live in the database."""

    QUEUED: Final = 0
    CLAIMED: Final = 1
    DONE: Final = 2
    FAILED: Final = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """One page to be read: what kind of page, at which address, and which part of which list it is."""

    id: int
    page: str
    key: str
    address: str
    host: str
    section: int
    list: int
    part: int
    attempts: int


@dataclass(slots=True)
class Outcome:
    """What became of an entry, ready to be committed."""

    entry: Entry
    follows: Sequence[Follow] = ()
    tops: Sequence[tuple[str, str]] = ()
    entries: Sequence[str] = ()
    unread: Sequence[tuple[str | None, str]] = ()
    next_part: Follow | None = None
    moved_to: str | None = None
    incomplete: bool = False
    failure: str | None = None
    retry_at: float | None = None
    tried: bool = True


class _Link(NamedTuple):
    """A page to be queued: which page leads to it, in which section, and which part of which list it is."""

    follow: Follow
    source: int
    section: int
    list: int | None = None
    part: int = 0


class Frontier:
    """The queue of one run in a SQLite database that outlives the process."""

    def __init__(self, path: Path, run: int) -> None:
        self.run = run
        self._db = connect(path)

    def close(self) -> None:
        """Close the database; what was committed stays."""
        self._db.close()

    def start(self, sections: Sequence[Section]) -> None:
        """Queue the start pages; starting again changes nothing."""
        with self._db:
            starts = [
                Follow(section.page, section.address, section.address.partition("#")[0], section.address)
                for section in sections
            ]
            self._enqueue([_Link(start, 0, number) for number, start in enumerate(starts)])

    def release_claims(self) -> None:
        """Give back what a process that is gone had claimed."""
        with self._db:
            self._db.execute(
                "UPDATE entry SET state = ?, due = 0 WHERE run = ? AND state = ?",
                (EntryState.QUEUED, self.run, EntryState.CLAIMED),
            )

    def claim(self, count: int, *, busy_hosts: Iterable[str] = ()) -> list[Entry]:
        """Claim up to ``count`` entries that are due, oldest first, at hosts that can take more."""
        busy = tuple(busy_hosts)
        now = time.time()
        # In the order of the index, so that it costs the same however long the queue is.
        due = f"""SELECT id FROM (SELECT id FROM entry WHERE run = ? AND state = %s AND (due <= ? OR due > ?)
                   AND host NOT IN ({",".join("?" * len(busy))}) ORDER BY id LIMIT ?)"""
        wanted = (self.run, now, now + LONGEST_WAIT_SECONDS, *busy, count)
        with self._db:
            rows = self._db.execute(
                f"""UPDATE entry SET state = {EntryState.CLAIMED}, due = ? WHERE id IN (
                        {due % EntryState.QUEUED} UNION ALL {due % EntryState.CLAIMED} LIMIT ?)
                    RETURNING id, page, key, address, host, section, coalesce(list, id), part, attempts""",
                (now + LEASE_SECONDS, *wanted, *wanted, count),
            ).fetchall()
        return sorted((Entry(*row) for row in rows), key=lambda entry: entry.id)

    def postpone(self, host: str, until: float) -> None:
        """Let the waiting pages of a host wait on, so that nobody asks for them in vain."""
        with self._db:
            self._db.execute(
                "UPDATE entry SET due = ? WHERE run = ? AND host = ? AND state = ? AND due < ?",
                (until, self.run, host, EntryState.QUEUED, until),
            )

    def commit(self, outcomes: Sequence[Outcome], *, lines: int, problems: int, tally: str) -> Counter[int]:
        """Acknowledge pages, queue what they brought and note how much of the files is valid: all or nothing.

        Gives the number of pages that are new in the queue, by section number.
        """
        again = [outcome for outcome in outcomes if outcome.retry_at is not None]
        settled = [outcome for outcome in outcomes if outcome.retry_at is None]
        with self._db:
            (newest,) = self._db.execute("SELECT coalesce(max(id), 0) FROM entry").fetchone()
            self._db.executemany(
                "UPDATE entry SET state = ?, due = ?, attempts = attempts + ? WHERE id = ?",
                [(EntryState.QUEUED, outcome.retry_at, outcome.tried, outcome.entry.id) for outcome in again],
            )
            self._settle(settled)
            self._enqueue([link for outcome in settled for link in _links(outcome)])
            self._db.execute(
                "UPDATE run SET lines = ?, problems = ?, tally = ? WHERE id = ?", (lines, problems, tally, self.run)
            )
            queued = self._db.execute(
                "SELECT section, count(*) FROM entry WHERE run = ? AND id > ? GROUP BY section", (self.run, newest)
            ).fetchall()
        return Counter(dict(queued))

    def leave_rest(self, failure: str) -> Counter[int]:
        """Give up what is not read yet, for that reason; gives how much, by section number."""
        with self._db:
            rows = self._db.execute(
                """UPDATE entry SET state = ?, failure = ?, unread = 1
                    WHERE run = ? AND state IN (?, ?) RETURNING section""",
                (EntryState.FAILED, failure, self.run, EntryState.QUEUED, EntryState.CLAIMED),
            ).fetchall()
        return Counter(section for (section,) in rows)

    def _settle(self, outcomes: Sequence[Outcome]) -> None:
        """Note what became of pages, and what they brought besides links."""
        write = self._db.executemany
        write(
            "UPDATE entry SET state = ?, failure = ?, unread = ?, attempts = attempts + 1 WHERE id = ?",
            [
                (
                    EntryState.DONE if outcome.failure is None else EntryState.FAILED,
                    outcome.failure,
                    outcome.incomplete,
                    outcome.entry.id,
                )
                for outcome in outcomes
            ],
        )
        write(
            "INSERT OR REPLACE INTO moved VALUES (?, ?, ?)",
            [(outcome.entry.page, outcome.entry.key, outcome.moved_to) for outcome in outcomes if outcome.moved_to],
        )
        write(
            "INSERT OR IGNORE INTO top VALUES (?, ?, ?)",
            [(outcome.entry.id, *top) for outcome in outcomes for top in outcome.tops],
        )
        write(
            "INSERT OR IGNORE INTO listed VALUES (?, ?)",
            [(outcome.entry.list, listed) for outcome in outcomes for listed in outcome.entries],
        )
        write(
            "INSERT OR IGNORE INTO unread VALUES (?, ?, ?, ?)",
            [
                (self.run, outcome.entry.id, parent or "", page)
                for outcome in outcomes
                for parent, page in outcome.unread
            ],
        )

    def _enqueue(self, links: Sequence[_Link]) -> None:
        """Queue the pages that are not known yet, in order, and note who leads to them."""
        self._db.executemany(
            """INSERT OR IGNORE INTO entry (run, page, key, address, host, section, list, part)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            [
                (self.run, to.page, to.key, to.address, host_of(to.address), section, in_list, part)
                for to, _, section, in_list, part in links
            ],
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO edge SELECT id, ?, ? FROM entry WHERE run = ? AND page = ? AND key = ?",
            [(source, to.parent or "", self.run, to.page, to.key) for to, source, *_ in links],
        )

    def is_start(self, entry: Entry) -> bool:
        """Whether the entry is the start page of a section."""
        row = self._db.execute("SELECT 1 FROM edge WHERE child = ? AND source = 0", (entry.id,)).fetchone()
        return row is not None

    def list_has(self, entry: Entry, listed: Sequence[str]) -> int:
        """How many of these entries, each named once, the list has already shown."""
        known = 0
        for start in range(0, len(listed), _AT_ONCE):
            some = listed[start : start + _AT_ONCE]
            among = f"SELECT count(*) FROM listed WHERE list = ? AND entry IN ({','.join('?' * len(some))})"
            known += self._db.execute(among, (entry.list, *some)).fetchone()[0]
        return known

    def list_length(self, entry: Entry) -> int:
        """How many different entries the list has shown so far."""
        return int(self._db.execute("SELECT count(*) FROM listed WHERE list = ?", (entry.list,)).fetchone()[0])

    def in_list(self, entry: Entry, key: str) -> bool:
        """Whether the page with that key is already a part of the list."""
        row = self._db.execute(
            "SELECT coalesce(list, id) FROM entry WHERE run = ? AND page = ? AND key = ?", (self.run, entry.page, key)
        ).fetchone()
        return row is not None and row[0] == entry.list

    def counts(self) -> dict[tuple[int, int], int]:
        """How many entries there are, by section number and state."""
        rows = self._db.execute(
            "SELECT section, state, count(*) FROM entry WHERE run = ? GROUP BY section, state", (self.run,)
        )
        return {(section, state): count for section, state, count in rows}

    def seconds_until_due(self) -> float | None:
        """How long until a waiting entry may be read, or nothing if none waits."""
        row = self._db.execute(
            "SELECT min(due) FROM entry WHERE run = ? AND state = ?", (self.run, EntryState.QUEUED)
        ).fetchone()
        if row[0] is None:
            return None
        seconds = max(0.0, float(row[0]) - time.time())
        return seconds if seconds <= LONGEST_WAIT_SECONDS else 0.0

    def edges(self) -> Iterator[tuple[str, str, str]]:
        """Every edge to a page's objects: the IRI of the parent, and predicate and object as N-Triples text."""
        yield from self._db.execute(
            f"{_REACH} SELECT reach.parent, top.predicate, top.object FROM reach JOIN top ON top.entry = reach.entry",
            {"run": self.run},
        )

    def unread_entries(self) -> Iterator[tuple[str, str, str]]:
        """Pages that were not read as they should: page IRI, key and the IRI of a parent that they hang from.

        The key of a page that used to lead to another address is that address: its object is known by it.
        """
        yield from self._db.execute(
            f"""{_REACH} SELECT entry.page, coalesce(moved.object, entry.key), reach.parent
                  FROM entry JOIN reach ON reach.entry = entry.id
                  LEFT JOIN moved ON moved.page = entry.page AND moved.key = entry.key
                 WHERE entry.run = :run AND (entry.unread OR entry.state IN (0, 1))""",
            {"run": self.run},
        )
        yield from self._db.execute(
            f"""{_REACH} SELECT unread.page, '', CASE unread.parent WHEN '' THEN reach.parent ELSE unread.parent END
                  FROM unread JOIN reach ON reach.entry = unread.source WHERE unread.run = :run""",
            {"run": self.run},
        )

    def failures_by_section(self) -> Iterator[tuple[str, str, int]]:
        """For every section what kept it from being complete: its address, the reason and how often."""
        yield from self._db.execute(
            """WITH RECURSIVE inside (entry, section) AS (
                   SELECT edge.child, edge.parent FROM edge JOIN entry ON entry.id = edge.child
                    WHERE entry.run = :run AND edge.source = 0
                   UNION
                   SELECT edge.child, inside.section FROM edge JOIN inside ON edge.source = inside.entry)
               SELECT inside.section, coalesce(entry.failure, 'unread'), count(*) FROM inside
                 JOIN entry ON entry.id = inside.entry
                WHERE entry.unread OR entry.failure IS NOT NULL GROUP BY 1, 2""",
            {"run": self.run},
        )

    def forget(self) -> None:
        """Remove the entries of a run that has ended; its files say everything that is still needed."""
        with self._db:
            mine = "IN (SELECT id FROM entry WHERE run = ?)"
            for table, column in (("edge", "child"), ("top", "entry"), ("listed", "list")):
                self._db.execute(f"DELETE FROM {table} WHERE {column} {mine}", (self.run,))
            self._db.execute("DELETE FROM unread WHERE run = ?", (self.run,))
            self._db.execute("DELETE FROM entry WHERE run = ?", (self.run,))
            self._db.execute("UPDATE run SET ended = 1 WHERE id = ?", (self.run,))


def _links(outcome: Outcome) -> Iterator[_Link]:
    entry = outcome.entry
    if outcome.next_part is not None:
        # Before the pages that this part links to: while those are read, the list goes on.
        yield _Link(outcome.next_part, entry.id, entry.section, entry.list, entry.part + 1)
    for follow in outcome.follows:
        yield _Link(follow, entry.id, entry.section)


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A run that has not ended: how much of its files is valid, and its tally as JSON."""

    run: int
    lines: int
    problems: int
    tally: str


def unfinished_run(path: Path, identity: str) -> Unfinished | None:
    """The run of that identity (the same model, sections and options) that has not ended, if there is one."""
    with closing(connect(path)) as db:
        row = db.execute(
            "SELECT id, lines, problems, tally FROM run WHERE identity = ? AND NOT ended ORDER BY id DESC", (identity,)
        ).fetchone()
    return None if row is None else Unfinished(*row)


def begin_run(path: Path, identity: str, newest: int = 0) -> Unfinished:
    """Give a new run its number: the second in which it begins, but always one above all runs before it."""
    # A clock that was set back must not put a run before those that it follows. One statement, because another process
    # may begin a run at the same moment.
    taking = """INSERT INTO run (id, identity) SELECT max(:least, coalesce(max(id), 0) + 1), :identity FROM run
                RETURNING id"""
    with closing(connect(path)) as db, db:
        row = db.execute(taking, {"least": max(int(time.time()), newest + 1), "identity": identity}).fetchone()
    number = int(row[0])
    return Unfinished(number, 0, 0, "{}")


def _write_ahead(db: sqlite3.Connection) -> None:
    """Turn to the journal beside which others can read; this alone does not wait for others by itself."""
    end = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)


def connect(path: Path) -> sqlite3.Connection:
    """Open the queue database; many processes may, each with its own run."""
    db = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level="IMMEDIATE")
    _write_ahead(db)
    db.execute("PRAGMA synchronous = NORMAL")
    db.executescript(_SCHEMA)
    return db
