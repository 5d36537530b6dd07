"""What a run has not found, but what is not known to be gone, is carried on from what was known before.

A run knows what is in its graph and what it carries on, each line for a reason. The next run is compared with that: an
object that reappears is compared with its last observation, and one that is really gone is reported then, once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from rdfcrawl.rdf.ntriples import split
from rdfcrawl.store.runs.record import CarryReason
from rdfcrawl.versioning.changes import Scope
from rdfcrawl.versioning.diff import Difference

NOTHING_DROPPED: Final[Mapping[CarryReason, Collection[str]]] = MappingProxyType({})


def kept_subjects(differences: Iterable[Difference], scope: Scope) -> dict[str, CarryReason]:
    """The subjects that only the old state has and that an edge which is kept leads to, with the reason for that.

    Holds the edges of what is missing, so its memory grows with an outage, not with the graphs.
    """
    below: dict[str, list[str]] = {}
    pending: dict[CarryReason, list[str]] = {reason: [] for reason in CarryReason}
    for subject, predicate, value, known in _missing(differences, scope):
        if not scope.is_edge(predicate, value):
            continue
        if not known:
            below.setdefault(subject, []).append(value)
        elif reason := scope.keeps_edge(subject, predicate, value):
            pending[reason].append(value)
    kept: dict[str, CarryReason] = {}
    for reason, subjects in pending.items():
        while subjects:
            subject = subjects.pop()
            if subject not in kept:
                kept[subject] = reason
                subjects.extend(below.get(subject, ()))
    return kept


def carried(
    differences: Iterable[Difference],
    scope: Scope,
    kept: Mapping[str, CarryReason],
    dropped: Mapping[CarryReason, Collection[str]] = NOTHING_DROPPED,
) -> Iterator[tuple[CarryReason, str]]:
    """The lines that the new run carries on, with the reasons; predicates that an edit touched are ``dropped``."""
    for subject, predicate, value, known in _missing(differences, scope):
        if not known:
            reason = kept.get(subject)
        elif scope.is_edge(predicate, value):
            reason = scope.keeps_edge(subject, predicate, value)
        else:
            reason = scope.keeps_values(subject, predicate)
        if reason and predicate not in dropped.get(reason, ()):
            yield reason, f"{subject} {predicate} {value} ."


def _missing(differences: Iterable[Difference], scope: Scope) -> Iterator[tuple[str, str, str, bool]]:
    for difference in differences:
        if not difference.added:
            subject, predicate, value = split(difference.line)
            yield subject, predicate, value, difference.subject_in_both or subject in scope.sections
