"""Differences go in; what disappeared, what is left and what has come, by class and by where it hangs, comes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf.names import is_hash_name
from rdfcrawl.rdf.ntriples import iri, split
from rdfcrawl.versioning.blocks import State, lines_of
from rdfcrawl.versioning.changes import Change, ChangeKind, ObjectChange, PropertyChange, Scope, Values
from rdfcrawl.versioning.diff import Difference
from rdfcrawl.versioning.pairing.replaced import descriptions, replacements
from rdfcrawl.versioning.suspicion.evidence import BAD_ADDRESS, EMPTY_LIST, NO_LINK, NO_ROOT, NO_VALUES, Evidence

Edge = tuple[str, str]
"""Subject and object of an edge whose predicate is known."""
Place = tuple[str, str | None]
"""A class, or a property, and where it is: the class or the page that leads to the objects, or the property's class."""

_NOWHERE: Final = ""


@dataclass(frozen=True, slots=True)
class Missing:
    """What the new run lacks: edges and values by predicate, as N-Triples text.

    ``gone`` is missing on pages that were read, ``bare`` are objects whose page was read but had nothing to show,
    ``emptied`` those of start lists without any entry, ``values`` are the subjects that lost all values of a property.
    """

    gone: dict[str, set[Edge]] = field(default_factory=dict)
    bare: dict[str, set[Edge]] = field(default_factory=dict)
    emptied: dict[str, set[Edge]] = field(default_factory=dict)
    values: dict[str, set[str]] = field(default_factory=dict)

    @property
    def edges(self) -> frozenset[str]:
        """The predicates with edges that are missing."""
        return frozenset({*self.gone, *self.bare, *self.emptied})

    def subjects(self) -> set[str]:
        """What the missing edges began at, and what lost values."""
        sides = (self.gone, self.bare, self.emptied)
        parents = {subject for side in sides for edges in side.values() for subject, _ in edges}
        return parents.union(*self.values.values())


@dataclass(frozen=True, slots=True)
class Left:
    """How many edges and values the new run still has and how many have come, by class and place."""

    kept: Mapping[Place, int]
    come: Mapping[Place, int]
    places: Mapping[str, str]


def find_missing(
    changes: Iterable[Change], scope: Scope, evidence: Evidence, suspected: Collection[tuple[str, str, str]]
) -> Missing:
    """What is missing, unless the site itself could not be read; an outage says nothing new about the ``suspected``."""
    found = Missing()
    for change in changes:
        if isinstance(change, PropertyChange):
            if change.kind is ChangeKind.REMOVED:
                found.values.setdefault(change.predicate, set()).add(change.subject)
            continue
        if change.kind is ChangeKind.REMOVED:
            side = found.gone
        elif change.kind is ChangeKind.UNOBSERVED and (change.subject, change.predicate, change.object) in suspected:
            side = found.bare
        elif change.kind is ChangeKind.UNOBSERVED and (kind := _bareness(change, scope, evidence)):
            side = found.emptied if kind == EMPTY_LIST else found.bare
        else:
            continue
        side.setdefault(change.predicate, set()).add((change.subject, change.object))
    return found


def _bareness(change: ObjectChange, scope: Scope, evidence: Evidence) -> str | None:
    """The problem of a page that was read which explains why an edge was not observed."""
    if change.object in scope.unread_objects:
        return next((kind for kind in (NO_ROOT, NO_VALUES) if evidence.is_bare(kind, change.object)), None)
    if (change.subject, change.predicate) not in scope.unread_lists:
        return None
    about_lists = (EMPTY_LIST,) if change.subject in scope.sections else ()
    return next((kind for kind in (*about_lists, NO_LINK, BAD_ADDRESS) if evidence.is_bare(kind, change.subject)), None)


def come_edges(differences: Iterable[Difference], predicates: Collection[str], scope: Scope) -> dict[str, set[Edge]]:
    """The edges of some predicates that only the new run has, wherever they begin."""
    found: dict[str, set[Edge]] = {predicate: set() for predicate in predicates}
    for difference in differences:
        if difference.added:
            subject, predicate, value = split(difference.line)
            if predicate in found and scope.is_edge(predicate, value):
                found[predicate].add((subject, value))
    return found


