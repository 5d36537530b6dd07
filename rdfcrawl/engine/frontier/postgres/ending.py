"""What the queue says of a run at its end, read once and kept in a file meanwhile: on a large run that is a lot.

A server that goes away in between is asked again from the beginning, and nobody is told anything twice.
"""

from __future__ import annotations

import pickle
from collections.abc import AsyncIterator
from tempfile import TemporaryFile
from typing import IO, Any, Final

from rdfcrawl.engine.frontier.entries import SurveyedAddress
from rdfcrawl.engine.frontier.postgres.database import Connection, Database
from rdfcrawl.rdf import terms

_ROWS_AT_ONCE: Final = 2_000

# Paths through links are long and narrow: each step asks an index for few rows, whatever the planner expects. OFFSET 0
# keeps it from turning a LATERAL into a join, which it may do the other way round: all rows for each of all rows.
_REACH: Final = """
WITH RECURSIVE reach (entry, parent) AS (
    SELECT child, parent FROM edge WHERE run = %(run)s AND parent <> ''
    UNION
    SELECT next.child, reach.parent FROM reach CROSS JOIN LATERAL (
           SELECT child FROM edge WHERE run = %(run)s AND source = reach.entry AND parent = '' OFFSET 0) AS next
)
"""
EDGES: Final = f"""
{_REACH} SELECT reach.parent, found.predicate, found.object FROM reach CROSS JOIN LATERAL (
         SELECT predicate, object FROM top WHERE entry = reach.entry OFFSET 0) AS found
"""
SITE_EDGES: Final = f"""
{_REACH} SELECT reach.parent, '<{terms.SITE}page>', '<' || found.key || '>' FROM reach CROSS JOIN LATERAL (
         SELECT key FROM surveyed WHERE entry = reach.entry AND kind <> '' OFFSET 0) AS found
"""
ADDRESSES: Final = """
SELECT found.page, found.key, CASE WHEN original.key IS NULL THEN found.kind ELSE 'duplicate' END, found.level,
       found.reason, original.key, found.seconds
  FROM surveyed AS found LEFT JOIN LATERAL (
       SELECT key FROM surveyed WHERE entry = found.original AND entry <> found.entry OFFSET 0) AS original ON true
 WHERE found.run = %(run)s AND found.kind <> ''
"""
UNREAD_ENTRIES: Final = f"""
{_REACH} SELECT found.page, coalesce(moved.object, found.key), reach.parent FROM reach CROSS JOIN LATERAL (
         SELECT page, key, mark FROM entry WHERE id = reach.entry AND (unread OR state IN (0, 1)) OFFSET 0) AS found
    LEFT JOIN LATERAL (SELECT object FROM moved WHERE mark = found.mark OFFSET 0) AS moved ON true
"""
UNREAD_KINDS: Final = f"""
{_REACH} SELECT found.page, '', CASE found.parent WHEN '' THEN reach.parent ELSE found.parent END
    FROM reach CROSS JOIN LATERAL (
         SELECT page, parent FROM unread WHERE run = %(run)s AND source = reach.entry OFFSET 0) AS found
"""
FAILURES_BY_SECTION: Final = """
WITH RECURSIVE inside (entry, section) AS (
    SELECT child, parent FROM edge WHERE run = %(run)s AND source = 0
    UNION
    SELECT next.child, inside.section FROM inside CROSS JOIN LATERAL (
           SELECT child FROM edge WHERE run = %(run)s AND source = inside.entry OFFSET 0) AS next
)
SELECT inside.section, found.failure, count(*) FROM inside CROSS JOIN LATERAL (
       SELECT coalesce(failure, 'unread') AS failure FROM entry
        WHERE id = inside.entry AND (unread OR failure IS NOT NULL) OFFSET 0) AS found GROUP BY 1, 2
"""


async def read_rows(database: Database, run: int, *questions: str) -> AsyncIterator[list[tuple[Any, ...]]]:
    """The answers to questions about a run, many at once."""
    for question in questions:
        with TemporaryFile() as kept:
            batches = await database.ask(lambda connection: _keep(connection, question, run, kept))  # noqa: B023
            kept.seek(0)
            for _ in range(batches):
                yield pickle.load(kept)


async def read_addresses(database: Database, run: int) -> AsyncIterator[list[SurveyedAddress]]:
    """The addresses of the surveyed sites."""
    async for rows in read_rows(database, run, ADDRESSES):
        yield [SurveyedAddress(*row) for row in rows]


async def _keep(connection: Connection, question: str, run: int, kept: IO[bytes]) -> int:
    """Write the answer to a file, from its beginning; returns in how many parts."""
    kept.seek(0)
    batches = 0
    async with connection.transaction(), connection.cursor("rdfcrawl_rows") as cursor:
        await cursor.execute(question, {"run": run})
        while rows := await cursor.fetchmany(_ROWS_AT_ONCE):
            pickle.dump(rows, kept)
            batches += 1
    return batches
