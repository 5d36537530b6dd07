"""Leading a run that workers on other machines take part in: their results are collected while they read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final, TypeGuard

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.headway import Headway
from rdfcrawl.engine.crawl.tally import Tally
from rdfcrawl.engine.frontier.protocol import Blocks, CrawlQueue, Frontier, SharedQueue
from rdfcrawl.engine.run.journal import Journal

HEARTBEAT_SECONDS: Final = 10.0
"""How often a process gives a sign of life: several times within a lease."""
_COLLECT_SECONDS: Final = 0.5
_TELL_SECONDS: Final = 1.0
_TELLING_SHARE: Final = 20
"""Counting the entries of a large run takes long; it is done in no more than this part of the time."""


def is_shared(queue: CrawlQueue) -> TypeGuard[SharedQueue]:
    """Whether workers on other machines take part in the runs of a queue."""
    return isinstance(queue, SharedQueue)


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do something beside the rest, and end it with the rest."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def kept_alive(queue: SharedQueue) -> AsyncIterator[None]:
    """Give signs of life as long as this lasts."""

    async def for_ever() -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            await queue.sign_of_life()

    async with beside(for_ever()):
        yield


class Collector:
    """Brings what workers have left in the queue into the journal of the run, until it is told to end."""

    def __init__(self, blocks: Blocks, journal: Journal) -> None:
        self._blocks = blocks
        self._journal = journal
        self._ending = asyncio.Event()
        self._is_complete = True

    async def run(self) -> None:
        """Collect until ``end`` is called; what is left then as well, if the run is complete."""
        while not self._ending.is_set() or self._is_complete:
            blocks = await self._blocks.waiting()
            if blocks:
                valid = await asyncio.to_thread(self._journal.write_blocks, blocks)
                await self._blocks.collected(blocks, valid)
            elif self._ending.is_set():
                return
            else:
                await _wait(self._ending, _COLLECT_SECONDS)

    def end(self, *, is_complete: bool) -> None:
        """Come to an end; a run that is not complete collects the rest when it is resumed."""
        self._is_complete = is_complete
        self._ending.set()


async def while_collecting(collector: Collector, crawling: Awaitable[bool]) -> bool:
    """Crawl, and collect beside it; what goes wrong with either of them ends both."""
    crawl = asyncio.ensure_future(crawling)
    collecting = asyncio.create_task(collector.run())
    try:
        await asyncio.wait({crawl, collecting}, return_when=asyncio.FIRST_COMPLETED)
        if not crawl.done():
            crawl.cancel()
            await asyncio.gather(crawl, return_exceptions=True)
            await collecting
        is_complete = await crawl
        collector.end(is_complete=is_complete)
        await collecting
        return is_complete
    finally:
        collector.end(is_complete=False)
        await asyncio.gather(crawl, collecting, return_exceptions=True)


@asynccontextmanager
async def told(frontier: Frontier, headway: Headway, engine: Engine) -> AsyncIterator[None]:
    """Let the headway know how far all workers together have come, as long as this lasts."""

    async def for_ever() -> None:
        clock = asyncio.get_running_loop().time
        while True:
            begun = clock()
            headway.tell(await frontier.counts(), Tally.resumed(engine, await frontier.counted()))
            await asyncio.sleep(max(_TELL_SECONDS, _TELLING_SHARE * (clock() - begun)))

    async with beside(for_ever()):
        yield


@asynccontextmanager
async def leaving_when(stop: asyncio.Event, queue: SharedQueue) -> AsyncIterator[None]:
    """Wait for a queue that is out of reach only until the process is to stop."""

    async def once() -> None:
        await stop.wait()
        queue.leave()

    async with beside(once()):
        yield


async def _wait(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return
