"""What a queue looks like: runs, workers and their last sign of life, hosts and their pace."""

from __future__ import annotations

from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.frontier.postgres.database import Connection, Database
from rdfcrawl.engine.frontier.postgres.tables import NO_RUN

_RUNS: Final = """
SELECT run.id, run.version, extract(epoch FROM clock_timestamp() - run.begun)::float8,
       count(entry.id) FILTER (WHERE state IN (0, 4)), count(entry.id) FILTER (WHERE state = 1),
       count(entry.id) FILTER (WHERE state = 2), count(entry.id) FILTER (WHERE state = 3),
       (SELECT count(*) FROM block WHERE block.run = run.id),
       extract(epoch FROM clock_timestamp() - min(entry.claimed) FILTER (WHERE state = 1))::float8
  FROM run LEFT JOIN entry ON entry.run = run.id WHERE NOT ended GROUP BY run.id ORDER BY run.id
"""
_WORKERS: Final = """
SELECT name, machine, nullif(worker.run, %s), NOT gone AND alive_until > clock_timestamp(),
       extract(epoch FROM clock_timestamp() - worker.begun)::float8,
       extract(epoch FROM alive_until - clock_timestamp())::float8, count(entry.id),
       extract(epoch FROM clock_timestamp() - min(entry.claimed))::float8
  FROM worker LEFT JOIN entry ON entry.run = worker.run AND entry.worker = worker.name AND entry.state = 1
 GROUP BY worker.run, worker.name ORDER BY gone, worker.name, worker.run
"""
_HOSTS: Final = """
SELECT queued.run, queued.host, waiting, claimed, coalesce(slots, 0), standing.bound, standing.failures,
       greatest(0, extract(epoch FROM greatest(standing.until, postponed.until) - clock_timestamp()))::float8
  FROM (SELECT run, host, count(*) FILTER (WHERE state = 0) AS waiting, count(*) FILTER (WHERE state = 1) AS claimed
          FROM entry WHERE state IN (0, 1) GROUP BY run, host) AS queued
  LEFT JOIN (SELECT run, host, sum(slots)::integer AS slots FROM share GROUP BY run, host) AS shared USING (run, host)
  LEFT JOIN standing USING (run, host) LEFT JOIN postponed USING (run, host)
 ORDER BY waiting DESC, queued.run, queued.host LIMIT %s
"""
_TURNS: Final = """
SELECT machine, delay, extract(epoch FROM next_at - clock_timestamp())::float8 FROM turn
 WHERE next_at > clock_timestamp() - interval '1 minute' ORDER BY next_at DESC LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class RunInQueue:
    """A run that is under way; ``blocks`` wait for its leader, times are seconds."""

    run: int
    version: str
    begun_ago: float
    queued: int
    claimed: int
    done: int
    failed: int
    blocks: int
    oldest_claim: float | None


@dataclass(frozen=True, slots=True)
class WorkerInQueue:
    """A worker in a run, or without one where it only waits; ``lease_left`` is how long it counts as alive."""

    name: str
    machine: str
    run: int | None
    is_alive: bool
    begun_ago: float
    lease_left: float
    claimed: int
    oldest_claim: float | None


@dataclass(frozen=True, slots=True)
class HostInQueue:
    """A host of a run: pages that wait and that are being read, requests at once that are shared out, its standing."""

    run: int
    host: str
    waiting: int
    claimed: int
    shared: int
    bound: float | None
    failures: int | None
    left_alone: float | None


@dataclass(frozen=True, slots=True)
class TurnInQueue:
    """A machine that is asked at a pace: the seconds between two requests, and until the next one that is free."""

    machine: str
    delay: float
    next_in: float


@dataclass(frozen=True, slots=True)
class QueueState:
    """A queue as it is at a moment; of hosts and turns only the first ones."""

    runs: tuple[RunInQueue, ...]
    workers: tuple[WorkerInQueue, ...]
    hosts: tuple[HostInQueue, ...]
    turns: tuple[TurnInQueue, ...]


async def state_of(database: Database, most_hosts: int) -> QueueState:
    """What the queue looks like now."""

    async def work(connection: Connection) -> QueueState:
        runs = await (await connection.execute(_RUNS)).fetchall()
        workers = await (await connection.execute(_WORKERS, (NO_RUN,))).fetchall()
        hosts = await (await connection.execute(_HOSTS, (most_hosts,))).fetchall()
        turns = await (await connection.execute(_TURNS, (most_hosts,))).fetchall()
        return QueueState(
            tuple(RunInQueue(*row) for row in runs),
            tuple(WorkerInQueue(*row) for row in workers),
            tuple(HostInQueue(*row) for row in hosts),
            tuple(TurnInQueue(*row) for row in turns),
        )

    return await database.ask(work)
