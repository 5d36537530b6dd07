"""The same functions that the command line offers, for Python."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from rdfcrawl.engine.progress import Observer
from rdfcrawl.engine.run import RunOptions, RunReport, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Model
from rdfcrawl.store.folder import open_store


async def run(
    model: Model | str | Path,
    *,
    graph: str | None = None,
    store: str | Path | None = None,
    changes: str | None = None,
    options: RunOptions | None = None,
    observer: Observer | None = None,
    stop: asyncio.Event | None = None,
) -> RunReport:
    """Crawl a model into a store and log what has changed since the runs before."""
    described = model if isinstance(model, Model) else load_model(model, graph=graph)
    source = "" if isinstance(model, Model) else str(model)
    chosen = replace(options or RunOptions(), source=source)
    return await run_model(described, open_store(store, changes), chosen, observer=observer, stop=stop)
