"""``kill -9`` before and after every step that makes something lasting: the graph is that of an undisturbed run."""

from __future__ import annotations

import asyncio
import gzip
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from rdfcrawl.store.folder import open_store
from rdfcrawl.store.record import RunState
from tests.book_site import book_site

BOOKS = 120

WHILE_IT_CRAWLS = (
    ("rdfcrawl.engine.run:begin_run", 1),
    ("rdfcrawl.store.runs:RunFiles.write_record", 1),
    ("rdfcrawl.engine.frontier:Frontier.start", 1),
    ("rdfcrawl.engine.hosts:HostMemory.note_robots", 1),
    ("rdfcrawl.engine.journal:Journal.sync", 2),
    ("rdfcrawl.engine.frontier:Frontier.commit", 2),
    ("rdfcrawl.engine.seen:Seen.remember", 2),
)
AT_ITS_END = (
    ("rdfcrawl.engine.run:summarise", 1),
    ("rdfcrawl.store.folder:write_sorted", 1),
    ("rdfcrawl.engine.run:finish_run", 1),
    ("rdfcrawl.engine.frontier:Frontier.forget", 1),
    ("rdfcrawl.engine.journal:Journal.remove", 1),
    ("rdfcrawl.api:record_changes", 1),
)


@dataclass(slots=True)
class Runs:
    """Runs of one model, each in a process of its own."""

    process: asyncio.subprocess.Process
    model: Path

    async def start(self, store: Path, point: str | None = None, moment: str = "", number: int = 0) -> tuple[int, str]:
        """Run the model into a store and give the exit code and what was written to standard error."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        question = [point, moment, number, ["run", str(self.model), "--store", str(store)]]
        self.process.stdin.write(json.dumps(question).encode() + b"\n")
        code, errors = json.loads(await self.process.stdout.readline())
        return code, errors


@asynccontextmanager
async def runs_of(model: Path) -> AsyncIterator[Runs]:
    """A process that starts runs."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.faults.killed_run", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    yield Runs(process, model)
    assert process.stdin is not None
    process.stdin.close()
    await process.wait()


def graphs(store: Path) -> set[bytes]:
    """The graphs of all complete runs, without the runs' own names."""
    runs = open_store(store).runs
    complete = [record for record in runs.records() if record.state is RunState.COMPLETE]
    return {
        gzip.decompress(runs.graph(record.id).read_bytes()).replace(record.iri.encode(), b"run://")
        for record in complete
    }


@pytest.mark.slow
@pytest.mark.parametrize("points", [WHILE_IT_CRAWLS, AT_ITS_END], ids=["while it crawls", "at its end"])
async def test_killed_at_every_point_in_turn(tmp_path: Path, points: tuple[tuple[str, int], ...]) -> None:
    """The same command, killed at one point after the other, leaves nothing out, nothing twice and no false change."""
    model, store = tmp_path / "books.ttl", tmp_path / "store"
    async with book_site(BOOKS) as site, runs_of(model) as runs:
        model.write_text(site.model)
        code, errors = await runs.start(tmp_path / "undisturbed")
        assert code == 0, errors
        for point, number in points:
            for moment in ("before", "after"):
                code, errors = await runs.start(store, point, moment, number)
                assert code == -signal.SIGKILL, f"{point} {moment}: {errors}"
        code, errors = await runs.start(store)
        assert code == 0, errors
    assert graphs(store) == graphs(tmp_path / "undisturbed")
    files = open_store(store).runs
    changes = [files.changes(number).read_bytes() for number in files.ids()]
    assert all(b"removed" not in content and b"changed" not in content for content in changes)
    assert sum(content.count(b"<predicate://added>") for content in changes) == BOOKS
