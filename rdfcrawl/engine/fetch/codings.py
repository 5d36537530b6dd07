"""Compressed bodies, decoded within a bound: a few bytes can become more than there is memory.

A body that ends before its compressed data does is cut off, however complete the answer seems that it came in: proxies
announce the length of what they have got.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, Protocol

import brotli  # type: ignore[import-untyped]

ACCEPTED: Final = "gzip, deflate, br"
"""What a server is told that it may use."""

_GZIP: Final = b"\x1f\x8b"
_NONE: Final = ("", "identity")
_KNOWN: Final = ("gzip", "x-gzip", "deflate", "br")
_UNDECODABLE: Final = ("zstd", "compress", "x-compress")
_PIECE: Final = 1 << 18
_CHECKSUM_BYTES: Final = 4
_WRONG_CHECKSUM: Final = re.compile("incorrect (data|length) check")
_DEFLATE_METHOD: Final = 8


class BodyTooLarge(Exception):
    """A body has more bytes, after decompression, than it may have."""


class UndecodableBody(ValueError):
    """A body is not what its headers say; the message says why."""


def decoded(body: bytes, codings: str, most_bytes: int) -> bytes:
    """The body without its content codings, which are named in the order in which they were applied.

    Raises ``BodyTooLarge`` and ``UndecodableBody``.
    """
    for coding in reversed(codings.lower().split(",")):
        body = _decoded_once(body, coding.strip(), most_bytes)
    if len(body) > most_bytes:
        raise BodyTooLarge
    return body


class BodyDecoder:
    """Takes the content codings off a body that arrives in pieces.

    What servers name there by mistake, such as ``utf-8``, is no coding.
    Raises ``BodyTooLarge`` and ``UndecodableBody``.
    """

    def __init__(self, codings: str, most_bytes: int) -> None:
        named = [coding.strip() for coding in reversed(codings.lower().split(","))]
        self._steps = [_Step(coding, most_bytes) for coding in named if coding in _KNOWN or coding in _UNDECODABLE]

    def feed(self, piece: bytes) -> Iterable[bytes]:
        """What a piece becomes, in pieces of a bounded size."""
        pieces: Iterable[bytes] = (piece,)
        for step in self._steps:
            pieces = chain.from_iterable(map(step.feed, pieces))
        return pieces

    def finish(self) -> None:
        """Make sure that nothing is missing at the end of the body."""
        for step in self._steps:
            step.finish()


def _decoded_once(body: bytes, coding: str, most_bytes: int) -> bytes:
    if coding in _NONE or not body:
        return body
    step = _Step(coding, most_bytes)
    try:
        found = b"".join(step.feed(body))
        step.finish()
    except UndecodableBody:
        if coding in _KNOWN and _is_text(body):
            # Some programs keep bodies decoded and leave the header as it was.
            return body
        raise
    return found


class _Stream(Protocol):
    """A compressed stream that is read piece by piece."""

    def feed(self, piece: bytes) -> Iterator[bytes]: ...

    def is_complete(self) -> bool: ...


class _Step:
    """One coding of a body, and how many bytes it has made."""

    def __init__(self, coding: str, most_bytes: int) -> None:
        self._coding = coding
        self._left = most_bytes
        self._stream = _stream(coding)

    def feed(self, piece: bytes) -> Iterator[bytes]:
        try:
            for made in self._stream.feed(piece):
                yield made
                self._left -= len(made)
                if self._left < 0:
                    raise BodyTooLarge
        except (zlib.error, brotli.error) as error:
            raise UndecodableBody(f"the body cannot be decoded as {self._coding}: {error}") from None

    def finish(self) -> None:
        if not self._stream.is_complete():
            raise UndecodableBody(f"the body cannot be decoded as {self._coding}: it is cut off")


def _stream(coding: str) -> _Stream:
    match coding:
        case "gzip" | "x-gzip":
            return _Gzip()
        case "deflate":
            return _Deflate()
        case "br":
            return _Brotli()
    raise UndecodableBody(f"the body is encoded as {coding[:40]!r}, which rdfcrawl cannot decode")


class _Gzip:
    """One member or several; what follows them is ignored, as browsers do."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(zlib.MAX_WBITS + 16)
        self._waiting = b""
        self._begun = False

    def feed(self, piece: bytes) -> Iterator[bytes]:
        piece = self._waiting + piece
        self._waiting = b""
        while piece:
            if self._member.eof:
                if len(piece) < len(_GZIP):
                    self._waiting = piece
                    return
                if not piece.startswith(_GZIP):
                    return
                self._member = zlib.decompressobj(zlib.MAX_WBITS + 16)
            self._begun = True
            yield from _inflated(self._member, piece)
            piece = self._member.unused_data

    def is_complete(self) -> bool:
        return not self._begun or _has_all(self._member)


class _Deflate:
    """With the header that RFC 9110 wants, or without it, as many servers send it."""

    def __init__(self) -> None:
        self._data: zlib._Decompress | None = None

    def feed(self, piece: bytes) -> Iterator[bytes]:
        if self._data is None and piece:
            has_header = piece[0] & 0xF == _DEFLATE_METHOD
            self._data = zlib.decompressobj(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
        if self._data is not None:
            yield from _inflated(self._data, piece)

    def is_complete(self) -> bool:
        return self._data is None or _has_all(self._data)


class _Brotli:
    def __init__(self) -> None:
        self._data = brotli.Decompressor()
        self._begun = False

    def feed(self, piece: bytes) -> Iterator[bytes]:
        self._begun = self._begun or bool(piece)
        while not self._data.is_finished() and (made := self._data.process(piece, output_buffer_limit=_PIECE)):
            yield bytes(made)
            piece = b""

    def is_complete(self) -> bool:
        return not self._begun or self._data.is_finished()


def _inflated(data: zlib._Decompress, piece: bytes) -> Iterator[bytes]:
    made = b""
    # A whole piece may have been made of all that was given, and there is still more of it.
    while not data.eof and (piece or len(made) == _PIECE):
        made = data.decompress(piece, _PIECE)
        yield made
        piece = data.unconsumed_tail


def _has_all(data: zlib._Decompress) -> bool:
    """Whether compressed data has come to its end; its checksum may be missing, which browsers do not mind either."""
    if data.eof:
        return True
    try:
        # Only where nothing but a checksum can follow, so few bytes are taken for a wrong one.
        data.copy().decompress(bytes(_CHECKSUM_BYTES), 1)
    except zlib.error as error:
        return _WRONG_CHECKSUM.search(str(error)) is not None
    return False


def _is_text(body: bytes) -> bool:
    """Whether a body can be read as it is; what is compressed is no UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in body
