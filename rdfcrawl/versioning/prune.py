"""Which runs' graphs and archives are no longer worth their space. Changes are never among what is removed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from rdfcrawl.store.current import current_runs
from rdfcrawl.store.record import RunRecord, RunState


@dataclass(frozen=True, slots=True)
class Retention:
    """How many runs to keep: the latest ones, and the latest one of each of so many days, weeks and months."""

    latest: int = 0
    daily: int = 0
    weekly: int = 0
    monthly: int = 0

    def __bool__(self) -> bool:
        return any((self.latest, self.daily, self.weekly, self.monthly))


def prunable(records: Sequence[RunRecord], retention: Retention) -> list[RunRecord]:
    """The runs that can go, oldest first.

    The latest complete run of each section stays in any case: the next run is compared with it. So does a run
    that has not ended. An abandoned run goes as soon as a later one is complete.
    """
    complete = sorted((record for record in records if record.state is RunState.COMPLETE), key=_age)
    if not complete:
        return []
    kept = {current.run for current in current_runs(complete)}
    kept.update(record.id for record in complete[: retention.latest])
    for count, period in ((retention.daily, _day), (retention.weekly, _week), (retention.monthly, _month)):
        kept.update(_latest_of_each(complete, count, period))
    newest = complete[0].id
    return sorted(
        (
            record
            for record in records
            if (record.state is RunState.COMPLETE and record.id not in kept)
            or (record.state is RunState.ABANDONED and record.id < newest)
        ),
        key=lambda record: record.id,
    )


def _latest_of_each(complete: Sequence[RunRecord], count: int, period: Callable[[datetime], object]) -> list[int]:
    latest: dict[object, int] = {}
    for record in complete:
        latest.setdefault(period(record.started), record.id)
    return list(latest.values())[:count]


def _age(record: RunRecord) -> int:
    return -record.id


def _day(moment: datetime) -> object:
    return moment.date()


def _week(moment: datetime) -> object:
    return moment.isocalendar()[:2]


def _month(moment: datetime) -> object:
    return moment.year, moment.month
