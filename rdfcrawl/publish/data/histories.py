"""The history of one object: what each run said of it, and what that means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import DamagedFile
from rdfcrawl.publish.data.changes import (
    Description,
    PublishedChange,
    as_text,
    property_changes,
    successors_in,
    with_replaced,
)
from rdfcrawl.publish.data.objects import values_by_run
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.rdf import terms
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.runs.integrity import ensure_whole
from rdfcrawl.store.runs.record import CarryReason, RunFile, RunRecord
from rdfcrawl.versioning.changes import Values
from rdfcrawl.versioning.history import HistoryEventKind, Observation, Sighting, history
from rdfcrawl.versioning.observations import carried_values, readings


@dataclass(frozen=True, slots=True)
class ObjectEvent:
    """One event in the history of an object."""

    kind: HistoryEventKind
    record: RunRecord
    changes: tuple[PublishedChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Life:
    """An object through all runs, oldest first: the events, and its values in each run that saw it."""

    events: Sequence[ObjectEvent]
    seen: Sequence[tuple[RunRecord, Description]]


def life(snapshot: Snapshot, iri: str) -> Life:
    """What all complete runs together tell about an object."""
    by_run = values_by_run(snapshot, iri)
    observed = [
        _observation(snapshot, iri, record, edited, by_run)
        for record, edited in readings(
            snapshot.records, lambda run: snapshot.by_id[run].iri in snapshot.data.held.graphs
        )
    ]
    known = {str(value): value for values in by_run.values() for _, value in values}
    events = []
    for event in history(f"<{iri}>", observed):
        found = [*property_changes(snapshot, event.changes, known)]
        successors = {f"<{old}>": f"<{new}>" for old, new in successors_in(snapshot, event.run).items()}
        changes = with_replaced(snapshot, found, successors, None, event.run)
        changes += property_changes(snapshot, event.edits, known, model=True)
        events.append(ObjectEvent(event.kind, snapshot.by_id[event.run], tuple(changes)))
    seen = [(record, by_run[record.id]) for record in snapshot.complete if record.id in by_run]
    return Life(events, seen)


def _observation(
    snapshot: Snapshot, iri: str, record: RunRecord, edited: frozenset[str], by_run: Mapping[int, Description]
) -> Observation:
    seen = datetime.fromtimestamp(record.observed, UTC)
    if record.iri not in snapshot.data.held.graphs:
        sighting = Sighting.UNKNOWN
    elif record.id in by_run:
        sighting = Sighting.SEEN
    elif _suspected(snapshot, iri, record):
        sighting = Sighting.SUSPECTED
    else:
        sighting = Sighting.UNOBSERVED if _overlooked(snapshot, iri, record) else Sighting.ABSENT
    values = as_text(by_run.get(record.id, set()))
    every_edit = edited | _edited(snapshot, record)
    suspected = _suspected(snapshot, iri, record) if sighting is Sighting.SEEN else frozenset()
    return Observation(record.id, seen, sighting, record.addresses, values, every_edit, suspected)


def _edited(snapshot: Snapshot, record: RunRecord) -> frozenset[str]:
    """What an edit of the model affected."""
    quads = snapshot.changes.store.quads_for_pattern(ox.NamedNode(terms.MODEL), None, None, ox.NamedNode(record.iri))
    return frozenset(str(quad.object) for quad in quads)


def _suspected(snapshot: Snapshot, iri: str, record: RunRecord) -> Values:
    """What a run has not found of an object and does not believe to be gone."""
    if not record.open_suspicions:
        return frozenset()
    try:
        return carried_values(snapshot.files, record, CarryReason.SUSPECTED, f"<{iri}>".encode())
    except (DamagedFile, OSError) as damage:
        say_once(str(damage))
        return frozenset()


def _unread(snapshot: Snapshot, record: RunRecord) -> frozenset[str]:
    """The objects whose own page a run could not read."""

    def read() -> frozenset[str]:
        try:
            ensure_whole(snapshot.files, record, (RunFile.UNREAD,))
        except DamagedFile as damage:
            say_once(str(damage))
            return frozenset()
        return frozenset(snapshot.files.read_unread(record).objects)

    return snapshot.keep(("unread", record.id), read)


def _overlooked(snapshot: Snapshot, iri: str, record: RunRecord) -> bool:
    if not _unread(snapshot, record).isdisjoint((iri, iri.partition("#")[0])):
        return True
    unobserved = ox.NamedNode(f"{terms.METAMODEL}unobserved")
    quads = snapshot.changes.store.quads_for_pattern(None, unobserved, ox.NamedNode(iri), ox.NamedNode(record.iri))
    return next(iter(quads), None) is not None
