"""What has happened to a file since it was written: is it intact, and if not, what is wrong and where.

A compressed file ends with a checksum of its content, and a run's record has one of each of the run's files.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from isal import isal_zlib

from rdfcrawl.errors import DamagedFile
from rdfcrawl.rdf.ntriples import split
from rdfcrawl.store.files.whole import fingerprint, opened

_BLOCK_BYTES = 1 << 20
_OTHER_CONTENT: Final = "its content is not what was written"
_GZIP_FAULTS: Final = (EOFError, isal_zlib.error, gzip.BadGzipFile)


def is_changed(path: Path, checksum: str) -> bool:
    """Whether a file is plainly not what was written; of a compressed file only its size and its end are looked at."""
    try:
        return fingerprint(path) != checksum
    except OSError:
        return True


def find_damage(path: Path, checksum: str = "") -> DamagedFile | None:
    """What is wrong with a file, and in which line; ``None`` if it is intact.

    ``checksum`` is the fingerprint of what was written; without it the lines themselves are looked at.
    """
    if not checksum:
        # A compressed file always has content; an empty one would decompress to nothing without an error.
        return _first_fault(path, may_be_empty=path.suffix != ".gz")
    if is_changed(path, checksum):
        return diagnosed(path)
    try:
        with opened(path) as file:
            while file.read(_BLOCK_BYTES):
                pass
    except (OSError, *_GZIP_FAULTS):
        return diagnosed(path)
    return None


def diagnosed(path: Path) -> DamagedFile:
    """The first thing that is wrong with a file whose content is not what was written."""
    return _first_fault(path, may_be_empty=False) or DamagedFile(path, _OTHER_CONTENT)


@contextmanager
def faults_named(path: Path) -> Iterator[None]:
    """Raise ``DamagedFile`` if a file that is read inside turns out to be missing or cannot be decompressed."""
    try:
        yield
    except _GZIP_FAULTS as error:
        raise diagnosed(path) from error
    except FileNotFoundError as error:
        if path.exists():
            raise
        raise diagnosed(path) from error


def _first_fault(path: Path, may_be_empty: bool) -> DamagedFile | None:
    """The first thing in a file of sorted N-Quads that cannot have been written that way."""
    if not path.exists():
        return DamagedFile(path, "it is missing")
    if path.stat().st_size == 0 and not may_be_empty:
        return DamagedFile(path, "it is empty")
    number = 0
    last = b""
    try:
        with opened(path) as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return DamagedFile(path, "it is cut off", number)
                split(line[:-1].decode())
                if line <= last:
                    return DamagedFile(path, "the lines are no longer in order", number)
                last = line
    except EOFError:
        return DamagedFile(path, "it is cut off", number + 1)
    except isal_zlib.error:
        return DamagedFile(path, "it cannot be decompressed", number + 1)
    except gzip.BadGzipFile:
        return DamagedFile(path, _OTHER_CONTENT if number else "it is not a gzip file")
    except OSError as error:
        return DamagedFile(path, f"it cannot be read: {error.strerror}", number + 1)
    except ValueError:
        return DamagedFile(path, "that is not an N-Quads statement", number)
    return None
