"""The functions of the command line, for use from Python."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path

from rdfcrawl.engine.crawl.progress import Observer, Silent
from rdfcrawl.engine.memory import give_memory_back
from rdfcrawl.engine.run.run import RunOptions, RunReport, run_model
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Model
from rdfcrawl.store.folder import open_store
from rdfcrawl.versioning.recording import ChangeSummary, record_changes


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that is complete: what it found, and what has changed since the previous runs."""

    report: RunReport
    changes: ChangeSummary


async def run(
    model: Model | str | Path,
    *,
    graph: str | None = None,
    store: str | Path | None = None,
    changes: str | None = None,
    options: RunOptions | None = None,
    observer: Observer | None = None,
    stop: asyncio.Event | None = None,
) -> Finished:
    """Crawl a model into a store and record what has changed since the previous runs."""
    options = options or RunOptions()
    source = "" if isinstance(model, Model) else str(model)
    watcher = observer or Silent()
    # The workers start while the model is loaded.
    async with aclosing(WorkerPool.started(options.limits)) as pool:
        described = model if isinstance(model, Model) else load_model(model, graph=graph)
        place = open_store(store, changes)
        report = await run_model(
            described, place, replace(options, source=source), observer=watcher, stop=stop, pool=pool
        )
        # The steps at the end of a large run need a lot of memory, and none needs what the step before left behind.
        give_memory_back()
        watcher.finishing("comparing with the previous runs")
        summary = await asyncio.to_thread(record_changes, place.runs, report.record.id)
        give_memory_back()
        watcher.finishing("updating the stores")
        await asyncio.to_thread(place.refresh)
    return Finished(report, summary)
