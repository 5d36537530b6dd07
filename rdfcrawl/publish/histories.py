"""The life of one object: what each run has said of it, and what that means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import pyoxigraph as ox

from rdfcrawl.metamodel import terms
from rdfcrawl.publish.changes import Change, compare_values
from rdfcrawl.publish.objects import Term, values_by_run
from rdfcrawl.publish.snapshot import Snapshot
from rdfcrawl.store.record import RunRecord


class EventKind(StrEnum):
    """What a run meant for the object; the value is what people read."""

    FIRST_SEEN = "first seen"
    CHANGED = "changed"
    UNOBSERVED = "not observed"
    BACK = "observed again"
    REMOVED = "removed"
    RETURNED = "added again"


@dataclass(frozen=True, slots=True)
class Event:
    """One event in the life of an object."""

    kind: EventKind
    record: RunRecord
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True)
class Life:
    """An object through all runs, oldest first: the events, and its values in each run that has seen it."""

    events: Sequence[Event]
    seen: Sequence[tuple[RunRecord, set[tuple[str, Term]]]]


def life(snapshot: Snapshot, iri: str) -> Life:
    """What all complete runs together tell about an object."""
    by_run = values_by_run(snapshot, iri)
    events: list[Event] = []
    last: RunRecord | None = None
    for record in snapshot.complete:
        values = by_run.get(record.id)
        if values:
            event = _seen(snapshot, iri, record, values, events, by_run[last.id] if last else None)
            last = record
        else:
            event = _missed(snapshot, iri, record, last, events)
        if event is not None:
            events.append(event)
    seen = [(record, by_run[record.id]) for record in snapshot.complete if record.id in by_run]
    return Life(events, seen)


def _seen(
    snapshot: Snapshot,
    iri: str,
    record: RunRecord,
    values: set[tuple[str, Term]],
    events: Sequence[Event],
    before: set[tuple[str, Term]] | None,
) -> Event | None:
    if before is None:
        return Event(EventKind.FIRST_SEEN, record)
    changes = tuple(compare_values(snapshot, iri, before, values))
    if events[-1].kind is EventKind.REMOVED:
        return Event(EventKind.RETURNED, record, changes)
    if events[-1].kind is EventKind.UNOBSERVED:
        return Event(EventKind.BACK, record, changes)
    return Event(EventKind.CHANGED, record, changes) if changes else None


def _missed(
    snapshot: Snapshot, iri: str, record: RunRecord, last: RunRecord | None, events: Sequence[Event]
) -> Event | None:
    """What it means that a run has nothing to say of an object; a run of other sections means nothing."""
    if last is None or not _sections(last) <= _sections(record):
        return None
    kind = EventKind.UNOBSERVED if _overlooked(snapshot, iri, record) else EventKind.REMOVED
    standing = events[-1].kind
    return None if standing in (kind, EventKind.REMOVED) else Event(kind, record)


def _overlooked(snapshot: Snapshot, iri: str, record: RunRecord) -> bool:
    if {iri, iri.partition("#")[0]} & set(record.unread.objects):
        return True
    unobserved = ox.NamedNode(f"{terms.METAMODEL}unobserved")
    quads = snapshot.changes.store.quads_for_pattern(None, unobserved, ox.NamedNode(iri), ox.NamedNode(record.iri))
    return next(iter(quads), None) is not None


def _sections(record: RunRecord) -> set[str]:
    return {section.address for section in record.sections}
