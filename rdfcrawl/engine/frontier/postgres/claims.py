"""Which entries are next, over all hosts that can take more; whoever claims also gives back what dead workers held.

Claims of one run come one after the other, by a lock that ends with its transaction. The queue of each host is in
order in the index, and the hosts that have one are found by leaping through it. A claim is a function of the server,
so that it is one question: a worker that is busy with its pages, or frozen, never holds the lock of the others.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable
from hashlib import blake2b
from typing import Final
from uuid import UUID

from rdfcrawl.engine.frontier.entries import Entry
from rdfcrawl.engine.frontier.postgres.database import Connection, Database
from rdfcrawl.engine.frontier.postgres.statements import ALIVE
from rdfcrawl.engine.frontier.protocol import LONGEST_WAIT_SECONDS

LOCK_RUN: Final = "SELECT pg_advisory_xact_lock(%s)"
"""Held by whoever claims, begins a level or gives up the rest of a run."""

_COLUMNS: Final = (
    "entry.id, page, key, address, host, section, coalesce(list, entry.id), part, attempts, entry.level, list_address,"
    " anchors"
)
_IS_DUE: Final = f"(due <= clock_timestamp() OR due > clock_timestamp() + interval '{LONGEST_WAIT_SECONDS:g} seconds')"

_OPEN_HOSTS: Final = f"""
WITH RECURSIVE waiting (host) AS (
    (SELECT host FROM entry WHERE run = %(run)s AND state = 0 ORDER BY host LIMIT 1)
    UNION ALL
    SELECT (SELECT host FROM entry WHERE run = %(run)s AND state = 0 AND host > waiting.host ORDER BY host LIMIT 1)
      FROM waiting WHERE waiting.host IS NOT NULL
),
closed (host) AS (
    SELECT host FROM share WHERE run = %(run)s AND worker <> %(worker)s
     GROUP BY host HAVING sum(slots) >= min(most)
    EXCEPT SELECT host FROM share WHERE run = %(run)s AND worker = %(worker)s AND slots > 0
),
open (host, level, score, id) AS (
    SELECT waiting.host, head.level, head.score, head.id FROM waiting CROSS JOIN LATERAL (
           SELECT level, score, id FROM entry WHERE run = %(run)s AND state = 0 AND host = waiting.host AND {_IS_DUE}
            ORDER BY level, score DESC, id LIMIT 1) AS head
     WHERE waiting.host <> ALL (%(busy)s) AND waiting.host NOT IN (SELECT host FROM closed)
       AND waiting.host NOT IN (
           SELECT host FROM postponed WHERE run = %(run)s AND until > clock_timestamp()
              AND until <= clock_timestamp() + interval '{LONGEST_WAIT_SECONDS:g} seconds')
     ORDER BY head.level, head.score DESC, head.id LIMIT %(count)s
)
"""
_CLAIM: Final = f"""
{_OPEN_HOSTS},
picked (id) AS (
    SELECT found.id FROM open CROSS JOIN LATERAL (
           SELECT id, level, score FROM entry
            WHERE run = %(run)s AND state = 0 AND entry.host = open.host AND {_IS_DUE}
            ORDER BY level, score DESC, id
            LIMIT least(%(count)s, greatest(4, 4 * %(count)s / (SELECT count(*) FROM open)))) AS found
     ORDER BY found.level, found.score DESC, found.id LIMIT %(count)s
)
UPDATE entry SET state = 1, worker = %(worker)s, claimed = clock_timestamp() FROM picked
 WHERE entry.id = picked.id RETURNING entry.*
"""
_ANY_DUE: Final = f"{_OPEN_HOSTS} SELECT 1 FROM open LIMIT 1"
_WAIT: Final = """
SELECT extract(epoch FROM min(greatest(due, until, clock_timestamp())) - clock_timestamp())::float8
  FROM entry LEFT JOIN postponed USING (run, host) WHERE entry.run = %s AND state = 0
"""
_ASK_FOR_A_SHARE: Final = """
INSERT INTO share (run, host, worker, slots)
SELECT DISTINCT %(run)s::bigint, share.host, %(worker)s, 0 FROM share
 WHERE share.run = %(run)s AND share.slots > 0
   AND EXISTS (SELECT FROM entry WHERE entry.run = %(run)s AND entry.state = 0 AND entry.host = share.host)
 ORDER BY 2
    ON CONFLICT (run, host, worker) DO UPDATE SET at = clock_timestamp() WHERE share.slots = 0
"""
_LEFT_OF_BUDGET: Final = """
SELECT most_pages - (SELECT coalesce(sum(amount), 0) FROM tally WHERE run = %(run)s AND name = 'pages')
                  - (SELECT count(*) FROM entry WHERE run = %(run)s AND state = 1)
  FROM run WHERE id = %(run)s
"""
_REAP: Final = """
WITH dead AS (
    SELECT run, name FROM worker WHERE NOT gone AND alive_until < clock_timestamp() FOR UPDATE SKIP LOCKED
),
marked AS (UPDATE worker SET gone = true FROM dead WHERE worker.run = dead.run AND worker.name = dead.name),
unshared AS (DELETE FROM share USING dead WHERE share.run = dead.run AND share.worker = dead.name)
UPDATE entry SET state = 0, worker = NULL, claimed = NULL FROM dead
 WHERE entry.run = dead.run AND entry.worker = dead.name AND entry.state = 1
