"""The entries of a run in SQLite: which pages are to be read, which are read, and how they are linked."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rdfcrawl.engine.address import host_of
from rdfcrawl.engine.frontier.entries import (
    Counted,
    Entry,
    EntryState,
    Lengths,
    Outcome,
    PageResult,
    SurveyedAddress,
)
from rdfcrawl.engine.frontier.links import QueuedLink, links_of, starts_of
from rdfcrawl.engine.frontier.protocol import LEASE_SECONDS
from rdfcrawl.engine.frontier.sqlite import ending
from rdfcrawl.engine.frontier.sqlite.claims import Claiming
from rdfcrawl.engine.frontier.sqlite.database import writing
from rdfcrawl.engine.frontier.sqlite.leads import Leads
from rdfcrawl.engine.frontier.sqlite.seen import SqliteSeenPages
from rdfcrawl.engine.problem import Problem
from rdfcrawl.metamodel.model import Section

_AT_ONCE: Final = 500
"""How many values one statement asks for."""

_OF_RUNS: Final = (
    *("unread", "lead", "family", "surveyed", "entry", "journal", "tally"),
    *("reason", "postponed", "robots", "standing"),
)
"""The tables whose rows belong to one run."""


class SqliteFrontier:
    """The entries of one run in a database that outlives the process."""

    is_shared = False

    def __init__(self, path: Path, db: sqlite3.Connection, run: int, worker: str, seen: SqliteSeenPages) -> None:
        self.run = run
        self.worker = worker
        self._path = path
        self._db = db
        self._seen = seen
        self._leads = Leads(db, run)

    async def start(self, sections: Sequence[Section], params: Mapping[str, Sequence[str]] | None = None) -> None:
        """Queue the start pages, known by their address without ``params``; starting again changes nothing."""
        starts = starts_of(sections, params)
        begun = "SELECT parent FROM edge JOIN entry ON entry.id = child WHERE run = ? AND source = 0"
        with writing(self._db):
            # An earlier version may have begun the run, and known its start pages by other keys.
            known = {parent for (parent,) in self._db.execute(begun, (self.run,))}
            self._enqueue([link for link in starts if link.follow.parent not in known])

    async def release_claims(self) -> None:
        """Return to the queue what an earlier process of this worker had claimed."""
        with writing(self._db):
            self._db.execute(
                "UPDATE entry SET state = 0, due = 0 WHERE run = ? AND state = 1 AND worker = ?",
                (self.run, self.worker),
            )

    async def claim(self, count: int, *, busy_hosts: Iterable[str] = ()) -> list[Entry]:
        """Claim up to ``count`` entries that are due at hosts that can take more."""
        now = time.time()
        with writing(self._db):
            entries = Claiming(self._db, self.run, now).next_entries(count, busy_hosts)
            self._db.executemany(
                "UPDATE entry SET state = 1, due = ?, worker = ? WHERE id = ?",
                [(now + LEASE_SECONDS, self.worker, entry.id) for entry in entries],
            )
        return entries

    async def postpone(self, host: str, until: float) -> None:
        """Let no entry of a host be claimed before a moment."""
        with writing(self._db):
            self._db.execute(
                """INSERT INTO postponed VALUES (?, ?, ?)
                   ON CONFLICT DO UPDATE SET until = max(until, excluded.until)""",
                (self.run, host, until),
            )

    async def seconds_until_due(self) -> float | None:
        """How long until an entry may be claimed; ``None`` when none is queued or claimed any more."""
        now = time.time()
        if Claiming(self._db, self.run, now).next_entries(1, ()):
            return 0.0
        (due,) = self._db.execute(
            """SELECT min(due) FROM (
                   SELECT max(due, coalesce(until, 0)) AS due FROM entry LEFT JOIN postponed USING (run, host)
                    WHERE entry.run = :run AND state = 0
                    UNION ALL SELECT due FROM entry WHERE run = :run AND state = 1)""",
            {"run": self.run},
        ).fetchone()
        return None if due is None else max(0.0, due - now)

    async def is_complete(self) -> bool:
        """Whether nothing is queued or claimed, and nothing is left for a next level."""
        left = """SELECT 1 FROM entry WHERE run = :run AND state IN (0, 1, 4)
                   UNION ALL SELECT 1 FROM lead WHERE run = :run LIMIT 1"""
        return self._db.execute(left, {"run": self.run}).fetchone() is None

    async def is_used_up(self, pages: int) -> bool:
        """Whether that many pages were visited, and none is still claimed."""
        if self._db.execute("SELECT 1 FROM entry WHERE run = ? AND state = 1", (self.run,)).fetchone():
            return False
        visited = "SELECT coalesce(sum(amount), 0) FROM tally WHERE run = ? AND name = 'pages'"
        return bool(self._db.execute(visited, (self.run,)).fetchone()[0] >= pages)

    async def commit(
        self, results: Sequence[PageResult], *, valid: Lengths, counted: Counted, in_rounds: bool = False
    ) -> Counter[int]:
        """Acknowledge pages, queue what they link to, remember their content, and add up the counts: all or nothing."""
        outcomes = [result.outcome for result in results]
        settled = [outcome for outcome in outcomes if outcome.retry_at is None]
        with writing(self._db):
            newest = self._newest()
            self._db.executemany(
                "UPDATE entry SET state = 0, due = ?, attempts = attempts + ? WHERE id = ?",
                [
                    (outcome.retry_at, outcome.tried, outcome.entry.id)
                    for outcome in outcomes
                    if outcome.retry_at is not None
                ],
            )
            self._settle(settled)
            state = EntryState.HELD if in_rounds else EntryState.QUEUED
            self._enqueue([link for outcome in settled for link in links_of(outcome)], state)
            self._leads.note(settled)
            self._seen.remember(results)
            self._add_up(valid, counted)
            return self._queued_since(newest)

    async def leave_rest(self, failure: str, problems: Sequence[Problem], *, valid: Lengths, counted: Counted) -> None:
        """Give up what is queued or claimed; the problems that say so are in the journal."""
        with writing(self._db):
            self._db.execute(
                "UPDATE entry SET state = ?, failure = ?, unread = 1 WHERE run = ? AND state IN (0, 1, 4)",
                (EntryState.FAILED, failure, self.run),
            )
            self._add_up(valid, counted)

    async def next_level(self, pages: int | None = None) -> Counter[int]:
        """Queue the leads of all pages, or the first that ``pages`` leaves, as the next level, unless one is open."""
        with writing(self._db):
            is_open = "SELECT 1 FROM entry WHERE run = ? AND state = %d"
            if any(self._db.execute(is_open % state, (self.run,)).fetchone() for state in (0, 1)):
                return Counter()
            if (most := self._left(pages)) == 0:
                return Counter()
            if known := self._leads.take_round(most):
                return known
            newest = self._newest()
            self._leads.take_hops(most)
            if not (queued := self._queued_since(newest)):
                self._leads.take_level(most)
                queued = self._queued_since(newest)
            if not queued:
                self._leads.leave()
            return queued

    async def leave_leads(self) -> Counter[int]:
        """Queue all leads at once, and what is held back as unread."""
        with writing(self._db):
            newest = self._newest()
            self._leads.take_all()
            queued = self._queued_since(newest)
            self._leads.leave()
            return queued

    async def settle_surveys(self, pages: Sequence[str]) -> None:
        """Note every entry of these pages that nothing was found for as an address that was not read."""
        with writing(self._db):
            self._leads.settle(pages)

    def surveyed(self) -> AsyncIterator[Sequence[SurveyedAddress]]:
        """Every address of the surveyed sites."""
        return ending.read_addresses(self._path, self.run)

    async def is_start(self, entry: Entry) -> bool:
        """Whether the entry is the start page of a section."""
        row = self._db.execute("SELECT 1 FROM edge WHERE child = ? AND source = 0", (entry.id,)).fetchone()
        return row is not None

    async def list_has(self, entry: Entry, listed: Sequence[str]) -> int:
        """How many of these list entries, each named once, the entry's list has already shown."""
        known = 0
        for start in range(0, len(listed), _AT_ONCE):
            some = listed[start : start + _AT_ONCE]
            among = f"SELECT count(*) FROM listed WHERE list = ? AND entry IN ({','.join('?' * len(some))})"
            known += self._db.execute(among, (entry.list, *some)).fetchone()[0]
        return known

    async def list_length(self, entry: Entry) -> int:
        """How many different list entries the entry's list has shown so far."""
        return int(self._db.execute("SELECT count(*) FROM listed WHERE list = ?", (entry.list,)).fetchone()[0])

    async def in_list(self, entry: Entry, key: str) -> bool:
        """Whether the page with that key is already a part of the entry's list."""
        row = self._db.execute(
            "SELECT coalesce(list, id) FROM entry WHERE run = ? AND page = ? AND key = ?", (self.run, entry.page, key)
        ).fetchone()
        return row is not None and row[0] == entry.list

    async def counts(self) -> dict[tuple[int, int], int]:
        """How many entries there are, by section number and state."""
        rows = self._db.execute(
            "SELECT section, state, count(*) FROM entry WHERE run = ? GROUP BY section, state", (self.run,)
        )
        return {(section, state): count for section, state, count in rows}

    async def counted(self) -> Counted:
        """What all workers have counted in the run."""
        amounts = self._db.execute("SELECT name, kind, amount FROM tally WHERE run = ?", (self.run,))
        reasons = self._db.execute("SELECT page, reason FROM reason WHERE run = ?", (self.run,))
        return Counted({(name, kind): amount for name, kind, amount in amounts}, dict(reasons))

    async def lengths(self) -> dict[str, Lengths]:
        """How much of the journal is valid, by worker."""
        rows = self._db.execute("SELECT worker, triples, problems, links FROM journal WHERE run = ?", (self.run,))
        return {worker: Lengths(*lengths) for worker, *lengths in rows}

    def edges(self) -> AsyncIterator[Sequence[tuple[Any, ...]]]:
        """Every edge to a page's objects."""
        return ending.read_rows(self._path, self.run, ending.EDGES, ending.SITE_EDGES)

    def unread_entries(self) -> AsyncIterator[Sequence[tuple[Any, ...]]]:
        """Pages that were not read properly."""
        return ending.read_rows(self._path, self.run, ending.UNREAD_ENTRIES, ending.UNREAD_KINDS)

    def failures_by_section(self) -> AsyncIterator[Sequence[tuple[Any, ...]]]:
        """What kept each section from being complete."""
        return ending.read_rows(self._path, self.run, ending.FAILURES_BY_SECTION)

    async def forget(self) -> None:
        """Remove the entries of a run that has ended; its files say everything that is still needed."""
        await asyncio.to_thread(self._forget)

    def _forget(self) -> None:
        with writing(self._db):
            mine = "IN (SELECT id FROM entry WHERE run = ?)"
            for table, column in (("edge", "child"), ("top", "entry"), ("listed", "list")):
                self._db.execute(f"DELETE FROM {table} WHERE {column} {mine}", (self.run,))
            for table in _OF_RUNS:
                self._db.execute(f"DELETE FROM {table} WHERE run = ?", (self.run,))
            self._db.execute("UPDATE run SET ended = 1 WHERE id = ?", (self.run,))

    def _left(self, pages: int | None) -> int | None:
        """How many pages of a limit are left; ``None`` without one."""
        visited = "SELECT coalesce(sum(amount), 0) FROM tally WHERE run = ? AND name = 'pages'"
        return None if pages is None else max(0, pages - int(self._db.execute(visited, (self.run,)).fetchone()[0]))

    def _newest(self) -> int:
        return int(self._db.execute("SELECT coalesce(max(id), 0) FROM entry").fetchone()[0])

    def _queued_since(self, newest: int) -> Counter[int]:
        """How many entries are new in the queue, by section number."""
        # By the id alone: an index on the run would lead through all of its entries.
        counting = "SELECT section, count(*) FROM entry WHERE id > ? AND +run = ? GROUP BY section"
        return Counter(dict(self._db.execute(counting, (newest, self.run)).fetchall()))

    def _settle(self, outcomes: Sequence[Outcome]) -> None:
        """Note what became of pages, and what they contained besides links."""
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

    def _enqueue(self, links: Sequence[QueuedLink], state: int = EntryState.QUEUED) -> None:
        """Queue the pages that are not known yet, in order, and note which pages lead to them."""
        self._db.executemany(
            """INSERT OR IGNORE INTO entry
                      (run, state, page, key, address, host, section, level, list, part, list_address)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            [
                (self.run, state, to.page, to.key, to.address, host_of(to.address), section, level, *in_list)
                for to, _, section, level, *in_list in links
            ],
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO edge SELECT id, ?, ? FROM entry WHERE run = ? AND page = ? AND key = ?",
            [(source, to.parent or "", self.run, to.page, to.key) for to, source, *_ in links],
        )

    def _add_up(self, valid: Lengths, counted: Counted) -> None:
        """Note how much of the journal counts, and add what was counted."""
        self._db.execute(
            "INSERT OR REPLACE INTO journal VALUES (?, ?, ?, ?, ?)",
            (self.run, self.worker, valid.triples, valid.problems, valid.links),
        )
        self._db.executemany(
            """INSERT INTO tally VALUES (?, ?, ?, ?)
               ON CONFLICT DO UPDATE SET amount = amount + excluded.amount""",
            [(self.run, name, kind, amount) for (name, kind), amount in counted.amounts.items()],
        )
        self._db.executemany(
            "INSERT OR REPLACE INTO reason VALUES (?, ?, ?)",
            [(self.run, page, reason) for page, reason in counted.reasons.items()],
        )
