"""The end of a run: what its workers found becomes part of the store, and its queue is cleared.

Each step can be repeated after a crash. The long ones are done in threads, so that an observer of the run can be
told which one it is.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, field, replace
from pathlib import Path

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.conflicts import find_conflicts
from rdfcrawl.engine.crawl.progress import Observer
from rdfcrawl.engine.crawl.tally import Tally
from rdfcrawl.engine.frontier.protocol import Frontier, OpenRun
from rdfcrawl.engine.memory import give_memory_back
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.engine.run.derived import recognises, split_mentions, write_derived
from rdfcrawl.engine.run.job import Job
from rdfcrawl.engine.run.journal import Journal, remove_journal
from rdfcrawl.engine.run.neighbours import neighbours
from rdfcrawl.engine.run.record_rdf import record_lines
from rdfcrawl.engine.run.summary import Summary, summarise, write_edges
from rdfcrawl.engine.run.surveys import SurveySummary, keeps_links, keeps_triples, settle_surveys
from rdfcrawl.metamodel.alerts.hiding import published_turtle
from rdfcrawl.rdf.graphs import links_iri, record_iri, run_iri
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.files.lines import read_lines, write_sorted
from rdfcrawl.store.folder import finish_run, write_graph, write_links
from rdfcrawl.store.preloading import Preloading
from rdfcrawl.store.runs.problems import ProblemGroup, ReportedProblem, group_problems
from rdfcrawl.store.runs.record import RunCounts, RunRecord, RunState
from rdfcrawl.store.runs.sources import PARTS_FOLLOW, says_more, telling


@dataclass(frozen=True, slots=True)
class RunReport:
    """What to report about a finished run: its record, its problems in groups, and why pages needed the browser."""

    record: RunRecord
    problems: tuple[ProblemGroup, ...]
    reasons: dict[str, str]
    unchanged: int = 0
    survey: SurveySummary = field(default_factory=SurveySummary)


async def finish(
    job: Job, record: RunRecord, opened: OpenRun, journal: Journal, observer: Observer, preloading: Preloading
) -> RunReport:
    """Make the run part of the store, then clear its queue; its graphs are preloaded meanwhile."""
    tally = Tally.resumed(job.options.engine, await opened.frontier.counted())
    observer.finishing("collecting the edges between objects")
    await _take_over_others(opened.frontier, journal)
    survey = await settle_surveys(job.model, opened.frontier, journal)
    problems = sorted([*await asyncio.to_thread(_sorted_problems, journal), *survey.problems()], key=repr)
    edges = await write_edges(opened.frontier, journal, job.sections)
    is_final = not survey.duplicates and not recognises(job.model)
    if is_final:
        await asyncio.to_thread(_preload, preloading, record.id, journal.triples_path, journal.links_path)
    summary = await summarise(job.model, job.sections, opened.frontier, journal, edges)
    # Sorting needs nothing of what the crawl and its queue have left behind.
    give_memory_back()
    observer.finishing(f"sorting {tally.triples + summary.edges:,} triples")
    triples = await asyncio.to_thread(_write_graphs, job, record.id, journal, survey, observer)
    if not is_final:
        # What was left out of the journal's lines was only known by sorting them.
        runs = job.store.runs
        await asyncio.to_thread(_preload, preloading, record.id, runs.graph(record.id), runs.links(record.id))
    problems += await asyncio.to_thread(_conflicts, job, record.id, problems)
    completed = _completed(record, summary, tally, problems)
    about = await asyncio.to_thread(_write_record, job, completed, problems, journal, survey)
    finished = await asyncio.to_thread(
        finish_run, job.store, completed, triples, about, job.model.turtle, summary.unread
    )
    observer.finishing("clearing the queue")
    if job.replay is None:
        await opened.seen.forget_others(job.is_whole_model)
    await opened.frontier.forget()
    job.session_file(record.id).remove()
    await asyncio.to_thread(remove_journal, job.journal_folder(record.id))
    groups = group_problems(ReportedProblem.of(asdict(problem)) for problem in problems)
    return RunReport(finished, groups, dict(tally.choice.reasons), tally.unchanged, survey)


async def _take_over_others(frontier: Frontier, journal: Journal) -> None:
    """Add what other workers have written; it is cut off again if this process dies before the end."""
    for worker, valid in sorted((await frontier.lengths()).items()):
        if worker != frontier.worker:
            await asyncio.to_thread(journal.take_over, worker, valid)


def _preload(preloading: Preloading, run: int, triples: Path, links: Path) -> None:
    """Have the graphs of a run loaded from the journal, or from the files that were made of it."""
    for graph, lines in ((run_iri(run), triples), (links_iri(run), links)):
        # A run that was killed at its very end has files and no journal.
        if lines.exists() and lines.stat().st_size:
            preloading.add(graph, lines)


def _sorted_problems(journal: Journal) -> list[Problem]:
    # Two pages that say the same about one place have one problem, as in the record.
    return sorted(set(journal.problems()), key=repr)


def _conflicts(job: Job, run: int, problems: list[Problem]) -> list[Problem]:
    """What pages say about an object and other pages contradict; conflicts inside a page are known already."""
    known = [
        (problem.subject, problem.property)
        for problem in problems
        if problem.kind is ProblemKind.CONFLICT and problem.subject and problem.property
    ]
    graph = job.store.runs.graph(run)
    return list(find_conflicts(lambda: read_lines(graph), job.model, known))


def _write_graphs(job: Job, run: int, journal: Journal, survey: SurveySummary, observer: Observer) -> int:
    """Write the run's graph, its links and the scores of its names, without what duplicates repeat.

    Returns the number of triples of the graph.
    """
    graph, keeps = journal.triples_path, keeps_triples(job.model, survey.duplicates)
    if recognises(job.model) and graph.exists():
        graph, mentions = split_mentions(graph, journal.folder, survey.duplicates)
        if mentions.stat().st_size:
            observer.finishing("scoring names")
            linked = neighbours(mentions, journal.links_path)
            write_derived(mentions, run, job.store.runs.derived(run), linked)
    write_links(job.store, run, journal.links_path, keeps_links(survey.duplicates))
    return write_graph(job.store, run, graph, keeps, observer.advance)


def _completed(record: RunRecord, summary: Summary, tally: Tally, problems: list[Problem]) -> RunRecord:
    return replace(
        record,
        state=RunState.COMPLETE,
        sources=PARTS_FOLLOW,
        ended=record.end(),
        sections=summary.sections,
        counts=RunCounts(dict(tally.pages), summary.objects, dict(Counter(problem.kind.value for problem in problems))),
    )


def _write_record(
    job: Job, record: RunRecord, problems: list[Problem], journal: Journal, survey: SurveySummary
) -> Path:
    """Write the record in RDF into the folder of the journal, merged with what says where the objects were read."""
    said = record_lines(record, problems, published_turtle(job.model), survey.slowest).splitlines(keepends=True)
    target = journal.folder / "record.nq"
    with target.open("wb") as file:
        file.writelines(heapq.merge(said, _read_from(journal, iri(record_iri(record.id)))))
    return target


def _read_from(journal: Journal, graph: str) -> Iterator[bytes]:
    """The lines that say from which pages objects were read, in order."""
    if not any(map(says_more, read_lines(journal.sources_path))):
        return
    noted, statements, ordered = (journal.folder / name for name in ("noted.gz", "read-from.nq", "read-from.sorted.gz"))
    write_sorted(journal.sources_path, noted)
    with statements.open("wb") as file:
        file.writelines(f"{said} {graph} .\n".encode() for said in telling(line.decode() for line in read_lines(noted)))
    write_sorted(statements, ordered)
    for line in read_lines(ordered):
        yield line + b"\n"
