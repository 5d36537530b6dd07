"""The pages that earlier runs have read, kept in the file of the queue."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterable

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.extract.packing import encode, values_of
from rdfcrawl.engine.fetch.session import Known
from rdfcrawl.engine.frontier.entries import Entry, PageResult
from rdfcrawl.engine.frontier.seen import KEPT_SECONDS, NOTED_SECONDS, SeenPage
from rdfcrawl.engine.frontier.sqlite.database import writing
from rdfcrawl.version import VERSION


class SqliteSeenPages:
    """The pages that earlier runs of a model have read."""

    def __init__(self, db: sqlite3.Connection, run: int, model: str) -> None:
        self._db = db
        self._run = run
        # Another version may extract differently.
        self._model = f"{VERSION}/{model}"
        # Each page is asked for once in a run: what this run itself notes is for the next one.
        self._is_new = db.execute("SELECT 1 FROM seen WHERE model = ?", (self._model,)).fetchone() is None

    async def page(self, entry: Entry, engine: Engine) -> SeenPage | None:
        """The page as it was when it was last read, unless its list then began at another address."""
        if self._is_new:
            return None
        row = self._db.execute(
            """SELECT fingerprint, known, extraction FROM seen
                WHERE model = ? AND page = ? AND key = ? AND engine = ? AND list_address IS ?""",
            (self._model, entry.page, entry.key, engine.value, entry.list_address),
        ).fetchone()
        if row is None:
            return None
        return SeenPage(row[0], Known(*json.loads(row[1])) if row[1] else None, row[2])

    def remember(self, results: Iterable[PageResult]) -> None:
        """Keep pages as they are now, inside a transaction; what was known of them before is forgotten."""
        rows = [
            (
                self._model,
                result.outcome.entry.page,
                result.outcome.entry.key,
                result.engine,
                self._run,
                seen.fingerprint,
                encode(values_of(seen.known)) if seen.known else None,
                seen.packed,
                result.outcome.entry.list_address,
            )
            for result in results
            if (seen := result.seen)
        ]
        if rows:
            self._db.executemany("INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    async def forget_others(self, whole_model: bool) -> None:
        """Forget the pages that a run of the whole model has not visited, and those not visited for long."""
        await asyncio.to_thread(self._forget_others, whole_model)

    def _forget_others(self, whole_model: bool) -> None:
        met = "EXISTS (SELECT 1 FROM entry WHERE run = :run AND entry.page = seen.page AND entry.key = seen.key)"
        times = {"run": self._run, "model": self._model, "noted": self._run - NOTED_SECONDS}
        with writing(self._db):
            if whole_model:
                self._db.execute(f"DELETE FROM seen WHERE model = :model AND NOT {met}", times)
            # Noting every page in every run would rewrite the whole table each time.
            self._db.execute(f"UPDATE seen SET run = :run WHERE model = :model AND run < :noted AND {met}", times)
            self._db.execute("DELETE FROM seen WHERE run < ?", (self._run - KEPT_SECONDS - NOTED_SECONDS,))
