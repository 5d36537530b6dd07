"""Puts together what a crawl works with, as the options of its run say."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager

from rdfcrawl.engine.address import host_of, origin_of
from rdfcrawl.engine.crawl.visit import Means
from rdfcrawl.engine.fetch.fetchers import Fetchers, user_agent_of
from rdfcrawl.engine.fetch.guard import AddressGuard, NetworkAccess
from rdfcrawl.engine.fetch.warc.recorder import WarcRecorder
from rdfcrawl.engine.frontier.protocol import HostMemory, OpenRun
from rdfcrawl.engine.manners.pace import HostGates, Manners
from rdfcrawl.engine.manners.robots import Robots
from rdfcrawl.engine.run.job import Job
from rdfcrawl.engine.workers.pool import WorkerPool


@asynccontextmanager
async def wired(
    job: Job,
    opened: OpenRun,
    pool: WorkerPool,
    recorder: WarcRecorder | None,
    notice: Callable[[str], None],
) -> AsyncIterator[Means]:
    """What a crawl works with; fetchers and workers are closed when it has ended."""
    async with _fetchers(job, await _guard(job, opened.hosts), recorder, notice) as fetchers, aclosing(pool):
        gates = HostGates(_manners(job), opened.hosts)
        await gates.recall()
        yield Means(
            fetchers,
            pool,
            gates,
            await _robots(job, fetchers, gates, opened.hosts),
            # Reading a replay again costs nothing, and --fresh asks for reading everything again.
            opened.seen if job.replay is None and not job.options.fresh else None,
            job.options.limits,
            job.window,
            recorder,
            [origin_of(section.address) for section in job.sections],
        )


async def _robots(job: Job, fetchers: Fetchers, gates: HostGates, memory: HostMemory) -> Robots | None:
    if job.replay is not None or job.options.ignore_robots:
        return None
    robots = Robots(fetchers.http, gates, memory)
    await robots.recall()
    return robots


async def _guard(job: Job, memory: HostMemory) -> AddressGuard:
    """The guard of the run; it knows which of its sections were public when they were last read."""
    return AddressGuard(
        (section.address for section in job.sections),
        allow_private=job.options.allow_private,
        public_homes=await memory.public_hosts(),
        note_public=memory.note_public,
    )


def _fetchers(job: Job, guard: AddressGuard, recorder: WarcRecorder | None, notice: Callable[[str], None]) -> Fetchers:
    options = job.options
    return Fetchers(
        access=NetworkAccess(guard, job.credentials, options.insecure),
        replay=job.replay,
        recorder=recorder,
        notice=notice,
        user_agent=user_agent_of(options.contact),
        limits=options.limits,
    )


def _manners(job: Job) -> Manners:
    limits = job.options.limits
    return Manners(
        {host_of(section.address): section.delay / 1000 for section in job.sections if section.delay is not None},
        job.options.concurrency,
        offline=job.replay is not None,
        longest_delay=limits.crawl_delay_seconds,
        longest_pause=limits.retry_after_seconds,
        aside_seconds=limits.aside_seconds,
    )
