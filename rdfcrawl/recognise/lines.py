"""What a recogniser reads: the lines of a page, in pieces, and where on the page each piece stands."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple

EXCERPT: Final = 120
"""How many characters around a find are kept."""
MOST_CHARACTERS: Final = 1_000_000
"""How much of an element's text is searched; a long novel has as many."""
_SOFT_HYPHEN: Final = "\N{SOFT HYPHEN}"


class Piece(NamedTuple):
    """A run of text inside one inline element.

    ``places`` describe where it stands, from the finest description to the coarsest: two pieces with an equal one stand
    in places of the same kind. ``where`` is the number of the element that it is in, in the caller's own count.
    """

    text: str
    places: tuple[str, ...]
    where: int


class Line(NamedTuple):
    """What stands on one line: blocks, cells and line breaks end it, the edges of inline elements only divide it.

    ``table``, ``row`` and ``column`` say which cell the line is in; ``column`` is -1 outside of tables.
    """

    pieces: tuple[Piece, ...]
    table: int = -1
    row: int = -1
    column: int = -1

    @property
    def text(self) -> str:
        """The whole line."""
        pieces = self.pieces
        return pieces[0].text if len(pieces) == 1 else "".join([piece.text for piece in pieces])

    @property
    def characters(self) -> int:
        """How long it is."""
        return sum([len(piece.text) for piece in self.pieces])

    def excerpt(self, start: int, end: int) -> str:
        """The text around some characters of the line, on one line and not too long."""
        text = self.text
        first, last = max(start - EXCERPT // 2, 0), min(end + EXCERPT // 2, len(text))
        before, after = "… " if first else "", " …" if last < len(text) else ""
        return f"{before}{' '.join(text[first:last].split())}{after}"

    def where(self, offset: int) -> int:
        """The number of the element in which a character of the line stands."""
        for piece in self.pieces:
            if offset < len(piece.text):
                return piece.where
            offset -= len(piece.text)
        return self.pieces[-1].where


def as_read(text: str) -> str:
    """The text in the letters that people see: accents are joined with their letters, soft hyphens left out."""
    return text if text.isascii() else unicodedata.normalize("NFC", text).replace(_SOFT_HYPHEN, "")


def searched(lines: Iterable[Line]) -> list[Line]:
    """The lines that are searched: hardly a page says more than this, and time is limited."""
    kept = []
    left = MOST_CHARACTERS
    for line in lines:
        left -= line.characters
        if left < 0:
            break
        kept.append(line)
    return kept


def plain_lines(text: str) -> list[Line]:
    """The lines of a text that has no elements."""
    return [Line((Piece(line, ("",), 0),)) for line in as_read(text).splitlines() if line and not line.isspace()]
