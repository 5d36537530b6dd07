"""The changes per run as the numbers of a small chart, which the template draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from rdfcrawl.publish.web.addresses import Addresses
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.counts import ChangeCounts

HEIGHT = 120
RUNS = 40
_LEAST = 3.0
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
    """A run: its changes, one segment above the other."""

    record: RunRecord
    href: str
    left: int
    segments: Sequence[Segment]

    @property
    def title(self) -> str:
        """The bar in words."""
        counted = ", ".join(f"{segment.count} {segment.kind}" for segment in self.segments) or "no changes"
        return f"{self.record.started:%Y-%m-%d %H:%M}: {counted}"


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars from left to right, oldest first."""

    bars: Sequence[Bar]
    width: int
    bar_width: int
    height: int = HEIGHT


def chart(records: Sequence[RunRecord], counts: Mapping[int, ChangeCounts], addresses: Addresses) -> Chart | None:
    """The chart of the newest runs; ``None`` while there is nothing to compare.

    Heights grow with the square root, because the first run adds everything and the others should be seen beside it.
    """
    shown = records[-RUNS:]
    if len(shown) < 2:
        return None
    counted = {record.id: counts[record.id].by_kind for record in shown if record.id in counts}
    step = max(14, min(64, 760 // len(shown)))
    most = max((sum(sqrt(counted.get(record.id, {}).get(kind, 0)) for kind in _KINDS) for record in shown), default=0)
    bars = [
        Bar(record, addresses.run(record.id), place * step + step // 8, _segments(counted.get(record.id, {}), most))
        for place, record in enumerate(shown)
    ]
    return Chart(bars, step * len(shown), step * 3 // 4)


def _segments(counted: Mapping[ChangeKind, int], most: float) -> list[Segment]:
    found: list[Segment] = []
    bottom = float(HEIGHT)
    for kind in _KINDS:
        count = counted.get(kind, 0)
        if count:
            height = max(_LEAST, (HEIGHT - 10) * sqrt(count) / most)
            bottom -= height
            found.append(Segment(kind, count, round(bottom, 1), round(height, 1)))
    return found
