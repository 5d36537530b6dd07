"""What a crawl works with, for tests that look at single pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, closing

from rdfcrawl.engine.address import host_of
from rdfcrawl.engine.crawl.headway import Headway
from rdfcrawl.engine.crawl.loop import Crawl
from rdfcrawl.engine.crawl.progress import Silent
from rdfcrawl.engine.crawl.tally import Tally
from rdfcrawl.engine.crawl.visit import Means
from rdfcrawl.engine.fetch.fetchers import Fetchers, Replay
from rdfcrawl.engine.fetch.guard import NetworkAccess
from rdfcrawl.engine.frontier.entries import Entry
from rdfcrawl.engine.frontier.hosts import ShortMemory
from rdfcrawl.engine.frontier.opening import open_queue
from rdfcrawl.engine.frontier.protocol import SeenPages
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.manners.pace import HostGates, Manners
from rdfcrawl.engine.manners.robots import Robots
from rdfcrawl.engine.run.job import Job
from rdfcrawl.engine.run.journal import Journal
from rdfcrawl.engine.run.wiring import wired
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf.graphs import run_iri


@asynccontextmanager
async def opened_means(
    model: Model, *, replay: Replay | None = None, seen: SeenPages | None = None
) -> AsyncIterator[Means]:
    """Fetchers, gates and reader as a run has them; without ``replay`` robots.txt counts."""
    fetchers = Fetchers(access=NetworkAccess(), replay=replay, notice=lambda text: None)
    pool = WorkerPool(RunLimits(), model)
    async with fetchers, aclosing(pool):
        gates = HostGates(Manners({}, offline=replay is not None))
        robots = None if replay else Robots(fetchers.http, gates, ShortMemory())
        yield Means(fetchers, pool, gates, robots, seen)


async def crawl_as_worker(job: Job, run: int, worker: str) -> None:
    """Read what is left of a run, as one of its workers does; what it finds is in its own journal."""
    pool = WorkerPool(RunLimits(), job.model)
    sections = tuple(section.address for section in job.sections)
    async with aclosing(await open_queue(job.store.queue)) as queue:
        opened = await queue.open(run, worker=worker, model=job.model.digest)
        frontier = opened.frontier
        journal = Journal(job.journal_folder(run), f"<{run_iri(run)}>", worker=worker)
        tally = Tally.resumed(job.options.engine, await frontier.counted())
        headway = Headway(run, sections, await frontier.counts())
        with closing(journal):
            async with wired(job, opened, pool, None, lambda text: None) as means:
                crawl = Crawl(
                    job.model, frontier, journal, tally, headway, means=means, sections=sections, observer=Silent()
                )
                assert await crawl.run(asyncio.Event())


def entry_at(address: str, page: str) -> Entry:
    """An entry for that address, as if it had been claimed."""
    return Entry(1, page, address, address, host_of(address), 0, 1, 0, 0)
