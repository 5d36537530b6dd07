"""How a start of a run begins: what it finds there, and what it makes of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.progress import Silent
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.errors import Stopped
from rdfcrawl.store.runs.record import RunState
from tests.crawling import read_run, unloaded_store
from tests.engine.frontier.old_queue import make_old
from tests.thing_site import ThingSite, page, thing_site

OPTIONS = RunOptions(engine=Engine.HTTP, record=False, concurrency=1)
THINGS = 40


class Told(Silent):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.begun: list[bool] = []
        self.notices: list[str] = []

    def begin(self, run: int, *, resumed: bool) -> None:
        self.begun.append(resumed)

    def notice(self, text: str) -> None:
        self.notices.append(text)


def stop_at(site: ThingSite, thing: int) -> asyncio.Event:
    """The event that is set when this thing is asked for."""
    stop = asyncio.Event()

    async def answer(request: web.Request) -> web.Response:
        stop.set()
        return page(f"<main><h1>Thing {thing}</h1></main>")

    site.answers[f"/thing/{thing}"] = [answer]
    return stop


@pytest.mark.parametrize("old", [True, False], ids=["by the version before", "by this version"])
async def test_a_run_that_was_stopped_is_resumed(tmp_path: Path, old: bool) -> None:
    """What was read before is not asked for again, what it brought is there; a conversion is said in one sentence."""
    async with thing_site(THINGS) as site:
        model, store, told = site.model(tmp_path), unloaded_store(tmp_path / "store"), Told()
        undisturbed = await run_model(model, unloaded_store(tmp_path / "undisturbed"), OPTIONS)
        site.log.clear()
        with pytest.raises(Stopped):
            await run_model(model, store, OPTIONS, observer=told, stop=stop_at(site, 20))
        if old:
            make_old(store.folder)
        report = await run_model(model, store, OPTIONS, observer=told)
        asked = site.asked
    assert told.begun == [False, True]
    assert asked["/list"] == asked["/thing/0"] == 1
    assert asked.total() < 1.5 * THINGS
    assert report.record.counts.pages == undisturbed.record.counts.pages
    assert report.record.counts.objects == undisturbed.record.counts.objects
    assert (
        read_run(store, report.record).triples
        == read_run(unloaded_store(tmp_path / "undisturbed"), undisturbed.record).triples
    )
    assert not list((store.folder / "work").glob("[0-9]*/*"))
    converted = (
        f"the queue {store.queue} was written by an earlier version and has been converted; unfinished runs continue"
    )
    assert told.notices == ([converted] if old else [])


async def test_a_fresh_start_abandons_what_was_stopped(tmp_path: Path) -> None:
    """Its record says so, and nothing of it is left in the queue or in the journal."""
    async with thing_site(THINGS) as site:
        model, store = site.model(tmp_path), unloaded_store(tmp_path / "store")
        with pytest.raises(Stopped):
            await run_model(model, store, OPTIONS, stop=stop_at(site, 20))
        stopped = store.folder / "work" / str(max(store.runs.ids()))
        assert stopped.exists()
        site.log.clear()
        fresh = RunOptions(engine=Engine.HTTP, record=False, fresh=True)
        report = await run_model(model, store, fresh)
        assert site.asked["/list"] == site.asked["/thing/0"] == 1
    assert not stopped.exists()
    assert [record.state for record in store.runs.records()] == [RunState.ABANDONED, RunState.COMPLETE]
    assert report.record.counts.objects == {"item://thing": THINGS}


async def test_other_options_are_another_run(tmp_path: Path) -> None:
    """The one that was stopped stays, and is resumed by its own command."""
    async with thing_site(3) as site:
        model, store, told, stop = site.model(tmp_path), unloaded_store(tmp_path / "store"), Told(), asyncio.Event()
        stop.set()
        with pytest.raises(Stopped):
            await run_model(model, store, OPTIONS, observer=told, stop=stop)
        other = await run_model(model, store, RunOptions(engine=Engine.AUTO, record=False), observer=told)
        report = await run_model(model, store, OPTIONS, observer=told)
    assert told.begun == [False, False, True]
    assert report.record.id < other.record.id
