"""The leads of a run in PostgreSQL, and the statements that make the next level of them.

Every statement is about a whole level, so that its result does not depend on the order in which pages were read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from rdfcrawl.engine.frontier import rules
from rdfcrawl.engine.frontier.entries import MOST_ANCHORS, Outcome
from rdfcrawl.engine.frontier.postgres.database import Connection, WriteBatch
from rdfcrawl.engine.frontier.postgres.marks import host_in_tables, mark_of

_NOTE: Final = """
INSERT INTO lead
SELECT %s, found.* FROM unnest(%b::bytea[], %b::bigint[], %b::text[], %b::text[], %b::text[], %b::text[], %b::integer[],
                               %b::integer[], %b::integer[], %b::float8[], %b::text[], %b::text[], %b::text[],
                               %b::bytea[], %b::integer[], %b::text[]) AS found (mark)
 WHERE NOT EXISTS (SELECT FROM entry WHERE entry.run = %s AND entry.mark = found.mark)
    ON CONFLICT DO NOTHING
"""
_SURVEYED: Final = """
INSERT INTO surveyed (entry, run, page, level, key, kind, digest, reason, seconds)
SELECT * FROM unnest(%b::bigint[], %b::bigint[], %b::text[], %b::integer[], %b::text[], %b::text[], %b::text[],
                     %b::text[], %b::float8[])
    ON CONFLICT (entry) DO UPDATE SET kind = excluded.kind, digest = excluded.digest, reason = excluded.reason,
       seconds = excluded.seconds, original = NULL
"""

_FIND_DUPLICATES: Final = rules.FIND_DUPLICATES.format(run="%(run)s")
_DROP_LEADS: Final = rules.DROP_LEADS.format(run="%(run)s")
_DROP_TOPS: Final = rules.DROP_TOPS.format(run="%(run)s")

_BOUND_FAMILIES: Final = """
UPDATE lead SET held = 'trap: ' || split_part(family, ' ', 1)
 WHERE run = %(run)s AND held IS NULL AND mark IN (
       SELECT found.mark FROM (
              SELECT mark, family_mark, min(most) AS most,
                     row_number() OVER (PARTITION BY family_mark ORDER BY max(score) DESC, min(key)) AS place
                FROM lead WHERE run = %(run)s AND held IS NULL AND family IS NOT NULL GROUP BY mark, family_mark
              ) AS found
         LEFT JOIN family AS known ON known.run = %(run)s AND known.mark = found.family_mark
        WHERE place + coalesce(taken, 0) > most)
"""
_COUNT_FAMILIES: Final = """
INSERT INTO family
SELECT run, family_mark, count(DISTINCT mark) FROM lead
 WHERE run = %(run)s AND held IS NULL AND family IS NOT NULL GROUP BY run, family_mark
    ON CONFLICT (run, mark) DO UPDATE SET taken = family.taken + excluded.taken
"""

_CHOSEN: Final = """
SELECT mark, page, key, address, host, section, source, start, held, hop,
       min(level) OVER same AS nearest, max(score) OVER same AS best,
       row_number() OVER (PARTITION BY mark ORDER BY start NULLS FIRST, address, source) AS place
  FROM lead WHERE run = %(run)s AND {which} WINDOW same AS (PARTITION BY mark)
"""
"""Of several leads to one page, the one that decides where it belongs; ``which`` of all leads are taken."""
_QUEUE: Final = """
INSERT INTO entry (run, mark, page, key, address, host, section, level, score, part, list_address, anchors, state)
SELECT %(run)s, mark, page, key, address, host, section, nearest, best, hop, start, {anchors}, {state}
  FROM ({chosen}) AS chosen WHERE place = 1 ORDER BY nearest, best DESC, key, page LIMIT %(most)s
    ON CONFLICT DO NOTHING
"""
_ANCHORS: Final = f"""
(SELECT string_agg(texts, chr(31) ORDER BY texts) FROM (
        SELECT DISTINCT anchors AS texts FROM lead
         WHERE run = %(run)s AND mark = chosen.mark AND anchors IS NOT NULL AND {{which}}
         ORDER BY 1 LIMIT {MOST_ANCHORS}) AS listed)
"""
"""The texts of all links to a page, those of each page once; a page that everybody links to has more than enough."""
_CONNECT: Final = """
INSERT INTO edge (run, child, source, mark, parent)
SELECT %(run)s, entry.id, chosen.source, %(no_parent)s, ''
  FROM ({chosen}) AS chosen JOIN entry ON entry.run = %(run)s AND entry.mark = chosen.mark
 WHERE chosen.place = 1
    ON CONFLICT DO NOTHING
"""
_REMOVE: Final = """
DELETE FROM lead WHERE run = %(run)s AND EXISTS (SELECT FROM entry WHERE entry.run = %(run)s AND entry.mark = lead.mark)
"""
_LEAVE: Final = """
INSERT INTO surveyed (entry, run, page, level, key, kind, reason)
SELECT entry.id, entry.run, entry.page, entry.level, entry.key, 'unread', min(lead.held)
  FROM lead JOIN entry ON entry.run = lead.run AND entry.mark = lead.mark
 WHERE lead.run = %(run)s AND entry.state = 2 GROUP BY entry.id
    ON CONFLICT DO NOTHING
"""
_SETTLE: Final = """
INSERT INTO surveyed (entry, run, page, level, key, kind, reason)
SELECT id, run, page, level, key, 'unread', coalesce(failure, 'limit') FROM entry
 WHERE run = %(run)s AND page = ANY (%(pages)s)
    ON CONFLICT DO NOTHING
