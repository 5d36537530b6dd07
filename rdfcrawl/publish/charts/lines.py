"""Moments and numbers as lines with axes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.charts.axes import (
    NARROW,
    WIDE,
    Canvas,
    Tick,
    fitting,
    moment_text,
    number_text,
    round_dates,
    round_numbers,
)

MOST_LINES: Final = 6
_MOST_DOTS: Final = 80
_ROWS_OF_NUMBERS: Final = 5

Points = Sequence[tuple[float, float]]
"""Moments and numbers, in the order of time."""


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line: its name, its points as SVG writes them, and those that are marked, with what they mean."""

    name: str
    points: str
    dots: Sequence[tuple[float, float, str]]


@dataclass(frozen=True, slots=True)
class LineDrawing:
    """The lines on one canvas."""

    canvas: Canvas
    lines: Sequence[DrawnLine]
    numbers: Sequence[Tick]
    moments: Sequence[Tick]


@dataclass(frozen=True, slots=True)
class LinePicture:
    """Lines for wide and for narrow screens."""

    kind: ClassVar[str] = "lines"
    heading: ClassVar[str] = "Line chart"
    title: str
    drawings: Sequence[LineDrawing]

    @property
    def names(self) -> list[str]:
        """What the lines are called, if there are several."""
        lines = self.drawings[0].lines
        return [line.name for line in lines] if len(lines) > 1 else []


def lines_of(
    moments: tuple[str, Sequence[float | None]],
    numbers: Sequence[tuple[str, Sequence[float | None]]],
    groups: Sequence[Sequence[str]],
) -> Iterator[LinePicture]:
    """The lines of some columns of numbers; where one moment has several rows, a line for each group of names.

    Rows that no column of few names tells apart are no line: it would jump between things that have nothing in common.
    """
    name, times = moments
    series = _series(times, numbers)
    if not _is_function(times, numbers[0][1]):
        column, values = numbers[0]
        grouped = next((one for one in groups if _tells_apart(times, values, one)), None)
        if grouped is None:
            return
        series, numbers = _by_group(times, values, grouped), [(column, values)]
    series = {line: points for line, points in series.items() if len(points) > 1}
    if not series or len(series) > MOST_LINES:
        return
    every = [point for points in series.values() for point in points]
    if min(every)[0] == max(every)[0]:
        return
    least, greatest = min(number for _, number in every), max(number for _, number in every)
    columns = ", ".join(column for column, _ in numbers)
    title = (
        f"{columns} by {name}: {len(every)} points from {moment_text(min(every)[0])} to {moment_text(max(every)[0])}, "
        f"between {number_text(least)} and {number_text(greatest)}"
    )
    yield LinePicture(title, [_drawing(series, canvas) for canvas in (WIDE, NARROW)])


def _series(times: Sequence[float | None], numbers: Sequence[tuple[str, Sequence[float | None]]]) -> dict[str, Points]:
    return {
        name: sorted(
            (time, value) for time, value in zip(times, values, strict=True) if time is not None and value is not None
        )
        for name, values in numbers[:MOST_LINES]
    }


def _is_function(times: Sequence[float | None], values: Sequence[float | None]) -> bool:
    known = [time for time, value in zip(times, values, strict=True) if time is not None and value is not None]
    return len(known) == len(set(known))


def _tells_apart(times: Sequence[float | None], values: Sequence[float | None], names: Sequence[str]) -> bool:
    known = [(time, name) for time, value, name in zip(times, values, names, strict=True) if value is not None]
    return len(known) == len(set(known)) and len({name for _, name in known}) <= MOST_LINES


def _by_group(times: Sequence[float | None], values: Sequence[float | None], names: Sequence[str]) -> dict[str, Points]:
    found: dict[str, list[tuple[float, float]]] = {}
    for time, value, name in zip(times, values, names, strict=True):
        if time is not None and value is not None:
            found.setdefault(name, []).append((time, value))
    return {name: sorted(points) for name, points in found.items()}


def _drawing(series: Mapping[str, Points], canvas: Canvas) -> LineDrawing:
    every = [point for points in series.values() for point in points]
    first, last = min(every)[0], max(every)[0]
    least, greatest = min(number for _, number in every), max(number for _, number in every)
    # A line that hardly moves should look like that, unless zero is far away.
    low = 0.0 if 0 <= least <= (greatest - least) * 2 or greatest == least > 0 else least
    whole = all(number.is_integer() for _, number in every)
    marks = round_numbers(low, greatest, _ROWS_OF_NUMBERS, 1.0 if whole else 0.0)
    low, high = min(low, marks[0]), max(greatest, marks[-1])
    if high == low:
        high = low + 1

    def across(moment: float) -> float:
        return round(canvas.left + canvas.across * (moment - first) / (last - first), 1)

    def up(number: float) -> float:
        return round(canvas.base - canvas.up * (number - low) / (high - low), 1)

    ticks = [Tick(across(tick.place), tick.text) for tick in round_dates(first, last, int(canvas.across // 90))]
    return LineDrawing(
        canvas,
        [_line(name, points, across, up, len(every) <= _MOST_DOTS) for name, points in series.items()],
        [Tick(up(mark), number_text(mark)) for mark in marks],
        list(fitting(ticks, canvas.width)),
    )


def _line(
    name: str, points: Points, across: Callable[[float], float], up: Callable[[float], float], dotted: bool
) -> DrawnLine:
    places = [(across(moment), up(number), moment, number) for moment, number in points]
    dots = (
        [(x, y, f"{moment_text(moment)}: {number_text(number)}") for x, y, moment, number in places] if dotted else []
    )
    return DrawnLine(name, " ".join(f"{x},{y}" for x, y, _, _ in places), dots)
