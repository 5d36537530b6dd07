"""One object, read from a snapshot: what is said of it, what leads to it, what it is called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import islice

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.data.schema import ObjectClass
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.rdf.graphs import is_run, record_iri, run_iri, run_of
from rdfcrawl.rdf.names import is_hash_name
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.sources import READ_FROM, deciding_names, named_page

VALUES_AT_MOST = 60
_SMALL = 1000
_DEPTH = 4

Term = ox.NamedNode | ox.Literal


class ObjectStanding(StrEnum):
    """Whether the current state has an object."""

    CURRENT = "current"
    REMOVED = "removed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ObjectFacts:
    """What is said of an object, by predicate; ``more`` are the predicates with further values."""

    values: Mapping[str, Sequence[Term]]
    more: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.values)


def standing(snapshot: Snapshot, iri: str) -> ObjectStanding:
    """Whether an object is there now, was there once, or was never seen."""
    node = node_of(iri)
    if node is None:
        return ObjectStanding.UNKNOWN
    if _is_described(snapshot, node):
        return ObjectStanding.CURRENT
    once = any(is_run(graph) for graph in _graphs_of(snapshot, node))
    return ObjectStanding.REMOVED if once else ObjectStanding.UNKNOWN


def facts(snapshot: Snapshot, iri: str, graphs: Sequence[ox.NamedNode] | None = None) -> ObjectFacts:
    """What the graphs, by default the current ones, say of an object, up to a number of values per predicate."""
    node = ox.NamedNode(iri)
    chosen = snapshot.graphs if graphs is None else graphs
    found: dict[str, dict[Term, None]] = {}
    statements = list(islice(_statements(snapshot, node, None, chosen), _SMALL + 1))
    if len(statements) > _SMALL:
        # A section can lead to a million objects; reading all of them only to show the first would take seconds.
        statements = [
            statement
            for predicate in snapshot.schema.predicates
            for statement in islice(_statements(snapshot, node, ox.NamedNode(predicate), chosen), VALUES_AT_MOST + 1)
        ]
    for predicate, value in statements:
        found.setdefault(predicate, {})[value] = None
    more = frozenset(predicate for predicate, values in found.items() if len(values) > VALUES_AT_MOST)
    return ObjectFacts({predicate: list(values)[:VALUES_AT_MOST] for predicate, values in found.items()}, more)


def all_values(snapshot: Snapshot, iri: str, predicates: Iterable[str]) -> list[list[Term]]:
    """Every value that the current state has of an object, predicate by predicate."""
    found: dict[str, dict[Term, None]] = {predicate: {} for predicate in predicates}
    for predicate, value in _statements(snapshot, ox.NamedNode(iri), None, snapshot.graphs):
        if predicate in found:
            found[predicate][value] = None
    return [list(values) for values in found.values()]


def document_triples(
    snapshot: Snapshot, iri: str, graphs: Sequence[ox.NamedNode] | None = None
) -> Iterator[tuple[ox.Triple, str]]:
    """What the graphs say of an object and of the objects on its page, which have no document of their own."""
    chosen = snapshot.graphs if graphs is None else graphs
    waiting, seen = [(iri, 0)], {iri}
    while waiting:
        subject, depth = waiting.pop()
        node = ox.NamedNode(subject)
        for graph in chosen:
            for quad in snapshot.data.store.quads_for_pattern(node, None, None, graph):
                yield quad.triple, graph.value
                value = quad.object
                if isinstance(value, ox.NamedNode) and value.value not in seen and depth < _DEPTH:
                    seen.add(value.value)
                    if value.value.startswith(f"{iri}#"):
                        waiting.append((value.value, depth + 1))


def incoming(snapshot: Snapshot, iri: str, at_most: int) -> list[tuple[str, str]]:
    """Subjects and predicates of the current statements that lead to an object."""
    node = ox.NamedNode(iri)
    found: dict[tuple[str, str], None] = {}
    for graph in snapshot.graphs:
        for quad in islice(snapshot.data.store.quads_for_pattern(None, None, node, graph), at_most):
            found[text_of(quad.subject), quad.predicate.value] = None
    return list(found)[:at_most]


def linking(snapshot: Snapshot, iri: str, at_most: int) -> dict[str, list[str]]:
    """The subjects of the current statements that lead to an object, by predicate, up to a number of each."""
    node = ox.NamedNode(iri)
    found: dict[str, list[str]] = {}
    for predicate in snapshot.schema.predicates:
        link = ox.NamedNode(predicate)
        quads = (
            quad
            for graph in snapshot.graphs
            for quad in islice(snapshot.data.store.quads_for_pattern(None, link, node, graph), at_most)
        )
        if subjects := list(dict.fromkeys(text_of(quad.subject) for quad in quads)):
            found[predicate] = subjects[:at_most]
    return found


def label(snapshot: Snapshot, iri: str, run: int | None = None) -> str | None:
    """The label of an object: in a run, otherwise now, otherwise in any run that saw it."""
    node = node_of(iri)
    if node is None:
        return None
    in_run = (ox.NamedNode(run_iri(run)),) if run else ()
    for graphs in (in_run, snapshot.graphs, (None,)):
        for predicate in snapshot.schema.labels:
            quads = (
                quad
                for graph in graphs
                for quad in snapshot.data.store.quads_for_pattern(node, ox.NamedNode(predicate), None, graph)
            )
            literals = (quad.object for quad in quads if isinstance(quad.object, ox.Literal))
            found = min((value for value in literals if value.value.strip()), key=str, default=None)
            if found is not None:
                return found.value
    return None


def class_of(snapshot: Snapshot, iri: str) -> ObjectClass | None:
    """The class of an object: that of an edge that leads to it, in any run."""
    node = ox.NamedNode(iri)
    for predicate, found in snapshot.schema.classes.items():
        if next(iter(snapshot.data.store.quads_for_pattern(None, ox.NamedNode(predicate), node, None)), None):
            return found
    return None


def observed_in(snapshot: Snapshot, iri: str) -> list[RunRecord]:
    """The runs whose part of the current state says something of the object, newest first."""
    node = ox.NamedNode(iri)
    runs = {
        run_of(graph.value)
        for graph in snapshot.graphs
        if next(iter(snapshot.data.store.quads_for_pattern(node, None, None, graph)), None)
    }
    return [snapshot.by_id[run] for run in sorted(runs, reverse=True) if run in snapshot.by_id]


def is_seen(snapshot: Snapshot, iri: str, record: RunRecord) -> bool:
    """Whether a run says anything of an object; of a section it may say a million things, and one is enough."""
    quads = snapshot.data.store.quads_for_pattern(ox.NamedNode(iri), None, None, ox.NamedNode(record.iri))
    return next(iter(quads), None) is not None


def read_from(snapshot: Snapshot, iri: str, run: RunRecord | None = None) -> list[str]:
    """The pages that an object was read from: in a run, else in the latest that has seen it."""
    if run is None:
        run = next((record for record in reversed(snapshot.complete) if is_seen(snapshot, iri, record)), None)
    if run is None or not run.sources:
        # Earlier versions have not noted it; only what has no address of its own must be on the page that names it.
        return [named_page(iri)] if run is not None and is_hash_name(iri) else []
    graph = ox.NamedNode(record_iri(run.id))
    for name in deciding_names(iri, run.sources):
        noted = snapshot.data.store.quads_for_pattern(ox.NamedNode(name), ox.NamedNode(READ_FROM), None, graph)
        if pages := sorted(text_of(quad.object) for quad in noted):
            return pages
    return [named_page(iri)]


def values_by_run(snapshot: Snapshot, iri: str, predicate: str | None = None) -> dict[int, set[tuple[str, Term]]]:
    """What each run says of an object: predicates and values."""
    found: dict[int, set[tuple[str, Term]]] = {}
    pattern = ox.NamedNode(predicate) if predicate else None
    for quad in snapshot.data.store.quads_for_pattern(ox.NamedNode(iri), pattern, None, None):
        graph = text_of(quad.graph_name)
        if is_run(graph) and isinstance(quad.object, Term):
            found.setdefault(run_of(graph), set()).add((quad.predicate.value, quad.object))
    return found


def is_described(snapshot: Snapshot, iri: str) -> bool:
    """Whether the current state says something of this IRI, so that it has a page."""
    node = node_of(iri)
    return node is not None and _is_described(snapshot, node)


def node_of(iri: str) -> ox.NamedNode | None:
    """The IRI as a term; ``None`` if it is not an IRI."""
    try:
        return ox.NamedNode(iri)
    except ValueError:
        return None


def _is_described(snapshot: Snapshot, node: ox.NamedNode) -> bool:
    store = snapshot.data.store
    return any(next(iter(store.quads_for_pattern(node, None, None, graph)), None) for graph in snapshot.graphs)


def _graphs_of(snapshot: Snapshot, node: ox.NamedNode) -> Iterable[str]:
    return (text_of(quad.graph_name) for quad in snapshot.data.store.quads_for_pattern(node, None, None, None))


def _statements(
    snapshot: Snapshot, node: ox.NamedNode, predicate: ox.NamedNode | None, graphs: Iterable[ox.NamedNode]
) -> Iterator[tuple[str, Term]]:
    for graph in graphs:
        for quad in snapshot.data.store.quads_for_pattern(node, predicate, None, graph):
            if isinstance(quad.object, Term):
                yield quad.predicate.value, quad.object


def text_of(term: object) -> str:
    """The IRI or the text of a term."""
    return term.value if isinstance(term, Term) else str(term)
