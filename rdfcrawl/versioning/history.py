"""What runs say about one object goes in; its history comes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.versioning.changes import ChangeKind, PropertyChange, Values, compare_values


class Sighting(StrEnum):
    """How an object stood in a run."""

    SEEN = "seen"
    UNOBSERVED = "unobserved"
    SUSPECTED = "suspected"
    ABSENT = "absent"
    UNKNOWN = "unknown"
    """The run's graph was pruned."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What one run says about the object; ``edited`` are the predicates that an edit of the model touched.

    ``suspected`` are values that the run has not found and does not believe to be gone.
    """

    run: int
    started: datetime
    sighting: Sighting
    sections: frozenset[str] = frozenset()
    values: Values = frozenset()
    edited: frozenset[str] = frozenset()
    suspected: Values = frozenset()


class HistoryEventKind(StrEnum):
    """What a run meant for the object."""

    FIRST_SEEN = "first seen"
    CHANGED = "changed"
    UNOBSERVED = "not observed"
    SUSPECTED = "suspected"
    BACK = "observed again"
    REMOVED = "removed"
    RETURNED = "added again"


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """One event in the history of an object; ``edits`` are changes that an edit of the model explains."""

    kind: HistoryEventKind
    run: int
    started: datetime
    changes: tuple[PropertyChange, ...] = ()
    edits: tuple[PropertyChange, ...] = ()


_UNCERTAIN: Final = {Sighting.UNOBSERVED: HistoryEventKind.UNOBSERVED, Sighting.SUSPECTED: HistoryEventKind.SUSPECTED}
"""What it means for the object that a run could not say how it stands."""


def history(subject: str, observations: Iterable[Observation]) -> Iterator[HistoryEvent]:
    """The events of an object (N-Triples text), from the observations of all runs, oldest first."""
    last: Observation | None = None
    standing = Sighting.ABSENT
    sections: frozenset[str] | None = None
    for observation in observations:
        if observation.sighting is Sighting.UNKNOWN:
            continue
        if observation.sighting is Sighting.SEEN:
            event = _seen(subject, observation, last, standing)
            sections = observation.sections if sections is None else sections & observation.sections
            last = observation
        elif last is None or observation.sighting is standing:
            continue
        elif observation.sighting in _UNCERTAIN:
            event = HistoryEvent(_UNCERTAIN[observation.sighting], observation.run, observation.started)
        elif sections is not None and not sections <= observation.sections:
            # A run of other sections says nothing about this object.
            continue
        else:
            event = HistoryEvent(HistoryEventKind.REMOVED, observation.run, observation.started)
        standing = observation.sighting
        if event is not None:
            yield event


def _seen(subject: str, observation: Observation, last: Observation | None, standing: Sighting) -> HistoryEvent | None:
    if last is None:
        return HistoryEvent(HistoryEventKind.FIRST_SEEN, observation.run, observation.started)
    doubted = observation.suspected - last.suspected
    every = (
        *compare_values(subject, last.values | last.suspected, observation.values | observation.suspected),
        *(replace(one, kind=ChangeKind.SUSPECTED) for one in compare_values(subject, doubted, frozenset())),
    )
    changes = tuple(change for change in every if change.predicate not in observation.edited)
    edits = tuple(change for change in every if change.predicate in observation.edited)
    if standing is Sighting.ABSENT:
        kind = HistoryEventKind.RETURNED
    elif standing in _UNCERTAIN or (last.suspected - observation.suspected and not every):
        kind = HistoryEventKind.BACK
    elif doubted and len(every) == len({predicate for predicate, _ in doubted}):
        kind = HistoryEventKind.SUSPECTED
    elif every:
        kind = HistoryEventKind.CHANGED
    else:
        return None
    return HistoryEvent(kind, observation.run, observation.started, changes, edits)
