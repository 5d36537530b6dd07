"""Numbers, dates and durations as numbers that can be compared, and back as people write them."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Final

from rdfcrawl.rdf import terms

DATED: Final = (terms.DATE, terms.DATE_TIME)
_WHOLE: Final = frozenset(terms.NUMERIC_DATATYPES) - {terms.DECIMAL, terms.DOUBLE, terms.XSD + "float"}
_MOST_DIGITS: Final = 1e15
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_DURATION: Final = re.compile(
    r"(-)?P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?"
)
_UNITS: Final = (31556952, 2629746, 86400, 3600, 60, 1)
"""The seconds of a year, a month and so on; years and months are as long as they are on average."""
_JSON_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def as_number(text: str, datatype: str) -> float | None:
    """Where a value stands among those of its kind; ``None`` for what is no number and no date."""
    try:
        if datatype in DATED:
            moment = datetime.fromisoformat(text) if _DAY.match(text) else None
            if moment is None:
                return None
            seconds = moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6
            # Moments without a zone count as UTC.
            ahead = (moment.utcoffset() or timedelta()).total_seconds()
            return moment.toordinal() + (seconds - ahead) / 86400
        if datatype == terms.G_YEAR:
            return float(date(int(text), 1, 1).toordinal())
        number = float(text) if datatype in terms.NUMERIC_DATATYPES else math.nan
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def place_of(text: str, datatype: str) -> float | None:
    """Where a value stands in the order of a column; ``None`` for what is ordered by its letters."""
    if datatype in terms.DURATION_DATATYPES:
        return _seconds(text)
    if datatype == terms.ANY_ATOMIC:
        return as_number(text, terms.DOUBLE) if _JSON_NUMBER.fullmatch(text) else None
    return as_number(text, datatype)


def has_places(datatype: str) -> bool:
    """Whether values of that type can be ordered otherwise than by their letters."""
    return is_measured(datatype) or datatype in (*terms.DURATION_DATATYPES, terms.ANY_ATOMIC)


def is_measured(datatype: str) -> bool:
    """Whether values of that type can be between two others."""
    return datatype in (*terms.NUMERIC_DATATYPES, *DATED, terms.G_YEAR)


def as_bound(text: str, datatype: str, is_greatest: bool = False) -> float | None:
    """Where a bound stands; of moments, a day as the greatest one is meant with all its hours."""
    number = as_number(text, datatype)
    if number is not None and is_greatest and is_day_of_moments(text, datatype):
        return math.nextafter(number + 1, number)
    return number


def is_day_of_moments(text: str, datatype: str) -> bool:
    """Whether a bound of moments names a whole day."""
    return datatype == terms.DATE_TIME and _DAY.fullmatch(text) is not None


def as_text(number: float, datatype: str, rounding: str = ROUND_HALF_EVEN) -> str:
    """A bound of a histogram, in the notation of its values; between two whole ones, the next that there can be."""
    if datatype in DATED:
        return date.fromordinal(min(max(1, math.floor(number)), date.max.toordinal())).isoformat()
    if datatype == terms.G_YEAR:
        return f"{date.fromordinal(max(1, math.floor(number))).year:04}"
    if datatype in _WHOLE:
        return f"{math.ceil(number)}"
    is_long = abs(number) >= _MOST_DIGITS and datatype != terms.DECIMAL
    if is_long or (abs(number) < 1e6 and not number.is_integer()):
        return f"{float(Context(prec=6, rounding=rounding).create_decimal_from_float(number)):.6g}"
    return f"{Decimal(number).to_integral_value(rounding):f}"


def just_below(bound: str, datatype: str) -> str:
    """The greatest that is less than a bound, if values of the type have one; otherwise the bound."""
    if datatype in DATED:
        return (date.fromisoformat(bound) - timedelta(days=1)).isoformat()
    if datatype == terms.G_YEAR:
        return f"{int(bound) - 1:04}"
    return f"{int(bound) - 1}" if datatype in _WHOLE else bound


def _seconds(text: str) -> float | None:
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    length = sum(float(part or 0) * unit for part, unit in zip(match.groups()[1:], _UNITS, strict=True))
    return (-length if match[1] else length) if math.isfinite(length) else None
