"""Lines of N-Quads as bytes, without line breaks: into a graph, out of it, and from one to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def ending(graph: str) -> bytes:
    """What stands behind the object in every line of a graph."""
    return f" <{graph}> .".encode()


def moved(lines: Iterable[bytes], source: str, target: str) -> Iterator[bytes]:
    """The lines of one graph as those of another."""
    before, after = ending(source), ending(target)
    return (line.removesuffix(before) + after for line in lines)


def without_graphs(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Sorted quads as sorted triples, each once."""
    last = b""
    for line in lines:
        # A line ends with "<graph> ."; an IRI holds no space.
        triple = line[: line.rindex(b" ", 0, len(line) - 2)] + b" ."
        if triple != last:
            yield triple
            last = triple
