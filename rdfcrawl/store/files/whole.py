"""Files that are written whole or not at all, plain or compressed."""

from __future__ import annotations

import errno
import io
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, cast

from isal import igzip

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

NOT_WRITABLE: Final = (errno.EROFS, errno.EACCES, errno.EPERM)
"""What the system says where a file may be read and not be written."""

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_SAID_FULL: Final = re.compile(r"No space left|File too large|disk is full")
_BLOCK_BYTES = 1 << 20


def is_full_disk(error: BaseException) -> bool:
    """Whether an error says that there is no room; Oxigraph says it only in words, and others wrap it."""
    number = error.errno if isinstance(error, OSError) else None
    if number in _FULL or _SAID_FULL.search(str(error)):
        return True
    return error.__cause__ is not None and is_full_disk(error.__cause__)


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


class _EqualBlocks(io.BufferedIOBase):
    """Writes blocks of one size, whatever it is given: what ISA-L makes of a content depends on its pieces."""

    def __init__(self, target: IO[bytes] | io.BufferedIOBase) -> None:
        self._target = target
        self._waiting = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, content: ReadableBuffer) -> int:
        waiting = self._waiting
        waiting += content
        whole = len(waiting) - len(waiting) % _BLOCK_BYTES
        for start in range(0, whole, _BLOCK_BYTES):
            self._target.write(waiting[start : start + _BLOCK_BYTES])
        del waiting[:whole]
        return memoryview(content).nbytes

    def close(self) -> None:
        if not self.closed:
            self._target.write(self._waiting)
            self._waiting.clear()
        super().close()


@contextmanager
def packed_whole(target: Path) -> Iterator[IO[bytes]]:
    """A compressed file to write to, as ``written_whole``; equal contents make files that are equal to the byte."""
    with (
        written_whole(target) as file,
        # A name or a time in the header would make equal contents different files.
        igzip.IGzipFile(filename="", mode="wb", compresslevel=1, fileobj=file, mtime=0) as packed,
        _EqualBlocks(packed) as blocks,
    ):
        yield cast(IO[bytes], blocks)


def opened(path: Path) -> IO[bytes]:
    """A plain or compressed file, open for reading its content."""
    if path.suffix == ".gz":
        return cast(IO[bytes], igzip.open(path, "rb"))
    return path.open("rb")


def fingerprint(path: Path) -> str:
    """Checksum and size of a file's uncompressed content; of a compressed file only its last bytes are read."""
    with path.open("rb") as file:
        if path.suffix == ".gz":
            file.seek(max(-8, -path.stat().st_size), os.SEEK_END)
            checksum, size = (int.from_bytes(file.read(4), "little") for _ in range(2))
        else:
            checksum = size = 0
            while block := file.read(_BLOCK_BYTES):
                checksum, size = zlib.crc32(block, checksum), size + len(block)
    return f"{checksum:08x}-{size}"


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
