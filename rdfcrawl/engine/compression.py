"""Compression for small contents, pages and records of a few kilobytes: ISA-L takes a quarter of zlib's time."""

from __future__ import annotations

from typing import Final

from isal import isal_zlib

_GZIP: Final = 16


def deflated(content: bytes, *, gzip: bool = False) -> bytes:
    """The content compressed, as a zlib stream or as a gzip member."""
    made: bytes = isal_zlib.compress(content, isal_zlib.ISAL_DEFAULT_COMPRESSION, isal_zlib.MAX_WBITS + _GZIP * gzip)
    return made


def inflated(content: bytes, most_bytes: int, *, gzip: bool = False) -> bytes:
    """The content of one zlib stream, or of one gzip member.

    Raises ``ValueError`` for anything else, and for more than ``most_bytes``.
    """
    stream = isal_zlib.decompressobj(isal_zlib.MAX_WBITS + _GZIP * gzip)
    try:
        found: bytes = stream.decompress(content, most_bytes + 1)
    except isal_zlib.error as error:
        raise ValueError(str(error)) from None
    if len(found) > most_bytes:
        raise ValueError(f"it has more than {most_bytes:,} bytes")
    if not stream.eof or stream.unused_data:
        raise ValueError("it is not one compressed stream")
    return found
