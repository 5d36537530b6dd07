"""What goes to and from a worker: frames of several parts, each of them raw bytes.

A frame is a mark, the number of its parts, their lengths, and the parts. The first part is a short JSON text that says
what the others are. A mark that is wrong, or a length out of bounds, means that something else is speaking.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import BinaryIO, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.strict import Nonsense

_MARK: Final = b"\x89rdf"
_BEGINNING: Final = struct.Struct(">4sI")
_LENGTH_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class FrameBounds:
    """How many parts a frame may have, and how many bytes all of them together."""

    parts: int
    content: int


def framed(parts: Sequence[bytes]) -> bytes:
    """The bytes of a frame."""
    return b"".join(
        (_BEGINNING.pack(_MARK, len(parts)), *(len(part).to_bytes(_LENGTH_BYTES) for part in parts), *parts)
    )


def read_frame(stream: BinaryIO, bounds: FrameBounds) -> list[bytes] | None:
    """The parts of the next frame of a blocking stream; nothing where the stream ends."""
    beginning = stream.read(_BEGINNING.size)
    if len(beginning) < _BEGINNING.size:
        return None
    number = _number_of_parts(beginning, bounds)
    lengths = _lengths(stream.read(number * _LENGTH_BYTES), bounds)
    parts = [stream.read(length) for length in lengths]
    is_whole = len(parts) == number and all(len(part) == length for part, length in zip(parts, lengths, strict=True))
    return parts if is_whole else None


class FrameReader:
    """Finds the frames in bytes that come piece by piece."""

    def __init__(self, bounds: FrameBounds) -> None:
        self._bounds = bounds
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[list[bytes]]:
        """The frames that are complete with these bytes; raises ``Nonsense``."""
        self._buffer += data
        while (frame := self._next()) is not None:
            yield frame

    def _next(self) -> list[bytes] | None:
        buffer = self._buffer
        if len(buffer) < _BEGINNING.size:
            return None
        place = _BEGINNING.size + _number_of_parts(buffer[: _BEGINNING.size], self._bounds) * _LENGTH_BYTES
        if len(buffer) < place:
            return None
        lengths = _lengths(buffer[_BEGINNING.size : place], self._bounds)
        if len(buffer) < place + sum(lengths):
            return None
        parts: list[bytes] = []
        for length in lengths:
            parts.append(bytes(buffer[place : place + length]))
            place += length
        del buffer[:place]
        return parts


def _number_of_parts(beginning: bytes | bytearray, bounds: FrameBounds) -> int:
    mark, parts = _BEGINNING.unpack(beginning)
    if mark != _MARK:
        raise Nonsense("a frame does not begin like this")
    if not 0 < parts <= bounds.parts:
        raise Nonsense(f"a frame of {parts:,} parts; {bounds.parts:,} are the most")
    return int(parts)


def _lengths(content: bytes | bytearray, bounds: FrameBounds) -> list[int]:
    places = range(0, len(content) - _LENGTH_BYTES + 1, _LENGTH_BYTES)
    lengths = [int.from_bytes(content[place : place + _LENGTH_BYTES]) for place in places]
    if sum(lengths) > bounds.content:
        raise Nonsense(f"a frame of {sum(lengths):,} bytes; {bounds.content:,} are the most")
    return lengths
