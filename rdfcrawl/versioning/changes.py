"""Differences go in; what they mean for objects and their properties comes out.

Only the topmost difference is a change: a subject that one side does not know was added or removed as a whole,
which is a change of its parent; its own triples are not reported. A section has no parent, and what it leads to is
reported whether both sides know the section or not; if it is an object of its own, that is one of its edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import groupby
from operator import itemgetter
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.ntriples import RDF_TYPE, split, term_text
from rdfcrawl.store.runs.record import CarryReason
from rdfcrawl.versioning.diff import Difference
from rdfcrawl.versioning.pairing.words import WordPiece, changed_words


class ChangeKind(StrEnum):
    """What happened; but for a replacement, the value is the local name of the predicate that says so."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    REPLACED = "replaced"
    """An object was removed, and another of the same parent took its place; ``:replacedBy`` says which."""
    UNOBSERVED = "unobserved"
    SUSPECTED = "suspected"


REPLACED_BY: Final = f"{terms.METAMODEL}replacedBy"
"""Leads from an object without address that was removed to the one that took its place."""

UNCERTAIN: Final = (ChangeKind.UNOBSERVED, ChangeKind.SUSPECTED)
"""Kinds of what is missing without being known to be gone."""

_KEPT: Final = {CarryReason.UNREAD: ChangeKind.UNOBSERVED, CarryReason.SUSPECTED: ChangeKind.SUSPECTED}
"""What is said of an object that is carried on, by the reason for it."""


@dataclass(frozen=True, slots=True)
class ObjectChange:
    """A section or an object gained, lost or only did not show another object. Terms are N-Triples text.

    ``successor`` is the object that took the place of one that was replaced.
    """

    kind: ChangeKind
    subject: str
    predicate: str
    object: str
    successor: str | None = None

    @property
    def triple(self) -> str:
        """The change as the changes store has it."""
        return change_triple(self.subject, self.kind, self.object)

    @property
    def triples(self) -> tuple[str, ...]:
        """All that the changes store has of it: a replacement is a removal, an addition, and which is which."""
        if self.successor is None:
            return (self.triple,)
        return (
            change_triple(self.subject, ChangeKind.REMOVED, self.object),
            change_triple(self.subject, ChangeKind.ADDED, self.successor),
            f"{self.object} <{REPLACED_BY}> {self.successor} .",
        )


@dataclass(frozen=True, slots=True)
class PropertyChange:
    """An object's property gained, lost or changed values; ``old`` and ``new`` are those that one side lacks."""

    kind: ChangeKind
    subject: str
    predicate: str
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def triple(self) -> str:
        """The change as the changes store has it."""
        return change_triple(self.subject, self.kind, self.predicate)

    @property
    def triples(self) -> tuple[str, ...]:
        """All that the changes store has of it."""
        return (self.triple,)

    @property
    def words(self) -> tuple[WordPiece, ...]:
        """The words that differ in a long text; empty where that says less than the two values."""
        if len(self.old) != 1 or len(self.new) != 1 or "<" in (self.old[0][0], self.new[0][0]):
            return ()
        return changed_words(term_text(self.old[0]), term_text(self.new[0]))


Change = ObjectChange | PropertyChange

