"""What every implementation of the queue is tested with: one more is added by one more line in the table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Protocol

import pytest
import pytest_asyncio

from rdfcrawl.engine.frontier.entries import MAIN_WORKER
from rdfcrawl.engine.frontier.opening import open_queue
from rdfcrawl.engine.frontier.protocol import CrawlQueue, Frontier, OpenRun
from rdfcrawl.metamodel.model import Section

LIST = "http://site.example/list"
OpenQueue = Callable[[], Awaitable[CrawlQueue]]

IMPLEMENTATIONS: dict[str, Callable[[pytest.FixtureRequest], Path | str]] = {
    "sqlite": lambda request: request.getfixturevalue("tmp_path") / "queue.sqlite",
    "postgres": lambda request: str(request.getfixturevalue("queue_address")),
}
"""Where a queue of each kind is that belongs to the test alone."""


class OpenRunOf(Protocol):
    """Resumes the run of an identity, or begins it, as a process does."""

    async def __call__(self, identity: str = "identity", *, worker: str = MAIN_WORKER, model: str = "model") -> OpenRun:
        """The queue of that run."""
        ...


@pytest_asyncio.fixture(params=IMPLEMENTATIONS)
async def reopen(request: pytest.FixtureRequest) -> AsyncIterator[OpenQueue]:
    """Opens the queue, as a process does."""
    opened: list[CrawlQueue] = []
    location = IMPLEMENTATIONS[request.param](request)

    async def open_again() -> CrawlQueue:
        opened.append(await open_queue(location))
        return opened[-1]

    yield open_again
    for queue in opened:
        await queue.aclose()


@pytest_asyncio.fixture
async def queue(reopen: OpenQueue) -> CrawlQueue:
    """An empty queue."""
    return await reopen()


@pytest.fixture
def open_run(reopen: OpenQueue) -> OpenRunOf:
    """Opens the queue of a run, each time as another process."""

    async def opened(identity: str = "identity", *, worker: str = MAIN_WORKER, model: str = "model") -> OpenRun:
        queue = await reopen()
        number = await queue.unfinished(identity)
        return await queue.open(await queue.begin(identity) if number is None else number, worker=worker, model=model)

    return opened


@pytest_asyncio.fixture
async def frontier(open_run: OpenRunOf) -> Frontier:
    """The entries of a run with one section."""
    frontier = (await open_run()).frontier
    await frontier.start([Section(LIST, "page://list")])
    return frontier
