"""Records of archives that nobody vouches for: damaged, cut off, or written to harm whoever reads them."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import ChunkedDataReader, DecompressingBufferedReader
from warcio.exceptions import ArchiveLoadFailed

from rdfcrawl.engine.fetch.codings import BodyTooLarge, UndecodableBody, decoded

_MOST_HEAD_BYTES: Final = 1024 * 1024
_CHUNK: Final = 1 << 16
_OVERHEAD: Final = 1 << 20
"""How much larger than its content a body may be as it was transferred, in chunks or badly compressed."""

logging.getLogger("warcio").setLevel(logging.ERROR)


class BadRecord(ValueError):
    """A record that cannot be read; the message says why."""


class UnreadableBody(BadRecord):
    """A record that is whole, with a body that cannot be decoded."""


class TooLarge(ValueError):
    """A body that is larger than it may be."""


class _Bounded(DecompressingBufferedReader):  # type: ignore[misc]
    """Reads lines, which are heads of records, only up to a bound: without a line break, memory would fill up."""

    def __init__(self, file: Any) -> None:
        super().__init__(file)
        self.left = _MOST_HEAD_BYTES

    def readline(self, length: int | None = None) -> bytes:
        line: bytes = super().readline(min(length or self.left, self.left))
        self.left -= len(line)
        if self.left <= 0:
            raise BadRecord(f"its head is longer than {_MOST_HEAD_BYTES:,} bytes")
        return line

    def _decompress(self, data: bytes) -> bytes:
        if not self.decompressor or not self.num_block_read:
            return bytes(super()._decompress(data))
        try:
            return bytes(self.decompressor.decompress(data))
        except zlib.error as error:
            # The library would write this to the terminal and go on with what it has.
            raise BadRecord(str(error)) from error


class Records:
    """The records of an open archive, from where it stands; what is wrong with one raises ``BadRecord``."""

    def __init__(self, file: Any) -> None:
        self._iterator = ArchiveIterator(file)
        self._iterator.reader = self._reader = _Bounded(file)

    def __iter__(self) -> Iterator[Any]:
        """Every record; it must be read before the next one is asked for."""
        while True:
            self._reader.left = _MOST_HEAD_BYTES
            with _faults_named():
                try:
                    record = next(self._iterator)
                except StopIteration:
                    return
            yield record

    def place(self) -> tuple[int, int]:
        """Offset and length of the current record."""
        self._reader.left = _MOST_HEAD_BYTES
        with _faults_named():
            return self._iterator.get_record_offset(), self._iterator.get_record_length()


@contextmanager
def record_at(archive: Path, offset: int) -> Iterator[Any]:
    """The record at a place of an archive; raises ``BadRecord`` where there is none."""
    with archive.open("rb") as file:
        if not 0 <= offset < archive.stat().st_size:
            raise BadRecord(f"{archive.name} does not reach to {offset:,}")
        file.seek(offset)
        record = next(iter(Records(file)), None)
        if record is None:
            raise BadRecord(f"{archive.name} has no record at {offset:,}")
        yield record


class _Metered:
    """Reads up to a bound, in pieces of bounded size, whatever size the bytes themselves announce."""

    def __init__(self, stream: Any, most_bytes: int) -> None:
        self._stream = stream
        self._most = self._left = most_bytes

    def read(self, length: int | None = None) -> bytes:
        return self._counted(self._stream.read(_CHUNK if length is None else min(length, _CHUNK)))

    def readline(self, length: int | None = None) -> bytes:
        return self._counted(self._stream.readline(_CHUNK if length is None else min(length, _CHUNK)))

    def _counted(self, found: bytes) -> bytes:
        self._left -= len(found)
        if self._left < 0:
            raise TooLarge(f"the body is larger than {self._most:,} bytes")
        return found


def content_of(record: Any, most_bytes: int) -> bytes:
    """The content of a record, decoded; raises ``BadRecord`` and, before more is held than may be, ``TooLarge``."""
    said = record.http_headers.get_header if record.http_headers else dict[str, str]().get
    is_chunked = (said("transfer-encoding") or "").strip().lower() == "chunked"
    codings = said("content-encoding") or ""
    found = bytearray()
    with _faults_named():
        stream: Any = _Metered(record.raw_stream, most_bytes + (_OVERHEAD if is_chunked or codings else 0))
        if is_chunked:
            stream = ChunkedDataReader(stream)
        while chunk := stream.read(_CHUNK):
            found += chunk
    try:
        return decoded(bytes(found), codings, most_bytes)
    except BodyTooLarge:
        raise TooLarge(f"the body is larger than {most_bytes:,} bytes") from None
    except UndecodableBody as error:
        raise UnreadableBody(str(error)) from None


@contextmanager
def _faults_named() -> Iterator[None]:
    """Turn whatever the library raises into one exception: with damaged bytes that can be anything."""
    try:
        yield
    except (BadRecord, TooLarge, GeneratorExit):
        raise
    except MemoryError:
        raise BadRecord("it does not fit into memory") from None
    except ArchiveLoadFailed as error:
        raise BadRecord(str(error).strip()) from error
    except Exception as error:
        raise BadRecord(f"{type(error).__name__}: {error}") from error
