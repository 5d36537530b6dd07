"""Parses date and time formats with the letters of CLDR and Java into fields and the text between them.

Every ASCII letter is reserved; other characters are literal. ``'…'`` quotes letters, ``''`` is one quote.
"""

from __future__ import annotations

from typing import Final

from rdfcrawl.dataclass import dataclass

LETTERS: Final = {
    "y": "year",
    "u": "year",
    "M": "month",
    "L": "month",
    "d": "day of the month",
    "D": "day of the year",
    "E": "day of the week",
    "c": "day of the week",
    "H": "hour 0-23",
    "h": "hour 1-12",
    "K": "hour 0-11",
    "k": "hour 1-24",
    "m": "minute",
    "s": "second",
    "S": "fraction of a second",
    "a": "am or pm",
    "Z": "time zone offset",
    "X": "time zone offset, Z for zero",
    "x": "time zone offset",
    "z": "time zone name",
    "V": "time zone identifier",
    "O": "offset from GMT",
}
YEAR: Final = frozenset("yu")
MONTH: Final = frozenset("ML")
DAY: Final = frozenset("d")
DAY_OF_YEAR: Final = frozenset("D")
HOUR: Final = frozenset("HhKk")
HALF_DAY_HOUR: Final = frozenset("hK")


class FormatError(ValueError):
    """A format is invalid; ``letter`` is the unknown letter, if that is the reason."""

    def __init__(self, message: str, letter: str | None = None) -> None:
        super().__init__(message)
        self.letter = letter


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a date or time: ``yyyy`` is ``Field("y", 4)``."""

    letter: str
    count: int


@dataclass(frozen=True, slots=True)
class Text:
    """Literal text between two fields."""

    text: str


def parse_format(text: str) -> tuple[Field | Text, ...]:
    """The fields and texts of a format, neighbouring texts joined; raises ``FormatError`` if it is invalid."""
    parts: list[Field | Text] = []
    start = 0
    while start < len(text):
        if text[start] == "'":
            quoted, end = _quoted(text, start)
            _add_text(parts, quoted)
        elif _is_letter(text[start]):
            end = _run_end(text, start)
            parts.append(_field(text[start], end - start))
        else:
            end = start + 1
            _add_text(parts, text[start])
        start = end
    return tuple(parts)


def letters_of(parts: tuple[Field | Text, ...]) -> frozenset[str]:
    """The field letters that a format uses."""
    return frozenset(part.letter for part in parts if isinstance(part, Field))


def _is_letter(char: str) -> bool:
    return char.isascii() and char.isalpha()


def _run_end(text: str, start: int) -> int:
    end = start
    while end < len(text) and text[end] == text[start]:
        end += 1
    return end


def _field(letter: str, count: int) -> Field:
    if letter not in LETTERS:
        raise FormatError(f"the format letter {letter!r} is not known", letter)
    return Field(letter, count)


def _quoted(text: str, start: int) -> tuple[str, int]:
    """The text of the quote that opens at ``start``, and where the format continues after it."""
    if text.startswith("''", start):
        return "'", start + 2
    quoted = ""
    position = start + 1
    while (end := text.find("'", position)) >= 0:
        quoted += text[position:end]
        if not text.startswith("''", end):
            return quoted, end + 1
        quoted += "'"
        position = end + 2
    raise FormatError("the quote ' is not closed")


def _add_text(parts: list[Field | Text], text: str) -> None:
    if parts and isinstance(last := parts[-1], Text):
        parts[-1] = Text(last.text + text)
    else:
        parts.append(Text(text))
