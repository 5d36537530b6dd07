"""New crawls beside damaged runs: they end well, and call nothing new or gone that is not."""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from rdfcrawl import api
from rdfcrawl.errors import Stopped
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.runs.record import RunState
from rdfcrawl.versioning.changes import ChangeKind
from tests.commands import Command
from tests.faults.damages import DAMAGES, FEW, ONE, OPTIONS, PLAIN_DAMAGES, THINGS, answers, call, crawled
from tests.sampling import sampled
from tests.thing_site import thing_site


@pytest.mark.parametrize("damage", sampled(FEW, ONE))
async def test_a_new_crawl_ends_well_beside_a_damaged_run(tmp_path: Path, damage: str) -> None:
    """It keeps its own data, says what it was compared with instead, and calls nothing removed that is there."""
    async with thing_site() as site:
        store = await crawled(site, tmp_path / "store", 5, 4)
        first, second = store.runs.ids()
        DAMAGES[damage](store.runs.graph(second))
        for name in ("data", "archive"):
            shutil.rmtree(store.folder / name)
        site.things = 6
        finished = await api.run(site.model(tmp_path), store=store.folder, options=OPTIONS)
        next_one = await api.run(site.model(tmp_path), store=store.folder, options=OPTIONS)
    assert finished.report.record.state is RunState.COMPLETE
    assert finished.report.record.counts.objects == {"item://thing": 6}
    assert finished.changes.counts == {ChangeKind.ADDED: 1}
    assert str(store.runs.graph(second)) in finished.changes.notes[0]
    assert finished.changes.notes[1] == f"compared with run {first} instead"
    assert "not compared" in store.runs.read_record(finished.report.record.id).notes
    assert (next_one.changes.counts, next_one.changes.notes) == ({}, ())


async def test_without_any_whole_run_before_nothing_is_compared(tmp_path: Path) -> None:
    """What was there before is neither new nor gone; the run after that is compared as always."""
    async with thing_site() as site:
        store = await crawled(site, tmp_path / "store", 5)
        (first,) = store.runs.ids()
        store.runs.graph(first).write_bytes(b"")
        shutil.rmtree(store.folder / "data")
        site.things = 4
        command = Command("run", str(tmp_path / "things.ttl"), "--engine", "http", "--store", str(store.folder))
        assert await command.ended() == 0, command.said
        second = max(store.runs.ids())
        site.things = 3
        next_one = await api.run(site.model(tmp_path), store=store.folder, options=OPTIONS)
    assert "Since the previous run: not compared." in command.said
    assert f"Note: {store.runs.graph(first)} is damaged (it is empty); " in command.said
    assert f"Note: no other run is left to compare with: {site.address}/list" in command.said
    assert store.runs.changes(second).read_bytes() == b""
    assert next_one.changes.counts == {ChangeKind.REMOVED: 1}


@pytest.mark.parametrize("content", sampled(["\0" * 100, "", "[]"], ["[]"]), ids=["zeros", "empty", "another"])
async def test_a_run_whose_record_is_damaged_is_left_out(
    tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The others are there, and a new crawl is compared with the run before it."""
    async with thing_site() as site:
        store = await crawled(site, tmp_path / "store", 5, 4)
        first, second = store.runs.ids()
        store.runs.record(second).write_text(content)
        shown = call(store, "runs", "--format", "json")
        site.things = 6
        finished = await api.run(site.model(tmp_path), store=store.folder, options=OPTIONS)
    assert [run["id"] for run in json.loads(shown.stdout)] == [first]
    assert f"{second}.json is damaged" in caplog.text
    assert finished.report.record.id > second
    assert finished.changes.counts == {ChangeKind.ADDED: 1}
    assert str(store.runs.record(second)) in finished.changes.notes[0]


async def test_a_stopped_run_whose_record_is_damaged_goes_on(tmp_path: Path) -> None:
    """The queue knows what the run is; its record is written again."""
    stop = asyncio.Event()
    stop.set()
    async with thing_site(5) as site:
        model, folder = site.model(tmp_path), tmp_path / "store"
        with pytest.raises(Stopped):
            await api.run(model, store=folder, options=OPTIONS, stop=stop)
        (run,) = open_store(folder).runs.ids()
        open_store(folder).runs.record(run).write_text("{")
        finished = await api.run(model, store=folder, options=OPTIONS)
        assert finished.report.record.id == run
        with pytest.raises(Stopped):
            await api.run(model, store=folder, options=OPTIONS, stop=stop)
        open_store(folder).runs.record(max(open_store(folder).runs.ids())).write_text("{")
        fresh = await api.run(model, store=folder, options=replace(OPTIONS, fresh=True))
    assert fresh.report.record.counts.objects == {"item://thing": 5}


@pytest.mark.parametrize("damage", sampled(PLAIN_DAMAGES, ["cut"]))
def test_damaged_changes_are_written_anew_from_their_index(
    store: Store, undamaged: dict[str, str], damage: str
) -> None:
    """They are links between addresses, of which the index knows every letter."""
    path = store.runs.changes(store.runs.ids()[1])
    whole = path.read_bytes()
    PLAIN_DAMAGES[damage](path)
    call(store, "query", "--changes", "ASK {}")
    assert path.read_bytes() == whole
    assert answers(store) == undamaged


@pytest.mark.parametrize("damage", sampled(PLAIN_DAMAGES, ["cut"]))
async def test_damaged_changes_without_any_copy_are_found_out_again_by_the_next_run(
    tmp_path: Path, damage: str
) -> None:
    """Until then they are left out, and everything else is answered."""
    async with thing_site() as site:
        store = await crawled(site, tmp_path / "store", 5, 4)
        path = store.runs.changes(store.runs.ids()[1])
        whole = path.read_bytes()
        PLAIN_DAMAGES[damage](path)
        for index in ("data", "changes"):
            shutil.rmtree(store.folder / index)
        for command in (
            ["query", "--changes", "SELECT * { ?s ?p ?o }"],
            ["query", "ASK {}"],
            ["runs"],
            ["history", f"{site.address}/thing/1"],
            ["diff"],
        ):
            assert call(store, *command).exception is None, command
        await api.run(site.model(tmp_path), store=store.folder, options=OPTIONS)
    assert path.read_bytes() == whole


@pytest.mark.parametrize("damage", sampled(FEW, ONE))
async def test_what_a_run_carries_on_is_found_out_again(tmp_path: Path, damage: str) -> None:
    """An object that was not observed in the run before is neither new nor gone when it is back."""
    async with thing_site() as site:
        store = await crawled(site, tmp_path / "store", THINGS)
        site.robots = "User-agent: *\nDisallow: /thing/1\n"
        store = await crawled(site, tmp_path / "store", THINGS)
        second = store.runs.ids()[-1]
        path = store.runs.carried(second)
        whole = gzip.decompress(path.read_bytes())
        assert whole
        DAMAGES[damage](path)
        assert call(store, "query", "ASK {}").exception is None
        site.robots = None
        finished = await api.run(site.model(tmp_path), store=store.folder, options=OPTIONS)
    assert (finished.changes.counts, finished.changes.notes) == ({}, ())
    assert gzip.decompress(path.read_bytes()) == whole
