"""``kill -9`` before and after every step that makes something lasting: the graph is that of an undisturbed run.

``make test`` tries a sample of the points, ``make test-all`` every one.
"""

from __future__ import annotations

import gzip
import importlib
import inspect
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import RunState
from tests.book_site import book_site
from tests.commands import Command

BOOKS, FEW_BOOKS = 60, 30
"""So many are enough unless every point is asked for."""

WHILE_IT_CRAWLS = (
    ("rdfcrawl.engine.frontier.sqlite.queue:prepare", 1),
    ("rdfcrawl.engine.frontier.sqlite.queue:SqliteQueue.begin", 1),
    ("rdfcrawl.store.runs.run_files:RunFiles.write_record", 1),
    ("rdfcrawl.engine.frontier.sqlite.frontier:SqliteFrontier.start", 1),
    ("rdfcrawl.engine.frontier.sqlite.hosts:SqliteHostMemory.note_robots", 1),
    ("rdfcrawl.engine.frontier.sqlite.frontier:SqliteFrontier.claim", 2),
    ("rdfcrawl.engine.fetch.warc.recorder:WarcRecorder.sync", 2),
    ("rdfcrawl.engine.run.journal:Journal.sync", 2),
    ("rdfcrawl.engine.frontier.sqlite.seen:SqliteSeenPages.remember", 2),
    ("rdfcrawl.engine.frontier.sqlite.frontier:SqliteFrontier.commit", 2),
)
AT_ITS_END = (
    ("rdfcrawl.engine.run.finish:summarise", 1),
    ("rdfcrawl.store.folder:write_sorted", 1),
    ("rdfcrawl.store.folder:write_unread", 1),
    ("rdfcrawl.engine.run.finish:finish_run", 1),
    ("rdfcrawl.engine.frontier.sqlite.seen:SqliteSeenPages.forget_others", 1),
    ("rdfcrawl.engine.frontier.sqlite.frontier:SqliteFrontier.forget", 1),
    ("rdfcrawl.engine.run.finish:remove_journal", 1),
    ("rdfcrawl.api:record_changes", 1),
)


SAMPLE = frozenset(
    {
        ("rdfcrawl.engine.frontier.sqlite.frontier:SqliteFrontier.start", "after"),
        ("rdfcrawl.engine.run.journal:Journal.sync", "after"),
        ("rdfcrawl.engine.frontier.sqlite.frontier:SqliteFrontier.commit", "after"),
        ("rdfcrawl.store.folder:write_sorted", "after"),
        ("rdfcrawl.engine.run.finish:finish_run", "after"),
        ("rdfcrawl.api:record_changes", "before"),
    }
)
"""Where one thing is on the disk and the next, which must agree with it, is not."""


def test_the_sample_is_of_points_that_are_tried() -> None:
    """A point that was renamed is not left out by mistake."""
    assert {point for point, _ in SAMPLE} <= {point for point, _ in (*WHILE_IT_CRAWLS, *AT_ITS_END)}


async def run(model: Path, store: Path, first: Callable[[], None] | None = None) -> tuple[int, str]:
    """Run the model into a store; returns the exit code and what was written to standard error."""
    command = Command("run", str(model), "--store", str(store), first=first)
    return await command.ended(), command.said


def kill_at(point: str, moment: str, number: int) -> None:
    """Kill this process, as ``kill -9`` does, before or after ``MODULE:NAME`` is called for the n-th time."""
    module_name, _, path = point.partition(":")
    owner: Any = importlib.import_module(module_name)
    *outer, name = path.split(".")
    for part in outer:
        owner = getattr(owner, part)
    original = getattr(owner, name)
    calls = 0

    @contextmanager
    def mortal() -> Iterator[None]:
        nonlocal calls
        calls += 1
        is_last = calls == number
        if is_last and moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        yield
        if is_last and moment == "after":
            os.kill(os.getpid(), signal.SIGKILL)

    def killed(*arguments: Any, **options: Any) -> Any:
        with mortal():
            return original(*arguments, **options)

    async def killed_while_awaited(*arguments: Any, **options: Any) -> Any:
        with mortal():
            return await original(*arguments, **options)

    setattr(owner, name, killed_while_awaited if inspect.iscoroutinefunction(original) else killed)


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
async def test_killed_at_every_point_in_turn(
    tmp_path: Path, points: tuple[tuple[str, int], ...], is_exhaustive: bool
) -> None:
    """The same command, killed at one point after the other, leaves nothing out, nothing twice and no false change."""
    model, store = tmp_path / "books.ttl", tmp_path / "store"
    books = BOOKS if is_exhaustive else FEW_BOOKS
    async with book_site(books) as site:
        model.write_text(site.model)
        code, errors = await run(model, tmp_path / "undisturbed")
        assert code == 0, errors
        for (point, number), moment in product(points, ("before", "after")):
            if is_exhaustive or (point, moment) in SAMPLE:
                code, errors = await run(model, store, partial(kill_at, point, moment, number))
                assert code == -signal.SIGKILL, f"{point} {moment}: {errors}"
        code, errors = await run(model, store)
        assert code == 0, errors
    assert graphs(store) == graphs(tmp_path / "undisturbed")
    files = open_store(store).runs
    changes = [files.changes(number).read_bytes() for number in files.ids()]
    assert all(b"removed" not in content and b"changed" not in content for content in changes)
    assert sum(content.count(b"<predicate://added>") for content in changes) == books


async def test_a_journal_that_was_cut_short_is_named_and_a_fresh_run_is_possible(tmp_path: Path) -> None:
    """Half of what was acknowledged is gone from the disk: the run is not resumed as if nothing was missing."""
    model, store = tmp_path / "books.ttl", tmp_path / "store"
    point = "rdfcrawl.engine.frontier.sqlite.frontier:SqliteFrontier.commit"
    async with book_site(BOOKS) as site:
        model.write_text(site.model)
        await run(model, store, partial(kill_at, point, "after", 4))
        (journal,) = store.glob("work/*/*/triples.nq")
        whole = journal.read_bytes()
        journal.write_bytes(whole[: len(whole) // 2])
        code, errors = await run(model, store)
        assert code == 2
        assert f"{journal} is damaged" in errors
        assert "--fresh" in errors
        assert "Traceback" not in errors
        assert journal.read_bytes() == whole[: len(whole) // 2]

        command = Command("run", str(model), "--store", str(store), "--fresh")
        assert await command.ended() == 0, command.said
        code, errors = await run(model, tmp_path / "undisturbed")
    assert graphs(store) == graphs(tmp_path / "undisturbed")
