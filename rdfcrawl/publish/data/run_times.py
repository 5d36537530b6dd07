"""Runs by the minute in which they began, as pages name them; runs of the same minute also by their number in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from rdfcrawl.dataclass import dataclass
from rdfcrawl.store.runs.record import RunRecord


@dataclass(frozen=True, slots=True)
class RunTimes:
    """The numbers of those runs that began in the same minute as another one."""

    numbers: Mapping[int, int]

    @classmethod
    def of(cls, records: Iterable[RunRecord]) -> RunTimes:
        """The numbers among these runs."""
        minutes: dict[str, list[RunRecord]] = defaultdict(list)
        for record in records:
            minutes[minute(record.started)].append(record)
        return cls(
            {
                record.id: number
                for shared in minutes.values()
                if len(shared) > 1
                for number, record in enumerate(sorted(shared, key=lambda one: (one.started, one.id)), 1)
            }
        )

    def name(self, record: RunRecord) -> str:
        """When a run began, such as ``2026-01-31 18:00``, or ``2026-01-31 18:00, 2nd that minute``."""
        number = self.numbers.get(record.id)
        return minute(record.started) + (f", {ordinal(number)} that minute" if number else "")


def minute(moment: datetime) -> str:
    """A moment as pages show it."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}"


def ordinal(number: int) -> str:
    """A number as a place in an order: 1st, 2nd, 3rd, 11th."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
