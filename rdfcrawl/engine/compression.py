"""Compression for small contents: pages and records of a few kilobytes.

``zlib.compress`` clears a quarter of a megabyte before it begins, which takes five times as long as the work itself
where there are two kilobytes to compress. A window as large as the content finds the same repetitions.
"""

from __future__ import annotations

import zlib
from typing import Final

_SMALLEST_WINDOW: Final = 10
_GZIP: Final = 16


def deflated(content: bytes, level: int, *, gzip: bool = False) -> bytes:
    """The content compressed, as a zlib stream or as a gzip member."""
    window = min(max(len(content).bit_length(), _SMALLEST_WINDOW), zlib.MAX_WBITS)
    made = zlib.compressobj(level, zlib.DEFLATED, window + _GZIP * gzip, memLevel=window - 7)
    return made.compress(content) + made.flush()


def inflated(content: bytes, most_bytes: int, *, gzip: bool = False) -> bytes:
    """The content of one zlib stream, or of one gzip member.

    Raises ``ValueError`` for anything else, and for more than ``most_bytes``.
    """
    stream = zlib.decompressobj(zlib.MAX_WBITS + _GZIP * gzip)
    try:
        found = stream.decompress(content, most_bytes)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if stream.unconsumed_tail:
        raise ValueError(f"it has more than {most_bytes:,} bytes")
    if not stream.eof or stream.unused_data:
        raise ValueError("it is not one compressed stream")
    return found
