"""Objects without address get a new name with every new value: which of the new ones is which of the old ones.

The name is a hash of the values, so the graphs have lost one object and gained another. For people, two objects of the
same parent and class are one that was replaced if they have the same key, if they share at least half of their values,
or if each is the only one in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf.names import is_hash_name
from rdfcrawl.rdf.ntriples import iri, split
from rdfcrawl.versioning.changes import Change, ChangeKind, ObjectChange, Values
from rdfcrawl.versioning.diff import Difference

Place = tuple[str, str]
"""A parent and the predicate by which it leads to objects."""

_COMMON: Final = 50
"""A value that more objects have says nothing about which of them is meant."""


@dataclass(slots=True)
class Family:
    """The objects without address that a place has lost and gained; ``unsure`` if others may only be out of sight."""

    gone: list[str] = field(default_factory=list)
    come: list[str] = field(default_factory=list)
    unsure: bool = False


def descriptions(differences: Iterable[Difference]) -> dict[str, Values]:
    """What the one side that has them says of objects without address."""
    found: dict[str, set[tuple[str, str]]] = {}
    for difference in differences:
        if not difference.subject_in_both:
            subject, predicate, value = split(difference.line)
            if is_hash_name(subject[1:-1]):
                found.setdefault(subject, set()).add((predicate, value))
    return {subject: frozenset(values) for subject, values in found.items()}


def may_be_replaced(changes: Iterable[Change]) -> bool:
    """Whether any object without address was lost where another was found: most runs have none."""
    return any(family.gone and family.come for family in families(changes).values())


def families(changes: Iterable[Change]) -> dict[Place, Family]:
    """The objects without address that came and went, by their place."""
    found: dict[Place, Family] = {}
    for change in changes:
        if isinstance(change, ObjectChange) and is_hash_name(change.object[1:-1]):
            family = found.setdefault((change.subject, change.predicate), Family())
            if change.kind is ChangeKind.REMOVED:
                family.gone.append(change.object)
            elif change.kind is ChangeKind.ADDED:
                family.come.append(change.object)
            else:
                family.unsure = True
    return found


def keys_of(model: Model | None) -> dict[str, frozenset[str]]:
    """By the predicate that leads to a class, the predicates of its ``:key``."""
    items = model.items() if model is not None else ()
    return {
        iri(item.predicate): frozenset(iri(prop.predicate) for prop in item.properties if prop.iri in item.key)
        for item in items
        if item.key
    }


def replacements(
    changes: Iterable[Change],
    described: Mapping[str, Values],
    keys: Mapping[str, frozenset[str]] | None = None,
    crowded: Callable[[Collection[Place]], Collection[Place]] | None = None,
) -> dict[str, str]:
    """For each removed object the added one that took its place, where there is one.

    ``crowded`` tells at which of some places there is more than one object now; without it, no object is paired only
    because it is the only one there.
    """
    pairs: dict[str, str] = {}
    single: dict[Place, Place] = {}
    for place, family in families(changes).items():
        gone = {name: described[name] for name in family.gone if name in described and name not in pairs}
        come = {name: described[name] for name in family.come if name in described}
        found = _same_key(gone, come, (keys or {}).get(place[1], frozenset()))
        pairs |= found | _similar(gone, come, found)
        if len(gone) == len(come) == 1 and not (pairs.keys() & gone.keys()) and not family.unsure:
            single[place] = (next(iter(gone)), next(iter(come)))
    if single and crowded is not None:
        full = set(crowded(single.keys()))
        pairs |= {old: new for place, (old, new) in single.items() if place not in full and old not in pairs}
    return pairs


def paired(changes: Collection[Change], successors: Mapping[str, str]) -> Iterator[Change]:
    """The changes, with one replacement where a place has lost an object and gained its successor."""
    edges = {
        (change.subject, change.predicate, change.object): change.kind
        for change in changes
        if successors and isinstance(change, ObjectChange)
    }
    replaced = {
        (subject, predicate, successors[name])
        for (subject, predicate, name), kind in edges.items()
        if kind is ChangeKind.REMOVED
        and name in successors
        and edges.get((subject, predicate, successors[name])) is ChangeKind.ADDED
    }
    for change in changes:
        if isinstance(change, ObjectChange) and replaced:
            if (change.subject, change.predicate, change.object) in replaced:
                continue
            successor = successors.get(change.object)
            if (change.subject, change.predicate, successor) in replaced and change.kind is ChangeKind.REMOVED:
                yield replace(change, kind=ChangeKind.REPLACED, successor=successor)
                continue
        yield change


def _same_key(gone: Mapping[str, Values], come: Mapping[str, Values], key: frozenset[str]) -> dict[str, str]:
    """Objects with equal values of the key; a key that several have on one side names none of them."""
    before, after = _by_key(gone, key), _by_key(come, key)
    return {old: after[values] for values, old in before.items() if values in after}


def _by_key(described: Mapping[str, Values], key: frozenset[str]) -> dict[Values, str]:
    found: dict[Values, list[str]] = {}
    for name, values in described.items():
        if named := frozenset(value for value in values if value[0] in key):
            found.setdefault(named, []).append(name)
    return {values: names[0] for values, names in found.items() if len(names) == 1}


def _similar(gone: Mapping[str, Values], come: Mapping[str, Values], known: Mapping[str, str]) -> dict[str, str]:
    """Objects that share at least half of their values: most values first, then the rarest."""
    holders: dict[tuple[str, str], list[str]] = {}
    for name, values in come.items():
        for value in values:
            holders.setdefault(value, []).append(name)
    candidates: list[tuple[int, float, str, str]] = []
    for old, values in gone.items():
        telling = (value for value in values if len(holders.get(value, ())) <= _COMMON)
        for new in {name for value in telling for name in holders.get(value, ())}:
            shared = values & come[new]
            if 2 * len(shared) >= max(len(values), len(come[new])):
                candidates.append((-len(shared), -sum(1 / len(holders[value]) for value in shared), old, new))
    pairs: dict[str, str] = {}
    taken = set(known.values())
    for _, _, old, new in sorted(candidates):
        if old not in pairs and old not in known and new not in taken:
            pairs[old] = new
            taken.add(new)
    return pairs
