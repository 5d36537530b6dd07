"""How the groups of a navigation system link to each other's documents (definitions 13 and 14, algorithms 3 and 4)."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Final

from rdfcrawl.errors import UsageError
from rdfcrawl.navigation.effort import Effort

LinkGraph = Mapping[int, Set[int]]
"""A directed graph: to which nodes each node has an edge. Loops mean nothing."""

_EDGES_A_STEP: Final = 2
NEEDS_IGRAPH: Final = 'the exact method needs igraph: pip install "rdfcrawl[picture]"'


def ensure_igraph() -> None:
    """Raise ``UsageError`` if the library is missing, before anything long begins."""
    strong_components({})


def main_nodes(graph: LinkGraph) -> frozenset[int]:
    """Algorithm 3: the nodes to which every other one has an edge; they induce the main navigation graph."""
    counts = dict.fromkeys(graph, 0)
    for node, targets in graph.items():
        for target in targets:
            if target != node and target in counts:
                counts[target] += 1
    return frozenset(node for node, count in counts.items() if count == len(counts) - 1)


def is_navigation_graph(graph: LinkGraph, effort: Effort) -> bool:
    """Algorithm 4: whether every entry has its own entries below it, and so on, down to entries without any.

    Each level takes as long as the graph is large, so the effort may be spent before that is known; then it is none.
    """
    waiting = [graph]
    while waiting:
        part = waiting.pop()
        if not effort.spend(1 + sum(map(len, part.values())) // _EDGES_A_STEP):
            return False
        main = main_nodes(part)
        if not main:
            return False
        if len(main) == len(part):
            continue
        rest = {node: targets - main if node in main else targets for node, targets in part.items()}
        for members in strong_components(rest):
            below = members - main
            if len(members) - len(below) != 1:
                return False
            if below:
                waiting.append({node: rest[node] & below for node in below})
    return True


def strong_components(graph: LinkGraph) -> list[frozenset[int]]:
    """The strong components of a graph."""
    try:
        import igraph
    except ImportError:
        raise UsageError(NEEDS_IGRAPH) from None
    nodes = list(graph)
    numbers = {node: number for number, node in enumerate(nodes)}
    edges = [
        (numbers[node], numbers[target]) for node, targets in graph.items() for target in targets if target in numbers
    ]
    found = igraph.Graph(n=len(nodes), edges=edges, directed=True).connected_components(mode="strong")
    return [frozenset(nodes[number] for number in members) for members in found]
