"""The problems of a run, read from its record, and grouped as every report shows them.

A group is one kind of trouble with one property on one kind of page: what one edit of the model, or one change of the
site, explains at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import groupby

from rdfcrawl.rdf import terms
from rdfcrawl.rdf.names import shorten
from rdfcrawl.rdf.ntriples import RDF_TYPE, split, term_text
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.runs.integrity import ensure_whole
from rdfcrawl.store.runs.record import RunFile, RunRecord
from rdfcrawl.store.runs.run_files import RunFiles

_PROBLEM = f"<{terms.RECORD}Problem>"


@dataclass(frozen=True, slots=True, order=True)
class ReportedProblem:
    """One problem as the record of a run has it; what it does not say is empty."""

    kind: str
    page: str
    property: str
    address: str
    element: str
    subject: str
    path: str
    raw: str
    reason: str

    @classmethod
    def of(cls, values: Mapping[str, object]) -> ReportedProblem:
        """The problem that these values describe, by the names of the fields."""
        return cls(*(str(values.get(name) or "") for name in PROBLEM_FIELDS))


PROBLEM_FIELDS = tuple(field.name for field in fields(ReportedProblem))


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """Problems of one kind with one property on one kind of page: how many there are, and the first ones."""

    kind: str
    page: str
    property: str
    count: int
    examples: tuple[ReportedProblem, ...]

    def heading(self, prefixes: Mapping[str, str]) -> str:
        """What they have in common, such as ``missing quote:author on page:quotes``."""
        what = f" {shorten(self.property, prefixes)}" if self.property else ""
        return f"{self.kind}{what} on {shorten(self.page, prefixes)}"


def group_problems(problems: Iterable[ReportedProblem], examples: int = 1) -> tuple[ProblemGroup, ...]:
    """The groups, the largest first, each with its first problems in the order of addresses."""
    ordered = groupby(sorted(problems), key=lambda problem: (problem.kind, problem.page, problem.property))
    groups = []
    for place, found in ordered:
        every = list(found)
        groups.append(ProblemGroup(*place, len(every), tuple(every[:examples])))
    return tuple(sorted(groups, key=lambda group: -group.count))


def read_problems(runs: RunFiles, record: RunRecord) -> Iterator[ReportedProblem]:
    """Every problem of a run that has ended; raises ``DamagedFile`` if its record is not as it was written."""
    if not runs.has_file(record, RunFile.RECORD):
        return
    ensure_whole(runs, record, (RunFile.RECORD,))
    statements = (split(line.decode()) for line in read_lines(runs.record_graph(record.id)))
    for _, about in groupby(statements, key=lambda statement: statement[0]):
        values = {predicate: value for _, predicate, value in about}
        if values.get(RDF_TYPE) == _PROBLEM:
            yield ReportedProblem.of(
                {name[1:-1].removeprefix(terms.RECORD): term_text(value) for name, value in values.items()}
            )
