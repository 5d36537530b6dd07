"""The problems of a run: in groups, as its report has them, and one by one."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import groupby
from typing import Final

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.data.objects import node_of, text_of
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import record_iri
from rdfcrawl.store.runs.problems import ProblemGroup, ReportedProblem
from rdfcrawl.store.runs.record import RunRecord

_EXAMPLES: Final = 5
"""Problems of a group that the page of a run has; another page has all of them."""


@dataclass(frozen=True, slots=True)
class ProblemChoice:
    """The problems of one kind, on one kind of page, with one property or with none."""

    kind: str
    page: str
    property: str = ""

    def statements(self) -> Iterator[tuple[ox.NamedNode, ox.NamedNode | ox.Literal]]:
        """What the record of a run says of each of them, what is most particular first."""
        for name, iri in (("property", self.property), ("page", self.page)):
            if node := node_of(iri) if iri else None:
                yield _term(name), node
        yield _term("kind"), ox.Literal(self.kind)


def problem_groups(snapshot: Snapshot, record: RunRecord) -> tuple[ProblemGroup, ...]:
    """The problems of a run, the largest group first."""
    return snapshot.keep(("problems", record.id), lambda: tuple(_groups(snapshot, record)))


def chosen_problems(
    snapshot: Snapshot, record: RunRecord, choice: ProblemChoice | None, start: int, at_most: int
) -> list[ReportedProblem]:
    """A part of the chosen problems, or of all, in the order of their addresses; only that part is read whole."""
    wanted = (choice.kind, choice.page, choice.property) if choice else None
    chosen = [row for row in _table(snapshot, record) if wanted in (None, row[:3])]
    return [_problem(snapshot, record, row[-1]) for row in chosen[start : start + at_most]]


def _groups(snapshot: Snapshot, record: RunRecord) -> Iterator[ProblemGroup]:
    groups = {place: list(rows) for place, rows in groupby(_table(snapshot, record), key=lambda row: row[:3])}
    for (kind, page, prop), rows in sorted(groups.items(), key=lambda group: -len(group[1])):
        examples = (_problem(snapshot, record, row[-1]) for row in rows[:_EXAMPLES])
        yield ProblemGroup(kind, page, prop, len(rows), tuple(examples))


def _table(snapshot: Snapshot, record: RunRecord) -> list[tuple[str, str, str, str, str]]:
    """Kind, page, property, address and IRI of each problem, in order.

    Each column is one scan of the store: looking up a hundred thousand problems one by one would take minutes.
    """
    kinds, *others = (_column(snapshot, record, name) for name in ("kind", "page", "property", "address"))
    pages, properties, addresses = others
    return sorted(
        (kind, pages.get(iri, ""), properties.get(iri, ""), addresses.get(iri, ""), iri) for iri, kind in kinds.items()
    )


def _column(snapshot: Snapshot, record: RunRecord, name: str) -> dict[str, str]:
    """What the record of a run says of its problems with one of its terms."""
    graph = ox.NamedNode(record_iri(record.id))
    results = snapshot.data.store.query(f"SELECT ?s ?o WHERE {{ GRAPH {graph} {{ ?s {_term(name)} ?o }} }}")
    assert isinstance(results, ox.QuerySolutions)
    text = results.serialize(format=ox.QueryResultsFormat.CSV)
    assert text is not None
    rows = csv.reader(io.StringIO(text.decode(), newline=""))
    next(rows)
    return {row[0]: row[1] for row in rows}


def _problem(snapshot: Snapshot, record: RunRecord, iri: str) -> ReportedProblem:
    about = snapshot.data.store.quads_for_pattern(ox.NamedNode(iri), None, None, ox.NamedNode(record_iri(record.id)))
    return ReportedProblem.of({said.predicate.value.removeprefix(terms.RECORD): text_of(said.object) for said in about})


def _term(name: str) -> ox.NamedNode:
    return ox.NamedNode(terms.RECORD + name)
