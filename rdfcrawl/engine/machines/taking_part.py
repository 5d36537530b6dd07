"""A worker: it takes part in every run of a queue, and needs neither a model nor a store."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import socket
from collections.abc import Callable
from contextlib import ExitStack, aclosing, closing
from dataclasses import field
from pathlib import Path
from secrets import token_hex
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.crawl.headway import Headway
from rdfcrawl.engine.crawl.loop import Crawl, CrawlPart
from rdfcrawl.engine.crawl.progress import PageRead, Silent
from rdfcrawl.engine.crawl.tally import Tally
from rdfcrawl.engine.frontier.opening import open_shared
from rdfcrawl.engine.frontier.protocol import OfferedRun, OpenRun, SharedQueue, WorkerGone
from rdfcrawl.engine.machines.leading import kept_alive, leaving_when
from rdfcrawl.engine.machines.task import OfferedReading, offered_reading
from rdfcrawl.engine.run.archives import open_worker_recorder
from rdfcrawl.engine.run.journal import InBlocks
from rdfcrawl.engine.run.wiring import wired
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.errors import RdfcrawlError, UsageError
from rdfcrawl.version import VERSION

_LOOK_SECONDS: Final = 0.5
"""How often a worker looks which runs there are."""
_OTHER_SIGNS: Final = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """What a user can choose for a worker: how many pages it reads at once, and where it archives them."""

    concurrency: int | None = None
    archive: Path | None = None
    allowed_variables: tuple[str, ...] = ()


@dataclass(slots=True)
class WorkerState:
    """What a worker is doing: the runs that it takes part in, and how many pages it has read."""

    name: str
    runs: set[int] = field(default_factory=set)
    pages: int = 0
    problems: int = 0


class _Counting(Silent):
    """Counts pages, and passes on what the user should know."""

    def __init__(self, state: WorkerState, notice: Callable[[str], None]) -> None:
        self._state = state
        self._notice = notice

    def page(self, page: PageRead) -> None:
        """Count a page."""
        self._state.pages += not page.again
        self._state.problems += len(page.problems)

    def notice(self, text: str) -> None:
        """Pass it on."""
        self._notice(text)


async def take_part(
    address: str, options: WorkerOptions, state: WorkerState, *, notice: Callable[[str], None], stop: asyncio.Event
) -> None:
    """Take part in every run of the queue until ``stop`` is set; then what was read is committed, the rest given back.

    Raises ``RdfcrawlError`` where the queue cannot be used. A server that is away is waited for.
    """
    queue = await open_shared(address, notice, waits=True)
    async with aclosing(queue), kept_alive(queue), leaving_when(stop, queue):
        await queue.enlist(state.name)
        worker = _Worker(queue, options, state, notice)
        try:
            await worker.work(stop)
        finally:
            await queue.dismiss(state.name)


def worker_name() -> str:
    """A name that no other worker has: that of the machine, and something by chance."""
    machine = _OTHER_SIGNS.sub("-", socket.gethostname()).strip("-")[:40]
    return f"{machine or 'worker'}-{os.getpid()}-{token_hex(3)}"


@dataclass(frozen=True, slots=True)
class _TakenPart:
    """One run that this worker takes part in, until it is told to stop."""

    run: int
    stop: asyncio.Event
    task: asyncio.Task[None]


class _Worker:
    """Begins to take part in runs that are offered, and stops where they end."""

    def __init__(
        self, queue: SharedQueue, options: WorkerOptions, state: WorkerState, notice: Callable[[str], None]
    ) -> None:
        self._queue = queue
        self._options = options
        self._state = state
        self._notice = notice
        self._observer = _Counting(state, notice)
        self._parts: dict[str, _TakenPart] = {}
        self._lives = 0

    async def work(self, stop: asyncio.Event) -> None:
        """Look for runs until ``stop`` is set."""
        try:
            while not stop.is_set():
                offered = {_key(one): one for one in await self._queue.offered()}
                for key, one in offered.items():
                    if key not in self._parts:
                        ending = asyncio.Event()
                        self._parts[key] = _TakenPart(one.run, ending, asyncio.create_task(self._join(one, ending)))
                for key in self._parts.keys() - offered.keys():
                    await self._end(self._parts.pop(key))
                self._state.runs = {part.run for part in self._parts.values() if not part.task.done()}
                try:
                    await asyncio.wait_for(stop.wait(), _LOOK_SECONDS)
                except TimeoutError:
                    continue
        finally:
            for part in self._parts.values():
                part.stop.set()
            for part in self._parts.values():
                await self._end(part)

    async def _end(self, part: _TakenPart) -> None:
        part.stop.set()
        await part.task

    async def _join(self, offered: OfferedRun, stop: asyncio.Event) -> None:
        """Take part in a run; what keeps this worker from it is said, and is no reason to leave the others."""
        if offered.version != VERSION:
            self._notice(
                f"run {offered.run} was begun by rdfcrawl {offered.version}, and this worker is rdfcrawl {VERSION}; "
                "it takes part only in runs of its own version"
            )
            return
        try:
            reading = offered_reading(offered.task, offered.run, self._options.allowed_variables)
            self._check_archive(offered.run, reading)
            self._notice(f"takes part in run {offered.run}")
            while not stop.is_set() and await self._is_offered(offered):
                try:
                    await self._read(offered.run, reading, stop)
                except WorkerGone:
                    if await self._is_offered(offered):
                        self._notice(
                            "the queue was out of reach for too long; what was not committed is read by others"
                        )
        except RdfcrawlError as error:
            self._notice(f"takes no part in run {offered.run}: {error}")

    def _check_archive(self, run: int, reading: OfferedReading) -> None:
        folder = self._options.archive
        if not reading.is_archived:
            return
        if folder is None:
            self._notice(
                f"run {run} is archived, and this worker has no --archive; "
                "what it reads cannot be explained or replayed"
            )
        elif not folder.is_dir():
            raise UsageError(
                f"there is no folder {folder}: --archive is the folder archive of the store, mounted on this machine"
            )

    async def _is_offered(self, offered: OfferedRun) -> bool:
        return any(one.run == offered.run for one in await self._queue.offered())

    async def _read(self, run: int, offered: OfferedReading, stop: asyncio.Event) -> None:
        """Read pages of a run, under a name that is used once: what was written under another one is not touched."""
        self._lives += 1
        name, reading = f"{self._state.name}-{self._lives}", offered.reading
        opened = await self._queue.open(run, worker=name, model=reading.model.digest)
        with ExitStack() as files:
            recorder = None
            if offered.is_archived and (folder := self._options.archive) is not None:
                made = open_worker_recorder(folder, run, name, reading.model.digest, offered.earlier)
                recorder = files.enter_context(closing(made))
            pool = WorkerPool.started(reading.options.limits)
            pool.use(reading.model)
            most = self._options.concurrency
            async with wired(reading, opened, pool, recorder, self._notice, most_at_once=most) as means:
                results = InBlocks(self._options.archive, lambda: recorder.synced_bytes if recorder else 0)
                tally = Tally.resumed(reading.options.engine, await opened.frontier.counted())
                sections = tuple(section.address for section in reading.sections)
                crawl = Crawl(
                    reading.model,
                    opened.frontier,
                    results,
                    tally,
                    _headway(opened, sections),
                    means=means,
                    sections=sections,
                    observer=self._observer,
                    part=CrawlPart(leads=False, most=most),
                )
                await crawl.run(stop)


def _headway(opened: OpenRun, sections: tuple[str, ...]) -> Headway:
    """How far the run has come is for its leader to know."""
    return Headway(opened.frontier.run, sections, {})


def _key(offered: OfferedRun) -> str:
    """The same for the same run with the same options: with others, it is joined anew."""
    return f"{offered.run} {hashlib.sha256(offered.task.encode()).hexdigest()}"
