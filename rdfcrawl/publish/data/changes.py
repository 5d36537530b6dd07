"""What changed: by a run, as it was recorded, or between any two runs; with the values before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

import pyoxigraph as ox

from rdfcrawl.publish.data.objects import Term, text_of, values_by_run
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import run_iri, run_of
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.versioning.changes import ChangeKind, PropertyChange, Values, compare_values

Description = set[tuple[str, Term]]
"""What is said of one object: predicates and values."""


@dataclass(frozen=True, slots=True)
class PublishedChange:
    """What happened to an object (``target``) inside another, or to a property of an object (no ``target``).

    ``model`` is set where an edit of the model is the cause.
    """

    kind: ChangeKind
    subject: str
    predicate: str | None = None
    target: str | None = None
    old: tuple[Term, ...] = ()
    new: tuple[Term, ...] = ()
    model: bool = False

    @property
    def about(self) -> str:
        """The object that the change is about."""
        return self.target or self.subject


def run_changes(snapshot: Snapshot, run: int, start: int = 0, at_most: int | None = None) -> Iterator[PublishedChange]:
    """The recorded changes of a run, a part of them if they are many."""
    graph = ox.NamedNode(run_iri(run))
    quads = snapshot.changes.store.quads_for_pattern(None, None, None, graph)
    stop = None if at_most is None else start + at_most
    for quad in islice(quads, start, stop):
        change = _recorded(snapshot, run, quad)
        if change is not None:
            yield change


def counts(snapshot: Snapshot) -> Mapping[int, Mapping[ChangeKind, int]]:
    """How many changes of each kind each run brought."""

    def count() -> Mapping[int, Mapping[ChangeKind, int]]:
        found: dict[int, Counter[ChangeKind]] = {}
        query = "SELECT ?g ?p (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g ?p"
        results = snapshot.changes.store.query(query)
        assert isinstance(results, ox.QuerySolutions)
        for row in results:
            graph, predicate, number = row["g"], row["p"], row["n"]
            kind = _kind(predicate.value) if isinstance(predicate, ox.NamedNode) else None
            if kind is not None and isinstance(graph, ox.NamedNode) and isinstance(number, ox.Literal):
                found.setdefault(run_of(graph.value), Counter())[kind] += int(number.value)
        return found

    return snapshot.keep("counts of changes", count)


def previous_run(snapshot: Snapshot, record: RunRecord) -> RunRecord | None:
    """The latest complete run before a run that has a section in common with it."""
    sections = {section.address for section in record.sections}
    for earlier in reversed(snapshot.before(record)):
        if sections & {section.address for section in earlier.sections}:
            return earlier
    return None


def between(snapshot: Snapshot, old: RunRecord, new: RunRecord) -> list[PublishedChange]:
    """What differs between two runs, ordered by subject.

    Only what a run in between has recorded can be different, so that two large graphs need not be compared.
    """
    sections = {section.address for section in (*old.sections, *new.sections)}
    touched: dict[str, None] = {}
    unobserved: set[tuple[str, str]] = set()
    for record in snapshot.complete:
        if old.order < record.order <= new.order:
            for quad in snapshot.changes.store.quads_for_pattern(None, None, None, ox.NamedNode(record.iri)):
                touched[text_of(quad.subject)] = None
                if record.id == new.id and _kind(quad.predicate.value) is ChangeKind.UNOBSERVED:
                    unobserved.add((text_of(quad.subject), text_of(quad.object)))
    found: list[PublishedChange] = []
    for subject in sorted(touched):
        if subject != terms.MODEL:
            by_run = values_by_run(snapshot, subject)
            before, after = by_run.get(old.id, set()), by_run.get(new.id, set())
            if (before and after) or subject in sections:
                found += _differences(snapshot, subject, before, after, unobserved)
    return found


def property_changes(
    snapshot: Snapshot, changes: Iterable[PropertyChange], known: Mapping[str, Term], model: bool = False
) -> Iterator[PublishedChange]:
    """Changes of one object as they are shown: the values as terms, and objects that came and went one by one."""
    for change in changes:
        subject, predicate = change.subject[1:-1], change.predicate[1:-1]
        old, new = (sort_terms(known[value] for value in values) for values in (change.old, change.new))
        if predicate in snapshot.items and not model:
            for value in old:
                yield PublishedChange(ChangeKind.REMOVED, subject, predicate, value.value)
            for value in new:
                yield PublishedChange(ChangeKind.ADDED, subject, predicate, value.value)
        else:
            yield PublishedChange(change.kind, subject, predicate, old=old, new=new, model=model)


def as_text(description: Description) -> Values:
    """What is said of an object as versioning compares it."""
    return frozenset((f"<{predicate}>", str(value)) for predicate, value in description)


def _differences(
    snapshot: Snapshot, subject: str, before: Description, after: Description, unobserved: set[tuple[str, str]]
) -> Iterator[PublishedChange]:
    known = {str(value): value for _, value in before | after}
    found = compare_values(f"<{subject}>", as_text(before), as_text(after))
    for change in property_changes(snapshot, found, known):
        missed = change.kind is ChangeKind.REMOVED and (subject, change.target) in unobserved
        yield replace(change, kind=ChangeKind.UNOBSERVED) if missed else change


def _recorded(snapshot: Snapshot, run: int, quad: ox.Quad) -> PublishedChange | None:
    kind = _kind(quad.predicate.value)
    subject, value = text_of(quad.subject), text_of(quad.object)
    if kind is None:
        return None
    if subject == terms.MODEL:
        return PublishedChange(kind, subject, value, model=True)
    if value in snapshot.properties or value == terms.RDF_TYPE:
        return _property_change(snapshot, run, kind, subject, value)
    return PublishedChange(kind, subject, _edge(snapshot, subject, value), value)


def _property_change(snapshot: Snapshot, run: int, kind: ChangeKind, subject: str, predicate: str) -> PublishedChange:
    by_run = values_by_run(snapshot, subject, predicate)
    earlier = [record.id for record in snapshot.before(snapshot.by_id[run]) if record.id in by_run]
    before = by_run[earlier[-1]] if earlier and kind is not ChangeKind.ADDED else set()
    after = by_run.get(run, set())
    old = sort_terms(value for _, value in before - after)
    new = sort_terms(value for _, value in after - before)
    return PublishedChange(kind, subject, predicate, old=old, new=new)


def _edge(snapshot: Snapshot, subject: str, target: str) -> str | None:
    quads = snapshot.data.store.quads_for_pattern(ox.NamedNode(subject), None, ox.NamedNode(target), None)
    return next((quad.predicate.value for quad in quads if quad.predicate.value in snapshot.items), None)


def sort_terms(values: Iterable[Term]) -> tuple[Term, ...]:
    """Values in a stable order."""
    return tuple(sorted(values, key=str))


def _kind(predicate: str) -> ChangeKind | None:
    name = predicate.removeprefix(terms.METAMODEL)
    return ChangeKind(name) if name in ChangeKind._value2member_map_ else None