"""
_GIVE_BACK_UNKNOWN: Final = """
UPDATE entry SET state = 0, worker = NULL, claimed = NULL
 WHERE run = %(run)s AND state = 1 AND worker = %(worker)s AND id <> ALL (%(held)s)
"""
_FUNCTION: Final = f"""
(the_run bigint, the_worker text, the_life uuid, the_lease float8, the_count bigint, the_busy text[],
 is_to_reap boolean, the_held bigint[]) RETURNS SETOF entry LANGUAGE plpgsql AS $claim$
DECLARE
    nothing entry;
    taken bigint;
BEGIN
    {ALIVE};
    IF NOT FOUND THEN
        RETURN NEXT nothing;
        RETURN;
    END IF;
    IF is_to_reap THEN
        {_REAP};
    END IF;
    PERFORM pg_advisory_xact_lock(the_run);
    IF the_held IS NOT NULL THEN
        {_GIVE_BACK_UNKNOWN};
    END IF;
    IF EXISTS (SELECT FROM run WHERE run.id = the_run AND most_pages IS NOT NULL) THEN
        the_count := least(the_count, ({_LEFT_OF_BUDGET}));
    END IF;
    IF the_count <= 0 THEN
        RETURN;
    END IF;
    RETURN QUERY {_CLAIM};
    GET DIAGNOSTICS taken = ROW_COUNT;
    IF taken < the_count THEN
        {_ASK_FOR_A_SHARE};
    END IF;
END
$claim$
"""
"""A row of nothing says that the worker does not count; ``the_held`` is what it knows to hold, where that matters."""


def _in_function(statement: str) -> str:
    """What is a value to us is a parameter inside of a function."""
    return re.sub(r"%\((\w+)\)s", r"the_\1", statement)


CLAIM_FUNCTION: Final = _in_function(_FUNCTION)
CLAIM_NAME: Final = f"claim_{blake2b(CLAIM_FUNCTION.encode(), digest_size=6).hexdigest()}"
"""After what it does: other versions of the program, with functions of their own, may use the same tables."""
_ASK: Final = f"""
SELECT {_COLUMNS} FROM {CLAIM_NAME} (
       %(run)s, %(worker)s, %(life)s, %(lease)s, %(count)s, %(busy)s, %(is_to_reap)s, %(held)s) AS entry
 ORDER BY level, score DESC, entry.id
"""

SWEEP_ENTRIES: Final = 10_000
_SWEEP_SHARE: Final = 20
"""Sweeping a large table takes long; it is done in no more than this part of the time."""
# What was claimed stays in the index until the server sweeps it out, which it does by itself once a minute.
_SWEEP: Final = "VACUUM (SKIP_LOCKED, INDEX_CLEANUP on, TRUNCATE off, PARALLEL 0) entry"


class Sweeping:
    """Has the places swept where claimed entries were queued: every claim walks past them to those that wait."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._claimed = 0
        self._not_before = 0.0

    def claimed(self, count: int) -> None:
        """Sweep, beside everything else, if so many entries more are worth it."""
        self._claimed += count
        if self._claimed >= SWEEP_ENTRIES and asyncio.get_running_loop().time() >= self._not_before:
            self._claimed, self._not_before = 0, float("inf")
            self._database.beside(self._sweep())

    async def _sweep(self) -> None:
        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            await self._database.rows(_SWEEP)
        finally:
            self._not_before = clock() + _SWEEP_SHARE * (clock() - begun)


async def reap(connection: Connection) -> None:
    """Give back what workers hold that gave no sign of life for too long; from now on, nothing of theirs counts."""
    await connection.execute(_REAP)


async def next_entries(
    connection: Connection,
    run: int,
    worker: str,
    life: UUID,
    *,
    lease: float,
    count: int,
    busy_hosts: Iterable[str],
    is_to_reap: bool,
    held: Collection[int] | None,
) -> list[Entry] | None:
    """Claim the next entries that are due, by level, score and age; ``None`` if this worker does not count any more.

    Where ``held`` is said, other entries were claimed without an answer, and are given back.
    """
    about = {
        "run": run,
        "worker": worker,
        "life": life,
        "lease": lease,
        "count": count,
        "busy": list(busy_hosts),
        "is_to_reap": is_to_reap,
        "held": None if held is None else list(held),
    }
    rows = await (await connection.execute(_ASK, about)).fetchall()
    return None if rows and rows[0][0] is None else [Entry(*row) for row in rows]


async def is_any_due(connection: Connection, run: int, worker: str) -> bool:
    """Whether an entry could be claimed."""
    about = {"run": run, "worker": worker, "busy": list[str](), "count": 1}
    return await (await connection.execute(_ANY_DUE, about)).fetchone() is not None


async def seconds_until_next(connection: Connection, run: int) -> float | None:
    """How long until the first entry becomes due; ``None`` if none is queued."""
    (seconds,) = await (await connection.execute(_WAIT, (run,))).fetchone() or (None,)
    return None if seconds is None else max(0.0, float(seconds))
