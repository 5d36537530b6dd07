"""Compressed bodies, decoded within a bound: a few bytes can become more than there is memory."""

from __future__ import annotations

import zlib
from typing import Final

import brotli  # type: ignore[import-untyped]

_GZIP: Final = b"\x1f\x8b"
_NONE: Final = ("", "identity")


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


def _decoded_once(body: bytes, coding: str, most_bytes: int) -> bytes:
    if coding in _NONE or not body:
        return body
    try:
        match coding:
            case "gzip" | "x-gzip":
                return _gunzipped(body, most_bytes)
            case "deflate":
                return _inflated(body, most_bytes)
            case "br":
                return _brotli(body, most_bytes)
    except (zlib.error, brotli.error) as error:
        if _is_text(body):
            # Some programs keep bodies decoded and leave the header as it was.
            return body
        raise UndecodableBody(f"the body cannot be decoded as {coding}: {error}") from None
    raise UndecodableBody(f"the body is encoded as {coding[:40]!r}, which rdfcrawl cannot decode")


def _gunzipped(body: bytes, most_bytes: int) -> bytes:
    found = bytearray()
    while body.startswith(_GZIP) or not found:
        member = zlib.decompressobj(zlib.MAX_WBITS + 16)
        found += member.decompress(body, most_bytes + 1 - len(found))
        body = member.unused_data
        if len(found) > most_bytes or not member.eof:
            break
    return bytes(found)


def _inflated(body: bytes, most_bytes: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(body, most_bytes + 1)
    except zlib.error:
        # What RFC 9110 calls deflate has a header; many servers leave it out.
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(body, most_bytes + 1)


def _brotli(body: bytes, most_bytes: int) -> bytes:
    stream = brotli.Decompressor()
    found = bytes(stream.process(body, output_buffer_limit=most_bytes + 1))
    if len(found) <= most_bytes and not stream.is_finished():
        raise brotli.error("it is cut off")
    return found


def _is_text(body: bytes) -> bool:
    """Whether a body can be read as it is; what is compressed is no UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in body
