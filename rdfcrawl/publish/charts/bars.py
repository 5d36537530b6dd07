"""Names and numbers as horizontal bars, which fit any screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.charts.axes import number_text
from rdfcrawl.publish.web.presentation import Shown

MOST_BARS: Final = 50


@dataclass(frozen=True, slots=True)
class NamedBar:
    """A row: what it is called, where its bar begins and how long it is, in percent, and the number."""

    name: Shown
    start: float
    length: float
    number: str


@dataclass(frozen=True, slots=True)
class BarPicture:
    """Bars from the top; ``left_out`` rows have none."""

    kind: ClassVar[str] = "bars"
    heading: ClassVar[str] = "Bar chart"
    title: str
    bars: Sequence[NamedBar]
    left_out: int


def bars_of(name: str, numbers: Sequence[float | None], names: Sequence[Shown | None]) -> Iterator[BarPicture]:
    """One bar for each row that has a number and a name; fewer than two tell nothing."""
    known = [(one, number) for one, number in zip(names, numbers, strict=True) if one and number is not None]
    if len(known) < 2:
        return
    drawn = known[:MOST_BARS]
    least, greatest = min(0.0, *(number for _, number in drawn)), max(0.0, *(number for _, number in drawn))
    span = (greatest - least) or 1.0
    bars = [
        NamedBar(
            one,
            round(100 * (min(number, 0.0) - least) / span, 2),
            round(100 * abs(number) / span, 2),
            number_text(number),
        )
        for one, number in drawn
    ]
    yield BarPicture(name, bars, len(known) - len(drawn))
