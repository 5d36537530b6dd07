"""The pages that earlier runs have read, kept with the queue: workers on all machines know them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any, Final

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.extract.packing import encode, values_of
from rdfcrawl.engine.fetch.session import Known
from rdfcrawl.engine.frontier.entries import Entry, PageResult
from rdfcrawl.engine.frontier.postgres.database import Connection, Database, WriteBatch
from rdfcrawl.engine.frontier.postgres.marks import mark_of
from rdfcrawl.engine.frontier.seen import KEPT_SECONDS, NOTED_SECONDS, SeenPage
from rdfcrawl.version import VERSION

_PAGES: Final = """
SELECT visit, list_address, fingerprint, known, extraction FROM seen WHERE model = %s AND visit = ANY (%b::bytea[])
"""
_REMEMBER: Final = """
INSERT INTO seen
SELECT DISTINCT ON (visit) %s, found.mark, found.visit, %s, fingerprint, known, extraction, list_address
  FROM unnest(%b::bytea[], %b::bytea[], %b::bytea[], %b::text[], %b::bytea[], %b::text[])
       AS found (mark, visit, fingerprint, known, extraction, list_address)
 ORDER BY visit
    ON CONFLICT (model, visit) DO UPDATE SET run = excluded.run, fingerprint = excluded.fingerprint,
       known = excluded.known, extraction = excluded.extraction, list_address = excluded.list_address
"""
_MET: Final = "EXISTS (SELECT FROM entry WHERE entry.run = %(run)s AND entry.mark = seen.mark)"
_FORGET_OTHERS: Final = f"DELETE FROM seen WHERE model = %(model)s AND NOT {_MET}"
# Noting every page in every run would rewrite the whole table each time.
_NOTE: Final = f"UPDATE seen SET run = %(run)s WHERE model = %(model)s AND run < %(noted)s AND {_MET}"
_FORGET_OLD: Final = "DELETE FROM seen WHERE run < %(oldest)s"


class PostgresSeenPages:
    """The pages that earlier runs of a model have read."""

    def __init__(self, database: Database, run: int, model: str, *, is_new: bool) -> None:
        self._database = database
        self._run = run
        self._model = model
        # Each page is asked for once in a run: what this run itself notes is for the next one.
        self._is_new = is_new
        self._asked: set[bytes] = set()
        self._answer: asyncio.Task[dict[bytes, list[Any]]] | None = None

    @classmethod
    async def of(cls, database: Database, run: int, digest: str) -> PostgresSeenPages:
        """The pages of the model with that digest."""
        # Another version may extract differently.
        model = f"{VERSION}/{digest}"
        known = await database.rows("SELECT 1 FROM seen WHERE model = %s AND run <> %s LIMIT 1", (model, run))
        return cls(database, run, model, is_new=not known)

    async def page(self, entry: Entry, engine: Engine) -> SeenPage | None:
        """The page as it was when it was last read, unless its list then began at another address."""
        if self._is_new:
            return None
        visit = mark_of(entry.page, entry.key, engine.value)
        self._asked.add(visit)
        if self._answer is None:
            self._answer = asyncio.create_task(self._ask())
        # Others wait for the same answer: one that gives up must not take it from them.
        found = (await asyncio.shield(self._answer)).get(visit)
        if found is None or found[0] != entry.list_address:
            return None
        _, fingerprint, known, extraction = found
        return SeenPage(fingerprint, Known(*json.loads(known)) if known else None, extraction)

    async def _ask(self) -> dict[bytes, list[Any]]:
        """Ask for all pages of a claim at once: by the time that this begins, all of them have said what they want."""
        visits, self._asked, self._answer = list(self._asked), set(), None
        return {visit: found for visit, *found in await self._database.rows(_PAGES, (self._model, visits))}

    def remember(self, batch: WriteBatch, results: Iterable[PageResult]) -> None:
        """Keep pages as they are now, as a part of a commit; what was known of them before is forgotten."""
        rows = [
            (
                mark_of(entry.page, entry.key),
                mark_of(entry.page, entry.key, result.engine),
                seen.fingerprint,
                encode(values_of(seen.known)) if seen.known else None,
                seen.packed,
                entry.list_address,
            )
            for result in results
            if (seen := result.seen) and (entry := result.outcome.entry)
        ]
        if rows:
            columns = [list(column) for column in zip(*rows, strict=True)]
            batch.add(_REMEMBER, (self._model, self._run, *columns))

    async def forget_others(self, whole_model: bool) -> None:
        """Forget the pages that a run of the whole model has not visited, and those not visited for long."""
        about = {
            "run": self._run,
            "model": self._model,
            "noted": self._run - NOTED_SECONDS,
            "oldest": self._run - KEPT_SECONDS - NOTED_SECONDS,
        }

        async def work(connection: Connection) -> None:
            for statement in (*([_FORGET_OTHERS] if whole_model else ()), _NOTE, _FORGET_OLD):
                await connection.execute(statement, about)

        await self._database.transaction(work)
