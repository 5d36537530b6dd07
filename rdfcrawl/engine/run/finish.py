"""The end of a run: what its workers found becomes part of the store, and its queue is cleared.

Each step can be repeated after a crash. The long ones are done in threads, so that an observer of the run can be
told which one it is.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from rdfcrawl.engine.conflicts import find_conflicts
from rdfcrawl.engine.crawl.progress import Observer
from rdfcrawl.engine.crawl.tally import Tally
from rdfcrawl.engine.frontier.protocol import Frontier, OpenRun
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.engine.run.derived import recognises, split_mentions, write_derived
from rdfcrawl.engine.run.job import Job
from rdfcrawl.engine.run.journal import Journal, remove_journal
from rdfcrawl.engine.run.record_rdf import record_lines
from rdfcrawl.engine.run.summary import Summary, summarise
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.folder import finish_run, write_graph
from rdfcrawl.store.runs.record import RunCounts, RunRecord, RunState
from rdfcrawl.store.runs.unread import Unread


@dataclass(frozen=True, slots=True)
class RunReport:
    """What to report about a finished run: its record, and an example for each kind of problem."""

    record: RunRecord
    examples: tuple[Problem, ...]
    reasons: dict[str, str]
    unchanged: int = 0


async def finish(job: Job, record: RunRecord, opened: OpenRun, journal: Journal, observer: Observer) -> RunReport:
    """Make the run part of the store, then clear its queue."""
    tally = Tally.resumed(job.options.engine, await opened.frontier.counted())
    observer.finishing("collecting the edges between objects")
    await _take_over_others(opened.frontier, journal)
    problems = await asyncio.to_thread(_sorted_problems, journal)
    summary = await summarise(job.plan, job.sections, opened.frontier, journal)
    observer.finishing(f"sorting {tally.triples + summary.edges:,} triples")
    triples = await asyncio.to_thread(_write_graphs, job, record.id, journal, observer)
    problems += await asyncio.to_thread(_conflicts, job, record.id, problems)
    completed = _completed(record, summary, tally, problems)
    finished = await asyncio.to_thread(_write, job, completed, problems, triples, summary.unread)
    observer.finishing("clearing the queue")
    if job.replay is None:
        await opened.seen.forget_others(job.is_whole_model)
    await opened.frontier.forget()
    await asyncio.to_thread(remove_journal, job.journal_folder(record.id))
    examples = {problem.kind: problem for problem in reversed(problems)}
    return RunReport(finished, tuple(examples.values()), dict(tally.choice.reasons), tally.unchanged)


async def _take_over_others(frontier: Frontier, journal: Journal) -> None:
    """Add what other workers have written; it is cut off again if this process dies before the end."""
    for worker, valid in sorted((await frontier.lengths()).items()):
        if worker != frontier.worker:
            await asyncio.to_thread(journal.take_over, worker, valid)


def _sorted_problems(journal: Journal) -> list[Problem]:
    return sorted(journal.problems(), key=repr)


def _conflicts(job: Job, run: int, problems: list[Problem]) -> list[Problem]:
    """What pages say about an object and other pages contradict; conflicts inside a page are known already."""
    known = [
        (problem.subject, problem.property)
        for problem in problems
        if problem.kind is ProblemKind.CONFLICT and problem.subject and problem.property
    ]
    graph = job.store.runs.graph(run)
    return list(find_conflicts(lambda: read_lines(graph), job.model, known))


def _write_graphs(job: Job, run: int, journal: Journal, observer: Observer) -> int:
    """Write the run's graph, and the scores of the names that it has recognised; returns the number of triples."""
    if not recognises(job.model) or not journal.triples_path.exists():
        return write_graph(job.store, run, journal.triples_path)
    graph, mentions = split_mentions(journal.triples_path, journal.folder)
    triples = write_graph(job.store, run, graph)
    if mentions.stat().st_size:
        observer.finishing("scoring names")
        write_derived(mentions, run, job.store.runs.derived(run))
    return triples


def _completed(record: RunRecord, summary: Summary, tally: Tally, problems: list[Problem]) -> RunRecord:
    return replace(
        record,
        state=RunState.COMPLETE,
        ended=datetime.now(UTC),
        sections=summary.sections,
        counts=RunCounts(dict(tally.pages), summary.objects, dict(Counter(problem.kind.value for problem in problems))),
    )


def _write(job: Job, record: RunRecord, problems: list[Problem], triples: int, unread: Unread) -> RunRecord:
    lines = record_lines(record, problems, job.model.turtle)
    return finish_run(job.store, record, triples, lines, job.model.turtle, unread)
