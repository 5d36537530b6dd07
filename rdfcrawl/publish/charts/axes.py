"""Axes: round numbers and dates between two ends, and how they are written."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from rdfcrawl.dataclass import dataclass

DAY: Final = 86_400.0
_LETTER: Final = 7.0
"""How wide a character of an axis is, about."""
_SMALLEST_STEP: Final = 1e-300
_DAYS: Final = (1, 2, 7, 14)
_MONTHS: Final = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000)
_SHORT_TIMES: Final = (1, 5, 15, 30, 60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600)


@dataclass(frozen=True, slots=True)
class Tick:
    """A place on an axis, and what is written there."""

    place: float
    text: str


@dataclass(frozen=True, slots=True)
class Canvas:
    """Where a picture draws: its size, and the room that the writing around it takes."""

    width: float
    height: float
    left: float = 52
    right: float = 12
    top: float = 16
    bottom: float = 40

    @property
    def across(self) -> float:
        """How wide what is drawn is."""
        return self.width - self.left - self.right

    @property
    def base(self) -> float:
        """Where what is drawn ends below."""
        return self.height - self.bottom

    @property
    def up(self) -> float:
        """How high what is drawn is."""
        return self.base - self.top


WIDE: Final = Canvas(1040, 250)
NARROW: Final = Canvas(350, 230, left=46, right=10)


def round_numbers(least: float, greatest: float, at_most: int, finest: float = 0.0) -> list[float]:
    """Round numbers from about the least to about the greatest, so many at most, and no finer than told."""
    raw = (greatest - least) / max(1, at_most - 1)
    if raw < _SMALLEST_STEP:
        return [least] if least == greatest else [least, greatest]
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= raw * (1 - 1e-9))
    step = max(step, finest)
    first, last = math.floor(least / step + 1e-9), math.ceil(greatest / step - 1e-9)
    return [number * step for number in range(first, last + 1)]


def number_text(number: float) -> str:
    """A number of an axis: grouped, without noise, short even if it is large."""
    if number and not 1e-4 <= abs(number) < 1e12:
        return f"{number:.3g}"
    whole = f"{number:,.0f}" if float(number).is_integer() else f"{number:,.6g}"
    return whole.replace(",", "\u202f").replace("-", "\u2212")


def round_dates(least: float, greatest: float, at_most: int) -> list[Tick]:
    """Beginnings of minutes, hours, days, months or years between two moments, as seconds since 1970."""
    span = (greatest - least) / max(1, at_most)
    for step in _SHORT_TIMES:
        if step >= span:
            return _regular(least, greatest, step, "%H:%M" if step >= 60 else "%H:%M:%S")
    for days in _DAYS:
        if days * DAY >= span:
            return _regular(least, greatest, days * DAY, "%Y-%m-%d")
    months = next((count for count in _MONTHS if count * 30 * DAY >= span), _MONTHS[-1])
    return [
        Tick(place, f"{moment:%Y}" if months >= 12 else f"{moment:%Y-%m}")
        for place, moment in _months(least, greatest, months)
    ]


def moment_text(seconds: float) -> str:
    """A moment: a day, and the time unless it is the day's beginning."""
    return f"{_moment(seconds):{'%Y-%m-%d %H:%M:%S' if seconds % DAY else '%Y-%m-%d'}}"


def fitting(ticks: Sequence[Tick], room: float) -> Iterator[Tick]:
    """Those ticks whose writing does not overlap; ``room`` is where the axis ends."""
    free = -math.inf
    for tick in ticks:
        half = len(tick.text) * _LETTER / 2
        if tick.place - half >= free and tick.place + half <= room:
            free = tick.place + half + _LETTER
            yield tick


def _regular(least: float, greatest: float, step: float, form: str) -> list[Tick]:
    first = math.ceil(least / step)
    count = math.floor(greatest / step) - first + 1
    return [
        Tick((first + number) * step, _moment((first + number) * step).strftime(form))
        for number in range(min(count, 50))
    ]


def _months(least: float, greatest: float, every: int) -> Iterator[tuple[float, datetime]]:
    begin = _moment(least)
    number = -(-(begin.year * 12 + begin.month - 1) // every) * every
    while number // 12 <= 9999:
        moment = datetime(max(1, number // 12), number % 12 + 1, 1, tzinfo=UTC)
        seconds = (moment - _EPOCH).total_seconds()
        if seconds > greatest:
            return
        if seconds >= least:
            yield seconds, moment
        number += every


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
