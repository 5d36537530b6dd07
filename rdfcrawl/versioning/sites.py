"""Changes of a site in the words of those who look after it: new, gone, changed, broken since, repaired since."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from rdfcrawl.metamodel.kinds.site_page import ADDRESSES, BROKEN
from rdfcrawl.rdf import terms
from rdfcrawl.versioning.changes import Change, ChangeKind, ObjectChange


class SiteChange(StrEnum):
    """What happened to an address of a site since the survey before."""

    NEW = "new"
    GONE = "gone"
    CHANGED = "changed"
    BROKEN = "broken since"
    REPAIRED = "repaired since"


KIND: Final = terms.SITE + "kind"
_FACTS: Final = frozenset(prop.predicate for prop in ADDRESSES.properties)
_BROKEN: Final = frozenset(terms.SITE + kind for kind in BROKEN)
_OF_ADDRESSES: Final = {ChangeKind.ADDED: SiteChange.NEW, ChangeKind.REMOVED: SiteChange.GONE}


def of_address(kind: ChangeKind, predicate: str) -> SiteChange | None:
    """What it means that an object came or went; nothing where it is no address of a site."""
    return _OF_ADDRESSES.get(kind) if predicate == ADDRESSES.predicate else None


def of_fact(kind: ChangeKind, predicate: str, old: Iterable[str], new: Iterable[str]) -> SiteChange | None:
    """What it means that a value of an address changed; nothing where it is no fact of a survey, or only unseen."""
    if predicate not in _FACTS or kind not in (ChangeKind.ADDED, ChangeKind.CHANGED, ChangeKind.REMOVED):
        return None
    if predicate == KIND:
        was, is_now = (bool(_BROKEN.intersection(values)) for values in (old, new))
        if was != is_now:
            return SiteChange.BROKEN if is_now else SiteChange.REPAIRED
    return SiteChange.CHANGED


def site_changes(changes: Iterable[Change]) -> dict[str, SiteChange]:
    """Each address of a site that has changed (N-Triples text), with the word that says most."""
    found: dict[str, SiteChange] = {}
    for change in changes:
        predicate = change.predicate[1:-1]
        if isinstance(change, ObjectChange):
            about, word = change.object, of_address(change.kind, predicate)
        else:
            values = ([value[1:-1] for value in side] for side in (change.old, change.new))
            about, word = change.subject, of_fact(change.kind, predicate, *values)
        if word is not None and (word is not SiteChange.CHANGED or about not in found):
            found[about] = word
    return found


def site_counts(changes: Iterable[Change]) -> dict[str, int]:
    """How many addresses each word is said of."""
    counts = Counter(site_changes(changes).values())
    return {str(word): counts[word] for word in SiteChange if counts[word]}


def in_words(counts: Mapping[str, int]) -> str:
    """Such as ``2 new, 1 broken since``."""
    return ", ".join(f"{count:,} {word}" for word, count in counts.items())