Values = frozenset[tuple[str, str]]
"""What is said of one subject: predicate and value, as N-Triples text."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What is compared, and whose absence means nothing. All terms are N-Triples text.

    ``stopped`` is a run that did not come to its end: nothing that it lacks is known to be gone. ``suspected_edges``
    and ``suspected_values`` (subject and predicate) disappeared with so many others that this is not believed;
    ``accepted`` are subjects and objects of which somebody said that they are gone, whatever could be read.
    """

    sections: frozenset[str] = frozenset()
    items: frozenset[str] = frozenset()
    properties: frozenset[str] = frozenset()
    unread_objects: frozenset[str] = frozenset()
    unread_lists: frozenset[tuple[str, str]] = frozenset()
    stopped: bool = False
    suspected_edges: frozenset[tuple[str, str, str]] = frozenset()
    suspected_values: frozenset[tuple[str, str]] = frozenset()
    accepted: frozenset[tuple[str, str]] = frozenset()

    def is_edge(self, predicate: str, value: str) -> bool:
        """Whether the triple leads to an object, rather than stating a value."""
        return predicate in self.items and value[0] == "<"

    def is_value(self, predicate: str) -> bool:
        """Whether the triples of this predicate state values that the model knows."""
        return predicate in self.properties or predicate == RDF_TYPE

    @property
    def may_keep(self) -> bool:
        """Whether anything that the new run lacks can be kept."""
        unread = self.stopped or self.unread_objects or self.unread_lists
        return bool(unread or self.suspected_edges or self.suspected_values)

    def keeps_edge(self, subject: str, predicate: str, value: str) -> CarryReason | None:
        """Why an edge that the new run lacks is not known to be gone; None if it is gone."""
        if (subject, predicate, value) in self.suspected_edges:
            return CarryReason.SUSPECTED
        if (subject, value) in self.accepted:
            return None
        could_not_be_seen = (
            self.stopped
            or value in self.unread_objects
            or subject in self.unread_objects
            or (subject, predicate) in self.unread_lists
        )
        return CarryReason.UNREAD if could_not_be_seen else None

    def keeps_values(self, subject: str, predicate: str) -> CarryReason | None:
        """Why values that the new run lacks, of a subject that it knows, are not known to be gone."""
        if (subject, predicate) in self.suspected_values:
            return CarryReason.SUSPECTED
        return CarryReason.UNREAD if subject in self.unread_objects else None


def changes(differences: Iterable[Difference], scope: Scope) -> Iterator[Change]:
    """The changes that the differences amount to, ordered by subject."""
    statements = (
        (*split(difference.line), difference)
        for difference in differences
        if difference.subject_in_both or _subject(difference.line) in scope.sections
    )
    for (subject, predicate), group in groupby(statements, key=itemgetter(0, 1)):
        values: list[tuple[str, Difference]] = []
        for _, _, value, difference in group:
            if scope.is_edge(predicate, value):
                yield _object_change(subject, predicate, value, difference.added, scope)
            elif difference.subject_in_both and scope.is_value(predicate):
                values.append((value, difference))
        if values and (change := _property_change(subject, predicate, values, scope)):
            yield change


def compare_values(subject: str, old: Values, new: Values) -> Iterator[PropertyChange]:
    """The changes between two descriptions of one subject, predicate by predicate."""
    before, after = {predicate for predicate, _ in old}, {predicate for predicate, _ in new}
    for predicate, group in groupby(sorted(old ^ new), key=itemgetter(0)):
        values = [value for _, value in group]
        if predicate not in before:
            kind = ChangeKind.ADDED
        else:
            kind = ChangeKind.CHANGED if predicate in after else ChangeKind.REMOVED
        yield PropertyChange(
            kind,
            subject,
            predicate,
            tuple(value for value in values if (predicate, value) in old),
            tuple(value for value in values if (predicate, value) in new),
        )


def _object_change(subject: str, predicate: str, value: str, added: bool, scope: Scope) -> ObjectChange:
    if added:
        kind = ChangeKind.ADDED
    elif reason := scope.keeps_edge(subject, predicate, value):
        kind = _KEPT[reason]
    else:
        kind = ChangeKind.REMOVED
    return ObjectChange(kind, subject, predicate, value)


def _property_change(
    subject: str, predicate: str, values: list[tuple[str, Difference]], scope: Scope
) -> PropertyChange | None:
    old = tuple(value for value, difference in values if not difference.added)
    new = tuple(value for value, difference in values if difference.added)
    if not new and (reason := scope.keeps_values(subject, predicate)):
        return PropertyChange(_KEPT[reason], subject, predicate, old, ()) if reason is CarryReason.SUSPECTED else None
    if values[0][1].predicate_in_both:
        kind = ChangeKind.CHANGED
    else:
        kind = ChangeKind.ADDED if new else ChangeKind.REMOVED
    return PropertyChange(kind, subject, predicate, old, new)


def _subject(line: str) -> str:
    return line[: line.index(" ")]


def change_triple(subject: str, kind: ChangeKind, what: str) -> str:
    """A change as the changes store has it."""
    return f"{subject} <{terms.METAMODEL}{kind}> {what} ."
