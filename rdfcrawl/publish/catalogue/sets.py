"""Sets of a class's objects, which are numbered from 0.

A set is a number whose binary digits say, object by object, whether it is in the set: sets are joined and counted by
single operations, whatever their size. To go through one, it becomes a byte for each object.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_AS_DIGITS: Final = bytes([ord("0")]) + bytes([ord("1")]) * 255
_AS_BYTES: Final = bytes(code == ord("1") for code in range(256))


def set_of(places: Iterable[int], size: int) -> int:
    """The set of the objects at these places, of ``size`` objects."""
    mask = bytearray(size)
    for place in places:
        mask[place] = 1
    return int(mask.translate(_AS_DIGITS) or b"0", 2)


def everything(size: int) -> int:
    """The set of all objects."""
    return (1 << size) - 1


def mask_of(chosen: int, size: int) -> bytes:
    """A byte for each object: 1 for those in the set, otherwise 0."""
    return f"{chosen:0{size}b}".encode().translate(_AS_BYTES) if size else b""


def packed(chosen: int, size: int) -> bytes:
    """The set as it is kept in a file."""
    return chosen.to_bytes((size + 7) // 8, "big")


def unpacked(content: bytes) -> int:
    """The set that was kept in a file."""
    return int.from_bytes(content, "big")
