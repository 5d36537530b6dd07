"""The changes of each run as bars with axes: numbers on the left, days and times below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC
from math import sqrt
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.charts.axes import NARROW, WIDE, Canvas, Tick, fitting, number_text
from rdfcrawl.publish.data.run_times import RunTimes, ordinal
from rdfcrawl.publish.web.addresses import Addresses
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.counts import ChangeCounts

RUNS: Final = 40
_LEAST_STEP, _MOST_STEP = 15, 80
_LEAST_HEIGHT: Final = 2.0
_BETWEEN_TICKS: Final = 22
_DIGIT: Final = 7.5
_KINDS = (ChangeKind.ADDED, ChangeKind.CHANGED, ChangeKind.REPLACED, ChangeKind.REMOVED)


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar: the changes of one kind."""

    kind: ChangeKind
    count: int
    top: float
    height: float


@dataclass(frozen=True, slots=True)
class Bar:
    """A run: its changes, one segment above the other; ``total`` is written above if there is room."""

    title: str
    href: str
    left: float
    top: float
    segments: Sequence[Segment]
    total: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars from left to right, oldest first; ``days`` and ``times`` are written below them."""

    canvas: Canvas
    bars: Sequence[Bar]
    step: float
    ticks: Sequence[Tick]
    days: Sequence[Tick]
    times: Sequence[Tick]
    title: str

    @property
    def bar_width(self) -> float:
        """How wide a bar is."""
        return round(self.step * 0.75, 1)


def charts(
    records: Sequence[RunRecord], counts: Mapping[int, ChangeCounts], addresses: Addresses, times: RunTimes
) -> list[Chart]:
    """The chart of the newest runs for wide and for narrow screens; none while there is nothing to compare."""
    if len(records) < 2:
        return []
    return [_chart(records, counts, addresses, times, canvas) for canvas in (WIDE, NARROW)]


def _chart(
    records: Sequence[RunRecord],
    counts: Mapping[int, ChangeCounts],
    addresses: Addresses,
    times: RunTimes,
    canvas: Canvas,
) -> Chart:
    shown = records[-min(RUNS, int(canvas.across // _LEAST_STEP)) :]
    step = min(float(_MOST_STEP), canvas.across / len(shown))
    counted = [_counted(counts, record) for record in shown]
    most = max((sum(one.values()) for one in counted), default=0)
    bars = []
    for place, (record, found) in enumerate(zip(shown, counted, strict=True)):
        total, height = sum(found.values()), _height(sum(found.values()), most, canvas)
        text = number_text(total) if total and len(number_text(total)) * _DIGIT <= step + 4 else ""
        told = ", ".join(f"{count} {kind}" for kind, count in found.items()) or "no changes"
        left = round(canvas.left + place * step + step / 8, 1)
        segments = _segments(found, height, canvas.base)
        title = f"{times.name(record)}: {told}"
        bars.append(Bar(title, addresses.run(record.id), left, round(canvas.base - height, 1), segments, text))
    days, hours = _written(shown, step, canvas)
    title = f"Changes of each of the newest {len(shown)} runs, oldest on the left; at most {most}"
    return Chart(canvas, bars, step, _ticks(most, canvas), days, hours, title)


def _counted(counts: Mapping[int, ChangeCounts], record: RunRecord) -> dict[ChangeKind, int]:
    by_kind = counts[record.id].by_kind if record.id in counts else {}
    return {kind: by_kind[kind] for kind in _KINDS if by_kind.get(kind)}


def _height(count: float, most: int, canvas: Canvas) -> float:
    """By the square root, because the first run adds everything and the others should be seen beside it."""
    return max(_LEAST_HEIGHT, canvas.up * sqrt(count / most)) if count else 0.0


def _ticks(most: int, canvas: Canvas) -> list[Tick]:
    """Zero, the largest number, and round ones between them that are far enough from each other."""
    if not most:
        return [Tick(canvas.base, "0")]
    found = [Tick(canvas.top, number_text(most))]
    round_ones = [digit * 10**zeros for zeros in range(len(str(most))) for digit in (1, 2, 5)]
    for number in reversed([one for one in round_ones if one < most]):
        place = canvas.base - _height(number, most, canvas)
        if found[-1].place + _BETWEEN_TICKS <= place <= canvas.base - _BETWEEN_TICKS:
            found.append(Tick(round(place, 1), number_text(number)))
    return [*found, Tick(canvas.base, "0")]


def _written(shown: Iterable[RunRecord], step: float, canvas: Canvas) -> tuple[list[Tick], list[Tick]]:
    """Each new day, and the time of each run, or its number among those of the same minute, as far as there is room."""
    days: list[Tick] = []
    times: list[Tick] = []
    day, minute, number = "", "", 1
    for place, record in enumerate(shown):
        began = record.started.astimezone(UTC)
        middle = round(canvas.left + (place + 0.5) * step, 1)
        if f"{began:%Y-%m-%d}" != day:
            day = f"{began:%Y-%m-%d}"
            days.append(Tick(middle, day))
        number = number + 1 if f"{day} {began:%H:%M}" == minute else 1
        minute = f"{day} {began:%H:%M}"
        times.append(Tick(middle, ordinal(number) if number > 1 else f"{began:%H:%M}"))
    # The newest day is what readers look for: it has its place before the older ones.
    newest_first = [Tick(canvas.width - tick.place, tick.text) for tick in reversed(days)]
    kept = {tick.text for tick in fitting(newest_first, canvas.width)}
    return [tick for tick in days if tick.text in kept], list(fitting(times, canvas.width))


def _segments(counted: Mapping[ChangeKind, int], height: float, base: float) -> list[Segment]:
    """The parts of a bar, as large as their share in it, but large enough to be seen."""
    total = sum(counted.values())
    heights = {kind: max(_LEAST_HEIGHT, height * count / total) for kind, count in counted.items()}
    scale = height / sum(heights.values()) if heights else 0
    found: list[Segment] = []
    for kind, part in heights.items():
        base -= part * scale
        found.append(Segment(kind, counted[kind], round(base, 1), round(part * scale, 1)))
    return found