def without_moved(missing: Missing, come: Mapping[str, set[Edge]], differences: Iterable[Difference]) -> None:
    """Forget what only hangs elsewhere now, and what another object with the same properties has replaced."""
    described: dict[str, Values] = {}
    if any(is_hash_name(name[1:-1]) for edges in missing.gone.values() for _, name in edges):
        described = descriptions(differences)
    for predicate, edges in missing.gone.items():
        elsewhere = {name for _, name in come[predicate]}
        replaced = _replaced(predicate, edges, come[predicate], described)
        missing.gone[predicate] = {edge for edge in edges if edge[1] not in elsewhere and edge[1] not in replaced}


def _replaced(predicate: str, gone: set[Edge], come: set[Edge], described: Mapping[str, Values]) -> frozenset[str]:
    if not described:
        return frozenset()
    changes = [
        ObjectChange(kind, subject, predicate, name)
        for kind, edges in ((ChangeKind.REMOVED, gone), (ChangeKind.ADDED, come))
        for subject, name in sorted(edges)
    ]
    pairs = replacements(changes, described)
    # One that has lost a property is no replacement: that is how a moved column shows.
    return frozenset(old for old, new in pairs.items() if _predicates(described[old]) <= _predicates(described[new]))


def _predicates(values: Values) -> set[str]:
    return {predicate for predicate, _ in values}


def count_left(
    new: State,
    differences: Iterable[Difference],
    missing: Missing,
    come: Mapping[str, set[Edge]],
    model: Model,
    scope: Scope,
) -> Left:
    """What the new run has of the classes and properties of which something is missing."""
    kept = _kept(new, missing.values, come, _fresh(differences, missing.values))
    arrivals = Counter((predicate, subject) for predicate, edges in come.items() for subject, _ in edges)
    places = _places(new, {subject for _, subject in (*kept, *arrivals)} | missing.subjects(), model, scope)
    return Left(_by_place(kept, places), _by_place(arrivals, places), places)


def _kept(
    new: State, properties: Collection[str], come: Mapping[str, set[Edge]], fresh: set[tuple[str, str]]
) -> Counter[tuple[str, str]]:
    """By predicate and subject: the edges, or that there is a value, which both states have."""
    kept: Counter[tuple[str, str]] = Counter()
    counted = {predicate.encode() for predicate in (*properties, *come)}
    for line in lines_of(new()):
        subject, predicate, rest = line.split(b" ", 2)
        if predicate not in counted:
            continue
        place = predicate.decode(), subject.decode()
        if place[0] not in come:
            kept[place] = 0 if place in fresh else 1
        elif rest.startswith(b"<") and (place[1], rest[:-3].decode()) not in come[place[0]]:
            kept[place] += 1
    return kept


def _fresh(differences: Iterable[Difference], predicates: Collection[str]) -> set[tuple[str, str]]:
    """Properties and subjects that had no value before."""
    found: set[tuple[str, str]] = set()
    if predicates:
        for difference in differences:
            if difference.added and not difference.predicate_in_both:
                subject, predicate, _ = split(difference.line)
                if predicate in predicates:
                    found.add((predicate, subject))
    return found


def _by_place(counted: Mapping[tuple[str, str], int], places: Mapping[str, str]) -> Counter[Place]:
    found: Counter[Place] = Counter()
    for (predicate, subject), count in counted.items():
        found[predicate, places.get(subject, _NOWHERE)] += count
        found[predicate, None] += count
    return found


def _places(state: State, subjects: set[str], model: Model, scope: Scope) -> dict[str, str]:
    """The class of each subject; for a section, the page that describes it."""
    found = {iri(section.address): section.page for section in model.sections if iri(section.address) in scope.sections}
    items = {term.encode() for term in scope.items}
    wanted = {subject.encode() for subject in subjects}
    for line in lines_of(state()):
        _, predicate, rest = line.split(b" ", 2)
        if predicate in items and (target := rest[:-3]) in wanted:
            found.setdefault(target.decode(), predicate.decode()[1:-1])
    return found