"""

_NEXT_ROUND: Final = f"""
{rules.NEXT_ROUND.format(run="%(run)s")}
UPDATE entry SET state = 0, score = -place FROM next
 WHERE entry.id = child AND (%(most)s::bigint IS NULL OR place <= %(most)s) RETURNING entry.section
"""

_FREE: Final = "held IS NULL"
_HOPS: Final = "held IS NULL AND hop > 0"
_HELD: Final = "held IS NOT NULL"


class PostgresLeads:
    """The leads of one run; every method is called inside a transaction."""

    def __init__(self, run: int) -> None:
        self._run = run
        self._about: dict[str, Any] = {"run": run, "no_parent": mark_of("")}

    def note(self, batch: WriteBatch, outcomes: Sequence[Outcome]) -> None:
        """Keep what pages lead to, unless it is queued already, and what was found at addresses."""
        if rows := [row for outcome in outcomes for row in _rows(outcome)]:
            columns = [list(column) for column in zip(*rows, strict=True)]
            batch.add(_NOTE, (self._run, *columns, self._run))
        found = {
            entry.id: (entry.id, self._run, entry.page, entry.level, entry.key, *said)
            for entry, surveyed in ((outcome.entry, outcome.surveyed) for outcome in outcomes)
            if surveyed is not None
            for said in [(surveyed.kind, surveyed.digest, surveyed.reason, surveyed.seconds)]
        }
        if found:
            batch.add(_SURVEYED, [list(column) for column in zip(*found.values(), strict=True)])

    async def _left(self, connection: Connection, pages: int | None) -> int | None:
        """How many pages of a limit are left to all workers; ``None`` without one."""
        visited = "SELECT coalesce(sum(amount), 0) FROM tally WHERE run = %s AND name = 'pages'"
        row = await (await connection.execute(visited, (self._run,))).fetchone()
        return None if pages is None or row is None else max(0, pages - int(row[0]))

    async def take_next(self, connection: Connection, pages: int | None) -> Counter[int]:
        """Queue the next round, else what redirects lead to, else the next level, else what is held back as done."""
        if (most := await self._left(connection, pages)) == 0:
            return Counter()
        if known := await self._take_round(connection, most):
            return known
        newest = await newest_entry(connection, self._run)
        await self._take(connection, _HOPS, most=most)
        if not (queued := await queued_since(connection, self._run, newest)):
            await self._take_level(connection, most)
            queued = await queued_since(connection, self._run, newest)
        if not queued:
            await self.leave(connection)
        return queued

    async def _take_round(self, connection: Connection, most: int | None) -> Counter[int]:
        """Queue what pages of this round link to, if that was held back; returns the sections that it is of."""
        sections = await (await connection.execute(_NEXT_ROUND, {**self._about, "most": most})).fetchall()
        return Counter(dict.fromkeys((section for (section,) in sections), 0))

    async def _take_level(self, connection: Connection, most: int | None) -> None:
        """Queue the next level: find the duplicates of this one, and take no more of a family than allowed."""
        await self._find_duplicates(connection)
        await connection.execute(_BOUND_FAMILIES, self._about)
        await connection.execute(_COUNT_FAMILIES, self._about)
        await self._take(connection, _FREE, most=most)

    async def take_all(self, connection: Connection) -> None:
        """Queue everything that nothing holds back."""
        await self._find_duplicates(connection)
        await self._take(connection, _FREE)

    async def leave(self, connection: Connection) -> None:
        """Make entries of what is held back: they are done, and unread for that reason."""
        await self._take(connection, _HELD, state=2, before_removal=_LEAVE)

    async def settle(self, connection: Connection, pages: Sequence[str]) -> None:
        """Note every entry of these pages that nothing was found for as unread."""
        await self._find_duplicates(connection)
        await connection.execute(_SETTLE, {**self._about, "pages": list(pages)})

    async def _find_duplicates(self, connection: Connection) -> None:
        for statement in (_FIND_DUPLICATES, _DROP_LEADS, _DROP_TOPS):
            await connection.execute(statement, self._about)

    async def _take(
        self,
        connection: Connection,
        which: str,
        *,
        state: int = 0,
        most: int | None = None,
        before_removal: str | None = None,
    ) -> None:
        chosen = _CHOSEN.format(which=which)
        anchors = _ANCHORS.format(which=which)
        about = {**self._about, "most": most}
        await connection.execute(_QUEUE.format(chosen=chosen, anchors=anchors, state=state), about)
        await connection.execute(_CONNECT.format(chosen=chosen), self._about)
        if before_removal is not None:
            await connection.execute(before_removal, self._about)
        await connection.execute(_REMOVE, self._about)


async def newest_entry(connection: Connection, run: int) -> int:
    """The number of the entry that was queued last."""
    row = await (await connection.execute("SELECT max(id) FROM entry WHERE run = %s", (run,))).fetchone()
    return int(row[0] or 0) if row else 0


async def queued_since(connection: Connection, run: int, newest: int) -> Counter[int]:
    """How many entries of a run are new in the queue, by section number."""
    asked = "SELECT section, count(*) FROM entry WHERE run = %s AND id > %s GROUP BY section"
    return Counter(dict(await (await connection.execute(asked, (run, newest))).fetchall()))


def _rows(outcome: Outcome) -> Iterator[tuple[object, ...]]:
    entry = outcome.entry
    for page, address, key, score, start, held, family, most, anchors, is_hop in outcome.leads:
        level, hop = (entry.level, entry.part + 1) if is_hop else (entry.level + 1, 0)
        family_mark = None if family is None else mark_of(page, family)
        place = (host_in_tables(address), entry.section, level, hop)
        about = (score, start, held, family, family_mark, most, anchors)
        yield mark_of(page, key), entry.id, page, key, address, *place, *about
