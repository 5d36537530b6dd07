"""What a run has learnt about its hosts, and the turns at them, for the workers of all machines together.

Turns belong to machines, whichever run asks. A host's requests at once are shared out: no worker has more of them under
way than its share, and the shares together are never more than the host gets.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from datetime import datetime
from time import time
from typing import Any, Final

from rdfcrawl.engine.frontier.hosts import HostNeed, HostNews, HostStanding
from rdfcrawl.engine.frontier.postgres.database import Connection, Database
from rdfcrawl.engine.frontier.postgres.marks import short_host

_LONGEST_ORIGIN: Final = 300
"""Longer ones do not exist in the network, and are not worth a place in the tables."""
_ASKING_SECONDS: Final = 30.0
"""How long others wait for a worker that fetches a robots.txt."""
_LOOK_AGAIN_SECONDS: Final = 0.1
_WISH_SECONDS: Final = 5
"""How long the wish for a share is remembered."""

_RESERVE: Final = """
INSERT INTO turn AS taken VALUES (%(machine)s, clock_timestamp() + make_interval(secs => %(delay)s), %(delay)s)
    ON CONFLICT (machine) DO UPDATE SET delay = excluded.delay,
       next_at = greatest(taken.next_at, clock_timestamp()) + make_interval(secs => excluded.delay)
RETURNING extract(epoch FROM next_at - clock_timestamp())::float8 - delay
"""
_ASK_ROBOTS: Final = f"""
INSERT INTO robots AS known (run, origin, asker, asked_until)
VALUES (%(run)s, %(origin)s, %(worker)s, clock_timestamp() + interval '{_ASKING_SECONDS:g} seconds')
    ON CONFLICT (run, origin) DO UPDATE SET asker = excluded.asker, asked_until = excluded.asked_until
 WHERE known.rules IS NULL AND (known.asker = excluded.asker OR known.asked_until < clock_timestamp())
RETURNING 1
"""
_NOTE_ROBOTS: Final = """
INSERT INTO robots (run, origin, rules) VALUES (%s, %s, %s)
    ON CONFLICT (run, origin) DO UPDATE SET rules = excluded.rules
"""
_UNTIL: Final = "extract(epoch FROM until)::float8, extract(epoch FROM until - clock_timestamp())::float8"
_STANDINGS: Final = f"SELECT host, bound, failures, asides, {_UNTIL} FROM standing WHERE run = %s"
_NEWS: Final = f"""
SELECT host, bound, failures, asides, {_UNTIL}, noted FROM standing
 WHERE run = %s AND worker <> %s AND noted > %s ORDER BY noted
"""
_NOTE: Final = """
INSERT INTO standing (run, host, bound, failures, asides, until, worker)
VALUES (%(run)s, %(host)s, %(bound)s, %(failures)s, %(asides)s,
        CASE WHEN %(pause)s::float8 > 0 THEN clock_timestamp() + make_interval(secs => %(pause)s)
             ELSE least(clock_timestamp(), to_timestamp(%(until)s)) END, %(worker)s)
    ON CONFLICT (run, host) DO UPDATE SET bound = excluded.bound, failures = excluded.failures,
       asides = excluded.asides, until = excluded.until, worker = excluded.worker, noted = clock_timestamp()
"""
_LOCK_HOSTS: Final = """
SELECT pg_advisory_xact_lock(place) FROM (
       SELECT DISTINCT hashtextextended(host, %s) AS place FROM unnest(%b::text[]) AS wanted (host) ORDER BY 1) AS locks
