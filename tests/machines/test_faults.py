"""Workers, leaders and the server die at any moment: nothing is lost, nothing is there twice, the graph is the same.

``make test`` tries a sample of the points, ``make test-all`` every one.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from rdfcrawl.engine.frontier.postgres.commits import Commit
from tests.book_site import BookSite, book_site
from tests.commands import Command
from tests.faults.test_kill_points import graphs, kill_at
from tests.machines.fleet import crawled, fleet, impatient, leader, until, worker
from tests.machines.test_manners import MODEL, LoggedSite
from tests.postgres_server import PostgresServer, controlled_server
from tests.serving import serving

BOOKS, FEW_BOOKS = 60, 36
"""So many are enough unless every point is asked for."""
FRONTIER = "rdfcrawl.engine.frontier.postgres.frontier"
COMMITS = "rdfcrawl.engine.frontier.postgres.commits"

OF_A_WORKER = (
    (f"{FRONTIER}:PostgresFrontier.claim", 2),
    ("rdfcrawl.engine.fetch.warc.recorder:WarcRecorder.sync", 2),
    (f"{COMMITS}:add_settling", 1),
    (f"{COMMITS}:add_links", 1),
    (f"{COMMITS}:keep_contents", 1),
    ("rdfcrawl.engine.frontier.postgres.leads:PostgresLeads.note", 1),
    (f"{COMMITS}:add_block", 1),
    ("rdfcrawl.engine.frontier.postgres.seen:PostgresSeenPages.remember", 1),
    (f"{COMMITS}:add_up", 1),
    (f"{FRONTIER}:PostgresFrontier.commit", 1),
)
STEP_BY_STEP = (
    (f"{COMMITS}:settle", 1),
    # Whoever begins a run queues its start in the same way; a worker does not.
    (f"{COMMITS}:enqueue", 1),
    (f"{COMMITS}:keep_contents", 1),
    (f"{COMMITS}:add_up", 1),
)
"""Of a commit that cannot be one statement."""
OF_A_LEADER = (
    ("rdfcrawl.engine.frontier.postgres.queue:PostgresQueue.begin", 1),
    ("rdfcrawl.engine.frontier.postgres.queue:PostgresQueue.offer", 1),
    (f"{FRONTIER}:PostgresFrontier.start", 1),
    ("rdfcrawl.engine.run.journal:Journal.write_blocks", 1),
    ("rdfcrawl.engine.frontier.postgres.blocks:PostgresBlocks.collected", 1),
    ("rdfcrawl.engine.run.finish:summarise", 1),
    ("rdfcrawl.engine.run.finish:finish_run", 1),
    (f"{FRONTIER}:PostgresFrontier.forget", 1),
    ("rdfcrawl.api:record_changes", 1),
)
SAMPLE = frozenset(
    {
        (f"{COMMITS}:add_block", "after"),
        (f"{FRONTIER}:PostgresFrontier.commit", "after"),
        ("rdfcrawl.engine.run.journal:Journal.write_blocks", "after"),
        ("rdfcrawl.engine.run.finish:finish_run", "after"),
    }
)
"""Where one thing is certain and the next, which must agree with it, is not."""


def test_the_sample_is_of_points_that_are_tried() -> None:
    """A point that was renamed is not left out by mistake."""
    assert {point for point, _ in SAMPLE} <= {point for point, _ in (*OF_A_WORKER, *OF_A_LEADER)}


def _step_by_step(then: Callable[[], None]) -> None:
    """Let no commit of this process be one statement."""
    Commit.is_one_statement = False  # type: ignore[assignment,method-assign]
    then()


async def undisturbed(site: BookSite, folder: Path) -> tuple[Path, set[bytes]]:
    """The model of a site, and the graph of one process with SQLite."""
    model = folder / "books.ttl"
    model.write_text(site.model)
    return model, await crawled(model, folder / "undisturbed")


@pytest.mark.slow
async def test_workers_killed_at_every_step_of_a_commit(
    queue_address: str, tmp_path: Path, is_exhaustive: bool
) -> None:
    """One after the other; the last one reads what they have left, and their archives explain what they have read."""
    store = tmp_path / "store"
    async with book_site(BOOKS if is_exhaustive else FEW_BOOKS) as site:
        model, expected = await undisturbed(site, tmp_path)
        leading = leader(queue_address, model, store, "--no-crawl")
        archive = store / "archive"
        await until(archive.is_dir)
        for (point, number), moment in product(OF_A_WORKER, ("before", "after")):
            if is_exhaustive or (point, moment) in SAMPLE:
                first = partial(impatient, partial(kill_at, point, moment, number))
                doomed = worker(queue_address, "--archive", str(archive), "--concurrency", "2", first=first)
                assert await doomed.ended() == -signal.SIGKILL, f"{point} {moment}: {doomed.said}"
        for (point, number), moment in product(STEP_BY_STEP, ("before", "after")):
            if is_exhaustive:
                first = partial(impatient, partial(_step_by_step, partial(kill_at, point, moment, number)))
                doomed = worker(queue_address, "--archive", str(archive), "--concurrency", "2", first=first)
                assert await doomed.ended() == -signal.SIGKILL, f"{point} {moment}: {doomed.said}"
        async with fleet(queue_address, 1, "--archive", str(archive)):
            assert await leading.ended() == 0, leading.said
        assert graphs(store) == expected
        replayed = Command("run", str(model), "--store", str(store), "--replay", "run:latest")
        assert await replayed.ended() == 0, replayed.said
    assert graphs(store) == expected


@pytest.mark.slow
async def test_leaders_killed_at_every_step(queue_address: str, tmp_path: Path, is_exhaustive: bool) -> None:
    """The same command goes on leading; workers read on meanwhile."""
    store = tmp_path / "store"
    async with book_site(BOOKS if is_exhaustive else FEW_BOOKS) as site:
        model, expected = await undisturbed(site, tmp_path)
        async with fleet(queue_address, 1):
            for (point, number), moment in product(OF_A_LEADER, ("before", "after")):
                if is_exhaustive or (point, moment) in SAMPLE:
                    first = partial(impatient, partial(kill_at, point, moment, number))
                    doomed = leader(queue_address, model, store, "--no-crawl", first=first)
                    assert await doomed.ended() == -signal.SIGKILL, f"{point} {moment}: {doomed.said}"
            last = leader(queue_address, model, store, "--no-crawl")
            assert await last.ended() == 0, last.said
    assert graphs(store) == expected


async def killed_again_and_again(server: PostgresServer, command: Command, site: BookSite, times: int) -> None:
    """Kill the server whenever some more pages were asked for."""
    for number in range(times):
        enough = len(site.asked) + site.pages // (2 * times)
        await until(partial(_has_asked, site, min(enough, site.pages)))
        await asyncio.to_thread(server.kill if number % 2 else server.stop)
        await asyncio.to_thread(server.start)


@pytest.mark.slow
async def test_the_server_dies_again_and_again(tmp_path: Path, is_exhaustive: bool) -> None:
    """Everybody waits and goes on: a commit whose answer was lost is recognised."""
    store, times = tmp_path / "store", 12 if is_exhaustive else 2
    with controlled_server() as server:
        async with book_site(400 if is_exhaustive else FEW_BOOKS) as site:
            model, expected = await undisturbed(site, tmp_path)
            site.asked.clear()
            async with fleet(server.address, 2, "--concurrency", "2"):
                command = leader(server.address, model, store)
                await killed_again_and_again(server, command, site, times)
                assert await command.ended() == 0, command.said
    assert graphs(store) == expected
    assert "does not answer" in command.said
    assert "answers again" in command.said


@pytest.mark.slow
@pytest.mark.exhaustive
async def test_a_leader_that_was_frozen_rejoins_and_reads_on(queue_address: str, tmp_path: Path) -> None:
    """Others have read what it had claimed; it begins anew, with processes of its own that can read."""
    store = tmp_path / "store"
    async with book_site(FEW_BOOKS) as site:
        model, expected = await undisturbed(site, tmp_path)
        site.asked.clear()
        leading = leader(queue_address, model, store, "--concurrency", "1")
        await until(partial(_has_asked, site, 5))
        os.kill(leading.pid, signal.SIGSTOP)
        async with fleet(queue_address, 1, "--concurrency", "1"):
            before = len(site.asked)
            await until(partial(_has_asked, site, before + 10))
        os.kill(leading.pid, signal.SIGCONT)
        assert await leading.ended() == 0, leading.said
    assert "out of reach for too long" in leading.said
    assert graphs(store) == expected


@pytest.mark.slow
async def test_a_worker_that_was_frozen_is_replaced_and_rejoins(queue_address: str, tmp_path: Path) -> None:
    """Others read what it had claimed; what it commits afterwards does not count, and it begins anew."""
    store = tmp_path / "store"
    async with book_site(FEW_BOOKS) as site:
        model, expected = await undisturbed(site, tmp_path)
        site.asked.clear()
        frozen = worker(queue_address, "--concurrency", "1")
        leading = leader(queue_address, model, store, "--no-crawl")
        await until(partial(_has_asked, site, 5))
        os.kill(frozen.pid, signal.SIGSTOP)
        async with fleet(queue_address, 1, "--concurrency", "1"):
            before = len(site.asked)
            await until(partial(_has_asked, site, before + 20))
            os.kill(frozen.pid, signal.SIGCONT)
            assert await leading.ended() == 0, leading.said
        os.kill(frozen.pid, signal.SIGTERM)
        assert await frozen.ended() == 0, frozen.said
    assert graphs(store) == expected


async def test_a_worker_that_is_told_to_end_gives_back_what_it_has(queue_address: str, tmp_path: Path) -> None:
    """At once: nobody waits for its lease."""
    store = tmp_path / "store"
    async with book_site(FEW_BOOKS) as site:
        model, expected = await undisturbed(site, tmp_path)
        site.asked.clear()
        # A lease of a minute, as outside of tests.
        leaving = worker(queue_address, first=_nothing)
        leading = leader(queue_address, model, store, "--no-crawl", first=_nothing)
        await until(partial(_has_asked, site, 10))
        os.kill(leaving.pid, signal.SIGTERM)
        assert await leaving.ended() == 0, leaving.said
        async with fleet(queue_address, 1, first=_nothing):
            assert await leading.ended() == 0, leading.said
    assert graphs(store) == expected


async def test_a_leader_that_is_told_to_end_goes_on_later(queue_address: str, tmp_path: Path) -> None:
    """With what workers have read meanwhile; a fresh start leaves that behind."""
    store = tmp_path / "store"
    async with book_site(FEW_BOOKS) as site:
        model, expected = await undisturbed(site, tmp_path)
        site.asked.clear()
        async with fleet(queue_address, 1, "--concurrency", "1"):
            leading = leader(queue_address, model, store, "--no-crawl")
            await until(partial(_has_asked, site, 10))
            os.kill(leading.pid, signal.SIGINT)
            assert await leading.ended() == 3, leading.said
            resumed = leader(queue_address, model, store, "--no-crawl")
            assert await resumed.ended() == 0, resumed.said
            assert "resumes" in resumed.said
    assert graphs(store) == expected


def _has_asked(site: BookSite, pages: int) -> bool:
    return len(site.asked) >= pages


def _nothing() -> None:
    pass


def clock_ahead(seconds: float) -> None:
    """Let the clock of this process be wrong."""
    right = time.time

    def wrong() -> float:
        return right() + seconds

    time.time = wrong
    for name, module in list(sys.modules.items()):
        if name.startswith("rdfcrawl") and getattr(module, "time", None) is right:
            module.time = wrong  # type: ignore[attr-defined]


@pytest.mark.parametrize("seconds", [3600.0, pytest.param(-3600.0, marks=pytest.mark.exhaustive)])
async def test_a_worker_whose_clock_is_an_hour_off(queue_address: str, tmp_path: Path, seconds: float) -> None:
    """A pause of two seconds is one of two seconds, for it and for the others."""
    site, model, store = LoggedSite(), tmp_path / "model.ttl", tmp_path / "store"
    async with serving(site.answer) as address:
        model.write_text(MODEL.format(start=f"{address}/busy", delay=0))
        expected = await crawled(model, tmp_path / "undisturbed")
        site.busy_answers = 0
        async with fleet(queue_address, 1, first=partial(impatient, partial(clock_ahead, seconds))):
            leading = leader(queue_address, model, store)
            assert await leading.ended() == 0, leading.said
    assert graphs(store) == expected
