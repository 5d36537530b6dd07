"""Dates and times as a page writes them go in; the lexical forms of XSD come out.

A format is compiled into one regular expression. It is generous in what makes no difference (leading zeros,
kinds of blanks, case, the dot of an abbreviation) and strict in what does: there is no 31 February.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.values import calendar_names, zones
from rdfcrawl.engine.values.lexical import short
from rdfcrawl.errors import quoted
from rdfcrawl.metamodel.formats import (
    DAY,
    DAY_OF_YEAR,
    HOUR,
    LETTERS,
    MONTH,
    YEAR,
    Field,
    FormatError,
    Text,
    letters_of,
    parse_format,
)
from rdfcrawl.rdf import terms

_SAME_FIELD: Final = {"u": "y", "L": "M", "c": "E", "X": "Z", "x": "Z", "z": "Z", "V": "Z", "O": "Z"}
_RANGES: Final = {
    "y": range(1, 10000),
    "M": range(1, 13),
    "d": range(1, 32),
    "D": range(1, 367),
    "H": range(25),
    "h": range(1, 13),
    "K": range(12),
    "k": range(1, 25),
    "m": range(60),
    "s": range(60),
}
_EXAMPLES: Final = {
    "y": "2016",
    "d": "22",
    "D": "22",
    "H": "20",
    "h": "8",
    "K": "8",
    "k": "20",
    "m": "15",
    "s": "30",
    "S": "0",
    "Z": "+0100",
    "X": "+01:00",
    "x": "+01:00",
    "z": "CET",
    "V": "Europe/Berlin",
    "O": "GMT+1",
}
# Two-digit years as POSIX reads them. CLDR's window moves with the clock: the same page would change its meaning.
_FIRST_YEAR: Final = 1969


class DateMismatch(ValueError):
    """The text is not a date of this format; the message says why."""


@dataclass(frozen=True, slots=True)
class _DateReader:
    """One field of a format: the expression that finds it and what its text means."""

    letter: str
    expression: str
    example: str
    number: Callable[[str], int] | None


class DateParser:
    """Reads the texts of one property: ``format`` in the CLDR/Java letters, names in ``locale`` (English if none)."""

    __slots__ = ("_datatype", "_example", "_expression", "_format", "_has_date", "_readers")

    def __init__(self, format: str, datatype: str, locale: str | None = None) -> None:  # noqa: A002
        parts = parse_format(format.strip())
        letters = letters_of(parts)
        pieces = [
            part.text if isinstance(part, Text) else _reader(part, _is_tight(parts, index), locale)
            for index, part in enumerate(parts)
        ]
        self._format = format
        self._datatype = datatype
        self._has_date = bool(letters & YEAR and (letters & DAY_OF_YEAR or (letters & MONTH and letters & DAY)))
        if not (self._has_date or datatype == terms.TIME) or not (letters & HOUR or datatype == terms.DATE):
            raise FormatError(f'the format "{format}" lacks fields that {short(datatype)} needs')
        self._readers = tuple(piece for piece in pieces if isinstance(piece, _DateReader))
        self._example = "".join(piece.example if isinstance(piece, _DateReader) else piece for piece in pieces)
        self._expression = re.compile("".join(map(_expression, pieces)))

    def parse(self, text: str) -> str:
        """The value in the lexical form of the datatype; raises ``DateMismatch`` for any other text."""
        match = self._expression.fullmatch(" ".join(calendar_names.plain(text).split()))
        if match is None:
            raise DateMismatch(
                f'{quoted(text)} does not follow the format "{self._format}"; '
                f'something like "{self._example}" was expected'
            )
        try:
            return self._written(*self._values(match))
        except (ValueError, OverflowError) as error:
            raise DateMismatch(f"{quoted(text)} is not a valid {short(self._datatype)}: {error}") from None

    def _values(self, match: re.Match[str]) -> tuple[Mapping[str, int], Mapping[str, str]]:
        numbers: dict[str, int] = {}
        texts: dict[str, str] = {}
        for reader, found in zip(self._readers, match.groups(), strict=True):
            letter = reader.letter
            if reader.number is None:
                texts[letter] = found
                continue
            value = reader.number(found)
            if letter in _RANGES and value not in _RANGES[letter]:
                raise DateMismatch(f'{value} is out of range for "{letter}" ({LETTERS[letter]})')
            if numbers.setdefault(letter, value) != value:
                raise DateMismatch(f"it has two values for the {LETTERS[letter]}")
        return numbers, texts

    def _written(self, numbers: Mapping[str, int], texts: Mapping[str, str]) -> str:
        day = _date(numbers) if self._has_date else None
        if day is not None and self._datatype == terms.DATE:
            return day.isoformat()
        clock, ends_day = _clock(numbers, texts.get("S", "").rstrip("0"))
        if day is not None and ends_day:
            day += timedelta(days=1)
        if zone := texts.get("Z"):
            clock += zones.offset(zone, datetime.combine(day, time.fromisoformat(clock[:8])) if day else None)
        if day is None or self._datatype == terms.TIME:
            return clock
        return f"{day.isoformat()}T{clock}"


def _is_numeric(part: Field | Text) -> bool:
    if isinstance(part, Text):
        return False
    return part.letter in "yudDHhKkmsS" or (part.letter in "ML" and part.count < 3)


def _is_tight(parts: tuple[Field | Text, ...], index: int) -> bool:
    """Whether the field touches another number: then the number of its letters is its width, as in ``yyyyMMdd``."""
    neighbours = parts[max(index - 1, 0) : index] + parts[index + 1 : index + 2]
    return any(map(_is_numeric, neighbours))


def _reader(field: Field, tight: bool, locale: str | None) -> _DateReader:
    letter = _SAME_FIELD.get(field.letter, field.letter)
    example = _EXAMPLES.get(field.letter, "")
    if letter == "Z":
        return _DateReader(letter, zones.NAME if field.letter in "zV" else zones.OFFSET, example, None)
    if letter == "S":
        return _DateReader(letter, f"[0-9]{{{field.count}}}" if tight else "[0-9]+", "0" * field.count, None)
    if letter == "y":
        return _year(field.count, tight)
    if letter == "M" and field.count >= 3:
        return _named(letter, calendar_names.months(locale), 1)
    if letter == "E":
        return _named(letter, calendar_names.weekdays(locale), 4)
    if letter == "a":
        return _named(letter, calendar_names.halves(locale), 1)
    digits = 3 if letter == "D" else 2
    width = str(field.count) if tight and field.count >= 2 else f"1,{digits}"
    return _DateReader(letter, f"[0-9]{{{width}}}", (example or "1").zfill(field.count), int)


def _year(count: int, tight: bool) -> _DateReader:
    if count == 2:
        return _DateReader("y", "[0-9]{2}" if tight else "[0-9]{4}|[0-9]{2}", "16", _full_year)
    return _DateReader("y", "[0-9]{4}", "2016", int)


def _full_year(digits: str) -> int:
    if len(digits) == 4:
        return int(digits)
    return (int(digits) - _FIRST_YEAR) % 100 + _FIRST_YEAR


def _named(letter: str, numbers: Mapping[str, int], example: int) -> _DateReader:
    longest_first = sorted(numbers, key=len, reverse=True)
    shown = next(name for name in longest_first if numbers[name] == example)
    choices = "|".join(map(re.escape, longest_first))
    return _DateReader(letter, choices, shown, numbers.__getitem__)


def _expression(piece: str | _DateReader) -> str:
    if isinstance(piece, str):
        return re.sub(r"(?:\\?\s)+", " ", re.escape(calendar_names.plain(piece)))
    dot = r"\.?" if piece.letter in "MEa" and piece.number is not int else ""
    return f"({piece.expression}){dot}"


def _date(numbers: Mapping[str, int]) -> date:
    year = numbers["y"]
    if "M" in numbers and "d" in numbers:
        month, day = numbers["M"], numbers["d"]
        try:
            found = date(year, month, day)
        except ValueError:
            raise DateMismatch(f"{year:04}-{month:02} has {monthrange(year, month)[1]} days") from None
    else:
        found = date(year, 1, 1) + timedelta(days=numbers["D"] - 1)
        if found.year != year:
            raise DateMismatch(f"{year:04} has 365 days")
    if numbers.get("E", found.weekday()) != found.weekday():
        raise DateMismatch(f"{found} is a {found:%A}")
    return found


def _clock(numbers: Mapping[str, int], fraction: str) -> tuple[str, bool]:
    """The time of day, and whether it is the midnight that ends the day (24:00)."""
    hour = _hour(numbers)
    minute, second = numbers.get("m", 0), numbers.get("s", 0)
    ends_day = hour == 24
    if ends_day:
        if minute or second or fraction:
            raise DateMismatch("a day ends at 24:00")
        hour = 0
    return f"{hour:02}:{minute:02}:{second:02}" + (f".{fraction}" if fraction else ""), ends_day


def _hour(numbers: Mapping[str, int]) -> int:
    half = numbers.get("a")
    if "H" in numbers:
        hour = numbers["H"]
    elif "k" in numbers:
        hour = numbers["k"] % 24
    else:
        hour = numbers["h"] if "h" in numbers else numbers["K"]
        if half is not None:
            return hour % 12 + 12 * half
    if half is not None and (hour >= 12) != bool(half):
        raise DateMismatch(f'hour {hour} is not {"pm" if half else "am"}; "h" reads the hours 1-12')
    return hour
