"""Numbers, dates and durations as people write them; nothing of what they say is lost."""

from __future__ import annotations

import re
from typing import Final

from rdfcrawl.rdf import terms

NUMBERS: Final = frozenset(terms.NUMERIC_DATATYPES)
_DURATIONS: Final = frozenset(terms.DURATION_DATATYPES)
MOMENTS: Final = _DURATIONS | {terms.DATE, terms.DATE_TIME, terms.TIME}
"""Types of values that HTML has an element for."""
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_THIN_SPACE: Final = "\u202f"
_FEWEST_GROUPED: Final = 5
"""A number of four digits may be a year."""
_NUMBER: Final = re.compile(r"([+-]?)(\d+)(\.\d+)?")
_DATE: Final = r"(-?\d{4,})-(\d\d)-(\d\d)"
_ZONE: Final = r"(Z|[+-]\d\d:\d\d)?"
_DAY: Final = re.compile(_DATE + _ZONE)
_TIME: Final = re.compile(r"(\d\d:\d\d)(:\d\d(?:\.\d+)?)" + _ZONE)
_MOMENT: Final = re.compile(f"{_DATE}T(.+)")
_DURATION: Final = re.compile(
    r"(-)?P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?"
)
_UNITS: Final = (("year", "s"), ("month", "s"), ("day", "s"), ("h", ""), ("min", ""), ("s", ""))


def readable(text: str, datatype: str) -> str:
    """A value in the notation of people; one that is not what its type says stays as it is."""
    if datatype in NUMBERS:
        return _number(text)
    if datatype == terms.DATE:
        match = _DAY.fullmatch(text)
        return _day(match) + _zone(match[4]) if match else text
    if datatype == terms.TIME:
        return _time(text)
    if datatype == terms.DATE_TIME:
        match = _MOMENT.fullmatch(text)
        return f"{_day(match)}, {_time(match[4])}" if match else text
    if datatype in _DURATIONS:
        return _duration(text)
    return text


def _number(text: str) -> str:
    match = _NUMBER.fullmatch(text)
    if match is None:
        return text
    sign, whole, fraction = match[1], match[2], match[3] or ""
    if len(whole) >= _FEWEST_GROUPED:
        whole = f"{int(whole):,}".replace(",", _THIN_SPACE) if len(whole) < 1000 and whole[0] != "0" else whole
    return f"{'−' if sign == '-' else ''}{whole}{fraction}"


def _day(match: re.Match[str]) -> str:
    year, month, day = match[1], int(match[2]), int(match[3])
    return f"{day} {_MONTHS[month - 1]} {year}" if 1 <= month <= 12 else f"{year}-{match[2]}-{match[3]}"


def _time(text: str) -> str:
    match = _TIME.fullmatch(text)
    if match is None:
        return text
    return match[1] + ("" if match[2] == ":00" else match[2]) + _zone(match[3])


def _zone(zone: str | None) -> str:
    return "" if not zone else " UTC" if zone == "Z" else f" {zone}"


def _duration(text: str) -> str:
    match = _DURATION.fullmatch(text)
    if match is None or text.endswith(("P", "T")):
        return text
    named = [
        f"{count} {unit}{plural if count != '1' else ''}"
        for count, (unit, plural) in zip(match.groups()[1:], _UNITS, strict=True)
        if count and count.strip("0.")
    ]
    return ("−" if match[1] else "") + (" ".join(named) or "0 s")
