"""Places on earth as a map without streets: dots, and a grid with degrees."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.charts.axes import Canvas, Tick, fitting, round_numbers
from rdfcrawl.publish.web.presentation import Shown

_SIZES: Final = (Canvas(1040, 500, left=64), Canvas(350, 380, left=58, right=10))
_LEAST_DEGREES: Final = 0.01
"""Places that are nearer to each other than this look like one place."""
_AROUND: Final = 0.06
_WITH_NAMES: Final = 25
_LETTERS: Final = 24


@dataclass(frozen=True, slots=True)
class Dot:
    """A place: where it is drawn, what it is called and where it leads; ``written`` is beside it, if dots are few."""

    across: float
    down: float
    name: str
    href: str | None
    written: str


@dataclass(frozen=True, slots=True)
class MapDrawing:
    """The dots on one canvas, with the lines of latitude and longitude."""

    canvas: Canvas
    dots: Sequence[Dot]
    latitudes: Sequence[Tick]
    longitudes: Sequence[Tick]
    written: Sequence[Tick]
    """Those longitudes whose writing has room."""


@dataclass(frozen=True, slots=True)
class MapPicture:
    """Dots for wide and for narrow screens."""

    kind: ClassVar[str] = "map"
    heading: ClassVar[str] = "Map"
    title: str
    drawings: Sequence[MapDrawing]


def map_of(places: Sequence[tuple[float, float] | None], names: Sequence[Shown | None]) -> Iterator[MapPicture]:
    """The map of the rows that have a place."""
    known = [(place, name) for place, name in zip(places, names, strict=True) if place is not None]
    if not known:
        return
    latitudes, longitudes = [place[0] for place, _ in known], [place[1] for place, _ in known]
    title = (
        f"{len(known)} {'place' if len(known) == 1 else 'places'} from {north(min(latitudes))} to "
        f"{north(max(latitudes))} and from {east(min(longitudes))} to {east(max(longitudes))}"
    )
    yield MapPicture(title, [_drawing(known, canvas) for canvas in _SIZES])


def north(degrees: float) -> str:
    """A latitude in words."""
    return f"{abs(round(degrees, 4)):g}° {'S' if degrees < 0 else 'N'}"


def east(degrees: float) -> str:
    """A longitude in words."""
    return f"{abs(round(degrees, 4)):g}° {'W' if degrees < 0 else 'E'}"


def _drawing(known: Sequence[tuple[tuple[float, float], Shown | None]], canvas: Canvas) -> MapDrawing:
    bottom, top = _ends([place[0] for place, _ in known])
    left, right = _ends([place[1] for place, _ in known])
    # A degree of longitude is shorter the farther it is from the equator.
    shrink = max(0.05, math.cos(math.radians((bottom + top) / 2)))
    scale = min(canvas.across / ((right - left) * shrink), canvas.up / (top - bottom))
    wide, high = canvas.across / scale / shrink, canvas.up / scale
    left, bottom = (left + right - wide) / 2, (bottom + top - high) / 2

    def across(degrees: float) -> float:
        return round(canvas.left + (degrees - left) * shrink * scale, 1)

    def down(degrees: float) -> float:
        return round(canvas.base - (degrees - bottom) * scale, 1)

    few = len(known) <= _WITH_NAMES
    rows = [mark for mark in round_numbers(bottom, bottom + high, 6) if bottom <= mark <= bottom + high]
    columns = [mark for mark in round_numbers(left, left + wide, 8) if left <= mark <= left + wide]
    longitudes = [Tick(across(mark), east(mark)) for mark in columns if abs(mark) <= 180]
    return MapDrawing(
        canvas,
        [
            Dot(across(place[1]), down(place[0]), text, name.href if name else None, text[:_LETTERS] if few else "")
            for place, name in known
            for text in (name.text if name else "",)
        ],
        [Tick(down(mark), north(mark)) for mark in rows if abs(mark) <= 90],
        longitudes,
        list(fitting(longitudes, canvas.width)),
    )


def _ends(degrees: Sequence[float]) -> tuple[float, float]:
    """The least and the greatest, with some room around them."""
    least, greatest = min(degrees), max(degrees)
    room = max((greatest - least) * _AROUND, _LEAST_DEGREES)
    return least - room, greatest + room
