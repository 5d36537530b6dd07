"""The functions of the command line, for use from Python."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, closing
from dataclasses import field, replace
from pathlib import Path

from rdfcrawl.alert.outbox import outbox_path
from rdfcrawl.alert.sending import SendOptions, Sent
from rdfcrawl.alert.telling import PATIENCE, before_run, tell
from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.crawl.progress import Observer, Silent
from rdfcrawl.engine.memory import give_memory_back
from rdfcrawl.engine.run.run import RunOptions, RunReport, run_model
from rdfcrawl.engine.workers.launching import Launched
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Model
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.preloading import Preloading
from rdfcrawl.versioning.recording import ChangeSummary, record_changes


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that is complete: what it found, what has changed since the previous runs, and which alerts were tried."""

    report: RunReport
    changes: ChangeSummary
    alerts: Sent = field(default_factory=Sent)


async def run(
    model: Model | str | Path,
    *,
    graph: str | None = None,
    store: str | Path | None = None,
    changes: str | None = None,
    options: RunOptions | None = None,
    observer: Observer | None = None,
    stop: asyncio.Event | None = None,
    reader: Launched | None = None,
) -> Finished:
    """Crawl a model into a store and record what has changed since the previous runs.

    ``reader`` is a process to read pages with, if one was started already.
    """
    options = options or RunOptions()
    source = "" if isinstance(model, Model) else str(model)
    watcher = observer or Silent()
    # The workers start while the model is loaded.
    pool = WorkerPool.started(options.limits, first=reader) if options.reads else WorkerPool(options.limits)
    async with aclosing(pool):
        described = model if isinstance(model, Model) else load_model(model, graph=graph)
        place = open_store(store, changes)
        await before_run(described, place, options.allowed_variables, watcher.notice)
        with closing(Preloading(place.data)) as preloading:
            report = await run_model(
                described,
                place,
                replace(options, source=source),
                observer=watcher,
                stop=stop,
                pool=pool,
                preloading=preloading,
            )
            # The steps at the end of a large run need a lot of memory, and none needs what the step before left behind.
            give_memory_back()
            watcher.finishing("comparing with the previous runs")
            summary = await asyncio.to_thread(record_changes, place.runs, report.record.id)
            give_memory_back()
            watcher.finishing("updating the stores")
            await asyncio.to_thread(place.refresh, watcher.advance, preloading)
        # The run is in the store: whatever becomes of its alerts, it has ended.
        if outbox_path(place.folder).exists():
            watcher.finishing("sending alerts")
        sending = SendOptions(options.allowed_variables, options.allow_private, seconds=PATIENCE)
        sent = await tell(place, sending, watcher.notice, stop)
    return Finished(report, summary, sent)
