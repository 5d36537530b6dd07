"""A server that fails in every way there is: the run ends, says what was wrong, and nothing counts as removed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.folder import Store
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.recording import ChangeSummary, record_changes
from tests.crawling import Crawled, read_run, unloaded_store
from tests.faults.faulty_server import FAULTS, FaultySite, faulty_site
from tests.sampling import sampled

LIMITS = RunLimits(response_seconds=0.5, body_bytes=1_000_000, aside_seconds=0.05)
EXPECTED = {
    "reset": "unreachable",
    "hang-up": "unreachable",
    "stall": "unreachable",
    "truncated": "unreachable",
    "cut-chunk": "unreachable",
    "understated-length": "unreachable",
    "wrong-type": "unreadable",
    "no-markup": "no-root",
    "garbage": "unreachable",
    "error": "unreachable",
    "circle": "limit",
    "bomb": "limit",
    "endless": "limit",
    "endless-headers": "unreachable",
    "not-packed": "unreachable",
    "cut-packed": "unreachable",
}


@dataclass(slots=True)
class Watched:
    """A faulty site and the store that it is crawled into again and again."""

    site: FaultySite
    store: Store
    folder: Path

    async def crawl(self) -> tuple[Crawled, ChangeSummary]:
        path = self.folder / "model.ttl"
        path.write_text(self.site.turtle, encoding="utf-8")
        options = RunOptions(engine=Engine.HTTP, record=False, limits=LIMITS)
        report = await run_model(load_model(path), self.store, options)
        return read_run(self.store, report.record), record_changes(self.store.runs, report.record.id)


def names(crawled: Crawled) -> set[str]:
    return {line.split('"')[1] for line in crawled.triples if " <property://name> " in line}


async def test_every_fault_of_a_page_is_named_and_removes_nothing(tmp_path: Path) -> None:
    """All at once: healthy pages are there, each faulty one has its problem, and the next good run sees no change."""
    faults = {f"/thing/{number}": fault for number, fault in enumerate(FAULTS)}
    assert set(EXPECTED) == set(FAULTS)
    async with faulty_site(len(faults) + 5) as site:
        watched = Watched(site, unloaded_store(tmp_path / "store"), tmp_path)
        whole, first = await watched.crawl()
        assert first.counts == {ChangeKind.ADDED: len(faults) + 5}
        site.faults = faults
        outage, second = await watched.crawl()
        site.faults = {}
        recovered, third = await watched.crawl()
    found = {problem["address"].removeprefix(site.address): problem["kind"] for problem in outage.problems}
    assert found == {path: EXPECTED[fault] for path, fault in faults.items()}
    assert names(outage) == {f"Thing {number}" for number in range(len(faults), len(faults) + 5)}
    assert second.counts == {ChangeKind.UNOBSERVED: len(faults)}
    assert third.counts == {}
    assert recovered.triples == whole.triples


@pytest.mark.parametrize(
    "fault", sampled(["reset", "truncated", "error", "circle", "bomb", "wrong-type"], ["error", "bomb", "wrong-type"])
)
async def test_a_fault_of_the_list_removes_nothing(tmp_path: Path, fault: str) -> None:
    """Nothing of what it would have shown is gone."""
    async with faulty_site(4) as site:
        watched = Watched(site, unloaded_store(tmp_path / "store"), tmp_path)
        await watched.crawl()
        site.faults = {"/list": fault}
        outage, changes = await watched.crawl()
    assert [problem["kind"] for problem in outage.problems] == [EXPECTED[fault]]
    assert changes.counts == {ChangeKind.UNOBSERVED: 4}


async def test_what_passes_is_waited_for(tmp_path: Path) -> None:
    """A page that comes at the second try is a page like any other; the server's log counts the tries."""
    faults = ["reset", "hang-up", "truncated", "cut-chunk", "error", "garbage", "stall"]
    things = len(faults) + 2
    async with faulty_site(things) as site:
        watched = Watched(site, unloaded_store(tmp_path / "store"), tmp_path)
        site.faults = {f"/thing/{number}": fault for number, fault in enumerate(faults)}
        site.again = dict.fromkeys(site.faults, 1)
        crawled, changes = await watched.crawl()
        assert {path: site.asked[path] for path in site.faults} == dict.fromkeys(site.faults, 2)
    assert crawled.problems == ()
    assert changes.counts == {ChangeKind.ADDED: things}


async def test_a_host_that_is_away_altogether_removes_nothing(tmp_path: Path) -> None:
    """No connection, no robots.txt: everything is unobserved."""
    async with faulty_site(3) as site:
        watched = Watched(site, unloaded_store(tmp_path / "store"), tmp_path)
        await watched.crawl()
    outage, changes = await watched.crawl()
    assert [problem["kind"] for problem in outage.problems] == ["unreachable"]
    assert changes.counts == {ChangeKind.UNOBSERVED: 3}
