"""Problems that the run before did not have, in groups, and what a run suspects for the first time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from rdfcrawl.alert.events.event import Event, EventKind, Fact
from rdfcrawl.errors import DamagedFile
from rdfcrawl.store.runs.problems import ProblemGroup, ReportedProblem, group_problems, read_problems
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.versioning.suspicion.wording import ADVICE, cause, missing

_EXAMPLES: Final = 5


def problem_events(runs: RunFiles, record: RunRecord, before: Iterable[int]) -> list[Event]:
    """An event for each group of new problems, the largest first, and for each new suspicion."""
    known = {_place(problem) for run in before for problem in _problems_before(runs, run)}
    new = (problem for problem in read_problems(runs, record) if _place(problem) not in known)
    prefixes = record.model.prefixes
    groups = [_group_event(group, prefixes) for group in group_problems(new, _EXAMPLES)]
    return [*_suspicion_events(record), *groups]


def _place(problem: ReportedProblem) -> tuple[str, ...]:
    return problem.kind, problem.page, problem.property, problem.address, problem.subject


def _problems_before(runs: RunFiles, run: int) -> list[ReportedProblem]:
    record = runs.find_record(run)
    try:
        return list(read_problems(runs, record)) if record else []
    except DamagedFile:
        # What cannot be read is told once more, rather than never.
        return []


def _group_event(group: ProblemGroup, prefixes: Mapping[str, str]) -> Event:
    title, first = group.heading(prefixes), group.examples[0]
    if group.count == 1:
        return Event(EventKind.PROBLEM, first.address, title, facts=(Fact("reason", "reason", after=(first.reason,)),))
    examples = tuple(Fact(one.address, one.address, after=(one.reason,)) for one in group.examples)
    return Event(EventKind.PROBLEM, "", f"{group.count:,} × {title}", facts=examples)


def _suspicion_events(record: RunRecord) -> list[Event]:
    prefixes = record.model.prefixes
    return [
        Event(
            EventKind.PROBLEM,
            "",
            missing(suspicion, prefixes),
            suspicion.item,
            (
                Fact("cause", "cause", after=(cause(suspicion.selector, prefixes, published=True),)),
                Fact("what to do", "advice", after=(ADVICE,)),
            ),
        )
        for suspicion in record.open_suspicions
        if suspicion.since == record.id
    ]
