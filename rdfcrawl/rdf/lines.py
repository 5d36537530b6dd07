"""Lines of N-Quads as bytes, without line breaks: moved between graphs, or stripped of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def ending(graph: str) -> bytes:
    """What follows the object in every line of a graph."""
    return f" <{graph}> .".encode()


def moved(lines: Iterable[bytes], source: str, target: str) -> Iterator[bytes]:
    """The lines of one graph as those of another."""
    before, after = ending(source), ending(target)
    return (line.removesuffix(before) + after for line in lines)


def without_graphs(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Converts sorted quads to sorted triples without duplicates."""
    last = b""
    for line in lines:
        # A line ends with "<graph> ."; an IRI contains no space.
        triple = line[: line.rindex(b" ", 0, len(line) - 2)] + b" ."
        if triple != last:
            yield triple
            last = triple
