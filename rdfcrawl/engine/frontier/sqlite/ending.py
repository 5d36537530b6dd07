"""What the queue says of a run at its end, read in a thread: on a large run that takes seconds."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from rdfcrawl.engine.frontier.entries import SurveyedAddress
from rdfcrawl.engine.frontier.sqlite.database import connect, full_disk_named
from rdfcrawl.rdf import terms

_ROWS_AT_ONCE: Final = 2_000
"""Enough that asking costs nothing, and little enough that what is made of them costs no memory."""

_REACH: Final = """
WITH RECURSIVE reach (entry, parent) AS (
    SELECT edge.child, edge.parent FROM edge JOIN entry ON entry.id = edge.child
     WHERE entry.run = :run AND edge.parent != ''
    UNION
    SELECT edge.child, reach.parent FROM edge JOIN reach ON edge.source = reach.entry WHERE edge.parent = ''
)
"""
EDGES: Final = f"{_REACH} SELECT reach.parent, top.predicate, top.object FROM reach JOIN top ON top.entry = reach.entry"
SITE_EDGES: Final = f"""
{_REACH} SELECT reach.parent, '<{terms.SITE}page>', '<' || surveyed.key || '>'
  FROM reach JOIN surveyed ON surveyed.entry = reach.entry WHERE surveyed.kind != ''
"""
ADDRESSES: Final = """
SELECT found.page, found.key, iif(original.key IS NULL, found.kind, 'duplicate'), found.level, found.reason,
       original.key, found.seconds
  FROM surveyed AS found LEFT JOIN surveyed AS original
    ON original.entry = found.original AND original.entry != found.entry
 WHERE found.run = :run AND found.kind != ''
"""

UNREAD_ENTRIES: Final = f"""
{_REACH} SELECT entry.page, coalesce(moved.object, entry.key), reach.parent
  FROM entry JOIN reach ON reach.entry = entry.id
  LEFT JOIN moved ON moved.page = entry.page AND moved.key = entry.key
 WHERE entry.run = :run AND (entry.unread OR entry.state IN (0, 1))
"""
UNREAD_KINDS: Final = f"""
{_REACH} SELECT unread.page, '', CASE unread.parent WHEN '' THEN reach.parent ELSE unread.parent END
  FROM unread JOIN reach ON reach.entry = unread.source WHERE unread.run = :run
"""
FAILURES_BY_SECTION: Final = """
WITH RECURSIVE inside (entry, section) AS (
    SELECT edge.child, edge.parent FROM edge JOIN entry ON entry.id = edge.child
     WHERE entry.run = :run AND edge.source = 0
    UNION
    SELECT edge.child, inside.section FROM edge JOIN inside ON edge.source = inside.entry
)
SELECT inside.section, coalesce(entry.failure, 'unread'), count(*) FROM inside JOIN entry ON entry.id = inside.entry
 WHERE entry.unread OR entry.failure IS NOT NULL GROUP BY 1, 2
"""


async def read_rows(path: Path, run: int, *questions: str) -> AsyncIterator[list[tuple[Any, ...]]]:
    """The answers to questions about a run, many at once, through a separate connection."""
    with closing(await asyncio.to_thread(connect, path)) as db:
        for question in questions:
            cursor = await asyncio.to_thread(_ask, db, question, run)
            while rows := await asyncio.to_thread(_fetch, cursor):
                yield rows


async def read_addresses(path: Path, run: int) -> AsyncIterator[list[SurveyedAddress]]:
    """The addresses of the surveyed sites."""
    async for rows in read_rows(path, run, ADDRESSES):
        yield [SurveyedAddress(*row) for row in rows]


def _ask(db: sqlite3.Connection, question: str, run: int) -> sqlite3.Cursor:
    with full_disk_named():
        return db.execute(question, {"run": run})


def _fetch(cursor: sqlite3.Cursor) -> list[tuple[Any, ...]]:
    with full_disk_named():
        return cursor.fetchmany(_ROWS_AT_ONCE)
