"""Harmony of two groups: what they have in common stands in the same order in both (definition 12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence


def harmony_weight(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """The x-harmony weight of two groups, given the x-IDs of their links; 0 if they do not harmonise.

    Every maximal matching of equal IDs is a maximum one, so its size is a matter of counting; the order is right if the
    longest common subsequence is as long.
    """
    ours, theirs = set(first), set(second)
    if ours.isdisjoint(theirs):
        return 0
    if len(ours) == len(first) and len(theirs) == len(second):
        shared = ours & theirs
        is_ordered = [one for one in first if one in shared] == [one for one in second if one in shared]
        return len(shared) if is_ordered else 0
    common = Counter(first) & Counter(second)
    size = common.total()
    one, two = ([identity for identity in group if identity in common] for group in (first, second))
    if one == two:
        return size
    return size if longest_common_subsequence(one, two) == size else 0


def longest_common_subsequence(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """How long the longest common subsequence is; the bits of ``row`` are a row of the usual table."""
    places: dict[Hashable, int] = {}
    for place, identity in enumerate(first):
        places[identity] = places.get(identity, 0) | 1 << place
    every = row = (1 << len(first)) - 1
    for identity in second:
        met = row & places.get(identity, 0)
        row = ((row + met) | (row - met)) & every
    return len(first) - row.bit_count()
