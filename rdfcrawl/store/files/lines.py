"""Files of lines: read plain or compressed, and sorted, compressed and without repetitions as runs keep them."""

from __future__ import annotations

import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from rdfcrawl.store.files.damage import faults_named
from rdfcrawl.store.files.whole import opened, packed_whole

Keeps = Callable[[bytes], bool]
"""Whether a line is kept."""

Advance = Callable[[float], None]
"""Is told now and then which share of a long step is done, from 0 to 1."""

CHUNK_BYTES = 4 * 1024 * 1024
_PART_BYTES = 1 << 16
_MERGED_AT_ONCE = 64
"""Of more parts, some are merged into larger ones first: each is an open file and costs every line."""
_BLOCK_BYTES = 1 << 20


def read_lines(path: Path) -> Iterator[bytes]:
    """The lines of a plain or compressed file, without their ends."""
    with faults_named(path), opened(path) as file:
        # Splitting blocks takes less than half the time of iterating over a compressed file.
        while block := file.read(_BLOCK_BYTES):
            lines = (block + file.readline()).split(b"\n")
            if not lines[-1]:
                lines.pop()
            yield from lines


def lines_about(path: Path, subject: bytes) -> Iterator[bytes]:
    """The lines of a sorted file that begin with a subject, found without looking at the others one by one."""
    prefix = subject + b" "
    with faults_named(path), opened(path) as file:
        while block := file.read(_BLOCK_BYTES):
            block += file.readline()
            if block.startswith(prefix) or b"\n" + prefix in block:
                yield from (line for line in block.splitlines() if line.startswith(prefix))
            elif block > prefix:
                return


def count_lines(path: Path) -> int:
    """How many lines a plain or compressed file has."""
    return sum(1 for _ in read_lines(path))


def unwatched(share: float) -> None:
    """Tell nobody."""


def write_sorted(
    source: Path,
    target: Path,
    chunk_bytes: int = CHUNK_BYTES,
    keeps: Keeps | None = None,
    advance: Advance = unwatched,
) -> int:
    """Write the distinct lines of a file in byte order, compressed, and return how many there are.

    Lines that ``keeps`` does not keep are left out.

    Memory is bounded by ``chunk_bytes``. Equal sets of lines make files that are equal to the byte.
    """
    parts: list[Path] = []
    chunks, sorted_lines = -(-source.stat().st_size // chunk_bytes), 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent)))
        lines: list[bytes] = []
        for chunk in _chunks(source, chunk_bytes):
            # The last chunk stays in memory, so that small graphs are sorted without any other file.
            if lines:
                parts.append(folder / f"part-{len(parts)}")
                _write_part(parts[-1], [lines])
            lines = sorted(set(chunk if keeps is None else filter(keeps, chunk)))
            del chunk
            sorted_lines += len(lines)
            advance(min(1.0, (len(parts) + 1) / chunks) / 2)
        merged = _merged([*_read_parts(_fewer_parts(parts)), iter([lines])])
        return _write_batches(merged, target, lambda count: advance(0.5 + count / sorted_lines / 2))


def _fewer_parts(parts: list[Path]) -> list[Path]:
    """The same lines in no more sorted files than can be merged at once."""
    while len(parts) > _MERGED_AT_ONCE:
        # No more of them than necessary, the others are written only once.
        several = min(_MERGED_AT_ONCE, len(parts) - _MERGED_AT_ONCE + 1)
        parts = [*parts[several:], _one_part(parts[:several])]
    return parts


def _one_part(parts: list[Path]) -> Path:
    target = parts[0].with_name(f"{parts[0].name}-merged")
    _write_part(target, _merged(_read_parts(parts)))
    for part in parts:
        part.unlink()
    return target


def _write_part(path: Path, batches: Iterable[list[bytes]]) -> None:
    with path.open("wb") as file:
        for lines in batches:
            file.write(b"\n".join(lines) + b"\n")


def _read_parts(parts: Iterable[Path]) -> list[Iterator[list[bytes]]]:
    return [_chunks(part, _PART_BYTES) for part in parts]


def _chunks(path: Path, size: int) -> Iterator[list[bytes]]:
    with opened(path) as file:
        while content := file.read(size):
            yield [line for line in (content + file.readline()).split(b"\n") if line]


def _merged(parts: Iterable[Iterator[list[bytes]]]) -> Iterator[list[bytes]]:
    """The distinct lines of sorted parts in order, many at a time: sorting sorted pieces is a fast merge."""
    waiting = [(lines, 0, part) for part in parts if (lines := next(part, []))]
    while waiting:
        # Nothing that is still to come is smaller than the last line that any part has shown.
        bound = min(lines[-1] for lines, _, _ in waiting)
        ready: list[bytes] = []
        rest: list[tuple[list[bytes], int, Iterator[list[bytes]]]] = []
        for lines, start, part in waiting:
            end = bisect_right(lines, bound, start)
            ready += lines[start:end]
            if end < len(lines):
                rest.append((lines, end, part))
            elif more := next(part, []):
                rest.append((more, 0, part))
        waiting = rest
        ready.sort()
        yield list(dict.fromkeys(ready))


def _write_batches(batches: Iterable[list[bytes]], target: Path, written: Callable[[int], None]) -> int:
    count = 0
    with packed_whole(target) as file:
        for batch in batches:
            count += len(batch)
            batch.append(b"")
            file.write(b"\n".join(batch))
            written(count)
    return count
