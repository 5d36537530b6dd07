"""What disappeared goes in; what of it is too much to be believed comes out.

A site loses an object now and then. A redesign loses all of a class at once, because a selector of the model no longer
finds it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import field, replace
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.model import Item, Model
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.runs.suspicion import Suspicion
from rdfcrawl.versioning.changes import Scope
from rdfcrawl.versioning.suspicion.losses import Edge, Left, Missing

MANY: Final = 10
"""As many objects that disappear at once are suspected if they are more than half of their class."""
FEW: Final = 3
"""As many entries of a list are suspected if they are all that there were; so are any two on different pages."""
MANDATORY: Final = 2
"""As many objects that lose a mandatory property at once are suspected if they are more than half of those with it."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What the runs before have suspected already, as N-Triples text, and their suspicions."""

    edges: frozenset[tuple[str, str, str]] = frozenset()
    values: frozenset[tuple[str, str]] = frozenset()
    suspicions: tuple[Suspicion, ...] = ()

    def since(self, suspicion: Suspicion) -> int:
        """The run that first suspected the same."""
        same = (one for one in self.suspicions if one.is_open and one.key == suspicion.key)
        return min((one.since for one in same), default=suspicion.since)


@dataclass(frozen=True, slots=True)
class SuspicionJudgement:
    """What is suspected, and what was accepted although it would be."""

    edges: frozenset[tuple[str, str, str]] = frozenset()
    values: frozenset[tuple[str, str]] = frozenset()
    accepted: frozenset[tuple[str, str]] = frozenset()
    suspicions: tuple[Suspicion, ...] = ()

    def within(self, scope: Scope) -> Scope:
        """The scope of a comparison that keeps what is suspected."""
        return replace(scope, suspected_edges=self.edges, suspected_values=self.values, accepted=self.accepted)


@dataclass(slots=True)
class _SuspectGroup:
    """What a suspicion is about."""

    suspicion: Suspicion
    edges: set[tuple[str, str, str]] = field(default_factory=set)
    values: set[tuple[str, str]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Court:
    """Everything that the judgement of one run needs; ``edited`` are predicates that an edit of the model touched."""

    run: int
    model: Model
    missing: Missing
    left: Left
    earlier: Earlier
    edited: frozenset[str] = frozenset()

    def groups(self) -> Iterator[_SuspectGroup]:
        """What is suspected, by class, place and property."""
        items = self.model.items()
        volatile = {iri(item.predicate) for item in items if item.volatile}
        for predicate in sorted(self.missing.edges & ({iri(item.predicate) for item in items} - volatile)):
            yield from self._lost_objects(predicate)
        for predicate in sorted(self.missing.values):
            yield from self._lost_values(predicate)

    def _lost_objects(self, predicate: str) -> Iterator[_SuspectGroup]:
        standing, fresh = self._parted(predicate)
        suspected = standing | self._unbelievable(predicate, fresh)
        if not suspected:
            return
        places = {self._place(edge) for edge in suspected}
        elsewhere = self.left.kept.get((predicate, None), 0) - sum(
            self.left.kept.get((predicate, place), 0) for place in places
        )
        parent = next(iter(places)) if len(places) == 1 and elsewhere else None
        kept, come = (counted.get((predicate, parent), 0) for counted in (self.left.kept, self.left.come))
        lost = len(suspected)
        suspicion = Suspicion(predicate[1:-1], lost, lost + kept, self.run, parent=parent or None, come=come)
        yield _SuspectGroup(suspicion, {(subject, predicate, name) for subject, name in suspected})

    def _parted(self, predicate: str) -> tuple[set[Edge], set[Edge]]:
        """What is suspected whatever the number, because it was before or its start list is empty; and the rest."""
        gone, bare, emptied = (
            side.get(predicate, set()) for side in (self.missing.gone, self.missing.bare, self.missing.emptied)
        )
        standing = {edge for edge in gone | bare | emptied if (edge[0], predicate, edge[1]) in self.earlier.edges}
        if predicate not in self.edited:
            return standing | emptied, (gone | bare) - standing
        # An edit explains what it changes. One that brings nothing back has not mended what died before.
        is_mended = 2 * self.left.come.get((predicate, None), 0) >= len(standing)
        return set() if is_mended else standing, set()

    def _unbelievable(self, predicate: str, lost: set[Edge]) -> set[Edge]:
        """The edges that disappeared with too many others of their class, or of one place where it is found."""
        if _is_mass(lost, len(lost) + self.left.kept.get((predicate, None), 0)):
            return lost
        places: dict[str, set[Edge]] = {}
        for edge in lost:
            places.setdefault(self._place(edge), set()).add(edge)
        found: set[Edge] = set()
        for place, edges in places.items():
            known = len(edges) + self.left.kept.get((predicate, place), 0)
            if _is_mass(edges, known) or _is_all(edges, known, self.left.come.get((predicate, place), 0)):
                found |= edges
        return found

    def _place(self, edge: Edge) -> str:
        return self.left.places.get(edge[0], "")

    def _lost_values(self, predicate: str) -> Iterator[_SuspectGroup]:
        owners = _owners(self.model, predicate)
        for item, is_mandatory in owners.items():
            if item.volatile:
                continue
            place = None if len(owners) == 1 else item.predicate
            lost = {
                subject
                for subject in self.missing.values[predicate]
                if place is None or self.left.places.get(subject) == place
            }
            kept = self.left.kept.get((predicate, place), 0)
            standing = {subject for subject in lost if (subject, predicate) in self.earlier.values}
            if predicate in self.edited:
                lost = standing if kept < len(standing) else set()
            elif not _is_dead(len(lost), kept, is_mandatory):
                lost = standing
            if lost:
                suspicion = Suspicion(item.predicate, len(lost), len(lost) + kept, self.run, predicate[1:-1])
                yield _SuspectGroup(suspicion, values={(subject, predicate) for subject in lost})


def judge(court: Court, accepted: Collection[Suspicion]) -> SuspicionJudgement:
    """The judgement; what was ``accepted`` is no longer suspected."""
    said = {suspicion.key: suspicion for suspicion in accepted}
    edges: set[tuple[str, str, str]] = set()
    values: set[tuple[str, str]] = set()
    gone: set[tuple[str, str]] = set()
    suspicions: list[Suspicion] = []
    for group in court.groups():
        if group.suspicion.key in said:
            gone |= {(subject, name) for subject, _, name in group.edges}
            continue
        edges |= group.edges
        values |= group.values
        suspicions.append(replace(group.suspicion, since=court.earlier.since(group.suspicion)))
    return SuspicionJudgement(frozenset(edges), frozenset(values), frozenset(gone), tuple(suspicions))


def _is_mass(edges: set[Edge], known: int) -> bool:
    return len(edges) >= MANY and 2 * len(edges) > known


def _is_all(edges: set[Edge], known: int, come: int) -> bool:
    """Whether a list is empty on every page where it had entries."""
    return len(edges) == known and not come and (len(edges) >= FEW or len({subject for subject, _ in edges}) > 1)


def _is_dead(lost: int, kept: int, is_mandatory: bool) -> bool:
    """Whether a property is gone: from most objects if it is mandatory, from all of many if it need not be there."""
    return lost >= MANDATORY and lost > kept if is_mandatory else lost >= MANY and not kept


def _owners(model: Model, predicate: str) -> Mapping[Item, bool]:
    """The items with a property of this predicate, and whether it is mandatory there."""
    found: dict[Item, bool] = {}
    for item in model.items():
        own = [prop for prop in item.properties if iri(prop.predicate) == predicate]
        if own:
            found[item] = any(not prop.optional for prop in own)
    return found
