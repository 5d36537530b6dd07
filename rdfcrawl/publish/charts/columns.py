"""What the columns of an answer hold: numbers, moments, places on earth, or names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final, TypeVar

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.data.objects import Term
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import is_run, run_of

_NUMBERS: Final = frozenset(
    terms.XSD + name
    for name in (
        *("integer", "decimal", "double", "float", "int", "long", "short", "byte", "unsignedInt", "unsignedLong"),
        *("nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger"),
        *("unsignedShort", "unsignedByte"),
    )
)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].*)?")
_MONTH: Final = re.compile(r"(\d{4})(?:-(\d\d))?")
_FIRST_MOMENT: Final = datetime(1, 1, 1, tzinfo=UTC).timestamp()
_LAST_MOMENT: Final = datetime(9999, 12, 31, tzinfo=UTC).timestamp()
_MOST: Final = 1e300
"""Numbers beyond this cannot be subtracted from each other any more."""
_SHORT_IRI: Final = 40
_POINT: Final = re.compile(r"\s*(?:<[^>]{0,200}>)?\s*POINT\s*(?:Z|M|ZM)?\s*\(\s*(\S{1,40})\s+([^\s)]{1,40})", re.I)
_LATITUDES: Final = frozenset({"lat", "latitude", "breite", "breitengrad"})
_LONGITUDES: Final = frozenset({"lon", "lng", "long", "longitude", "laenge", "länge", "laengengrad", "längengrad"})
_WORDS: Final = re.compile(r"[A-Z]?[a-zäöüß]+|[A-Z]+")

Cell = Term | None
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A variable of an answer and its values, one for each row."""

    name: str
    values: Sequence[Cell]

    @property
    def is_filled(self) -> bool:
        """Whether there is any value."""
        return any(value is not None for value in self.values)

    def numbers(self) -> list[float | None] | None:
        """The numbers, if there is nothing else."""
        return self._all(as_number)

    def moments(self) -> list[float | None] | None:
        """The moments as seconds since 1970, if there is nothing else; a run is the moment at which it began."""
        return self._all(as_moment)

    def points(self) -> list[tuple[float, float] | None] | None:
        """The places as latitudes and longitudes, if there is nothing else."""
        return self._all(as_point)

    def _all(self, read: Callable[[Term], T | None]) -> list[T | None] | None:
        found = [None if value is None else read(value) for value in self.values]
        wrong = any(one is None and value is not None for one, value in zip(found, self.values, strict=True))
        return None if wrong or not self.is_filled else found


def places_of(columns: Sequence[ResultColumn]) -> tuple[list[tuple[float, float] | None], frozenset[str]] | None:
    """The places of the rows, from a column of points or from two of degrees, and the columns that say them."""
    for column in columns:
        if (points := column.points()) is not None:
            return points, frozenset({column.name})
    named = {kind: [one for one in columns if _last_word(one.name) in kind] for kind in (_LATITUDES, _LONGITUDES)}
    for latitude, longitude in zip(named[_LATITUDES], named[_LONGITUDES], strict=False):
        pairs = zip(latitude.values, longitude.values, strict=True)
        found = [_place(_degrees(north), _degrees(east)) for north, east in pairs]
        if any(found):
            return found, frozenset({latitude.name, longitude.name})
    return None


def as_number(value: Term) -> float | None:
    """The number that a term is."""
    if isinstance(value, ox.Literal) and value.datatype.value in _NUMBERS:
        return _finite(value.value)
    return None


def as_moment(value: Term) -> float | None:
    """The moment that a term names; a date is its beginning in UTC."""
    seconds = _run_began(value.value) if isinstance(value, ox.NamedNode) else _written_moment(value)
    return seconds if seconds is not None and _FIRST_MOMENT <= seconds < _LAST_MOMENT else None


def _written_moment(value: ox.Literal) -> float | None:
    kind, text = value.datatype.value, value.value.strip()
    try:
        if kind in (terms.DATE, terms.DATE_TIME, terms.STRING) and _DAY.fullmatch(text):
            moment = datetime.fromisoformat(text)
        elif kind in (terms.G_YEAR, terms.XSD + "gYearMonth") and (found := _MONTH.fullmatch(text)):
            moment = datetime(int(found[1]), int(found[2] or 1), 1)
        else:
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def as_point(value: Term) -> tuple[float, float] | None:
    """The latitude and longitude of a point in the notation of WKT, which names the longitude first."""
    if not isinstance(value, ox.Literal) or (found := _POINT.match(value.value)) is None:
        return None
    return _place(_finite(found[2]), _finite(found[1]))


def _run_began(iri: str) -> float | None:
    if len(iri) > _SHORT_IRI or not is_run(iri):
        return None
    try:
        return float(run_of(iri))
    except ValueError:
        return None


def _last_word(name: str) -> str:
    words = _WORDS.findall(name)
    return words[-1].lower() if words else ""


def _degrees(value: Cell) -> float | None:
    """A number in whatever datatype: the name of the column says what it is."""
    return _finite(value.value) if isinstance(value, ox.Literal) else None


def _place(latitude: float | None, longitude: float | None) -> tuple[float, float] | None:
    if latitude is None or longitude is None or abs(latitude) > 90 or abs(longitude) > 180:
        return None
    return latitude, longitude


def _finite(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) <= _MOST else None
