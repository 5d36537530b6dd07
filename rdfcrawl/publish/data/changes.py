"""What changed: by a run, as it was recorded, or between any two runs; with the values before and after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.data.objects import Term, text_of, values_by_run
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import run_iri, run_of
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.versioning.changes import (
    REPLACED_BY,
    UNCERTAIN,
    ChangeKind,
    ObjectChange,
    PropertyChange,
    Values,
    compare_values,
)
from rdfcrawl.versioning.counts import ChangeCounts, counted_changes
from rdfcrawl.versioning.pairing.replaced import Place, families, keys_of, may_be_replaced, paired, replacements

Description = set[tuple[str, Term]]
"""What is said of one object: predicates and values."""


@dataclass(frozen=True, slots=True)
class PublishedChange:
    """What happened to an object (``target``) inside another, or to a property of an object (no ``target``).

    ``model`` is set where an edit of the model is the cause. ``successor`` took the place of a ``target`` that was
    replaced, and ``differences`` are the properties in which it differs.
    """

    kind: ChangeKind
    subject: str
    predicate: str | None = None
    target: str | None = None
    old: tuple[Term, ...] = ()
    new: tuple[Term, ...] = ()
    model: bool = False
    successor: str | None = None
    differences: tuple[PublishedChange, ...] = ()

    @property
    def about(self) -> str:
        """The object that the change is about."""
        return self.successor or self.target or self.subject


def run_changes(snapshot: Snapshot, run: int, start: int = 0, at_most: int | None = None) -> Iterator[PublishedChange]:
    """The recorded changes of a run, a part of them if they are many."""
    stop = None if at_most is None else start + at_most
    for quad, successor in islice(_recorded_quads(snapshot, run), start, stop):
        yield _recorded(snapshot, run, quad, successor)


def counts(snapshot: Snapshot) -> Mapping[int, ChangeCounts]:
    """How many changes each run has brought."""

    def count() -> Mapping[int, ChangeCounts]:
        counted = ((record.id, counted_changes(snapshot.files, record)) for record in snapshot.records)
        return {run: found for run, found in counted if found is not None}

    return snapshot.keep("counts of changes", count)


def successors_in(snapshot: Snapshot, run: int) -> Mapping[str, str]:
    """The objects that were replaced in a run, by those that took their place."""

    def find() -> Mapping[str, str]:
        pattern = (None, ox.NamedNode(REPLACED_BY), None, ox.NamedNode(run_iri(run)))
        quads = snapshot.changes.store.quads_for_pattern(*pattern)
        return {text_of(quad.subject): text_of(quad.object) for quad in quads}

    return snapshot.keep(("successors", run), find)


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
    uncertain: dict[tuple[str, str], ChangeKind] = {}
    for record in snapshot.complete:
        if old.order < record.order <= new.order:
            for quad in snapshot.changes.store.quads_for_pattern(None, None, None, ox.NamedNode(record.iri)):
                touched[text_of(quad.subject)] = None
                kind = _kind(quad.predicate.value)
                if record.id == new.id and kind in UNCERTAIN:
                    uncertain[text_of(quad.subject), text_of(quad.object)] = kind
    found: list[PublishedChange] = []
    for subject in sorted(touched):
        if subject != terms.MODEL:
            by_run = values_by_run(snapshot, subject)
            before, after = by_run.get(old.id, set()), by_run.get(new.id, set())
            if (before and after) or subject in sections:
                found += _differences(snapshot, subject, before, after, uncertain)
    return with_replaced(snapshot, found, _successors_between(snapshot, found, old, new), old.id, new.id)


def with_replaced(
    snapshot: Snapshot, changes: Sequence[PublishedChange], successors: Mapping[str, str], old: int | None, new: int
) -> list[PublishedChange]:
    """The changes, with one replacement where something has lost an object and gained its successor."""
    if not successors:
        return list(changes)
    told = {_as_found(change): change for change in changes if change.target and change.predicate}
    pairs = {one for one in paired(list(told), successors) if isinstance(one, ObjectChange)}
    by_object = {(one.subject, one.predicate, one.object): one for one in pairs}
    found: list[PublishedChange] = []
    for change in changes:
        if not (change.target and change.predicate):
            found.append(change)
        elif one := by_object.get((f"<{change.subject}>", f"<{change.predicate}>", f"<{change.target}>")):
            successor = one.successor
            found.append(_replaced(snapshot, change, successor[1:-1], old, new) if successor else change)
    return found


def property_changes(
    snapshot: Snapshot, changes: Iterable[PropertyChange], known: Mapping[str, Term], model: bool = False
) -> Iterator[PublishedChange]:
    """Changes of one object as they are shown: the values as terms, and objects that came and went one by one."""
    for change in changes:
        subject, predicate = change.subject[1:-1], change.predicate[1:-1]
        old, new = (sort_terms(known[value] for value in values) for values in (change.old, change.new))
        if predicate in snapshot.items and not model:
            lost = ChangeKind.SUSPECTED if change.kind is ChangeKind.SUSPECTED else ChangeKind.REMOVED
            for value in old:
                yield PublishedChange(lost, subject, predicate, value.value)
            for value in new:
                yield PublishedChange(ChangeKind.ADDED, subject, predicate, value.value)
        else:
            yield PublishedChange(change.kind, subject, predicate, old=old, new=new, model=model)


def as_text(description: Description) -> Values:
    """What is said of an object as versioning compares it."""
    return frozenset((f"<{predicate}>", str(value)) for predicate, value in description)


def _differences(
    snapshot: Snapshot,
    subject: str,
    before: Description,
    after: Description,
    uncertain: Mapping[tuple[str, str], ChangeKind],
) -> Iterator[PublishedChange]:
    known = {str(value): value for _, value in before | after}
    found = compare_values(f"<{subject}>", as_text(before), as_text(after))
    for change in property_changes(snapshot, found, known):
        missed = uncertain.get((subject, change.target or change.predicate or ""))
        yield replace(change, kind=missed) if missed and change.kind is ChangeKind.REMOVED else change


def _successors_between(
    snapshot: Snapshot, changes: Sequence[PublishedChange], old: RunRecord, new: RunRecord
) -> dict[str, str]:
    """By the rule of every comparison, from what the two runs say of the objects that came and went."""
    found = [_as_found(change) for change in changes if change.target and change.predicate]
    if not may_be_replaced(found):
        return {}
    described = {
        name: as_text(values_by_run(snapshot, name[1:-1]).get(run, set()))
        for place in families(found).values()
        for names, run in ((place.gone, old.id), (place.come, new.id))
        for name in names
    }

    def crowded(places: Iterable[Place]) -> list[Place]:
        return [place for place in places if len(values_by_run(snapshot, *(one[1:-1] for one in place))[new.id]) > 1]

    return replacements(found, described, keys_of(snapshot.model(new)), crowded)


def _as_found(change: PublishedChange) -> ObjectChange:
    return ObjectChange(change.kind, f"<{change.subject}>", f"<{change.predicate}>", f"<{change.target}>")


def _replaced(
    snapshot: Snapshot, change: PublishedChange, successor: str, old: int | None, new: int
) -> PublishedChange:
    """A replacement with the properties that differ; ``old`` is the run that has last seen the object."""
    assert change.target
    before = values_by_run(snapshot, change.target)
    earlier = [record.id for record in snapshot.before(snapshot.by_id[new]) if record.id in before]
    seen = old if old in before else earlier[-1] if earlier else None
    was, now = before.get(seen, set()) if seen else set(), values_by_run(snapshot, successor).get(new, set())
    known = {str(value): value for _, value in was | now}
    found = compare_values(f"<{successor}>", as_text(was), as_text(now)) if was and now else ()
    differences = [one for one in property_changes(snapshot, found, known) if one.target is None]
    return replace(change, kind=ChangeKind.REPLACED, successor=successor, differences=tuple(differences))


def _recorded_quads(snapshot: Snapshot, run: int) -> Iterator[tuple[ox.Quad, str | None]]:
    """The changes of a run one by one, a removal with the object that took the place of the removed one."""
    graph = ox.NamedNode(run_iri(run))
    store = snapshot.changes.store
    successors = successors_in(snapshot, run)
    replaced = {new: old for old, new in successors.items()}

    def is_said(quad: ox.Quad, kind: ChangeKind, name: str) -> bool:
        pattern = (quad.subject, ox.NamedNode(terms.METAMODEL + kind), ox.NamedNode(name), graph)
        return next(iter(store.quads_for_pattern(*pattern)), None) is not None

    for quad in store.quads_for_pattern(None, None, None, graph):
        kind, name = _kind(quad.predicate.value), text_of(quad.object)
        if kind is None:
            continue
        if kind is ChangeKind.ADDED and name in replaced and is_said(quad, ChangeKind.REMOVED, replaced[name]):
            continue
        is_replaced = (
            kind is ChangeKind.REMOVED and name in successors and is_said(quad, ChangeKind.ADDED, successors[name])
        )
        yield quad, successors[name] if is_replaced else None


def _recorded(snapshot: Snapshot, run: int, quad: ox.Quad, successor: str | None) -> PublishedChange:
    kind = ChangeKind(quad.predicate.value.removeprefix(terms.METAMODEL))
    subject, value = text_of(quad.subject), text_of(quad.object)
    if subject == terms.MODEL:
        return PublishedChange(kind, subject, value, model=True)
    if value in snapshot.properties or value == terms.RDF_TYPE:
        return _property_change(snapshot, run, kind, subject, value)
    change = PublishedChange(kind, subject, _edge(snapshot, run, subject, value), value)
    return change if successor is None else _replaced(snapshot, change, successor, None, run)


def _property_change(snapshot: Snapshot, run: int, kind: ChangeKind, subject: str, predicate: str) -> PublishedChange:
    by_run = values_by_run(snapshot, subject, predicate)
    earlier = [record.id for record in snapshot.before(snapshot.by_id[run]) if record.id in by_run]
    before = by_run[earlier[-1]] if earlier and kind is not ChangeKind.ADDED else set()
    after = by_run.get(run, set())
    old = sort_terms(value for _, value in before - after)
    new = sort_terms(value for _, value in after - before)
    return PublishedChange(kind, subject, predicate, old=old, new=new)


def _edge(snapshot: Snapshot, run: int, subject: str, target: str) -> str | None:
    """What leads from one object to another: as a run says it, or the latest before it that does."""
    quads = snapshot.data.store.quads_for_pattern(ox.NamedNode(subject), None, ox.NamedNode(target), None)
    edges = [
        (run_of(quad.graph_name.value), quad.predicate.value)
        for quad in quads
        if quad.predicate.value in snapshot.items and isinstance(quad.graph_name, ox.NamedNode)
    ]
    return max(edges, key=lambda edge: (edge[0] <= run, edge[0]))[1] if edges else None


def sort_terms(values: Iterable[Term]) -> tuple[Term, ...]:
    """Values in a stable order."""
    return tuple(sorted(values, key=str))


def _kind(predicate: str) -> ChangeKind | None:
    name = predicate.removeprefix(terms.METAMODEL)
    return ChangeKind(name) if name in ChangeKind._value2member_map_ else None
