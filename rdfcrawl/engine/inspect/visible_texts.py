"""The visible texts of a run's pages: the archived pages are read again, several at a time, in their order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import aclosing
from typing import Final

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.document.tree import DocumentError
from rdfcrawl.engine.fetch.fetchers import Fetchers
from rdfcrawl.engine.fetch.guard import NetworkAccess
from rdfcrawl.engine.fetch.session import FetchFailed, Request
from rdfcrawl.engine.fetch.warc.source import WarcSource
from rdfcrawl.engine.inspect.explain import kept_pages
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.run.archives import open_replay
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.engine.workers.visible import VisiblePage
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Page
from rdfcrawl.store.folder import Store
from rdfcrawl.store.runs.record import RunRecord

_AT_A_TIME: Final = 16


def archived_pages(store: Store, record: RunRecord) -> list[str]:
    """The addresses of the HTML pages in the archive of a run, in their order."""
    source = open_replay(kept_pages(store, record), store).source
    if not isinstance(source, WarcSource):
        raise UsageError(f"run {record.id} was read from a folder, which has its pages; it has no archive")
    found = {one.answer.address for one in source.found() if "html" in one.answer.content_type.lower()}
    return sorted(found)


async def visible_texts(
    store: Store, record: RunRecord, addresses: Iterable[str], notice: Callable[[str], None]
) -> AsyncIterator[tuple[str, VisiblePage]]:
    """What each page shows, as the run has seen it; pages that are not in the archive are named and left out."""
    model = load_model(store.runs.model(record.id))
    page = next(iter(model.pages.values()))
    async with (
        aclosing(WorkerPool.started(RunLimits(), model)) as pool,
        Fetchers(access=NetworkAccess(), replay=open_replay(kept_pages(store, record), store), notice=notice) as means,
    ):
        waiting: deque[tuple[str, asyncio.Task[VisiblePage | None]]] = deque()
        try:
            for address in addresses:
                waiting.append((address, asyncio.create_task(_text(pool, means, page, address, notice))))
                if len(waiting) == _AT_A_TIME:
                    first, task = waiting.popleft()
                    if (found := await task) is not None:
                        yield first, found
            while waiting:
                first, task = waiting.popleft()
                if (found := await task) is not None:
                    yield first, found
        finally:
            for _, task in waiting:
                task.cancel()


async def _text(
    pool: WorkerPool, means: Fetchers, page: Page, address: str, notice: Callable[[str], None]
) -> VisiblePage | None:
    try:
        async for document in means[Engine.HTTP].open(Request(address, page)):
            return await pool.visible_text(page.iri, document)
    except (FetchFailed, DocumentError) as failure:
        notice(f"{address}: {failure}; it is left out")
    return None
