"""The end of a run: who is notified, where the work is done, and what all workers have found together."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from rdfcrawl import api
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.progress import Progress, Silent
from rdfcrawl.engine.run import finish, summary
from rdfcrawl.engine.run.job import Job
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.errors import Stopped
from tests.crawling import Crawled, read_run, unloaded_store
from tests.engine.run.test_beginning import OPTIONS, THINGS, stop_at
from tests.thing_site import ThingSite, thing_site
from tests.visiting import crawl_as_worker


class Watching(Silent):
    """Keeps the stages that are announced, and how far the run had come before each."""

    def __init__(self) -> None:
        self.stages: list[str] = []
        self.last: Progress | None = None

    def progress(self, progress: Progress) -> None:
        self.last = progress

    def finishing(self, stage: str) -> None:
        self.stages.append(stage)


async def test_whoever_watches_is_told_of_every_stage(tmp_path: Path) -> None:
    """In order, with what is still to be done."""
    async with thing_site(5) as site:
        watching = Watching()
        await api.run(site.model(tmp_path), store=tmp_path / "store", options=OPTIONS, observer=watching)
    assert watching.stages == [
        "collecting the edges between objects",
        "sorting 10 triples",
        "clearing the queue",
        "comparing with the previous runs",
        "updating the stores",
    ]
    assert watching.last is not None
    assert (watching.last.done, watching.last.queued, watching.last.read_now) == (6, 0, 6)


async def test_the_long_steps_leave_the_loop_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting, sorting and writing are done in other threads than the one that shows progress."""
    done_by: dict[str, threading.Thread] = {}

    def noting(module: Any, name: str) -> None:
        original = getattr(module, name)

        def noted(*arguments: Any) -> Any:
            done_by[name] = threading.current_thread()
            return original(*arguments)

        monkeypatch.setattr(module, name, noted)

    noting(finish, "finish_run")
    noting(finish, "record_lines")
    noting(finish, "remove_journal")
    noting(summary, "count_objects")
    async with thing_site(3) as site:
        await run_model(site.model(tmp_path), unloaded_store(tmp_path / "store"), OPTIONS)
    assert set(done_by) == {"finish_run", "record_lines", "remove_journal", "count_objects"}
    assert threading.main_thread() not in done_by.values()


async def finished_by_two(site: ThingSite, folder: Path) -> Crawled:
    model, store = site.model(folder), unloaded_store(folder / "store")
    with pytest.raises(Stopped):
        await run_model(model, store, OPTIONS, stop=stop_at(site, 20))
    (run,) = store.runs.ids()
    await crawl_as_worker(Job.of(model, model.sections, store, OPTIONS), run, "other")
    site.log.clear()
    report = await run_model(model, store, OPTIONS)
    assert site.asked.total() == 0
    return read_run(store, report.record)


async def test_what_several_workers_found_is_one_run(tmp_path: Path) -> None:
    """Triples, problems and counts of all of them, in the files of the one that finishes it."""
    async with thing_site(THINGS) as site:
        site.links = ["/gone", *(f"/thing/none-{number}" for number in range(3))]
        alone = RunOptions(engine=Engine.HTTP, record=False)
        undisturbed = await run_model(site.model(tmp_path), unloaded_store(tmp_path / "undisturbed"), alone)
        expected = read_run(unloaded_store(tmp_path / "undisturbed"), undisturbed.record)
        found = await finished_by_two(site, tmp_path)
    assert found.triples == expected.triples
    assert found.record.counts.pages == expected.record.counts.pages == {"http": THINGS + 5}
    assert found.record.counts.problems == expected.record.counts.problems == {"gone": 4}
    assert found.record.sections == expected.record.sections
