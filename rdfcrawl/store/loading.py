"""Loading N-Quads into an Oxigraph store slice by slice; as a program, from standard input into the store it names."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO

import pyoxigraph as ox
from isal import igzip

SLICE_BYTES = 3 << 20
"""How much is loaded at once: a load holds ten times as much in memory, and every one makes files of its own."""

FEW_BYTES = 16 << 10
"""What is written together with what else there is: a load of its own makes, syncs and opens nine files."""

_LOADERS = 2
"""How many slices are loaded side by side; Oxigraph sorts and writes each of them on one processor."""

PACKED = "packed"
"""The argument of the program that says that what it reads is compressed."""


def slices(lines: IO[bytes]) -> Iterator[bytes]:
    """Pieces of whole lines."""
    while content := lines.read(SLICE_BYTES):
        yield content + lines.readline()


def load_slice(store: ox.Store, lines: bytes) -> int:
    """Load N-Quads of our own: they are canonical, and checking each IRI again costs a tenth of the time."""
    load = store.load if len(lines) <= FEW_BYTES else store.bulk_load
    load(input=lines, format=ox.RdfFormat.N_QUADS, lenient=True)
    return len(lines)


def load_slices(store: ox.Store, slices_of_lines: Iterable[bytes]) -> Iterator[int]:
    """Load some slices side by side; yields the size of each when it is there."""
    under_way: deque[Future[int]] = deque()
    with ThreadPoolExecutor(_LOADERS) as loaders:
        for lines in slices_of_lines:
            under_way.append(loaders.submit(load_slice, store, lines))
            if len(under_way) == _LOADERS:
                yield under_way.popleft().result()
        for last in under_way:
            yield last.result()


def main() -> None:
    """Load all of the standard input."""
    folder, *kind = sys.argv[1:]
    store = ox.Store(folder)
    lines = igzip.IGzipFile(fileobj=sys.stdin.buffer) if kind == [PACKED] else sys.stdin.buffer
    for _ in load_slices(store, slices(lines)):
        pass
    store.flush()


if __name__ == "__main__":
    main()
