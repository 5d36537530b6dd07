"""Dates in running text: day, month and year in English, German and numeric notations.

Numbers that only look like one are left alone: of versions, telephones, addresses of machines. A date has a year of
four digits from 1900 to 2099, and the day must exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from typing import Final

_MONTHS: Final[Mapping[str, int]] = {
    name: number
    for number, names in enumerate(
        (
            "january januar jänner jaenner jan",
            "february februar feber feb",
            "march märz maerz mrz mär mar",
            "april apr",
            "may mai",
            "june juni jun",
            "july juli jul",
            "august aug",
            "september sept sep",
            "october oktober oct okt",
            "november nov",
            "december dezember dec dez",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR: Final = r"(?:19|20)[0-9]{2}"
_ORDINAL: Final = r"(?:st|nd|rd|th|\.)?"
_BEFORE: Final = r"(?<![\w.,/+-])(?<![0-9]:)"
_AFTER: Final = r"(?![0-9A-Za-z]|[.,:/][0-9])"
_NOTATIONS: Final = rf"""{_BEFORE}(?:
        (?P<iso_year>{_YEAR})(?P<iso>[-/.])(?P<iso_month>[0-9]{{1,2}})(?P=iso)(?P<iso_day>[0-9]{{1,2}})
        (?=T[0-9]{{2}}:|{_AFTER}(?!-[0-9]))
      | (?P<first>[0-9]{{1,2}})(?P<mark>[/-])(?P<second>[0-9]{{1,2}})(?P=mark)(?P<year>{_YEAR}){_AFTER}
      | (?P<german>[0-9]{{1,2}})\.[ ]?(?P<german_month>[0-9]{{1,2}})\.[ ]?(?P<german_year>{_YEAR}){_AFTER}
      | (?P<day>[0-9]{{1,2}}){_ORDINAL}(?:[ ]of)?[ /-]?(?P<month>{_MONTH})[.,]?[ /-]?,?[ ]?(?P<day_year>{_YEAR}){_AFTER}
      | (?P<english>{_MONTH})\.?[ ]?(?P<english_day>[0-9]{{1,2}}){_ORDINAL}
        (?:[ ]?[-–—][ ]?(?:(?:{_MONTH})\.?[ ])?[0-9]{{1,2}}{_ORDINAL})?,?[ ](?P<english_year>{_YEAR}){_AFTER}
    )
    | (?<=[0-9.][–—-])(?P<last>[0-9]{{1,2}}){_ORDINAL}[ ](?P<last_month>{_MONTH})[.,]?[ ](?P<last_year>{_YEAR}){_AFTER}
    """
_HAS_YEAR: Final = re.compile(_YEAR)
_NO_DATE: Final = re.compile(
    r"(?:\b(?:v|ver|vers|version|release|rev|revision|build|firmware|tel|telefon|phone|fax|mobil|mobile|isbn|issn)"
    r"[ .:#-]*|\+[0-9][0-9 ()./-]*|\([0-9]+\)[ ]*)$",
    re.IGNORECASE,
)
_LOOKED_BACK: Final = 30
_AROUND: Final = 50
"""How far a date reaches from its year, with what must not follow it."""


def find_date(text: str) -> tuple[int, int] | None:
    """Where the first date stands."""
    for start, end in _surroundings_of_years(text):
        for found in _notations().finditer(text, start, end):
            if _is_date(found) and not _NO_DATE.search(text[max(0, found.start() - _LOOKED_BACK) : found.start()]):
                return found.start(), found.end()
    return None


@cache
def _notations() -> re.Pattern[str]:
    # Not when it is imported: it takes six milliseconds to compile, and few models look for dates.
    return re.compile(_NOTATIONS, re.VERBOSE | re.IGNORECASE)


def _surroundings_of_years(text: str) -> Iterator[tuple[int, int]]:
    """Where a date can be: years are found much faster, and most texts have few. No two of the places overlap."""
    start = end = 0
    for year in _HAS_YEAR.finditer(text):
        first = max(0, year.start() - _AROUND)
        if first > end:
            if end:
                yield start, end
            start = first
        end = year.end() + _AROUND
    if end:
        yield start, end


def _is_date(found: re.Match[str]) -> bool:
    part = found.groupdict()
    if part["iso_year"]:
        return _exists(part["iso_year"], part["iso_month"], part["iso_day"])
    if part["german_year"]:
        return _exists(part["german_year"], part["german_month"], part["german"])
    if part["year"]:
        is_day_first = _exists(part["year"], part["second"], part["first"])
        # Only with slashes does anybody write the month first.
        return is_day_first or (part["mark"] == "/" and _exists(part["year"], part["first"], part["second"]))
    for year, month, day in (
        ("day_year", "month", "day"),
        ("english_year", "english", "english_day"),
        ("last_year", "last_month", "last"),
    ):
        if part[year]:
            return _exists(part[year], str(_MONTHS[part[month].lower()]), part[day])
    return False


def _exists(year: str, month: str, day: str) -> bool:
    try:
        date(int(year), int(month), int(day))
    except ValueError:
        return False
    return True
