"""How a start of a run begins: the unfinished run of the same job is resumed, or a new one begins."""

from __future__ import annotations

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.frontier.entries import MAIN_WORKER
from rdfcrawl.engine.frontier.protocol import CrawlQueue, OpenRun
from rdfcrawl.engine.run.job import Job
from rdfcrawl.engine.run.journal import remove_journal
from rdfcrawl.engine.run.record import record_of, write_abandoned
from rdfcrawl.store.runs.record import RunState


@dataclass(frozen=True, slots=True)
class Begun:
    """A run that is about to be worked on: its number, and whether an earlier start has left something to resume."""

    run: int
    resumed: bool


async def begin_or_resume(job: Job, queue: CrawlQueue) -> Begun:
    """Resume the unfinished run of the job, unless everything is to be ``fresh``; else begin one."""
    if queue.was_lost:
        _abandon_lost(job)
    unfinished = await queue.unfinished(job.identity)
    if unfinished is not None and not job.options.fresh:
        return Begun(unfinished, resumed=True)
    if unfinished is not None:
        await _abandon(job, queue, unfinished)
    return Begun(await queue.begin(job.identity, max(job.store.runs.ids(), default=0)), resumed=False)


async def open_run(job: Job, queue: CrawlQueue, run: int) -> OpenRun:
    """The queue of a run, for the worker that begins and finishes it."""
    return await queue.open(run, worker=MAIN_WORKER, model=job.model.digest)


async def _abandon(job: Job, queue: CrawlQueue, run: int) -> None:
    """Close a run that is to start over."""
    write_abandoned(job, job.store.runs.find_record(run) or record_of(job, run))
    await (await open_run(job, queue, run)).frontier.forget()
    remove_journal(job.journal_folder(run))


def _abandon_lost(job: Job) -> None:
    """Close the records of runs of these sections whose queue is lost, so that they cannot be resumed."""
    mine = {section.address for section in job.sections}
    for record in job.store.runs.records():
        is_open = record.state in (RunState.RUNNING, RunState.STOPPED)
        if is_open and mine.intersection(section.address for section in record.sections):
            write_abandoned(job, record)
            remove_journal(job.journal_folder(record.id))
