"""Commits: entries and links, what lists have shown, pages as they were, a block of results, counts.

A commit is one statement, which is one transaction: its worker is busy with its pages, and may freeze at any time.
Where something is not as that statement expects, nothing is done, and the commit is repeated step by step.

Rows that two workers may write at the same time are written in the order of their marks, so that none waits for
another that waits for it; that is why the order of links is in the numbers of their entries, which are taken before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from time import time
from typing import Any, Final
from uuid import UUID

from psycopg import errors

from rdfcrawl.engine.frontier.entries import BlockResult, Counted, EntryState, Lengths, Outcome, PageResult
from rdfcrawl.engine.frontier.links import QueuedLink, links_of
from rdfcrawl.engine.frontier.postgres.blocks import add_block, packed_block
from rdfcrawl.engine.frontier.postgres.database import Connection, WriteBatch
from rdfcrawl.engine.frontier.postgres.leads import PostgresLeads
from rdfcrawl.engine.frontier.postgres.marks import host_in_tables, mark_of
from rdfcrawl.engine.frontier.postgres.seen import PostgresSeenPages
from rdfcrawl.engine.frontier.postgres.statements import NUMBER

_SETTLE: Final = """
UPDATE entry SET state = done.state, failure = done.failure, unread = done.unread, worker = NULL, claimed = NULL,
       attempts = attempts + done.tried, due = clock_timestamp() + make_interval(secs => done.pause)
  FROM unnest(%b::bigint[], %b::smallint[], %b::text[], %b::boolean[], %b::integer[], %b::float8[])
       AS done (id, state, failure, unread, tried, pause)
 WHERE entry.id = done.id AND entry.run = %s AND entry.state = 1 AND entry.worker = %s
RETURNING entry.id
"""
_LINKS: Final = """
SELECT nextval(pg_get_serial_sequence('entry', 'id')) AS id, found.*
  FROM unnest(%b::bytea[], %b::text[], %b::text[], %b::text[], %b::text[], %b::integer[], %b::integer[],
              %b::bigint[], %b::integer[], %b::text[], %b::bigint[], %b::bytea[], %b::text[])
       AS found (mark, page, key, address, host, section, level, list, part, list_address, source, parent_mark, parent)
"""
_ENQUEUE: Final = """
INSERT INTO entry (id, run, state, mark, page, key, address, host, section, level, list, part, list_address)
SELECT id, %s, %s, mark, page, key, address, host, section, level, list, part, list_address FROM link ORDER BY mark, id
    ON CONFLICT DO NOTHING RETURNING id, mark, section
"""
_KNOWN: Final = """
SELECT link.*, coalesce(queued.id, (SELECT id FROM entry WHERE run = %s AND mark = link.mark)) AS child
  FROM link LEFT JOIN queued USING (mark)
"""
_CONNECT: Final = """
INSERT INTO edge (run, child, source, mark, parent) SELECT %s, child, source, parent_mark, parent FROM known
 WHERE child IS NOT NULL ON CONFLICT DO NOTHING
"""
_BY_SECTION: Final = (
    "(SELECT json_object_agg(section, many) FROM (SELECT section, count(*) AS many FROM queued GROUP BY 1) AS n)"
)
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


EXPECT_FUNCTION: Final = """
(is_so boolean) RETURNS boolean LANGUAGE plpgsql AS $expect$
BEGIN
    IF NOT is_so THEN
        RAISE EXCEPTION 'a commit of rdfcrawl is not as expected: it is repeated step by step'
              USING ERRCODE = 'triggered_action_exception';
    END IF;
    RETURN true;
