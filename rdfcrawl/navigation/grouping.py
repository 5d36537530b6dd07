"""Groups: links that stand at the same depth below the nearest ancestor that they have in common (definition 6)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def group_nodes(nodes: Sequence[N], parent: Callable[[N], N | None]) -> list[list[N]]:
    """Algorithm 1: the grouping of the tree for these nodes, none of which is inside another."""
    return group_links(nodes, parent, lambda node: node)


def group_links(nodes: Sequence[N], parent: Callable[[N], N | None], target: Callable[[N], Hashable]) -> list[list[N]]:
    """Algorithm 2: as algorithm 1, but links that all lead to the same document are no group of their own.

    Groups come in the order of their first links, links in the order of ``nodes``.
    """
    places = {node: place for place, node in enumerate(nodes)}
    found: list[list[N]] = []
    for depth, alike in _by_depth(nodes, parent).items():
        # The sets F of the thesis, by the ancestor that has come up. As long as one of them is no group, all of its
        # links have one target, which the first tells.
        free: dict[N, list[N]] = {node: [node] for node in alike}
        for _ in range(depth):
            if len(free) < 2:
                break
            joined: dict[N, list[list[N]]] = {}
            for ancestor, links in free.items():
                above = parent(ancestor)
                assert above is not None
                joined.setdefault(above, []).append(links)
            free = {}
            for ancestor, sets in joined.items():
                if len(sets) > 1 and len({target(links[0]) for links in sets}) > 1:
                    found.append(sorted(chain.from_iterable(sets), key=places.__getitem__))
                else:
                    free[ancestor] = sets[0] if len(sets) == 1 else [*chain.from_iterable(sets)]
    return sorted(found, key=lambda group: places[group[0]])


def _by_depth(nodes: Iterable[N], parent: Callable[[N], N | None]) -> dict[int, list[N]]:
    """The nodes by how many ancestors they have."""
    depths: dict[N, int] = {}
    found: dict[int, list[N]] = {}
    for node in nodes:
        line: list[N] = []
        above: N | None = node
        while above is not None and above not in depths:
            line.append(above)
            above = parent(above)
        depth = -1 if above is None else depths[above]
        for one in reversed(line):
            depth += 1
            depths[one] = depth
        found.setdefault(depths[node], []).append(node)
    return found
