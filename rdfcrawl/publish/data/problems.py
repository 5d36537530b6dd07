"""The problems of a run: in groups, as its report has them, and one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pyoxigraph as ox

from rdfcrawl.publish.data.objects import node_of, text_of
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import record_iri
from rdfcrawl.store.runs.problems import ProblemGroup, ReportedProblem, group_problems
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
    return snapshot.keep(
        ("problems", record.id),
        lambda: group_problems((_problem(snapshot, record, node) for node in _nodes(snapshot, record)), _EXAMPLES),
    )


def chosen_problems(
    snapshot: Snapshot, record: RunRecord, choice: ProblemChoice | None, start: int, at_most: int
) -> list[ReportedProblem]:
    """A part of the chosen problems, or of all, in the order of their addresses; only that part is read whole."""
    store, graph, address = snapshot.data.store, ox.NamedNode(record_iri(record.id)), _term("address")

    def place(node: ox.NamedNode) -> tuple[str, str]:
        said = min((text_of(quad.object) for quad in store.quads_for_pattern(node, address, None, graph)), default="")
        return said, node.value

    ordered = sorted(_nodes(snapshot, record, choice), key=place)
    return [_problem(snapshot, record, node) for node in ordered[start : start + at_most]]


def _nodes(snapshot: Snapshot, record: RunRecord, choice: ProblemChoice | None = None) -> Iterator[ox.NamedNode]:
    store, graph = snapshot.data.store, ox.NamedNode(record_iri(record.id))
    if choice is None:
        for quad in store.quads_for_pattern(None, _term("problem"), None, graph):
            if isinstance(quad.object, ox.NamedNode):
                yield quad.object
        return
    (predicate, value), *others = choice.statements()
    for quad in store.quads_for_pattern(None, predicate, value, graph):
        node = quad.subject
        if not isinstance(node, ox.NamedNode):
            continue
        fits = all([*store.quads_for_pattern(node, *other, graph)] for other in others)
        if fits and (choice.property or not [*store.quads_for_pattern(node, _term("property"), None, graph)]):
            yield node


def _problem(snapshot: Snapshot, record: RunRecord, node: ox.NamedNode) -> ReportedProblem:
    about = snapshot.data.store.quads_for_pattern(node, None, None, ox.NamedNode(record_iri(record.id)))
    return ReportedProblem.of({said.predicate.value.removeprefix(terms.RECORD): text_of(said.object) for said in about})


def _term(name: str) -> ox.NamedNode:
    return ox.NamedNode(terms.RECORD + name)
