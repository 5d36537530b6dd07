"""Sorted graphs as streams of blocks, as ``diff`` reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO

from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.rdf.lines import ending
from rdfcrawl.store.files.damage import faults_named
from rdfcrawl.store.files.whole import opened
from rdfcrawl.store.state import KnownState

Blocks = Iterator[bytes]
State = Callable[[], Blocks]
"""A graph that can be read as often as needed."""

BLOCK_SIZE = 1 << 20


def read_blocks(file: IO[bytes], graph: str | None = None) -> Blocks:
    """The triples of a sorted N-Triples or N-Quads file; ``graph`` is the one graph that the quads are in."""
    suffix = ending(graph) + b"\n" if graph else b""
    while block := file.read(BLOCK_SIZE):
        block += file.readline()
        # A line break inside a literal is escaped, so the suffix can only be the end of a quad. Cutting it
        # keeps the order: nothing that can follow a term sorts before the space.
        yield block.replace(suffix, b" .\n") if suffix else block


def graph_blocks(path: Path, run: int) -> State:
    """The triples of one of a run's files, read block by block."""
    return partial(_read_graph, path, run_iri(run))


def state_blocks(state: KnownState) -> State:
    """What is known of some sections; if that is the graph of one run, it is read block by block."""
    if (part := state.graph) is not None:
        return graph_blocks(part.files[0], part.run)
    return lambda: join_blocks(triple + b"\n" for triple in state.triples())


def join_blocks(lines: Iterable[bytes]) -> Blocks:
    """Sorted lines, with their line breaks, as blocks."""
    pending: list[bytes] = []
    size = 0
    for line in lines:
        pending.append(line)
        size += len(line)
        if size >= BLOCK_SIZE:
            yield b"".join(pending)
            pending, size = [], 0
    if pending:
        yield b"".join(pending)


def lines_of(blocks: Blocks) -> Iterator[bytes]:
    """The lines of a stream of blocks, with their line breaks."""
    for block in blocks:
        yield from block.splitlines(keepends=True)


def about(blocks: Blocks, subject: bytes) -> Iterator[bytes]:
    """The lines of one subject, found without looking at the others."""
    prefix = subject + b" "
    for block in blocks:
        if block.startswith(prefix):
            start = 0
        else:
            start = block.find(b"\n" + prefix) + 1
            if not start:
                continue
        while block.startswith(prefix, start):
            end = block.index(b"\n", start) + 1
            yield block[start:end]
            start = end


def _read_graph(path: Path, graph: str) -> Blocks:
    with faults_named(path), opened(path) as file:
        yield from read_blocks(file, graph)
