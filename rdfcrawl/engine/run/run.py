"""A run from its first page to its place in the store; newly begun, or resumed where it was stopped."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, aclosing, closing, contextmanager
from dataclasses import replace
from pathlib import Path

from rdfcrawl.engine.crawl.headway import Headway
from rdfcrawl.engine.crawl.loop import Crawl, CrawlPart
from rdfcrawl.engine.crawl.progress import Observer, Silent
from rdfcrawl.engine.crawl.tally import Tally
from rdfcrawl.engine.fetch.warc.recorder import WarcRecorder
from rdfcrawl.engine.frontier.entries import NOTHING_VALID
from rdfcrawl.engine.frontier.opening import open_queue
from rdfcrawl.engine.frontier.protocol import CrawlQueue, OpenRun, WorkerGone
from rdfcrawl.engine.limits import ensure_room
from rdfcrawl.engine.machines.leading import Collector, is_shared, kept_alive, leaving_when, told, while_collecting
from rdfcrawl.engine.machines.task import task_of
from rdfcrawl.engine.run.archives import cut_worker_archives, open_recorder
from rdfcrawl.engine.run.beginning import Begun, begin_or_resume, open_run
from rdfcrawl.engine.run.finish import RunReport, finish
from rdfcrawl.engine.run.job import Job, chosen_sections
from rdfcrawl.engine.run.journal import InBlocks, Journal, Results
from rdfcrawl.engine.run.options import RunOptions
from rdfcrawl.engine.run.record import record_of, with_archives
from rdfcrawl.engine.run.wiring import wired
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.errors import Stopped, StoreBusy
from rdfcrawl.metamodel.model import Model, Section
from rdfcrawl.rdf.graphs import links_iri
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.files.locks import exclusive
from rdfcrawl.store.files.whole import is_full_disk
from rdfcrawl.store.folder import Store
from rdfcrawl.store.preloading import Preloading
from rdfcrawl.store.runs.record import RunRecord, RunState

__all__ = ["RunOptions", "RunReport", "run_model"]


async def run_model(
    model: Model,
    store: Store,
    options: RunOptions | None = None,
    *,
    observer: Observer | None = None,
    stop: asyncio.Event | None = None,
    pool: WorkerPool | None = None,
    preloading: Preloading | None = None,
) -> RunReport:
    """Crawl a model into a store. An unfinished run of the same model, sections and options is resumed.

    ``pool`` reads its pages, and is closed when they are read. ``preloading`` begins while the files of the run are
    written, for whoever brings the index up to date afterwards.
    Raises ``Stopped`` when ``stop`` is set before the end or the disk is full; nothing that was read is lost.
    """
    options = options or RunOptions()
    sections = chosen_sections(model, options.sections)
    with _stopped_by_full_disk(store.folder), _sections_locked(store, sections):
        async with aclosing(pool or WorkerPool.started(options.limits)) as readers:
            readers.use(model)
            job = Job.of(model, sections, store, options)
            run = _Run(job, observer or Silent(), readers, preloading or Preloading())
            ensure_room(store.folder, options.limits.free_bytes)
            async with aclosing(await open_queue(options.queue or store.queue, run.observer.notice)) as queue:
                return await run.go(queue, stop or asyncio.Event())


class _Run:
    """One start of a run."""

    def __init__(self, job: Job, observer: Observer, pool: WorkerPool, preloading: Preloading) -> None:
        self.job = job
        self.observer = observer
        self._pool = pool
        self._preloading = preloading

    async def go(self, queue: CrawlQueue, stop: asyncio.Event) -> RunReport:
        """Begin or resume, crawl and finish; a run that others take part in is led as long as that takes."""
        begun = await begin_or_resume(self.job, queue)
        if not is_shared(queue):
            return await self._started(begun, queue, stop)
        async with kept_alive(queue), leaving_when(stop, queue):
            while True:
                try:
                    return await self._started(begun, queue, stop)
                except WorkerGone as gone:
                    if gone.is_replaced:
                        raise Stopped(f"run {begun.run} is led by another process now") from None
                    self.observer.notice(
                        "the queue was out of reach for too long; what was not committed is read again"
                    )
                    begun = Begun(begun.run, resumed=True)
                    # The processes that were reading have ended with what they had to read.
                    self._pool = WorkerPool.started(self.job.options.limits)
                    self._pool.use(self.job.model)

    async def _started(self, begun: Begun, queue: CrawlQueue, stop: asyncio.Event) -> RunReport:
        job, runs = self.job, self.job.store.runs
        record = record_of(job, begun.run)
        with ExitStack() as files:
            if recorder := self._recorder(record):
                files.enter_context(closing(recorder))
            record = with_archives(job, record, recorder)
            if runs.find_record(begun.run) is None:
                runs.write_record(record)
            await queue.offer(begun.run, task_of(job, record, is_archived=recorder is not None))
            self.observer.begin(begun.run, resumed=begun.resumed)
            opened = await open_run(job, queue, begun.run)
            journal = files.enter_context(closing(await self._journal(record, opened)))
            await opened.frontier.start(job.sections, {page.iri: page.params for page in job.model.pages.values()})
            await opened.frontier.release_claims()
            try:
                if not await self._crawl(opened, journal, recorder, stop):
                    raise Stopped(f"run {begun.run} was stopped; the same command resumes it")
            except Stopped:
                runs.write_record(replace(record, state=RunState.STOPPED))
                raise
            if recorder:
                recorder.close()
            if opened.blocks is not None:
                self._cut_archives(begun.run, await opened.blocks.archives())
            complete = with_archives(job, record, recorder)
            return await finish(job, complete, opened, journal, self.observer, self._preloading)

    def _recorder(self, record: RunRecord) -> WarcRecorder | None:
        is_recorded = self.job.replay is not None and self.job.replay.is_archive
        return open_recorder(self.job.store, record) if self.job.options.record and not is_recorded else None

    async def _journal(self, record: RunRecord, opened: OpenRun) -> Journal:
        """The journal as the last commit left it."""
        valid = (await opened.frontier.lengths()).get(opened.frontier.worker, NOTHING_VALID)
        folder = self.job.journal_folder(record.id)
        links = iri(links_iri(record.id))
        return Journal(folder, iri(record.iri), links_graph=links, worker=opened.frontier.worker, valid=valid)

    def _cut_archives(self, run: int, valid: Mapping[str, int]) -> None:
        for worker in cut_worker_archives(self.job.store, run, valid):
            self.observer.notice(
                f"what the worker {worker} has archived is not in {self.job.store.archive}; "
                "let the --archive of all workers be that folder"
            )

    async def _crawl(
        self, opened: OpenRun, journal: Journal, recorder: WarcRecorder | None, stop: asyncio.Event
    ) -> bool:
        job, frontier = self.job, opened.frontier
        sections = tuple(section.address for section in job.sections)
        tally = Tally.resumed(job.options.engine, await frontier.counted())
        headway = Headway(frontier.run, sections, await frontier.counts())
        results: Results = journal if opened.blocks is None else InBlocks(journal.folder)
        sessions = job.session_file(frontier.run)
        async with wired(job, opened, self._pool, recorder, self.observer.notice, sessions) as means:
            crawl = Crawl(
                job.model,
                frontier,
                results,
                tally,
                headway,
                means=means,
                sections=sections,
                observer=self.observer,
                part=CrawlPart(reads=job.options.reads),
            )
            if opened.blocks is None:
                return await crawl.run(stop)
            async with told(frontier, headway, job.options.engine):
                return await while_collecting(Collector(opened.blocks, journal), crawl.run(stop))


@contextmanager
def _stopped_by_full_disk(folder: Path) -> Iterator[None]:
    """Turn the error of a full disk, wherever it occurred, into one sentence for the user."""
    try:
        yield
    except OSError as error:
        if is_full_disk(error):
            reason = f"the disk of {folder} is full; free some space, and the same command resumes the run"
            raise Stopped(reason) from error
        raise


@contextmanager
def _sections_locked(store: Store, sections: Sequence[Section]) -> Iterator[None]:
    """Lock the sections against other runs; the lock is released when the process ends, however it ends."""
    folder = store.folder / "work"
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as locks:
        for address in sorted(section.address for section in sections):
            name = hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()
            if not locks.enter_context(exclusive(folder / f"{name}.lock", wait=0)):
                raise StoreBusy(
                    f"another rdfcrawl is already running the section {address} in {store.folder}; "
                    "wait until it has finished, or use another --store"
                )
        yield
