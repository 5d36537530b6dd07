"""A run that is killed or stopped at any moment ends with the graph of an undisturbed run."""

from __future__ import annotations

import asyncio
import gzip
import random
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from rdfcrawl.engine.frontier.entries import EntryState
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import RunState
from tests.book_site import BookSite, book_site
from tests.commands import Command

KILLS = 25
FEW_KILLS = 3
"""So many are enough unless every point is asked for."""
BOOKS, FEW_BOOKS = 300, 50


def start(model: Path, store: Path, *options: str) -> Command:
    return Command("run", str(model), "--store", str(store), *options)


async def end(command: Command) -> tuple[int, str]:
    return await command.ended(), command.said


async def start_program(model: Path, store: Path, *options: str) -> asyncio.subprocess.Process:
    """As a person does it, with a Python that starts from nothing."""
    command = (sys.executable, "-m", "rdfcrawl", "run", str(model), "--store", str(store), *options)
    return await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)


async def end_program(process: asyncio.subprocess.Process) -> tuple[int, str]:
    _, errors = await process.communicate()
    assert process.returncode is not None
    return process.returncode, errors.decode()


def graph(store: Path) -> bytes:
    """The graph of the latest complete run, without the run's own name."""
    runs = open_store(store).runs
    record = runs.resolve("latest")
    return gzip.decompress(runs.graph(record.id).read_bytes()).replace(record.iri.encode(), b"run://")


def acknowledged(store: Path) -> set[str]:
    with closing(sqlite3.connect(store / "queue.sqlite")) as db:
        rows = db.execute("SELECT address FROM entry WHERE state = ?", (EntryState.DONE,))
        return {address.partition("?ref=")[0] for (address,) in rows}


async def killed_after(site: BookSite, requests: int, command: Command) -> None:
    """Kill the process while it waits for the answer to its n-th request."""
    reached = asyncio.Event()
    left = requests

    async def count(path: str) -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            reached.set()

    site.on_request = count
    ended = asyncio.create_task(command.ended())
    await asyncio.wait({asyncio.create_task(reached.wait()), ended}, return_when=asyncio.FIRST_COMPLETED)
    assert not ended.done(), "the run ended before it could be killed"
    command.kill()
    assert await ended == -signal.SIGKILL
    site.on_request = None


@pytest.mark.slow
async def test_killed_again_and_again_the_graph_is_that_of_an_undisturbed_run(
    tmp_path: Path, is_exhaustive: bool
) -> None:
    """Whenever the process dies, the same command resumes it, and no page that was acknowledged is asked for again."""
    moments = random.Random(4711)
    async with book_site(BOOKS if is_exhaustive else FEW_BOOKS) as site:
        model = tmp_path / "books.ttl"
        model.write_text(site.model)
        code, errors = await end(start(model, tmp_path / "undisturbed"))
        assert code == 0, errors
        assert sum(site.asked.values()) == site.pages

        disturbed = tmp_path / "disturbed"
        for _ in range(KILLS if is_exhaustive else FEW_KILLS):
            site.asked.clear()
            done = acknowledged(disturbed) if (disturbed / "queue.sqlite").exists() else set()
            await killed_after(site, moments.randint(1, 12), start(model, disturbed, "--concurrency", "4"))
            asked_again = {f"{site.address}{path}" for path in site.asked} & done
            assert not asked_again
        site.asked.clear()
        done = acknowledged(disturbed)
        code, errors = await end(start(model, disturbed))
        assert code == 0, errors
        assert not {f"{site.address}{path}" for path in site.asked} & done
    assert graph(disturbed) == graph(tmp_path / "undisturbed")


async def test_ctrl_c_stops_cleanly_and_the_same_command_goes_on(tmp_path: Path) -> None:
    """Exit code 3, a sentence that says how to go on, and no page is read twice in all."""
    async with book_site(30) as site:
        model = tmp_path / "books.ttl"
        model.write_text(site.model)
        reached = asyncio.Event()

        async def tell(path: str) -> None:
            if sum(site.asked.values()) == 20:
                reached.set()

        site.on_request = tell
        process = await start_program(model, tmp_path / "store", "--concurrency", "2")
        await reached.wait()
        process.send_signal(signal.SIGINT)
        code, errors = await end_program(process)
        assert code == 3
        assert "the same command resumes it" in errors
        stopped = open_store(tmp_path / "store").runs.records()[-1]
        assert stopped.state is RunState.STOPPED

        code, errors = await end(start(model, tmp_path / "store"))
        assert code == 0, errors
        assert "resumes where it was stopped" in errors
        assert all(count <= 2 for count in site.asked.values())
        records = open_store(tmp_path / "store").runs.records()
        assert [(record.id, record.state) for record in records] == [(stopped.id, RunState.COMPLETE)]


async def test_fresh_begins_anew(tmp_path: Path) -> None:
    """A stopped run is abandoned, a new one reads everything."""
    async with book_site(40) as site:
        model = tmp_path / "books.ttl"
        model.write_text(site.model)
        await killed_after(site, 30, start(model, tmp_path / "store", "--concurrency", "2"))
        site.asked.clear()
        code, errors = await end(start(model, tmp_path / "store", "--fresh"))
        assert code == 0, errors
        assert sum(site.asked.values()) == site.pages
        states = [record.state for record in open_store(tmp_path / "store").runs.records()]
        assert states == [RunState.ABANDONED, RunState.COMPLETE]


async def test_a_second_run_of_the_same_model_gets_one_clear_sentence(tmp_path: Path) -> None:
    """Two processes never work on the same sections of one store; the first is not disturbed."""
    async with book_site(40) as site:
        model = tmp_path / "books.ttl"
        model.write_text(site.model)
        waiting, going_on = asyncio.Event(), asyncio.Event()

        async def hold(path: str) -> None:
            waiting.set()
            await going_on.wait()

        site.on_request = hold
        first = start(model, tmp_path / "store")
        await waiting.wait()
        code, errors = await end(start(model, tmp_path / "store"))
        going_on.set()
        assert code == 2
        assert errors.startswith("rdfcrawl: another rdfcrawl is already running the section")
        assert errors.count("\n") == 1
        assert (await end(first))[0] == 0
