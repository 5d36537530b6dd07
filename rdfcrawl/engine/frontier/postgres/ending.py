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

_ROWS_AT_ONCE: Final = 20_000

_REACH: Final = """
WITH RECURSIVE reach (entry, parent) AS (
    SELECT child, parent FROM edge WHERE run = %(run)s AND parent <> ''
    UNION
    SELECT edge.child, reach.parent FROM reach JOIN edge
        ON edge.run = %(run)s AND edge.source = reach.entry AND edge.parent = ''
)
"""
EDGES: Final = f"{_REACH} SELECT reach.parent, top.predicate, top.object FROM reach JOIN top ON top.entry = reach.entry"
SITE_EDGES: Final = f"""
{_REACH} SELECT reach.parent, '<{terms.SITE}page>', '<' || surveyed.key || '>'
  FROM reach JOIN surveyed ON surveyed.entry = reach.entry WHERE surveyed.kind <> ''
"""
ADDRESSES: Final = """
SELECT found.page, found.key, CASE WHEN original.key IS NULL THEN found.kind ELSE 'duplicate' END, found.level,
       found.reason, original.key, found.seconds
  FROM surveyed AS found LEFT JOIN surveyed AS original
    ON original.entry = found.original AND original.entry <> found.entry
 WHERE found.run = %(run)s AND found.kind <> ''
"""
UNREAD_ENTRIES: Final = f"""
{_REACH} SELECT entry.page, coalesce(moved.object, entry.key), reach.parent
  FROM entry JOIN reach ON reach.entry = entry.id LEFT JOIN moved ON moved.mark = entry.mark
 WHERE entry.run = %(run)s AND (entry.unread OR entry.state IN (0, 1))
"""
UNREAD_KINDS: Final = f"""
{_REACH} SELECT unread.page, '', CASE unread.parent WHEN '' THEN reach.parent ELSE unread.parent END
  FROM unread JOIN reach ON reach.entry = unread.source WHERE unread.run = %(run)s
"""
FAILURES_BY_SECTION: Final = """
WITH RECURSIVE inside (entry, section) AS (
    SELECT child, parent FROM edge WHERE run = %(run)s AND source = 0
    UNION
    SELECT edge.child, inside.section FROM inside JOIN edge
        ON edge.run = %(run)s AND edge.source = inside.entry
)
SELECT inside.section, coalesce(entry.failure, 'unread'), count(*) FROM inside JOIN entry ON entry.id = inside.entry
 WHERE entry.unread OR entry.failure IS NOT NULL GROUP BY 1, 2
"""


async def read_rows(database: Database, run: int, *questions: str) -> AsyncIterator[list[tuple[Any, ...]]]:
    """The answers to questions about a run, many at once."""
    for question in questions:
        with TemporaryFile() as kept:
            batches = await database.transaction(lambda connection: _keep(connection, question, run, kept))  # noqa: B023
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
    # Paths through links are long and narrow: each step asks an index for few rows, whatever the planner expects.
    await connection.execute(
        "SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)"
    )
    batches = 0
    async with connection.cursor("rdfcrawl_rows") as cursor:
        await cursor.execute(question, {"run": run})
        while rows := await cursor.fetchmany(_ROWS_AT_ONCE):
            pickle.dump(rows, kept)
            batches += 1
    return batches
