"""The file in which all runs of a store have their queues."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from rdfcrawl.engine.frontier.protocol import OpenRun, SharedTask
from rdfcrawl.engine.frontier.sqlite.database import connect, full_disk_named, prepare, writing
from rdfcrawl.engine.frontier.sqlite.frontier import SqliteFrontier
from rdfcrawl.engine.frontier.sqlite.hosts import SqliteHostMemory
from rdfcrawl.engine.frontier.sqlite.repair import put_aside_if_broken
from rdfcrawl.engine.frontier.sqlite.seen import SqliteSeenPages


class SqliteQueue:
    """The queues of all runs in one file; each process has its own connection."""

    def __init__(self, path: Path, db: sqlite3.Connection, *, was_lost: bool) -> None:
        self._path = path
        self._db = db
        self.was_lost = was_lost

    async def unfinished(self, identity: str) -> int | None:
        """The latest run of that identity that has not ended, if there is one."""
        row = self._db.execute(
            "SELECT id FROM run WHERE identity = ? AND NOT ended ORDER BY id DESC", (identity,)
        ).fetchone()
        return None if row is None else int(row[0])

    async def begin(self, identity: str, newest: int = 0) -> int:
        """Begin a run and return its number."""
        # A clock that was set back must not put a run before those that it follows. One statement, because another
        # process may begin a run at the same moment.
        taking = """INSERT INTO run (id, identity) SELECT max(:least, coalesce(max(id), 0) + 1), :identity FROM run
                    RETURNING id"""
        with writing(self._db):
            row = self._db.execute(
                taking, {"least": max(int(time.time()), newest + 1), "identity": identity}
            ).fetchone()
        return int(row[0])

    async def offer(self, run: int, task: SharedTask) -> None:
        """Do nothing: no other process takes part."""

    async def open(self, run: int, *, worker: str, model: str) -> OpenRun:
        """The queue of a run, for one of its workers."""
        seen = SqliteSeenPages(self._db, run, model)
        frontier = SqliteFrontier(self._path, self._db, run, worker, seen)
        return OpenRun(frontier, SqliteHostMemory(self._db, run), seen)

    async def aclose(self) -> None:
        """Close the file; what was committed stays."""
        self._db.close()


def open_sqlite_queue(path: Path, notice: Callable[[str], None]) -> SqliteQueue:
    """Open the queue in that file, converted, or a new one where there is none or it is broken."""
    path.parent.mkdir(parents=True, exist_ok=True)
    was_lost = put_aside_if_broken(path, notice)
    with full_disk_named():
        db = connect(path)
        try:
            prepare(db, path, notice)
        except BaseException:
            db.close()
            raise
    return SqliteQueue(path, db, was_lost=was_lost)
