"""What a run left unread, damaged on the disk: it troubles only those who compare that run."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from rdfcrawl import api
from rdfcrawl.errors import DamagedFile
from rdfcrawl.store.folder import Store
from rdfcrawl.versioning.changes import ChangeKind
from tests.faults.damages import DAMAGES, FEW, ONE, OPTIONS, THINGS, TWO, WITH_A_LINE, call, crawled
from tests.publish.conftest import asked, serving
from tests.sampling import sampled
from tests.thing_site import ThingSite, thing_site

REFUSED = "User-agent: *\nDisallow: /thing/1\n"
"""Keeps a crawler from things 1 and 10 to 19."""


async def crawled_with_outage(site: ThingSite, folder: Path) -> Store:
    """A store with a run that has read everything, and one that was kept from eleven things."""
    await crawled(site, folder, THINGS)
    site.robots = REFUSED
    store = await crawled(site, folder, THINGS)
    site.robots = None
    assert len(store.runs.read_unread(store.runs.records()[-1]).objects) == 11
    return store


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of such a store."""
    folder = tmp_path_factory.mktemp("prepared") / "store"

    async def prepare() -> None:
        async with thing_site() as site:
            await crawled_with_outage(site, folder)

    asyncio.run(prepare())
    return folder


@pytest.mark.parametrize("damage", sampled(DAMAGES, TWO))
def test_only_the_comparison_of_the_run_misses_it(store: Store, damage: str, caplog: pytest.LogCaptureFixture) -> None:
    """It names the file, the line and the way out; other commands do without it."""
    second = store.runs.ids()[-1]
    DAMAGES[damage](store.runs.unread(second))
    thing = store.runs.read_record(second).sections[0].address.replace("/list", "/thing/1")
    for command in (["runs"], ["query", "ASK {}"], ["export"], ["history", thing]):
        assert call(store, *command).exception is None, command
    assert caplog.text == ""
    refused = call(store, "diff")
    assert isinstance(refused.exception, DamagedFile)
    said = str(refused.exception)
    assert said.startswith(f"{store.runs.unread(second)} is damaged")
    assert f"--replay run:{second}" in said
    if damage in WITH_A_LINE:
        assert f" at line {WITH_A_LINE[damage]} " in said


async def test_the_next_run_is_compared_without_it(tmp_path: Path) -> None:
    """What a run left unread decides about its own changes only; what came of it is carried on."""
    async with thing_site() as site:
        store = await crawled_with_outage(site, tmp_path / "store")
        store.runs.unread(store.runs.ids()[-1]).unlink()
        finished = await api.run(site.model(tmp_path), store=store.folder, options=OPTIONS)
    assert (finished.changes.counts, finished.changes.notes) == ({}, ())


@pytest.mark.parametrize("damage", sampled(FEW, ONE))
async def test_it_is_rewritten_from_a_run_that_has_read_the_archive_again(tmp_path: Path, damage: str) -> None:
    """The archive lacks the same pages, so the replay leaves the same unread."""
    async with thing_site() as site:
        store = await crawled_with_outage(site, tmp_path / "store")
        second = store.runs.ids()[-1]
        path = store.runs.unread(second)
        whole = path.read_bytes()
        DAMAGES[damage](path)
        await api.run(site.model(tmp_path), store=store.folder, options=replace(OPTIONS, replay=f"run:{second}"))
    assert call(store, "diff", str(store.runs.ids()[0]), str(second)).exception is None
    assert path.read_bytes() == whole


@pytest.mark.parametrize("damage", sampled(FEW, ONE))
async def test_if_what_the_run_carries_on_is_lost_as_well_the_run_before_takes_its_place(
    tmp_path: Path, damage: str
) -> None:
    """Nothing is called new or gone that is not, and the note says why."""
    async with thing_site() as site:
        store = await crawled_with_outage(site, tmp_path / "store")
        first, second = store.runs.ids()
        for path in (store.runs.unread(second), store.runs.carried(second)):
            DAMAGES[damage](path)
        shutil.rmtree(store.folder / "data")
        site.things = THINGS - 1
        finished = await api.run(site.model(tmp_path), store=store.folder, options=OPTIONS)
    assert finished.changes.counts == {ChangeKind.REMOVED: 1}
    assert finished.changes.notes[-1] == f"compared with run {first} instead"


def test_a_history_on_the_web_is_shown_without_it(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    """It then rests on what was recorded as not observed; the damage is said."""
    second = store.runs.ids()[-1]
    store.runs.unread(second).unlink()
    thing = store.runs.read_record(second).sections[0].address.replace("/list", "/thing/1")
    with serving(store) as server:
        history = server.get(f"/feed.atom?iri={asked(thing)}")
    assert "not observed" in history.text
    assert "unread.nq.gz is damaged (it is missing)" in caplog.text
