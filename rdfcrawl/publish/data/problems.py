"""The problems of a run in groups, as its report has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pyoxigraph as ox

from rdfcrawl.publish.data.objects import text_of
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import record_iri
from rdfcrawl.store.runs.problems import ProblemGroup, ReportedProblem, group_problems
from rdfcrawl.store.runs.record import RunRecord

_EXAMPLES: Final = 20
"""Problems of a group that a page has; the command line has all of them."""


def problem_groups(snapshot: Snapshot, record: RunRecord) -> tuple[ProblemGroup, ...]:
    """The problems of a run, the largest group first."""
    return snapshot.keep(("problems", record.id), lambda: group_problems(_problems(snapshot, record), _EXAMPLES))


def _problems(snapshot: Snapshot, record: RunRecord) -> Iterator[ReportedProblem]:
    store = snapshot.data.store
    graph = ox.NamedNode(record_iri(record.id))
    for quad in store.quads_for_pattern(None, ox.NamedNode(terms.RECORD + "problem"), None, graph):
        if isinstance(quad.object, ox.NamedNode):
            about = store.quads_for_pattern(quad.object, None, None, graph)
            yield ReportedProblem.of(
                {said.predicate.value.removeprefix(terms.RECORD): text_of(said.object) for said in about}
            )
