"""The runs of a queue in PostgreSQL, and the workers that take part in them."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID, uuid4

from rdfcrawl.engine.frontier.entries import MAIN_WORKER
from rdfcrawl.engine.frontier.postgres import frontier
from rdfcrawl.engine.frontier.postgres.address import QueueAddress
from rdfcrawl.engine.frontier.postgres.blocks import PostgresBlocks
from rdfcrawl.engine.frontier.postgres.claims import reap
from rdfcrawl.engine.frontier.postgres.database import Connection, Database
from rdfcrawl.engine.frontier.postgres.frontier import PostgresFrontier
from rdfcrawl.engine.frontier.postgres.hosts import PostgresHostMemory
from rdfcrawl.engine.frontier.postgres.seen import PostgresSeenPages
from rdfcrawl.engine.frontier.postgres.state import QueueState, state_of
from rdfcrawl.engine.frontier.postgres.tables import NO_RUN, prepare
from rdfcrawl.engine.frontier.protocol import OfferedRun, OpenRun, SharedTask
from rdfcrawl.errors import StoreError
from rdfcrawl.version import VERSION

_BEGINNING: Final = 0x7264666372616E65
"""The lock of whoever begins a run."""

_UNFINISHED: Final = "SELECT id FROM run WHERE identity = %s AND NOT ended ORDER BY id DESC LIMIT 1"
_BEGIN: Final = """
INSERT INTO run (id, identity, version)
SELECT greatest(floor(extract(epoch FROM clock_timestamp()))::bigint, %s + 1, coalesce(max(id), 0) + 1), %s, %s FROM run
RETURNING id
"""
_OFFER: Final = "UPDATE run SET task = %s, most_pages = %s WHERE id = %s AND version = %s RETURNING 1"
_OFFERED: Final = "SELECT id, version, task FROM run WHERE NOT ended AND task IS NOT NULL ORDER BY id"
_ENLIST: Final = """
INSERT INTO worker (run, name, life, machine, alive_until)
VALUES (%s, %s, %s, %s, clock_timestamp() + make_interval(secs => %s))
    ON CONFLICT (run, name) DO UPDATE SET life = excluded.life, machine = excluded.machine, gone = false,
       begun = clock_timestamp(), alive_until = excluded.alive_until
RETURNING number
"""
_ALIVE: Final = f"""
UPDATE worker SET gone = false, alive_until = greatest(alive_until, clock_timestamp() + make_interval(secs => %s))
 WHERE life = ANY (%s) AND (NOT gone OR run = {NO_RUN})
"""
"""Who has been declared dead in a run must begin anew there; the process itself is there again."""


class PostgresQueue:
    """The queues of all runs that share a schema of a database."""

    was_lost = False

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lives: list[UUID] = []

    async def unfinished(self, identity: str) -> int | None:
        """The latest run of that identity that has not ended, if there is one."""
        for (run,) in await self._database.rows(_UNFINISHED, (identity,)):
            return int(run)
        return None

    async def begin(self, identity: str, newest: int = 0) -> int:
        """Begin a run and return its number."""

        async def work(connection: Connection) -> int:
            await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_BEGINNING,))
            row = await (await connection.execute(_BEGIN, (newest, identity, VERSION))).fetchone()
            assert row is not None
            return int(row[0])

        return await self._database.transaction(work)

    async def offer(self, run: int, task: SharedTask) -> None:
        """Let workers take part in a run; raises ``StoreError`` if another version of the program has begun it."""
        if await self._database.rows(_OFFER, (task.text, task.most_pages, run, VERSION)):
            return
        for (version,) in await self._database.rows("SELECT version FROM run WHERE id = %s", (run,)):
            raise StoreError(
                f"run {run} was begun by rdfcrawl {version} and this is rdfcrawl {VERSION}: "
                "finish it with that version, or begin another one with `run --fresh`"
            )
        raise StoreError(f"run {run} is not in the queue of {self._database.address} any more")

    async def offered(self) -> Sequence[OfferedRun]:
        """The runs that workers can take part in."""
        return [OfferedRun(*row) for row in await self._database.rows(_OFFERED)]

    async def enlist(self, worker: str) -> None:
        """Let everybody know that there is this worker, whether there is a run or not."""
        await self._enlist(NO_RUN, worker)

    async def dismiss(self, worker: str) -> None:
        """Forget a worker that has left and holds nothing any more."""
        leaving = "UPDATE worker SET gone = true WHERE name = %s AND run <> %s"
        await self._database.rows(leaving, (worker, NO_RUN))
        await self._database.rows("DELETE FROM worker WHERE name = %s AND run = %s", (worker, NO_RUN))

    async def open(self, run: int, *, worker: str, model: str) -> OpenRun:
        """The queue of a run, for one of its workers; an earlier start of the same worker can commit nothing more."""
        life, number = await self._enlist(run, worker)
        seen = await PostgresSeenPages.of(self._database, run, model)
        entries = PostgresFrontier(self._database, run, worker, life, number, seen)
        hosts = PostgresHostMemory(self._database, run, worker)
        blocks = PostgresBlocks(self._database, run, life) if worker == MAIN_WORKER else None
        return OpenRun(entries, hosts, seen, blocks)

    async def sign_of_life(self) -> None:
        """Let everybody know that this process and what it has claimed are alive; give back what the dead hold.

        Somebody whose pages all wait for what a dead worker holds claims no more, so that claims alone would not do.
        """
        # Not together: the rows of this process would be locked meanwhile, and its claims and commits wait for them.
        await self._database.rows(_ALIVE, (frontier.LEASE_SECONDS, self._lives))
        await self._database.ask(reap)

    async def state(self, most_hosts: int) -> QueueState:
        """What the queue looks like now, with so many hosts at most."""
        return await state_of(self._database, most_hosts)

    def leave(self) -> None:
        """Do not wait any longer for a server that is away."""
        self._database.leave()

    async def aclose(self) -> None:
        """Close all connections; what was committed stays."""
        await self._database.aclose()

    async def _enlist(self, run: int, worker: str) -> tuple[UUID, int]:
        life, machine = uuid4(), f"{socket.gethostname()} (process {os.getpid()})"
        ((number,),) = await self._database.rows(_ENLIST, (run, worker, life, machine, frontier.LEASE_SECONDS))
        self._lives.append(life)
        return life, int(number)


async def open_postgres_queue(address: str, notice: Callable[[str], None], *, waits: bool = False) -> PostgresQueue:
    """Open the queue at an address of PostgreSQL; with ``waits``, a server that is not there yet is waited for."""
    database = Database(QueueAddress.of(address), notice, waits=waits)
    try:
        await prepare(database)
    except BaseException:
        await database.aclose()
        raise
    return PostgresQueue(database)
