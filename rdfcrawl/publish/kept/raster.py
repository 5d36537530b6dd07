"""What kind of picture some bytes are, by the bytes themselves: what a server called them is a rumour."""

from __future__ import annotations

from typing import Final, Literal, Protocol

MOST_PIXELS_A_SIDE: Final = 12_000
_HEAD: Final = 32


class PictureSource(Protocol):
    """Where kept pictures come from."""

    def read(self, run: int, address: str) -> bytes | None:
        """What a run was sent as a picture from an address, if it has kept it."""


def raster_type(body: bytes) -> str | None:
    """The media type of a PNG, JPEG, GIF, WebP or AVIF; ``None`` for anything else, such as SVG with its scripts.

    A PNG or GIF that would unfold to an enormous picture is none, either.
    """
    head = body[:_HEAD]
    if head.startswith(b"\x89PNG\r\n\x1a\n") and head[12:16] == b"IHDR":
        return "image/png" if _fits(head[16:20], head[20:24], "big") else None
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif" if _fits(head[6:8], head[8:10], "little") else None
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return None


def _fits(width: bytes, height: bytes, order: Literal["big", "little"]) -> bool:
    sides = [int.from_bytes(side, order) for side in (width, height)]
    return all(0 < side <= MOST_PIXELS_A_SIDE for side in sides)
