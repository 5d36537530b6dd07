"""Puts together what a crawl works with, as the options of its run say."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager

from rdfcrawl.engine.address import host_of, origin_of
from rdfcrawl.engine.crawl.logins import Logins
from rdfcrawl.engine.crawl.session_file import SessionFile
from rdfcrawl.engine.crawl.visit import Means
from rdfcrawl.engine.fetch.fetchers import Fetchers, user_agent_of
from rdfcrawl.engine.fetch.guard import AddressGuard, NetworkAccess
from rdfcrawl.engine.fetch.session_cookies import discreet
from rdfcrawl.engine.fetch.warc.recorder import WarcRecorder
from rdfcrawl.engine.frontier.protocol import HostMemory, OpenRun
from rdfcrawl.engine.machines.leading import beside
from rdfcrawl.engine.manners.machines import Machines
from rdfcrawl.engine.manners.pace import HostGates, Manners
from rdfcrawl.engine.manners.robots import Robots
from rdfcrawl.engine.run.job import ReadingJob
from rdfcrawl.engine.workers.pool import WorkerPool


@asynccontextmanager
async def wired(
    job: ReadingJob,
    opened: OpenRun,
    pool: WorkerPool,
    recorder: WarcRecorder | None,
    notice: Callable[[str], None],
    sessions: SessionFile | None = None,
    most_at_once: int | None = None,
) -> AsyncIterator[Means]:
    """What a crawl works with; fetchers and workers are closed when it has ended.

    ``sessions`` keeps the sessions of logins for the next start, ``most_at_once`` is how many pages it reads at once.
    """
    async with _fetchers(job, await _guard(job, opened.hosts), recorder, notice) as fetchers, aclosing(pool):
        gates = HostGates(_manners(job), opened.hosts, Machines().machine_of, most_at_once)
        await gates.recall()
        logins = _logins(job, fetchers, pool, gates, sessions) if job.has_logins else None
        means = Means(
            fetchers,
            pool,
            gates,
            await _robots(job, fetchers, gates, opened.hosts),
            # Reading a replay again costs nothing, and --fresh asks for reading everything again.
            opened.seen if job.replay is None and not job.options.fresh else None,
            job.options.limits,
            job.hours,
            recorder,
            [origin_of(section.address) for section in job.sections],
            follows_all=job.options.ignore_robots,
            logins=logins,
            values=job.values,
        )
        async with _sharing(gates, opened.hosts):
            yield means
        if logins is not None:
            logins.keep()


@asynccontextmanager
async def _sharing(gates: HostGates, memory: HostMemory) -> AsyncIterator[None]:
    """Share the hosts with workers on other machines meanwhile."""
    if not memory.is_shared or gates.is_offline:
        yield
        return
    async with beside(gates.keep_sharing()):
        yield


def _logins(
    job: ReadingJob, fetchers: Fetchers, pool: WorkerPool, gates: HostGates, kept: SessionFile | None
) -> Logins:
    engine = job.options.engine
    return Logins(job.sections, job.values, fetchers, pool, engine=engine, turn=gates.turn, kept=kept)


async def _robots(job: ReadingJob, fetchers: Fetchers, gates: HostGates, memory: HostMemory) -> Robots | None:
    if job.replay is not None or job.options.ignore_robots:
        return None
    robots = Robots(fetchers.http, gates, memory, _login_addresses(job))
    await robots.recall()
    return robots


async def _guard(job: ReadingJob, memory: HostMemory) -> AddressGuard:
    """The guard of the run; it knows which of its sections were public when they were last read."""
    return AddressGuard(
        [*(section.address for section in job.sections), *_login_addresses(job)],
        allow_private=job.options.allow_private,
        public_homes=await memory.public_hosts(),
        note_public=memory.note_public,
    )


def _fetchers(
    job: ReadingJob, guard: AddressGuard, recorder: WarcRecorder | None, notice: Callable[[str], None]
) -> Fetchers:
    options = job.options
    return Fetchers(
        access=NetworkAccess(guard, job.credentials, options.insecure),
        replay=job.replay,
        recorder=discreet(recorder, job.values, has_session=job.has_logins),
        notice=notice,
        user_agent=user_agent_of(options.contact),
        limits=options.limits,
    )


def _login_addresses(job: ReadingJob) -> list[str]:
    return [section.login.address for section in job.sections if section.login]


def _manners(job: ReadingJob) -> Manners:
    limits = job.options.limits
    return Manners(
        {host_of(section.address): section.delay / 1000 for section in job.sections if section.delay is not None},
        job.options.concurrency,
        offline=job.replay is not None,
        longest_delay=limits.crawl_delay_seconds,
        longest_pause=limits.retry_after_seconds,
        aside_seconds=limits.aside_seconds,
    )
