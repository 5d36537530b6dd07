"""A run that may work only in some hours: it waits when they end, and goes on by itself when they begin again."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import ClassVar

import pytest

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.progress import PageRead, Silent
from rdfcrawl.engine.manners.window import Window
from rdfcrawl.engine.run.job import _hours
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.errors import Stopped
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Model, Section
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import RunState
from tests.book_site import BookSite, book_site
from tests.commands import Command
from tests.crawling import read_run, unloaded_store

CLOSED = "the window 22:00-06:00 is closed; the run continues at 22:00"
OPEN = "the window 22:00-06:00 is open again; the run continues"
OPTIONS = RunOptions(engine=Engine.HTTP, record=False, concurrency=1)


class Clock:
    """A clock that goes as all clocks do, except that it can be set and made to stand still."""

    def __init__(self, now: str, standing: bool = False) -> None:
        self.set(now, standing)

    def set(self, now: str, standing: bool = False) -> None:
        self._shown = datetime.fromisoformat(f"2024-05-17T{now}")
        self._since = None if standing else monotonic()

    def go_on(self) -> None:
        self._since = monotonic()

    def __call__(self) -> datetime:
        return self._shown + timedelta(seconds=0 if self._since is None else monotonic() - self._since)


class Told(Silent):
    """Keeps its notices, and does something when the window closes."""

    def __init__(self, when_closed: Callable[[], None]) -> None:
        self.notices: list[str] = []
        self._when_closed = when_closed

    def notice(self, text: str) -> None:
        self.notices.append(text)
        if "is closed" in text:
            self._when_closed()


def night(clock: Clock) -> Window:
    """From ten in the evening to six in the morning."""
    return replace(Window.parse("22:00-06:00"), clock=clock)


def closing(site: BookSite, clock: Clock, *requests: int) -> list[str]:
    """Let the morning come with these requests, half a second before the next evening; gives what is asked then."""
    count = 0
    asked_by_day: list[str] = []
    window = night(clock)

    async def watch(path: str) -> None:
        nonlocal count
        count += 1
        if window.seconds_until_open():
            asked_by_day.append(path)
        if count in requests:
            # It stands still until the run is known to wait, however long the pages that were begun may take.
            clock.set("21:59:59.500", standing=True)

    site.on_request = watch
    return asked_by_day


def model_of(site: BookSite, folder: Path) -> Model:
    (folder / "books.ttl").write_text(site.model, encoding="utf-8")
    return load_model(folder / "books.ttl")


async def test_a_run_waits_by_day_and_goes_on_in_the_evening(tmp_path: Path) -> None:
    """Twice; each time it says so, asks for nothing but what was begun, and the graph is that of an undisturbed run."""
    async with book_site(60) as site:
        model = model_of(site, tmp_path)
        store = unloaded_store(tmp_path / "undisturbed")
        whole = read_run(store, (await run_model(model, store, OPTIONS)).record)
        site.asked.clear()
        clock = Clock("05:00")
        asked_by_day = closing(site, clock, 20, 70)
        observer = Told(clock.go_on)
        store = unloaded_store(tmp_path / "store")
        report = await run_model(model, store, replace(OPTIONS, window=night(clock)), observer=observer)
        found = read_run(store, report.record)
    assert observer.notices == [CLOSED, OPEN, CLOSED, OPEN]
    assert found.triples == whole.triples
    assert found.problems == ()
    assert report.record.state is RunState.COMPLETE
    assert set(site.asked.values()) == {1}
    assert len(site.asked) == site.pages
    # One page was waiting behind the one that the morning came with.
    assert len(asked_by_day) <= 2


async def test_a_run_that_begins_by_day_asks_for_nothing_until_the_evening(tmp_path: Path) -> None:
    """Not even for robots.txt."""
    clock = Clock("21:59:59.900", standing=True)
    asked_first: list[int] = []
    async with book_site(3) as site:

        def evening() -> None:
            asked_first.append(site.asked.total())
            clock.go_on()

        observer = Told(evening)
        store = unloaded_store(tmp_path / "store")
        options = replace(OPTIONS, window=night(clock))
        report = await run_model(model_of(site, tmp_path), store, options, observer=observer)
    assert asked_first == [0]
    assert observer.notices == [CLOSED, OPEN]
    assert report.record.counts.objects["item://book"] == 3


async def test_a_run_that_is_stopped_while_it_waits_can_go_on(tmp_path: Path) -> None:
    """Nothing that was read is asked for again, whether or not the next start has a window."""
    clock = Clock("05:00")
    stop = asyncio.Event()
    async with book_site(60) as site:
        model, store = model_of(site, tmp_path), unloaded_store(tmp_path / "store")
        closing(site, clock, 20)
        observer = Told(stop.set)
        with pytest.raises(Stopped, match="the same command resumes") as stopped:
            await run_model(model, store, replace(OPTIONS, window=night(clock)), observer=observer, stop=stop)
        assert stopped.value.exit_code == 3
        assert [record.state for record in store.runs.records()] == [RunState.STOPPED]
        assert 20 <= site.asked.total() <= 21
        report = await run_model(model, store, OPTIONS)
        found = read_run(store, report.record)
        again = unloaded_store(tmp_path / "undisturbed")
        assert set(site.asked.values()) == {1}
        whole = read_run(again, (await run_model(model, again, OPTIONS)).record)
    assert found.triples == whole.triples
    assert len(store.runs.ids()) == 1


async def test_interrupting_the_command_while_it_waits_ends_it_in_good_order(tmp_path: Path) -> None:
    """Exit code 3, one sentence, and the same command resumes it once its window is open."""
    now = datetime.now()
    closed = f"{now + timedelta(hours=2):%H:%M}-{now + timedelta(hours=3):%H:%M}"
    opened = f"{now - timedelta(hours=1):%H:%M}-{now + timedelta(hours=1):%H:%M}"
    async with book_site(3) as site:
        model_of(site, tmp_path)
        command = [
            "run",
            str(tmp_path / "books.ttl"),
            "--engine",
            "http",
            "--store",
            str(tmp_path / "store"),
            "--window",
        ]
        program = [sys.executable, "-m", "rdfcrawl", *command]
        waiting = await asyncio.create_subprocess_exec(*program, closed, stderr=subprocess.PIPE)
        assert waiting.stderr is not None
        said = ""
        while "is closed" not in said:
            line = (await waiting.stderr.readline()).decode()
            assert line, said
            said += line
        os.kill(waiting.pid, signal.SIGINT)
        said += (await waiting.stderr.read()).decode()
        assert await waiting.wait() == 3, said
        assert f"Note: the window {closed} is closed; the run continues at {closed[:5]}" in said
        assert said.endswith("was stopped; the same command resumes it\n")
        assert site.asked.total() == 0
        going = Command(*command, opened)
        assert await going.ended() == 0, going.said
    assert "resumes where it was stopped" in going.said
    (record,) = open_store(tmp_path / "store").runs.records()
    assert record.counts.objects["item://book"] == 3


async def test_a_section_waits_for_its_own_window_while_others_are_read(tmp_path: Path) -> None:
    """The pages of the one are not asked for, those of the other are; each is said once."""
    now = datetime.now()
    closed = f"{now + timedelta(hours=2):%H:%M}-{now + timedelta(hours=3):%H:%M}"
    stop = asyncio.Event()
    async with book_site(3) as site, book_site(3) as night_site:
        text = (
            site.model
            + f"""
            <model:> :section <{night_site.start}> . <{night_site.start}> :page page:books ; :window "{closed}" ."""
        )
        (tmp_path / "both.ttl").write_text(text, encoding="utf-8")
        model, store = load_model(tmp_path / "both.ttl"), unloaded_store(tmp_path / "store")

        class UntilRead(Silent):
            notices: ClassVar[list[str]] = []

            def notice(self, text: str) -> None:
                self.notices.append(text)

            def page(self, page: PageRead) -> None:
                if site.asked.total() == site.pages and not page.again:
                    stop.set()

        observer = UntilRead()
        with pytest.raises(Stopped):
            await run_model(model, store, OPTIONS, observer=observer, stop=stop)
        assert site.asked.total() == site.pages
        assert night_site.asked.total() == 0
        said = f"the window {closed} of {night_site.start} is closed; it is read when that is open"
        assert observer.notices == [said]
        report = await run_model(model, store, replace(OPTIONS, window="00:00-23:59"))
    assert report.record.counts.objects["item://book"] == 6
    assert night_site.asked.total() == night_site.pages


def test_a_replay_does_not_wait_for_the_window_of_a_section() -> None:
    """Nobody is bothered by it; a window that the user names counts all the same."""
    section = Section("https://books.example/", "page://books", window="22:00-06:00")
    assert _hours([section], RunOptions()).first == Window.parse("22:00-06:00")
    assert _hours([section], RunOptions(replay="archive.warc.gz")).first is None
    assert _hours([section], RunOptions(replay="archive.warc.gz", window="1:00-2:00")).first == Window.parse(
        "01:00-02:00"
    )
