"""Tries every fault of the fault tests and prints, as a Markdown table, what became of the runs.

``python benchmarks/reliability.py``. A fault of the server hits one page, then the list itself; before and after it the
site is healthy. A kill hits a run before and after a step; the same command then goes on. A run file is damaged between
two runs, once with a copy in the index and once without. Lost is a page that the next good run does not have; falsely
removed an object that any of the runs calls removed.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rdfcrawl import api
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.folder import open_store
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.recording import record_changes
from tests.book_site import book_site
from tests.crawling import unloaded_store
from tests.faults.damages import DAMAGES
from tests.faults.faulty_server import FAULTS, faulty_site
from tests.faults.test_kill_points import AT_ITS_END, WHILE_IT_CRAWLS, graphs, kill_at, run
from tests.thing_site import thing_site

THINGS = 12
BOOKS = 120
LIMITS = RunLimits(response_seconds=0.5, body_bytes=1_000_000, aside_seconds=0.05)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    fault: str
    tried: int
    survived: int
    lost: int
    removed: int

    def __str__(self) -> str:
        return f"| {self.fault} | {self.tried} | {self.survived} | {self.lost} | {self.removed} |"


async def server_faults(folder: Path) -> AsyncIterator[Row]:
    """Every fault of a server, of a page and of the list."""
    for fault in FAULTS:
        survived = lost = removed = 0
        for path in ("/thing/5", "/list"):
            async with faulty_site(THINGS) as site:
                place = folder / f"{fault}{path.replace('/', '-')}"
                store = unloaded_store(place)
                place.mkdir()
                model = place / "model.ttl"
                model.write_text(site.turtle, encoding="utf-8")
                for faults in ({}, {path: fault}, {}):
                    site.faults = dict(faults)
                    options = RunOptions(engine=Engine.HTTP, record=False, limits=LIMITS)
                    report = await run_model(load_model(model), store, options)
                    changes = record_changes(store.runs, report.record.id)
                    removed += changes.counts.get(ChangeKind.REMOVED, 0)
                    survived += bool(faults)
                lost += THINGS - report.record.counts.objects.get("item://thing", 0)
        yield Row(f"server: {fault}", 2, survived, lost, removed)


async def damages(folder: Path) -> AsyncIterator[Row]:
    """Every damage of the run file that the next run is compared with."""
    for damage, harm in DAMAGES.items():
        survived = lost = removed = 0
        for has_copy in (True, False):
            place = folder / f"{damage}-{has_copy}"
            place.mkdir()
            async with thing_site(THINGS) as site:
                for harmed in (False, False, True):
                    runs = open_store(place / "store").runs
                    if harmed:
                        harm(runs.graph(max(runs.ids())))
                        if not has_copy:
                            shutil.rmtree(place / "store" / "data")
                    options = RunOptions(engine=Engine.HTTP)
                    finished = await api.run(site.model(place), store=place / "store", options=options)
                    removed += finished.changes.counts.get(ChangeKind.REMOVED, 0)
                    survived += harmed
            lost += THINGS - finished.report.record.counts.objects.get("item://thing", 0)
        yield Row(f"run file: {damage}", 2, survived, lost, removed)


async def kills(folder: Path) -> AsyncIterator[Row]:
    """``kill -9`` before and after every step."""
    model = folder / "books.ttl"
    async with book_site(BOOKS) as site:
        model.write_text(site.model, encoding="utf-8")
        await run(model, folder / "undisturbed")
        (whole,) = graphs(folder / "undisturbed")
        for point, number in (*WHILE_IT_CRAWLS, *AT_ITS_END):
            survived = lost = removed = 0
            for moment in ("before", "after"):
                store = folder / f"{point.rpartition(':')[2]}-{moment}"
                killed, _ = await run(model, store, partial(kill_at, point, moment, number))
                assert killed == -signal.SIGKILL, point
                code, _ = await run(model, store)
                survived += code == 0
                lost += sum(len(set(whole.splitlines()) - set(graph.splitlines())) for graph in graphs(store))
                files = open_store(store).runs
                removed += sum(files.changes(run).read_bytes().count(b"/removed>") for run in files.ids())
            yield Row(f"kill -9: {point.rpartition(':')[2]}", 2, survived, lost, removed)


async def main() -> int:
    """Print the table; 0 if it shows nothing but survivors."""
    # What is said of every damage is looked at in the tests.
    logging.disable(logging.WARNING)
    print("| fault | tried | runs that ended well | pages lost | falsely removed |\n|---|--:|--:|--:|--:|")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for source in (server_faults(Path(folder)), kills(Path(folder)), damages(Path(folder))):
            async for row in source:
                print(row, flush=True)
                rows.append(row)
    total = Row(
        "**all**",
        sum(row.tried for row in rows),
        sum(row.survived for row in rows),
        sum(row.lost for row in rows),
        sum(row.removed for row in rows),
    )
    print(total)
    return 0 if total.survived == total.tried and not total.lost and not total.removed else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