"""
_SHARE: Final = f"""
WITH granted AS (
    SELECT wanted.*, greatest(0, least(usable, greatest(1, most / (1 + others.many)), most - others.held)) AS slots
      FROM unnest(%(hosts)b::text[], %(most)b::integer[], %(busy)b::integer[], %(usable)b::integer[])
           AS wanted (host, most, busy, usable)
     CROSS JOIN LATERAL (
           SELECT coalesce(sum(slots), 0)::integer AS held, count(*)::integer AS many FROM share
            WHERE share.run = %(run)s AND share.host = wanted.host AND share.worker <> %(worker)s
              AND (slots > 0 OR at > clock_timestamp() - interval '{_WISH_SECONDS} seconds')) AS others
),
noted AS (
    INSERT INTO share (run, host, worker, slots, most)
    SELECT %(run)s, host, %(worker)s, greatest(busy, slots), most FROM granted ORDER BY host
        ON CONFLICT (run, host, worker) DO UPDATE SET slots = excluded.slots, most = excluded.most,
           at = clock_timestamp()
)
SELECT host, slots FROM granted
"""
"""What is under way counts until it is over, also where it is more than what is granted now."""
_UNSHARE: Final = "DELETE FROM share WHERE run = %s AND worker = %s AND host = ANY (%s)"


class PostgresHostMemory:
    """The hosts of one run, as one of its workers sees them."""

    is_shared = True

    def __init__(self, database: Database, run: int, worker: str) -> None:
        self._database = database
        self._run = run
        self._worker = worker
        self._heard: datetime | str = "-infinity"

    async def robots(self) -> dict[str, str]:
        """The robots.txt of every origin that was asked for it; an empty one where there is none."""
        known = "SELECT origin, rules FROM robots WHERE run = %s AND rules IS NOT NULL"
        return dict(await self._database.rows(known, (self._run,)))

    async def note_robots(self, origin: str, rules: str) -> None:
        """Keep the robots.txt of an origin."""
        if len(origin) <= _LONGEST_ORIGIN:
            await self._database.rows(_NOTE_ROBOTS, (self._run, origin, rules.replace("\0", "\ufffd")))

    async def await_robots(self, origin: str) -> str | None:
        """The robots.txt that another worker has fetched or is about to; ``None`` if this one is to fetch it."""
        if len(origin) > _LONGEST_ORIGIN:
            return None
        about = {"run": self._run, "origin": origin, "worker": self._worker}
        known = "SELECT rules FROM robots WHERE run = %s AND origin = %s AND rules IS NOT NULL"
        while True:
            if await self._database.rows(_ASK_ROBOTS, about):
                return None
            for (rules,) in await self._database.rows(known, (self._run, origin)):
                return str(rules)
            await asyncio.sleep(_LOOK_AGAIN_SECONDS)

    async def robots_failed(self, origin: str) -> None:
        """Let others try to fetch what this worker could not."""
        over = "UPDATE robots SET asked_until = clock_timestamp() WHERE run = %s AND origin = %s AND asker = %s"
        await self._database.rows(over, (self._run, origin, self._worker))

    async def public_hosts(self) -> frozenset[str]:
        """The hosts of sections that were in the public internet, in this run or in any before it."""
        return frozenset(host for (host,) in await self._database.rows("SELECT host FROM public_host"))

    async def note_public(self, host: str) -> None:
        """Keep, for all later runs, that a section's host is in the public internet."""
        noting = "INSERT INTO public_host VALUES (%s) ON CONFLICT DO NOTHING"
        await self._database.rows(noting, (short_host(host),))

    async def standings(self) -> dict[str, HostStanding]:
        """The standing of the hosts as last noted."""
        return {row[0]: _standing(row) for row in await self._database.rows(_STANDINGS, (self._run,))}

    async def note(self, host: str, standing: HostStanding) -> None:
        """Keep the standing of a host."""
        values = {
            "run": self._run,
            "host": short_host(host),
            "worker": self._worker,
            "bound": standing.bound,
            "failures": standing.failures,
            "asides": standing.asides,
            "until": standing.until,
            # The server's clock counts: what is meant is how long from now.
            "pause": standing.until - time(),
        }
        await self._database.rows(_NOTE, values)

    async def reserve(self, machine: str, delay: float) -> float:
        """Reserve the next turn at a machine, for all workers of all runs; returns the seconds until then."""
        ((seconds,),) = await self._database.rows(_RESERVE, {"machine": short_host(machine), "delay": delay})
        return max(0.0, float(seconds))

    async def share_out(self, needs: Mapping[str, HostNeed], unneeded: Collection[str] = ()) -> HostNews:
        """Share the requests that hosts get at once among the workers, and tell what others have learnt."""
        if not needs and not unneeded:
            return HostNews({}, self._told(await self._database.rows(_NEWS, (self._run, self._worker, self._heard))))
        full = {short_host(host): host for host in needs}
        about = {
            "run": self._run,
            "worker": self._worker,
            "hosts": list(full),
            "most": [needs[host].most for host in full.values()],
            "busy": [needs[host].busy for host in full.values()],
            "usable": [needs[host].usable for host in full.values()],
        }
        unshared = sorted(short_host(host) for host in unneeded)

        async def work(connection: Connection) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
            await connection.execute(_LOCK_HOSTS, (self._run, list(full)))
            if unshared:
                await connection.execute(_UNSHARE, (self._run, self._worker, unshared))
            shares = await (await connection.execute(_SHARE, about)).fetchall() if full else []
            news = await connection.execute(_NEWS, (self._run, self._worker, self._heard))
            return shares, await news.fetchall()

        shares, news = await self._database.transaction(work)
        return HostNews({full[host]: slots for host, slots in shares}, self._told(news))

    def _told(self, news: list[tuple[Any, ...]]) -> dict[str, HostStanding]:
        if news:
            self._heard = news[-1][-1]
        return {row[0]: _standing(row) for row in news}


def _standing(row: tuple[Any, ...]) -> HostStanding:
    """A standing as noted; a moment that is over by the server's clock is over, whatever the clock here says."""
    _, bound, failures, asides, until, ahead, *_ = row
    now = time()
    return HostStanding(bound, failures, asides, now + ahead if ahead > 0 else min(until, now))
