"""Combinations of groups, one of each neighbouring document, all of which harmonise (definitions 16 to 18).

There may be exponentially many. Groups that do not harmonise with the reference group are left out, of groups with the
same links one stands for all, the most similar are tried first, what has no entry in common is not gone into, and the
search ends when its effort is spent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rdfcrawl.navigation.effort import Effort
from rdfcrawl.navigation.harmony import harmony_weight
from rdfcrawl.navigation.identities import LinkGroup
from rdfcrawl.navigation.site import SiteDocument

_MOST_KEPT: Final = 500_000
_LINKS_A_STEP: Final = 16

Combination = tuple[LinkGroup, ...]
"""One group of each neighbouring document, in the order of the documents."""


class HarmonyGraph:
    """Which groups v-harmonise (definition 17); an edge is determined when it is first asked for."""

    def __init__(self) -> None:
        self._weights: dict[tuple[int, int], int] = {}

    def weight(self, first: LinkGroup, second: LinkGroup) -> int:
        """The v-harmony weight of two groups; 0 where there is no edge."""
        key = (first.kind, second.kind) if first.kind < second.kind else (second.kind, first.kind)
        known = self._weights.get(key)
        if known is None:
            if len(self._weights) >= _MOST_KEPT:
                self._weights.clear()
            known = self._weights[key] = harmony_weight(first.references, second.references)
        return known


def candidates(
    reference: LinkGroup, neighbours: Sequence[SiteDocument], harmonies: HarmonyGraph, effort: Effort
) -> list[list[LinkGroup]] | None:
    """The groups of each neighbour that may be part of a combination, the most similar to the reference group first.

    The weight is the sum of the three harmony weights. ``None`` if a neighbour has no such group.
    """
    found: list[list[LinkGroup]] = []
    for document in neighbours:
        fitting: dict[int, LinkGroup] = {}
        for group in document.groups:
            if not effort.spend(_steps(reference, group)):
                return None
            if harmonies.weight(reference, group):
                fitting.setdefault(group.kind, group)
        if not fitting:
            return None
        if len(fitting) > 1 and not effort.spend(3 * sum(_steps(reference, group) for group in fitting.values())):
            return None
        # Sorting is stable: equally similar groups stay in the order of the page.
        groups = [*fitting.values()]
        found.append(sorted(groups, key=lambda group: -_similarity(reference, group)) if len(groups) > 1 else groups)
    return found


def _steps(first: LinkGroup, second: LinkGroup) -> int:
    """What comparing two groups costs."""
    return 1 + (len(first.references) + len(second.references)) // _LINKS_A_STEP


def harmonic_combinations(
    choices: Sequence[Sequence[LinkGroup]],
    harmonies: HarmonyGraph,
    effort: Effort,
    reached: Sequence[Sequence[int]] | None = None,
) -> Iterator[Combination]:
    """All combinations that induce a complete part of the harmony graph, until the effort is spent.

    ``reached`` has for each group of each document what it reaches, as bits: see ``documents_reached``. With it, what
    cannot become a navigation graph is left out as soon as that is seen.
    """
    chosen: list[LinkGroup] = []
    common = [-1]
    tried = [0] * len(choices)
    while True:
        level = len(chosen)
        if level == len(choices):
            yield tuple(chosen)
        else:
            bits = reached[level] if reached is not None else [-1] * len(choices[level])
            possible = [group if common[-1] & own else None for group, own in zip(choices[level], bits, strict=True)]
            found = _next_fitting(possible, tried[level], chosen, harmonies, effort)
            if found is not None:
                tried[level] = found + 1
                chosen.append(choices[level][found])
                common.append(common[-1] & bits[found])
                continue
            tried[level] = 0
        if not chosen or effort.is_spent:
            return
        chosen.pop()
        common.pop()


def documents_reached(
    documents: Sequence[SiteDocument], choices: Sequence[Sequence[LinkGroup]], last: SiteDocument
) -> list[list[int]]:
    """For each group of each document that document and those that the group links to, as the bits of a number.

    A navigation graph has an entry that is on all of its groups but its own, so that these numbers of a combination
    have a bit in common. ``last`` is the document of the reference group.
    """
    bits = {document.number: 1 << place for place, document in enumerate((*documents, last))}
    known: dict[int, int] = {}
    found: list[list[int]] = []
    for document, groups in zip(documents, choices, strict=True):
        for group in groups:
            if group.kind not in known:
                known[group.kind] = sum({bits.get(reference, 0) for reference in group.references})
        found.append([known[group.kind] | bits[document.number] for group in groups])
    return found


def _next_fitting(
    possible: Sequence[LinkGroup | None],
    start: int,
    chosen: Sequence[LinkGroup],
    harmonies: HarmonyGraph,
    effort: Effort,
) -> int | None:
    """The place of the next possible group that harmonises with all that are chosen."""
    kinds = {group.kind: group for group in chosen}.values()
    for place in range(start, len(possible)):
        one = possible[place]
        if not effort.spend(1 if one is None else len(kinds) + 1):
            return None
        if one is not None and all(group.kind == one.kind or harmonies.weight(group, one) for group in kinds):
            return place
    return None


def _similarity(reference: LinkGroup, group: LinkGroup) -> int:
    return sum(
        harmony_weight(one, two)
        for one, two in (
            (reference.references, group.references),
            (reference.labels, group.labels),
            (reference.displays, group.displays),
        )
    )
