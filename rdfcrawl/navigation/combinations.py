"""Combinations of groups, one of each neighbouring document, all of which harmonise (definitions 16 to 18).

There may be exponentially many. Groups that do not harmonise with the reference group are left out, of groups with the
same links one stands for all, the most similar are tried first, and the search ends when its effort is spent.
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
    choices: Sequence[Sequence[LinkGroup]], harmonies: HarmonyGraph, effort: Effort
) -> Iterator[Combination]:
    """All combinations that induce a complete part of the harmony graph, until the effort is spent."""
    chosen: list[LinkGroup] = []
    tried = [0] * len(choices)
    while True:
        if len(chosen) == len(choices):
            yield tuple(chosen)
        elif (found := _next_fitting(choices[len(chosen)], tried[len(chosen)], chosen, harmonies, effort)) is not None:
            tried[len(chosen)] = found + 1
            chosen.append(choices[len(chosen)][found])
            continue
        else:
            tried[len(chosen)] = 0
        if not chosen or effort.is_spent:
            return
        chosen.pop()


def _next_fitting(
    possible: Sequence[LinkGroup], start: int, chosen: Sequence[LinkGroup], harmonies: HarmonyGraph, effort: Effort
) -> int | None:
    """The place of the next group that harmonises with all that are chosen."""
    kinds = {group.kind: group for group in chosen}.values()
    for place in range(start, len(possible)):
        if not effort.spend(len(kinds) + 1):
            return None
        if all(group.kind == possible[place].kind or harmonies.weight(group, possible[place]) for group in kinds):
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
