"""How far the runs of a queue are, for whoever only looks: nothing is written, converted or waited for."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from rdfcrawl.dataclass import dataclass
from rdfcrawl.store.files.databases import open_to_read


@dataclass(frozen=True, slots=True)
class PagesSoFar:
    """How many pages of a run have been read, and how many are known and wait."""

    read: int
    queued: int


def pages_so_far(queue: Path) -> dict[int, PagesSoFar]:
    """The pages of every run that has not ended, by its number; nothing where the queue cannot be read."""
    if not queue.exists():
        return {}
    try:
        with closing(open_to_read(queue, busy_seconds=1.0)) as db:
            counted = db.execute(
                """SELECT run.id, sum(entry.state IN (2, 3)), sum(entry.state NOT IN (2, 3))
                   FROM run JOIN entry ON entry.run = run.id WHERE NOT run.ended GROUP BY run.id"""
            )
            return {run: PagesSoFar(read, queued) for run, read, queued in counted}
    except sqlite3.Error:
        return {}
