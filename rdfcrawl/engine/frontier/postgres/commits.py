"""What a commit writes besides the block: entries and links, what lists have shown, pages as they were, counts.

Rows that two workers may write at the same time are written in the order of their marks, so that none waits for
another that waits for it; that is why the order of links is in the numbers of their entries, which are taken before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from time import time
from typing import Any, Final

from rdfcrawl.engine.frontier.entries import Counted, EntryState, Outcome
from rdfcrawl.engine.frontier.links import QueuedLink
from rdfcrawl.engine.frontier.postgres.database import Connection, WriteBatch
from rdfcrawl.engine.frontier.postgres.marks import host_in_tables, mark_of

_SETTLE: Final = """
UPDATE entry SET state = done.state, failure = done.failure, unread = done.unread, worker = NULL, claimed = NULL,
       attempts = attempts + done.tried, due = clock_timestamp() + make_interval(secs => done.pause)
  FROM unnest(%b::bigint[], %b::smallint[], %b::text[], %b::boolean[], %b::integer[], %b::float8[])
       AS done (id, state, failure, unread, tried, pause)
 WHERE entry.id = done.id AND entry.run = %s AND entry.state = 1 AND entry.worker = %s
RETURNING entry.id
"""
_ENQUEUE: Final = """
WITH link AS MATERIALIZED (
    SELECT nextval(pg_get_serial_sequence('entry', 'id')) AS id, found.*
      FROM unnest(%b::bytea[], %b::text[], %b::text[], %b::text[], %b::text[], %b::integer[], %b::integer[],
                  %b::bigint[], %b::integer[], %b::text[])
           AS found (mark, page, key, address, host, section, level, list, part, list_address)
),
queued AS (
    INSERT INTO entry (id, run, state, mark, page, key, address, host, section, level, list, part, list_address)
    SELECT id, %s, %s, mark, page, key, address, host, section, level, list, part, list_address
      FROM link ORDER BY mark, id
        ON CONFLICT DO NOTHING RETURNING section
)
SELECT section, count(*) FROM queued GROUP BY section
"""
_CONNECT: Final = """
INSERT INTO edge (run, child, source, mark, parent)
SELECT entry.run, entry.id, link.source, link.parent_mark, link.parent
  FROM unnest(%b::bytea[], %b::bigint[], %b::bytea[], %b::text[]) AS link (mark, source, parent_mark, parent)
  JOIN entry ON entry.run = %s AND entry.mark = link.mark
    ON CONFLICT DO NOTHING
"""
_TOPS: Final = """
INSERT INTO top SELECT %s, * FROM unnest(%b::bigint[], %b::bytea[], %b::text[], %b::text[]) ON CONFLICT DO NOTHING
"""
_LISTED: Final = "INSERT INTO listed SELECT %s, * FROM unnest(%b::bigint[], %b::bytea[]) ON CONFLICT DO NOTHING"
_UNREAD: Final = """
INSERT INTO unread SELECT %s, * FROM unnest(%b::bigint[], %b::bytea[], %b::text[], %b::text[]) ON CONFLICT DO NOTHING
"""
_MOVED: Final = """
INSERT INTO moved SELECT DISTINCT ON (mark) * FROM unnest(%b::bytea[], %b::text[]) AS found (mark, object) ORDER BY mark
    ON CONFLICT (mark) DO UPDATE SET object = excluded.object
"""
_TALLY: Final = """
INSERT INTO tally SELECT %s, %s, * FROM unnest(%b::text[], %b::text[], %b::float8[])
    ON CONFLICT (run, worker, name, kind) DO UPDATE SET amount = tally.amount + excluded.amount
"""
_REASONS: Final = """
INSERT INTO reason SELECT %s, * FROM unnest(%b::text[], %b::text[]) AS found (page, reason) ORDER BY page
    ON CONFLICT (run, page) DO UPDATE SET reason = excluded.reason
"""


async def settle(connection: Connection, run: int, worker: str, outcomes: Sequence[Outcome]) -> set[int]:
    """Note what became of the entries; returns those that this worker still held."""
    if not outcomes:
        return set()
    now = time()
    # Of two outcomes of one entry the last one counts, as if they came one after the other.
    rows = {outcome.entry.id: _settled(outcome, now) for outcome in outcomes}
    cursor = await connection.execute(_SETTLE, (*_columns(list(rows.values())), run, worker))
    return {number for (number,) in await cursor.fetchall()}


def _settled(outcome: Outcome, now: float) -> tuple[Any, ...]:
    if outcome.retry_at is not None:
        # The server's clock counts: what is meant is how long to wait.
        pause = max(0.0, outcome.retry_at - now)
        return outcome.entry.id, EntryState.QUEUED, None, False, int(outcome.tried), pause
    state = EntryState.DONE if outcome.failure is None else EntryState.FAILED
    return outcome.entry.id, state, outcome.failure, outcome.incomplete, 1, 0.0


async def enqueue(
    connection: Connection, batch: WriteBatch, run: int, links: Sequence[QueuedLink], state: int
) -> Counter[int]:
    """Queue the pages that are not known yet; returns how many, by section.

    Which pages lead to them is noted by ``batch``, which is to be sent after this.
    """
    if not links:
        return Counter()
    marks = [mark_of(link.follow.page, link.follow.key) for link in links]
    pages = [
        (mark, to.page, to.key, to.address, host_in_tables(to.address), section, level, *in_list)
        for mark, (to, _, section, level, *in_list) in zip(marks, links, strict=True)
    ]
    cursor = await connection.execute(_ENQUEUE, (*_columns(pages), run, state))
    edges = [
        (mark, link.source, mark_of(link.follow.parent or ""), link.follow.parent or "")
        for mark, link in zip(marks, links, strict=True)
    ]
    batch.add(_CONNECT, (*_columns(edges), run))
    return Counter(dict(await cursor.fetchall()))


def keep_contents(batch: WriteBatch, run: int, outcomes: Sequence[Outcome]) -> None:
    """Keep what pages contained besides links."""
    tops = [(outcome.entry.id, mark_of(*top), *top) for outcome in outcomes for top in outcome.tops]
    listed = [(outcome.entry.list, mark_of(listed)) for outcome in outcomes for listed in outcome.entries]
    unread = [
        (outcome.entry.id, mark_of(parent or "", page), parent or "", page)
        for outcome in outcomes
        for parent, page in outcome.unread
    ]
    for statement, rows in ((_TOPS, tops), (_LISTED, listed), (_UNREAD, unread)):
        if rows:
            batch.add(statement, (run, *_columns(rows)))
    moved = [
        (mark_of(outcome.entry.page, outcome.entry.key), outcome.moved_to) for outcome in outcomes if outcome.moved_to
    ]
    if moved:
        batch.add(_MOVED, _columns(moved))


def add_up(batch: WriteBatch, run: int, worker: str, counted: Counted) -> None:
    """Add what was counted; each worker has rows of its own, so that none waits for another."""
    amounts = [(name, kind, float(amount)) for (name, kind), amount in counted.amounts.items()]
    if amounts:
        batch.add(_TALLY, (run, worker, *_columns(amounts)))
    if counted.reasons:
        batch.add(_REASONS, (run, *_columns(list(counted.reasons.items()))))


def _columns(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]
