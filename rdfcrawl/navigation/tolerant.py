"""The tolerant rule: what has the same address and text on half of the neighbouring pages is navigation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from rdfcrawl.navigation.identities import LinkGroup
from rdfcrawl.navigation.judging import GroupVerdict, LinkClass
from rdfcrawl.navigation.site import LinkedSite, LinksBack, SiteDocument

MOST_NEIGHBOURS: Final = 200
"""How many neighbouring pages are asked; of more, so many at equal distances."""
_KEPT_DOCUMENTS: Final = 4_096
_KEPT_GROUPS: Final = 65_536


class TolerantJudge:
    """Judges link by link.

    The neighbours of a group are the pages that it links to. Where these are fewer than two, because a group leads out
    of the site or a link stands alone, they are all pages that the page links to.
    """

    def __init__(self, site: LinkedSite) -> None:
        self._site = site
        self._labels = lru_cache(_KEPT_DOCUMENTS)(_labels_of)
        self._back = LinksBack()
        self._around = lru_cache(1)(lambda document: _some(site.around(document)))
        self._known: dict[tuple[LinkGroup, str], tuple[Sequence[SiteDocument], frozenset[int]]] = {}

    def group(self, document: SiteDocument, group: LinkGroup) -> GroupVerdict:
        """Judge each link of a group."""
        neighbours, repeated = self._repeated_in(document, group)
        if not repeated:
            return GroupVerdict([LinkClass.CONTENT] * len(group.labels))
        back = self._back.groups(document, neighbours)
        is_inside = any(not repeated.isdisjoint(other.labels) for other in back)
        found = LinkClass.NAVIGATION if is_inside else LinkClass.OUTSIDER
        return GroupVerdict([found if label in repeated else LinkClass.CONTENT for label in group.labels])

    def ungrouped(self, document: SiteDocument) -> GroupVerdict:
        """Judge the links in no group, each on its own: none belongs to a system that could lead to the page."""
        labels = document.ungrouped.labels
        repeated = self._among(document.ungrouped, self._around(document)) if labels else frozenset()
        return GroupVerdict([LinkClass.OUTSIDER if one in repeated else LinkClass.CONTENT for one in labels])

    def _repeated_in(self, document: SiteDocument, group: LinkGroup) -> tuple[Sequence[SiteDocument], frozenset[int]]:
        """The neighbours of a group, and the b-IDs that enough of them have as well."""
        key = group, document.host
        # A group that does not link to its own page has the same neighbours wherever it stands.
        is_same_everywhere = document.number not in group.references
        if is_same_everywhere and (known := self._known.get(key)) is not None:
            return known
        neighbours = self._site.neighbours(document, group.references)
        if len(neighbours) < 2:
            around = self._around(document)
            return around, self._among(group, around)
        chosen = _some(neighbours)
        found = chosen, self._among(group, chosen)
        if is_same_everywhere and len(self._known) < _KEPT_GROUPS:
            self._known[key] = found
        return found

    def _among(self, group: LinkGroup, neighbours: Sequence[SiteDocument]) -> frozenset[int]:
        """The b-IDs of a group that half of the neighbours have; a page need not link to itself."""
        wanted = frozenset(group.labels)
        counts: Counter[int] = Counter()
        for neighbour in neighbours:
            counts.update(wanted & self._labels(neighbour))
        places = {neighbour.number: neighbour for neighbour in neighbours}
        repeated = set()
        for label, reference in zip(group.labels, group.references, strict=True):
            itself = places.get(reference)
            others = len(neighbours) - (itself is not None)
            count = counts[label] - (itself is not None and label in self._labels(itself))
            if others and 2 * count >= others:
                repeated.add(label)
        return frozenset(repeated)


def _labels_of(document: SiteDocument) -> frozenset[int]:
    return frozenset(label for group in (*document.groups, document.ungrouped) for label in group.labels)


def _some(documents: Sequence[SiteDocument]) -> Sequence[SiteDocument]:
    if len(documents) <= MOST_NEIGHBOURS:
        return documents
    return [documents[place * len(documents) // MOST_NEIGHBOURS] for place in range(MOST_NEIGHBOURS)]
