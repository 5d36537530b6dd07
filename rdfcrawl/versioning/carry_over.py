"""What a run could not see is carried on from what was known before.

A run's known state is its graph and what it carries. The next run is compared with that, so that an object
that comes back is compared with its last observation, and one that is really gone is reported then, once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from rdfcrawl.rdf.ntriples import split
from rdfcrawl.versioning.changes import Scope
from rdfcrawl.versioning.diff import Difference


def unseen_subjects(differences: Iterable[Difference], scope: Scope) -> frozenset[str]:
    """The subjects that only the old state has and that hang from an edge which the new run could not see.

    Holds the edges of what is missing, so its memory grows with an outage, not with the graphs.
    """
    below: dict[str, list[str]] = {}
    unseen: set[str] = set()
    pending: list[str] = []
    for subject, predicate, value, known in _missing(differences, scope):
        if not scope.is_edge(predicate, value):
            continue
        if not known:
            below.setdefault(subject, []).append(value)
        elif scope.overlooks(subject, predicate, value):
            pending.append(value)
    while pending:
        subject = pending.pop()
        if subject not in unseen:
            unseen.add(subject)
            pending.extend(below.get(subject, ()))
    return frozenset(unseen)


def carried(
    differences: Iterable[Difference], scope: Scope, unseen: Collection[str], dropped: Collection[str] = ()
) -> Iterator[str]:
    """The lines that the new run carries on; ``dropped`` are predicates that a change of the model touched."""
    for subject, predicate, value, known in _missing(differences, scope):
        if predicate in dropped:
            continue
        if known:
            overlooked = (
                scope.overlooks(subject, predicate, value)
                if scope.is_edge(predicate, value)
                else subject in scope.unread_objects
            )
        else:
            overlooked = subject in unseen
        if overlooked:
            yield f"{subject} {predicate} {value} ."


def _missing(differences: Iterable[Difference], scope: Scope) -> Iterator[tuple[str, str, str, bool]]:
    for difference in differences:
        if not difference.added:
            subject, predicate, value = split(difference.line)
            yield subject, predicate, value, difference.subject_in_both or subject in scope.sections
