"""Files of lines: read plain or compressed, and sorted, compressed and without repetitions as runs keep them."""

from __future__ import annotations

import tempfile
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from rdfcrawl.store.damage import faults_named
from rdfcrawl.store.files import opened, packed_whole

CHUNK_BYTES = 4 * 1024 * 1024
_PART_BYTES = 1 << 16
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Sorted:
    """What sorting left: how many different lines, and how many were there more than once."""

    lines: int
    repeated: int


def read_lines(path: Path) -> Iterator[bytes]:
    """The lines of a plain or compressed file, without their ends."""
    with faults_named(path), opened(path) as file:
        # Splitting blocks takes less than half of the time that iterating over a compressed file takes.
        while block := file.read(_BLOCK_BYTES):
            lines = (block + file.readline()).split(b"\n")
            if not lines[-1]:
                lines.pop()
            yield from lines


def count_lines(path: Path) -> int:
    """How many lines a plain or compressed file has."""
    return sum(1 for _ in read_lines(path))


def write_sorted(sources: Path | Iterable[Path], target: Path, chunk_bytes: int = CHUNK_BYTES) -> Sorted:
    """Write the different lines of the sources in byte order, compressed; memory is bounded by ``chunk_bytes``.

    Equal sets of lines give files that are equal to the byte.
    """
    paths = [sources] if isinstance(sources, Path) else list(sources)
    parts: list[Iterator[list[bytes]]] = []
    total = 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent)))
        lines: list[bytes] = []
        for chunk in _chunks(paths, chunk_bytes):
            # The last chunk stays in memory, so that small graphs are sorted without any other file.
            if lines:
                part = folder / str(len(parts))
                part.write_bytes(b"\n".join(lines) + b"\n")
                parts.append(_chunks([part], _PART_BYTES))
            total += len(chunk)
            lines = sorted(set(chunk))
            del chunk
        written = _write_batches(_merged([*parts, iter([lines])]), target)
    return Sorted(written, total - written)


def _chunks(paths: Iterable[Path], size: int) -> Iterator[list[bytes]]:
    for path in paths:
        with opened(path) as file:
            while content := file.read(size):
                yield [line for line in (content + file.readline()).split(b"\n") if line]


def _merged(parts: Iterable[Iterator[list[bytes]]]) -> Iterator[list[bytes]]:
    """The different lines of sorted parts in order, many at a time: sorting sorted pieces is a fast merge."""
    waiting = [(lines, part) for part in parts if (lines := next(part, []))]
    while waiting:
        # Nothing that is still to come is smaller than the last line that any part has shown.
        bound = min(lines[-1] for lines, _ in waiting)
        ready: list[bytes] = []
        rest: list[tuple[list[bytes], Iterator[list[bytes]]]] = []
        for lines, part in waiting:
            end = bisect_right(lines, bound)
            ready += lines[:end]
            if left := lines[end:] or next(part, []):
                rest.append((left, part))
        waiting = rest
        ready.sort()
        yield list(dict.fromkeys(ready))


def _write_batches(batches: Iterable[list[bytes]], target: Path) -> int:
    count = 0
    with packed_whole(target) as file:
        for batch in batches:
            count += len(batch)
            batch.append(b"")
            file.write(b"\n".join(batch))
    return count
