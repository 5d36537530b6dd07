"""A site map: the documents of a site as a tree, by its navigation first, then by what its content links to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from rdfcrawl.dataclass import dataclass

Leads = Mapping[int, Sequence[int]]
"""The documents to which the documents lead, in the order of their pages."""


@dataclass(frozen=True, slots=True)
class Placed:
    """The place of a document in the tree: below which one, and whether navigation leads there."""

    parent: int | None
    depth: int
    by_navigation: bool = False


def site_map(
    starts: Iterable[int], navigation: Leads, content: Leads, addresses: Mapping[int, str]
) -> dict[int, Placed]:
    """Where each document is in the tree, in the order of the tree's levels; ``starts`` are its roots.

    What navigation leads to is below the first document, level by level, that has the entry: below the start for a main
    menu, below its head for a menu that only opens there. The rest is below a document that links to it, the deepest
    first: an article is in its category, not in the news of the start page. Of several, the one with the most similar
    address is chosen. What nothing leads to is a root of its own.
    """
    placed = {number: Placed(None, 0) for number in starts if number in addresses}
    level = list(placed)
    while level:
        level = _entered(level, navigation, addresses, placed)
    newest = list(placed)
    while newest:
        newest = _attached(newest, content, addresses, placed)
    for number in sorted(addresses, key=addresses.__getitem__):
        placed.setdefault(number, Placed(None, 0))
    return placed


def _entered(
    level: Iterable[int], navigation: Leads, addresses: Mapping[int, str], placed: dict[int, Placed]
) -> list[int]:
    """Place what the navigation of a level leads to."""
    entered = []
    for number in level:
        for target in navigation.get(number, ()):
            if target in addresses and target not in placed:
                placed[target] = Placed(number, placed[number].depth + 1, by_navigation=True)
                entered.append(target)
    return entered


def _attached(
    newest: Sequence[int], content: Leads, addresses: Mapping[int, str], placed: dict[int, Placed]
) -> list[int]:
    """Place what documents link to that have just been placed, each below the best of them."""
    best: dict[int, tuple[int, int, int]] = {}
    for order, number in enumerate(newest):
        depth = placed[number].depth
        for target in content.get(number, ()):
            if target in addresses and target not in placed:
                known = best.get(target)
                if known is not None and known[0] > depth:
                    continue
                rank = depth, _alike(addresses[number], addresses[target]), -order
                if known is None or rank > known:
                    best[target] = rank
    for target, (depth, _, order) in best.items():
        placed[target] = Placed(newest[-order], depth + 1)
    return list(best)


def _alike(first: str, second: str) -> int:
    """How many steps of their paths two addresses have in common."""
    one, two = urlsplit(first), urlsplit(second)
    if one.netloc != two.netloc:
        return -1
    count = 0
    for here, there in zip(one.path.split("/"), two.path.split("/"), strict=False):
        if here != there:
            break
        count += 1
    return count
