"""The entries of a run in PostgreSQL, as one of many workers sees them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from time import time
from typing import Any, Final, TypeVar
from uuid import UUID

from rdfcrawl.engine.frontier.entries import (
    BlockResult,
    Counted,
    Entry,
    EntryState,
    Lengths,
    PageResult,
    SurveyedAddress,
)
from rdfcrawl.engine.frontier.links import starts_of
from rdfcrawl.engine.frontier.postgres import claims, commits, ending
from rdfcrawl.engine.frontier.postgres.blocks import add_block, packed_block
from rdfcrawl.engine.frontier.postgres.commits import Commit, Diverged, NotTaken
from rdfcrawl.engine.frontier.postgres.database import Connection, Database, WriteBatch
from rdfcrawl.engine.frontier.postgres.leads import PostgresLeads, newest_entry, queued_since
from rdfcrawl.engine.frontier.postgres.marks import mark_of, short_host
from rdfcrawl.engine.frontier.postgres.seen import PostgresSeenPages
from rdfcrawl.engine.frontier.postgres.statements import ALIVE, LISTED_BEFORE, NUMBER, POSTPONE, RELEASE
from rdfcrawl.engine.frontier.postgres.tables import OF_RUNS
from rdfcrawl.engine.frontier.protocol import WorkerGone
from rdfcrawl.engine.problem import Problem
from rdfcrawl.metamodel.model import Section

T = TypeVar("T")

LEASE_SECONDS: Final = 60.0
"""How long a worker counts as alive after its last sign of life."""
_REAP_SECONDS: Final = 5.0
_FIRST_LOOK: Final = 0.05
_LAST_LOOK: Final = 0.5
"""How soon a worker without work looks again, at first and when it has waited for a while."""


class PostgresFrontier:
    """The entries of one run in a database that workers on many machines share.

    ``life`` is this start of the worker: one that another start has replaced, or that others have declared gone, can
    neither claim nor commit.
    """

    is_shared = True

    def __init__(
        self, database: Database, run: int, worker: str, life: UUID, number: int, seen: PostgresSeenPages
    ) -> None:
        self.run = run
        self.worker = worker
        self._database = database
        self._life = life
        self._number = number
        self._seen = seen
        self._leads = PostgresLeads(run)
        self._sweeping = claims.Sweeping(database)
        self._held: set[int] = set()
        self._reaped_at = 0.0
        self._look_again_at = 0.0
        self._passed_over: set[str] = set()
        self._pause = _FIRST_LOOK

    async def start(self, sections: Sequence[Section], params: Mapping[str, Sequence[str]] | None = None) -> None:
        """Queue the start pages, known by their address without ``params``; starting again changes nothing."""
        starts = starts_of(sections, params)

        async def work(connection: Connection) -> None:
            await commits.enqueue(connection, self.run, starts, EntryState.QUEUED)

        await self._database.transaction(work)
        self._look_again_at = 0.0

    async def release_claims(self) -> None:
        """Return to the queue what this worker, or an earlier process of it, had claimed."""

        async def work(connection: Connection) -> None:
            await self._ensure_alive(connection)
            await connection.execute(RELEASE, (self.run, self.worker))
            await connection.execute("DELETE FROM share WHERE run = %s AND worker = %s", (self.run, self.worker))

        await self._database.transaction(work)
        self._held.clear()

    async def claim(self, count: int, *, busy_hosts: Iterable[str] = ()) -> list[Entry]:
        """Claim up to ``count`` entries that are due at hosts that can take more."""
        now, busy = asyncio.get_running_loop().time(), {short_host(host) for host in busy_hosts}
        if now < self._look_again_at and busy >= self._passed_over:
            return []
        is_to_reap = now - self._reaped_at > _REAP_SECONDS
        tries = 0

        async def work(connection: Connection) -> list[Entry] | None:
            nonlocal tries
            tries += 1
            return await claims.next_entries(
                connection,
                self.run,
                self.worker,
                self._life,
                lease=LEASE_SECONDS,
                count=count,
                busy_hosts=busy,
                is_to_reap=is_to_reap,
                held=self._held if tries > 1 else None,
            )

        if (entries := await self._database.ask(work)) is None:
            raise await self._database.ask(self._gone)
        if is_to_reap:
            self._reaped_at = now
        self._held.update(entry.id for entry in entries)
        self._sweeping.claimed(len(entries))
        self._passed_over = busy
        if len(entries) == count:
            self._look_again_at, self._pause = 0.0, _FIRST_LOOK
        else:
            # Asking costs the server more than waiting costs this worker; its own commits end the wait.
            self._look_again_at = now + (_FIRST_LOOK if entries else self._pause)
            self._pause = _FIRST_LOOK if entries else min(2 * self._pause, _LAST_LOOK)
        return entries

    async def postpone(self, host: str, until: float) -> None:
        """Let no entry of a host be claimed before a moment."""
        await self._database.rows(POSTPONE, (self.run, short_host(host), max(0.0, until - time())))

    async def seconds_until_due(self) -> float | None:
        """How long until an entry may be claimed; ``None`` when none is queued or claimed any more.

        While other workers have claims, it is worth looking again soon: they may bring new entries.
        """

        async def work(connection: Connection) -> float | None:
            open_states = await connection.execute(
                """SELECT EXISTS (SELECT FROM entry WHERE run = %(run)s AND state = 0),
                          EXISTS (SELECT FROM entry WHERE run = %(run)s AND state = 1)""",
                {"run": self.run},
            )
            is_queued, is_claimed = await open_states.fetchone() or (False, False)
            if not is_queued and not is_claimed:
                return None
            if is_queued and await claims.is_any_due(connection, self.run, self.worker):
                return 0.0
            if is_claimed or not (due := await claims.seconds_until_next(connection, self.run)):
                return self._pause
            return due

        due = await self._database.ask(work)
        wait = self._look_again_at - asyncio.get_running_loop().time()
        # An entry that is due may still not be for this worker: the pages of the run may be used up.
        return due if due is None else max(due, wait, 0.0)

    async def is_complete(self) -> bool:
        """Whether nothing is queued or claimed, and nothing is left for a next level."""
        asked = """SELECT NOT EXISTS (SELECT FROM entry WHERE run = %(run)s AND state IN (0, 1, 4))
                      AND NOT EXISTS (SELECT FROM lead WHERE run = %(run)s)"""
        ((is_complete,),) = await self._database.rows(asked, {"run": self.run})
        return bool(is_complete)

    async def is_used_up(self, pages: int) -> bool:
        """Whether all workers together have visited that many pages, and none is still claimed."""
        asked = """SELECT coalesce(sum(amount), 0) >= %(pages)s
                          AND NOT EXISTS (SELECT FROM entry WHERE run = %(run)s AND state = 1)
                     FROM tally WHERE run = %(run)s AND name = 'pages'"""
        ((is_used_up,),) = await self._database.rows(asked, {"run": self.run, "pages": pages})
        return bool(is_used_up)

    async def commit(
        self, results: Sequence[PageResult], *, valid: Lengths, counted: Counted, in_rounds: bool = False
    ) -> Counter[int]:
        """Acknowledge pages, queue what they link to, remember their content, add up the counts and leave a block.

        A commit whose answer was lost is recognised by its number. Of pages that were given up meanwhile, nothing is
        committed.
        """
        number = self._number + 1
        state = EntryState.HELD if in_rounds else EntryState.QUEUED
        named = commits.numbered(self.run, self.worker, self._life, number, valid, LEASE_SECONDS)
        while True:
            commit = Commit(
                self.run, self.worker, named, results, counted, state=state, leads=self._leads, seen=self._seen
            )
            queued = await self._database.ask(commit.at_once) if commit.is_one_statement else None
            try:
                if queued is None:
                    queued = await self._database.transaction(commit.step_by_step)
            except Diverged as diverged:
                results = [result for result in results if result.outcome.entry.id in diverged.held]
                continue
            except NotTaken:
                await self._database.ask(self._ensure_alive)
                # It was there already, because the answer to it was lost.
                queued = Counter()
            break
        self._number = number
        self._held.difference_update(result.outcome.entry.id for result in results)
        if queued or any(result.outcome.retry_at is not None for result in results):
            self._look_again_at = 0.0
        return queued

    async def leave_rest(self, failure: str, problems: Sequence[Problem], *, valid: Lengths, counted: Counted) -> None:
        """Give up what is queued or claimed; the problems that say so are a block of their own."""
        number = self._number + 1
        named = commits.numbered(self.run, self.worker, self._life, number, valid, LEASE_SECONDS)

        async def work(connection: Connection) -> None:
            if await (await connection.execute(NUMBER, named)).fetchone() is None:
                raise NotTaken
            await connection.execute(claims.LOCK_RUN, (self.run,))
            await connection.execute(
                "UPDATE entry SET state = %s, failure = %s, unread = true WHERE run = %s AND state IN (0, 1, 4)",
                (EntryState.FAILED, failure, self.run),
            )
            batch = WriteBatch()
            add_block(batch, self.run, self.worker, number, packed_block([BlockResult((), problems, None, ())]))
            commits.add_up(batch, self.run, self.worker, counted)
            await batch.send(connection)

        try:
            await self._database.transaction(work)
        except NotTaken:
            await self._database.ask(self._ensure_alive)
        self._number = number

    async def next_level(self, pages: int | None = None) -> Counter[int]:
        """Queue the leads of all pages, or the first that ``pages`` leaves, as the next level, unless one is open."""

        async def work(connection: Connection) -> Counter[int]:
            await connection.execute(claims.LOCK_RUN, (self.run,))
            is_open = "SELECT 1 FROM entry WHERE run = %s AND state IN (0, 1) LIMIT 1"
            if await (await connection.execute(is_open, (self.run,))).fetchone():
                return Counter()
            return await self._leads.take_next(connection, pages)

        self._look_again_at = 0.0
        return await self._database.transaction(work)

    async def leave_leads(self) -> Counter[int]:
        """Queue all leads at once, and what is held back as unread."""

        async def work(connection: Connection) -> Counter[int]:
            await connection.execute(claims.LOCK_RUN, (self.run,))
            newest = await newest_entry(connection, self.run)
            await self._leads.take_all(connection)
            queued = await queued_since(connection, self.run, newest)
            await self._leads.leave(connection)
            return queued

        return await self._database.transaction(work)

    async def settle_surveys(self, pages: Sequence[str]) -> None:
        """Note every entry of these pages that nothing was found for as an address that was not read."""
        await self._database.transaction(lambda connection: self._leads.settle(connection, pages))

    def surveyed(self) -> AsyncIterator[Sequence[SurveyedAddress]]:
        """Every address of the surveyed sites."""
        return ending.read_addresses(self._database, self.run)

    async def is_start(self, entry: Entry) -> bool:
        """Whether the entry is the start page of a section."""
        return bool(
            await self._database.rows("SELECT 1 FROM edge WHERE child = %s AND source = 0 LIMIT 1", (entry.id,))
        )

    async def list_has(self, entry: Entry, listed: Sequence[str]) -> int:
        """How many of these list entries, each named once, the entry's list has already shown."""
        return await self._number_of(LISTED_BEFORE, ([mark_of(one) for one in listed], entry.list))

    async def list_length(self, entry: Entry) -> int:
        """How many different list entries the entry's list has shown so far."""
        return await self._number_of("SELECT count(*) FROM listed WHERE list = %s", (entry.list,))

    async def in_list(self, entry: Entry, key: str) -> bool:
        """Whether the page with that key is already a part of the entry's list."""
        asked = "SELECT count(*) FROM entry WHERE run = %s AND mark = %s AND coalesce(list, id) = %s"
        return bool(await self._number_of(asked, (self.run, mark_of(entry.page, key), entry.list)))

    async def counts(self) -> dict[tuple[int, int], int]:
        """How many entries there are, by section number and state."""
        asked = "SELECT section, state, count(*) FROM entry WHERE run = %s GROUP BY section, state"
        rows = await self._database.rows(asked, (self.run,))
        return {(section, state): count for section, state, count in rows}

    async def counted(self) -> Counted:
        """What all workers have counted in the run."""
        amounts = "SELECT name, kind, sum(amount) FROM tally WHERE run = %s GROUP BY name, kind"
        found = {(name, kind): amount for name, kind, amount in await self._database.rows(amounts, (self.run,))}
        reasons = await self._database.rows("SELECT page, reason FROM reason WHERE run = %s", (self.run,))
        return Counted(found, dict(reasons))

    async def lengths(self) -> dict[str, Lengths]:
        """How much of the journal is valid, by worker."""
        asked = "SELECT name, triples, problems, links FROM worker WHERE run = %s AND triples IS NOT NULL"
        return {name: Lengths(*lengths) for name, *lengths in await self._database.rows(asked, (self.run,))}

    def edges(self) -> AsyncIterator[Sequence[tuple[Any, ...]]]:
        """Every edge to a page's objects."""
        return ending.read_rows(self._database, self.run, ending.EDGES, ending.SITE_EDGES)

    def unread_entries(self) -> AsyncIterator[Sequence[tuple[Any, ...]]]:
        """Pages that were not read properly."""
        return ending.read_rows(self._database, self.run, ending.UNREAD_ENTRIES, ending.UNREAD_KINDS)

    def failures_by_section(self) -> AsyncIterator[Sequence[tuple[Any, ...]]]:
        """What kept each section from being complete."""
        return ending.read_rows(self._database, self.run, ending.FAILURES_BY_SECTION)

    async def forget(self) -> None:
        """Remove the entries of a run that has ended; its files say everything that is still needed."""

        async def work(connection: Connection) -> None:
            await connection.execute("UPDATE run SET ended = true, task = NULL WHERE id = %s", (self.run,))
            for table in OF_RUNS:
                await connection.execute(f"DELETE FROM {table} WHERE run = %s", (self.run,))

        await self._database.transaction(work)

    async def _ensure_alive(self, connection: Connection) -> None:
        about = {"run": self.run, "worker": self.worker, "life": self._life, "lease": LEASE_SECONDS}
        if not (await connection.execute(ALIVE, about)).rowcount:
            raise await self._gone(connection)

    async def _gone(self, connection: Connection) -> WorkerGone:
        asked = "SELECT life FROM worker WHERE run = %s AND name = %s"
        row = await (await connection.execute(asked, (self.run, self.worker))).fetchone()
        return WorkerGone(self.worker, is_replaced=row is not None and row[0] != self._life)

    async def _number_of(self, asked: str, values: tuple[Any, ...]) -> int:
        ((count,),) = await self._database.rows(asked, values)
        return int(count)
