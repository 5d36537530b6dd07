"""Files that are written whole or not at all, and the sorted, compressed N-Quads files of runs.

What happens to a file afterwards is noticed when it is read: a compressed file ends with a checksum of its content.
"""

from __future__ import annotations

import errno
import fcntl
import gzip
import os
import shutil
import tempfile
import time
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

from rdfcrawl.errors import DamagedFile
from rdfcrawl.rdf.ntriples import split

NOT_WRITABLE: Final = (errno.EROFS, errno.EACCES, errno.EPERM)
"""What the system says where a file may be read and not be written."""

CHUNK_BYTES = 4 * 1024 * 1024
_PART_BYTES = 1 << 16
_LOCK_POLL_SECONDS = 0.02
_BLOCK_BYTES = 1 << 20
_GZIP_FAULTS: Final = (EOFError, zlib.error, gzip.BadGzipFile)


@dataclass(frozen=True, slots=True)
class Sorted:
    """What sorting left: how many different lines, and how many were there more than once."""

    lines: int
    repeated: int


@dataclass(frozen=True, slots=True)
class GraphFile:
    """A named graph and the N-Quads file that holds it; equal fingerprints mean equal content.

    ``fingerprint`` is that of what was written into the file, ``written`` the name that the graph has there.
    """

    graph: str
    path: Path
    fingerprint: str
    written: str

    @classmethod
    def of(cls, graph: str, path: Path, written: str | None = None) -> GraphFile:
        """The graph in that file, as it is now."""
        return cls(graph, path, fingerprint(path), written or graph)

    def ensure_unchanged(self) -> None:
        """Raise ``DamagedFile`` if the file has another content by now; one that cannot be unpacked is met later."""
        if not self.path.exists() or fingerprint(self.path) != self.fingerprint:
            raise diagnosed(self.path)

    def ensure_whole(self) -> None:
        """Raise ``DamagedFile`` unless all of what was written can be read."""
        if damage := find_damage(self.path, self.fingerprint):
            raise damage

    def renamed(self, lines: bytes) -> bytes:
        """Whole lines of the file, with the name that the graph is to have."""
        if self.written == self.graph:
            return lines
        # A literal has no line break in it, so that this can only be the end of a line.
        return lines.replace(f" <{self.written}> .\n".encode(), f" <{self.graph}> .\n".encode())


@contextmanager
def written_whole(target: Path) -> Iterator[IO[bytes]]:
    """A file to write to that takes the name ``target`` only when all of it is on the disk."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def write_whole(target: Path, content: bytes) -> None:
    """Write a file that is either the old or the new one, whatever happens."""
    with written_whole(target) as file:
        file.write(content)


def remove_leftovers(folder: Path, name_start: str) -> None:
    """Delete what an earlier process, killed while it wrote files of such names, has left behind."""
    for path in folder.glob(f".{name_start}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make sure that the names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_lines(path: Path) -> Iterator[bytes]:
    """The lines of a plain or compressed file, without their ends."""
    with faults_named(path), opened(path) as file:
        for line in file:
            yield line.rstrip(b"\n")


def count_lines(path: Path) -> int:
    """How many lines a plain or compressed file has."""
    with faults_named(path), opened(path) as file:
        return sum(1 for _ in file)


def fingerprint(path: Path) -> str:
    """Checksum and size of a file's uncompressed content; of a compressed file only its last bytes are read."""
    with path.open("rb") as file:
        if path.suffix == ".gz":
            file.seek(max(-8, -path.stat().st_size), os.SEEK_END)
            checksum, size = (int.from_bytes(file.read(4), "little") for _ in range(2))
        else:
            content = file.read()
            checksum, size = zlib.crc32(content), len(content)
    return f"{checksum:08x}-{size}"


def find_damage(path: Path, checksum: str = "") -> DamagedFile | None:
    """What is wrong with a file, and in which line; nothing if it is whole.

    ``checksum`` is the fingerprint of what was written; without it the lines themselves are looked at.
    """
    try:
        if not checksum or fingerprint(path) != checksum:
            return diagnosed(path) if checksum else _first_fault(path)
        with opened(path) as file:
            while file.read(_BLOCK_BYTES):
                pass
        return None
    except (OSError, *_GZIP_FAULTS):
        return diagnosed(path)


def diagnosed(path: Path) -> DamagedFile:
    """The first thing that is wrong with a file whose content is not what was written."""
    if not path.exists():
        return DamagedFile(path, "it is missing")
    if path.stat().st_size == 0:
        return DamagedFile(path, "it is empty")
    return _first_fault(path) or DamagedFile(path, "its content is not what was written")


@contextmanager
def faults_named(path: Path) -> Iterator[None]:
    """Raise ``DamagedFile`` where a file that is read meanwhile turns out to be missing, or cannot be unpacked."""
    try:
        yield
    except _GZIP_FAULTS as error:
        raise diagnosed(path) from error
    except FileNotFoundError as error:
        if path.exists():
            raise
        raise diagnosed(path) from error


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
        written = _write_gzip(_merged([*parts, iter([lines])]), target)
    return Sorted(written, total - written)


@contextmanager
def exclusive(path: Path, wait: float) -> Iterator[bool]:
    """Hold a lock that one process at a time can have; gives whether it was had within ``wait`` seconds.

    The system lets go of the lock when the process ends, however it ends.
    """
    with path.open("ab") as file:
        held = lock(file, fcntl.LOCK_EX, wait)
        try:
            yield held
        finally:
            if held:
                fcntl.flock(file, fcntl.LOCK_UN)


def lock(file: IO[bytes], kind: int, wait: float = 0.0) -> bool:
    """Take a shared or exclusive lock on an open file, trying for ``wait`` seconds."""
    end = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(_LOCK_POLL_SECONDS)
        else:
            return True


def opened(path: Path) -> IO[bytes]:
    """A plain or compressed file, open for reading its content."""
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(path, "rb"))
    return path.open("rb")


def _first_fault(path: Path) -> DamagedFile | None:
    """The first thing in a file of sorted N-Quads that cannot have been written so."""
    if path.suffix == ".gz" and path.stat().st_size == 0:
        # Such a file unpacks without a fault, to nothing.
        return DamagedFile(path, "it is empty")
    number = 0
    last = b""
    try:
        with opened(path) as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return DamagedFile(path, "it breaks off", number)
                split(line[:-1].decode())
                if line <= last:
                    return DamagedFile(path, "the lines are no longer in order", number)
                last = line
    except EOFError:
        return DamagedFile(path, "it breaks off", number + 1)
    except zlib.error:
        return DamagedFile(path, "it cannot be unpacked", number + 1)
    except gzip.BadGzipFile:
        return DamagedFile(path, "its content is not what was written" if number else "it is no gzip file")
    except OSError as error:
        return DamagedFile(path, f"it cannot be read: {error.strerror}", number + 1)
    except ValueError:
        return DamagedFile(path, "that is no N-Quads statement", number)
    return None


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


def _write_gzip(batches: Iterable[list[bytes]], target: Path) -> int:
    count = 0
    with (
        written_whole(target) as file,
        # A name or a time in the header would make equal graphs different files.
        gzip.GzipFile(filename="", mode="wb", compresslevel=1, fileobj=file, mtime=0) as compressed,
    ):
        for batch in batches:
            count += len(batch)
            batch.append(b"")
            compressed.write(b"\n".join(batch))
    return count


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
