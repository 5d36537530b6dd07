"""Blocks: what one commit of a worker has brought, compressed, on its way to whoever leads the run."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Final
from uuid import UUID

from rdfcrawl.engine.compression import deflated
from rdfcrawl.engine.frontier.entries import MAIN_WORKER, Block, BlockResult, Lengths
from rdfcrawl.engine.frontier.postgres.database import Database, WriteBatch
from rdfcrawl.engine.frontier.protocol import WorkerGone
from rdfcrawl.engine.problem import Problem, ProblemKind

_AT_ONCE: Final = 16
_ADD: Final = "INSERT INTO block VALUES (%s, %s, %s, %s)"
_WAITING: Final = "SELECT worker, number, content FROM block WHERE run = %s ORDER BY worker, number LIMIT %s"
_COLLECTED: Final = """
WITH noted AS (
    UPDATE worker SET triples = %s, problems = %s, links = %s WHERE run = %s AND name = %s AND life = %s RETURNING run
),
removed AS (
    DELETE FROM block USING noted, unnest(%b::text[], %b::bigint[]) AS done (worker, number)
     WHERE block.run = noted.run AND block.worker = done.worker AND block.number = done.number
)
SELECT run FROM noted
"""


def packed_block(results: Iterable[BlockResult]) -> bytes:
    """The results as the table has them."""
    plain = [
        [list(one.triples), [asdict(problem) for problem in one.problems], one.address, list(one.links)]
        for one in results
    ]
    return deflated(json.dumps(plain, separators=(",", ":")).encode())


def unpacked_block(content: bytes) -> list[BlockResult]:
    """What ``packed_block`` has packed."""
    return [
        BlockResult(triples, [_problem(values) for values in problems], address, links)
        for triples, problems, address, links in json.loads(zlib.decompress(content))
    ]


def add_block(batch: WriteBatch, run: int, worker: str, number: int, content: bytes) -> None:
    """Leave a block in the queue, as a part of a commit."""
    batch.add(_ADD, (run, worker, number, content))


class PostgresBlocks:
    """The blocks of one run, for the process that leads it."""

    def __init__(self, database: Database, run: int, life: UUID) -> None:
        self._database = database
        self._run = run
        self._life = life

    async def waiting(self) -> Sequence[Block]:
        """Some of the blocks that were not collected yet."""
        rows = await self._database.rows(_WAITING, (self._run, _AT_ONCE))
        return [Block(worker, number, unpacked_block(content)) for worker, number, content in rows]

    async def collected(self, blocks: Sequence[Block], valid: Lengths) -> None:
        """Remove blocks that are in the journal, of which so much counts from now on."""

        names, numbers = [block.worker for block in blocks], [block.number for block in blocks]
        lengths = (valid.triples, valid.problems, valid.links)
        # One statement: while the leader's row is locked, it can neither claim nor commit.
        noted = await self._database.rows(_COLLECTED, (*lengths, self._run, MAIN_WORKER, self._life, names, numbers))
        if not noted:
            raise WorkerGone(MAIN_WORKER, is_replaced=True)

    async def archives(self) -> dict[str, int]:
        """How much of the archive of each worker that has one is valid."""
        asked = "SELECT name, archive FROM worker WHERE run = %s AND archive IS NOT NULL"
        return dict(await self._database.rows(asked, (self._run,)))


def _problem(values: dict[str, str]) -> Problem:
    return Problem(**values | {"kind": ProblemKind(values["kind"])})  # type: ignore[arg-type]
