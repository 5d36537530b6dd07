"""Which entries are next, over all hosts that can take more; whoever claims also gives back what dead workers held.

Claims of one run come one after the other, by a lock that ends with its transaction. The queue of each host is in
order in the index, and the hosts that have one are found by leaping through it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rdfcrawl.engine.frontier.entries import Entry
from rdfcrawl.engine.frontier.postgres.database import Connection
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
picked (id, level, score) AS (
    SELECT found.id, found.level, found.score FROM open CROSS JOIN LATERAL (
           SELECT id, level, score FROM entry
            WHERE run = %(run)s AND state = 0 AND entry.host = open.host AND {_IS_DUE}
            ORDER BY level, score DESC, id
            LIMIT least(%(count)s, greatest(4, 4 * %(count)s / (SELECT count(*) FROM open)))) AS found
     ORDER BY found.level, found.score DESC, found.id LIMIT %(count)s
),
claimed AS (
    UPDATE entry SET state = 1, worker = %(worker)s, claimed = clock_timestamp() FROM picked
     WHERE entry.id = picked.id RETURNING {_COLUMNS}, entry.score
)
SELECT * FROM claimed ORDER BY level, score DESC, id
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
 WHERE run = %s AND state = 1 AND worker = %s AND id <> ALL (%s)
"""


async def reap(connection: Connection) -> None:
    """Give back what workers hold that gave no sign of life for too long; from now on, nothing of theirs counts."""
    await connection.execute(_REAP)


async def give_back_unknown(connection: Connection, run: int, worker: str, held: Iterable[int]) -> None:
    """Give back what a worker claimed without learning of it, because the answer was lost."""
    await connection.execute(_GIVE_BACK_UNKNOWN, (run, worker, list(held)))


async def next_entries(
    connection: Connection, run: int, worker: str, count: int, busy_hosts: Iterable[str]
) -> list[Entry]:
    """Claim the next entries that are due, by level, score and age; the lock of the run is held."""
    about = {"run": run, "worker": worker, "busy": list(busy_hosts)}
    left = await (await connection.execute(_LEFT_OF_BUDGET, about)).fetchone()
    if left is not None and left[0] is not None:
        count = min(count, int(left[0]))
    if count <= 0:
        return []
    rows = await (await connection.execute(_CLAIM, {**about, "count": count})).fetchall()
    if len(rows) < count:
        await connection.execute(_ASK_FOR_A_SHARE, about)
    return [Entry(*row[:-1]) for row in rows]


async def is_any_due(connection: Connection, run: int, worker: str) -> bool:
    """Whether an entry could be claimed."""
    about = {"run": run, "worker": worker, "busy": list[str](), "count": 1}
    return await (await connection.execute(_ANY_DUE, about)).fetchone() is not None


async def seconds_until_next(connection: Connection, run: int) -> float | None:
    """How long until the first entry becomes due; ``None`` if none is queued."""
    (seconds,) = await (await connection.execute(_WAIT, (run,))).fetchone() or (None,)
    return None if seconds is None else max(0.0, float(seconds))
