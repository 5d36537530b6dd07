"""Objects without address get a new name with every new value: which of the new ones is which of the old ones.

The name is a hash of the values, so the changes store has a removal and an addition. For people, two objects of
the same parent and class that share most of their values are one that was replaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from rdfcrawl.rdf.names import is_hash_name
from rdfcrawl.rdf.ntriples import split
from rdfcrawl.versioning.changes import Change, ChangeKind, ObjectChange, Values
from rdfcrawl.versioning.diff import Difference


def descriptions(differences: Iterable[Difference]) -> dict[str, Values]:
    """What the one side that has them says of objects without address."""
    found: dict[str, set[tuple[str, str]]] = {}
    for difference in differences:
        if not difference.subject_in_both:
            subject, predicate, value = split(difference.line)
            if is_hash_name(subject[1:-1]):
                found.setdefault(subject, set()).add((predicate, value))
    return {subject: frozenset(values) for subject, values in found.items()}


def replacements(changes: Iterable[Change], described: Mapping[str, Values]) -> dict[str, str]:
    """For each removed object the added one that took its place, where there is one."""
    families: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for change in changes:
        if isinstance(change, ObjectChange) and change.object in described:
            gone, come = families.setdefault((change.subject, change.predicate), ([], []))
            if change.kind is ChangeKind.REMOVED:
                gone.append(change.object)
            elif change.kind is ChangeKind.ADDED:
                come.append(change.object)
    pairs: dict[str, str] = {}
    for gone, come in families.values():
        pairs |= _pairs({name: described[name] for name in gone}, {name: described[name] for name in come})
    return pairs


def _pairs(gone: Mapping[str, Values], come: Mapping[str, Values]) -> dict[str, str]:
    holders: dict[tuple[str, str], list[str]] = {}
    for name, values in come.items():
        for value in values:
            holders.setdefault(value, []).append(name)
    candidates: list[tuple[int, str, str]] = []
    for old, values in gone.items():
        shared = Counter(new for value in values for new in holders.get(value, ()))
        for new, count in shared.items():
            if 2 * count > max(len(values), len(come[new])):
                candidates.append((-count, old, new))
    pairs: dict[str, str] = {}
    taken: set[str] = set()
    for _, old, new in sorted(candidates):
        if old not in pairs and new not in taken:
            pairs[old] = new
            taken.add(new)
    return pairs