END
$expect$
"""
"""Undoes the statement that it is a part of, unless something is so."""
EXPECT_NAME: Final = f"expect_{blake2b(EXPECT_FUNCTION.encode(), digest_size=6).hexdigest()}"


class Diverged(Exception):
    """A commit had entries that this worker does not hold any more; the others are committed without them."""

    def __init__(self, held: set[int]) -> None:
        super().__init__()
        self.held = held


class NotTaken(Exception):
    """The number of a commit was not the next one, or the worker does not count any more."""


class Commit:
    """What a worker commits, and the number by which it is recognised when it is sent again."""

    def __init__(
        self,
        run: int,
        worker: str,
        number: Sequence[Any],
        results: Sequence[PageResult],
        counted: Counted,
        *,
        state: int,
        leads: PostgresLeads,
        seen: PostgresSeenPages,
    ) -> None:
        """``number`` are the values of ``NUMBER``; ``state`` is that of the pages which these link to."""
        self._run = run
        self._worker = worker
        self._number = number
        self._results = results
        self._counted = counted
        self._state = state
        self._leads = leads
        self._seen = seen
        self._outcomes = [result.outcome for result in results]
        self._done = [outcome for outcome in self._outcomes if outcome.retry_at is None]
        self._links = [link for outcome in self._done for link in links_of(outcome)]

    @cached_property
    def _block(self) -> bytes | None:
        content = [
            BlockResult(result.triples, result.problems, result.address, result.links)
            for result in self._results
            if result.triples or result.problems or result.links
        ]
        return packed_block(content) if content else None

    @property
    def is_one_statement(self) -> bool:
        """Whether it can be one: where it leads on and has leads, those must not be to what it has queued."""
        return not self._links or not any(outcome.leads for outcome in self._done)

    async def at_once(self, connection: Connection) -> Counter[int] | None:
        """Commit in one statement; returns how many entries are new, by section, or ``None`` if nothing was done."""
        batch = WriteBatch()
        batch.add(NUMBER, self._number, "numbered")
        settled = add_settling(batch, self._run, self._worker, self._outcomes)
        # What others queue at the same time can be neither queued here nor seen: then something is left unconnected.
        expected = f"{EXPECT_NAME}((SELECT count(*) FROM numbered) = 1 AND (SELECT count(*) FROM settled) = %s"
        if self._links:
            add_links(batch, self._run, self._links, self._state)
            expected += " AND NOT EXISTS (SELECT FROM known WHERE child IS NULL)"
        self._add_rest(batch)
        try:
            answer = await batch.answer(
                connection, f"SELECT {expected}), {_BY_SECTION if self._links else 'NULL::json'}", (settled,)
            )
        except errors.TriggeredActionException:
            return None
        return Counter({int(section): many for section, many in (answer[1] or {}).items()})

    async def step_by_step(self, connection: Connection) -> Counter[int]:
        """Commit inside a transaction; raises ``NotTaken`` or ``Diverged`` where it must not be committed."""
        if await (await connection.execute(NUMBER, self._number)).fetchone() is None:
            raise NotTaken
        held = await settle(connection, self._run, self._worker, self._outcomes)
        if any(outcome.entry.id not in held for outcome in self._outcomes):
            raise Diverged(held)
        queued = await enqueue(connection, self._run, self._links, self._state)
        batch = WriteBatch()
        self._add_rest(batch)
        await batch.send(connection)
        return queued

    def _add_rest(self, batch: WriteBatch) -> None:
        keep_contents(batch, self._run, self._done)
        self._leads.note(batch, self._done)
        if self._block is not None:
            worker, number = self._worker, self._number[0]
            add_block(batch, self._run, worker, number, self._block)
        self._seen.remember(batch, self._results)
        add_up(batch, self._run, self._worker, self._counted)


def numbered(run: int, worker: str, life: UUID, number: int, valid: Lengths, lease: float) -> tuple[Any, ...]:
    """The values of ``NUMBER``: who commits, the how many-eth commit it is, and how much of its files counts."""
    has_journal = any((valid.triples, valid.problems, valid.links))
    lengths = (valid.triples, valid.problems, valid.links) if has_journal else (None, None, None)
    return (number, *lengths, valid.archive or None, lease, run, worker, life, number - 1)


def add_settling(batch: WriteBatch, run: int, worker: str, outcomes: Sequence[Outcome]) -> int:
    """Note what becomes of the entries, as a part of a commit; returns how many there are."""
    rows = _last_rows(outcomes)
    # Not before the worker's own row is locked, as everybody does it.
    settling = f"{_SETTLE.replace('RETURNING', 'AND EXISTS (SELECT FROM numbered) RETURNING')}"
    batch.add(settling, (*_columns(rows, 6), run, worker), "settled")
    return len(rows)


async def settle(connection: Connection, run: int, worker: str, outcomes: Sequence[Outcome]) -> set[int]:
    """Note what became of the entries; returns those that this worker still held."""
    cursor = await connection.execute(_SETTLE, (*_columns(_last_rows(outcomes), 6), run, worker))
    return {number for (number,) in await cursor.fetchall()}


def _last_rows(outcomes: Sequence[Outcome]) -> list[tuple[Any, ...]]:
    """Of two outcomes of one entry the last one counts, as if they came one after the other."""
    now = time()
    return list({outcome.entry.id: _settled(outcome, now) for outcome in outcomes}.values())


def _settled(outcome: Outcome, now: float) -> tuple[Any, ...]:
    if outcome.retry_at is not None:
        # The server's clock counts: what is meant is how long to wait.
        pause = max(0.0, outcome.retry_at - now)
        return outcome.entry.id, EntryState.QUEUED, None, False, int(outcome.tried), pause
    state = EntryState.DONE if outcome.failure is None else EntryState.FAILED
    return outcome.entry.id, state, outcome.failure, outcome.incomplete, 1, 0.0


def add_links(batch: WriteBatch, run: int, links: Sequence[QueuedLink], state: int) -> None:
    """Queue the pages that are not known yet, and note which pages lead to them, as a part of a commit."""
    rows = [_link_row(link) for link in links]
    batch.add(_LINKS, _columns(rows), "link")
    batch.add(_ENQUEUE, (run, state), "queued")
    batch.add(_KNOWN, (run,), "known")
    batch.add(_CONNECT, (run,))


async def enqueue(connection: Connection, run: int, links: Sequence[QueuedLink], state: int) -> Counter[int]:
    """Queue the pages that are not known yet, and note which pages lead to them; returns how many, by section."""
    if not links:
        return Counter()
    rows = _columns([_link_row(link) for link in links])
    queueing, connecting = WriteBatch(), WriteBatch()
    queueing.add(_LINKS, rows, "link")
    queueing.add(_ENQUEUE, (run, state), "queued")
    (queued,) = await queueing.answer(connection, f"SELECT {_BY_SECTION}", ())
    # What others have queued meanwhile is seen by the next statement.
    connecting.add(_LINKS, rows, "link")
    connecting.add("SELECT 0 AS id, NULL::bytea AS mark", (), "queued")
    connecting.add(_KNOWN, (run,), "known")
    connecting.add(_CONNECT, (run,))
    await connecting.send(connection)
    return Counter({int(section): many for section, many in (queued or {}).items()})


def _link_row(link: QueuedLink) -> tuple[Any, ...]:
    to, source, section, level, *in_list = link
    parent = to.parent or ""
    place = (to.page, to.key, to.address, host_in_tables(to.address), section, level, *in_list)
    return (mark_of(to.page, to.key), *place, source, mark_of(parent), parent)


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


def _columns(rows: Sequence[Sequence[Any]], many: int = 0) -> list[list[Any]]:
    """The rows as arrays; of no rows, so ``many`` empty ones."""
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(many)]
