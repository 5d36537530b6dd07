"""The archived pages of a run are read again, several at a time, and what is found comes in their order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from typing import Final, TypeVar

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.fetch.fetchers import Fetchers
from rdfcrawl.engine.fetch.guard import NetworkAccess
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed, Request
from rdfcrawl.engine.inspect.explain import kept_pages
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.run.archives import open_replay
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Page
from rdfcrawl.store.folder import Store
from rdfcrawl.store.runs.record import RunRecord

T = TypeVar("T")
Ask = Callable[[WorkerPool, Page, Fetched], Awaitable[T]]
"""What is asked about a page; ``Page`` is the first of the run's model."""

_AT_A_TIME: Final = 16


async def read_archived(
    store: Store, record: RunRecord, addresses: Iterable[str], ask: Ask[T], notice: Callable[[str], None]
) -> AsyncGenerator[tuple[str, T], None]:
    """The answer for each page as the run has seen it; pages that are not in the archive are named and left out."""
    model = load_model(store.runs.model(record.id))
    page = next(iter(model.pages.values()))
    async with (
        aclosing(WorkerPool.started(RunLimits(), model)) as pool,
        Fetchers(access=NetworkAccess(), replay=open_replay(kept_pages(store, record), store), notice=notice) as means,
    ):

        async def answer(address: str) -> T | None:
            try:
                async for document in means[Engine.HTTP].open(Request(address, page)):
                    return await ask(pool, page, document)
            except (FetchFailed, DocumentError) as failure:
                notice(f"{address}: {failure}; it is left out")
            return None

        waiting: deque[tuple[str, asyncio.Task[T | None]]] = deque()
        try:
            for address in addresses:
                waiting.append((address, asyncio.create_task(answer(address))))
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
