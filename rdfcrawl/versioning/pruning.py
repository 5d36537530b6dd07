"""Old runs are pruned: graphs and archives are removed; records, changes and what was left unread are kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from rdfcrawl.dataclass import dataclass
from rdfcrawl.store.current import current_runs
from rdfcrawl.store.files.whole import is_full_disk
from rdfcrawl.store.folder import Store
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.runs.integrity import KNOWN_STATE, ensure_whole
from rdfcrawl.store.runs.record import RunFile, RunRecord, RunState
from rdfcrawl.versioning.recording import record_missing


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
    """The runs that can be pruned, oldest first.

    The latest complete run of each section stays in any case: the next run is compared with it. So does a run
    that has not ended. An abandoned run can be pruned as soon as a later one is complete.
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


def archives_in_use(records: Iterable[RunRecord], going: Iterable[RunRecord]) -> frozenset[str]:
    """The archives that the remaining runs depend on."""
    gone = {record.id for record in going}
    return frozenset(name for record in records if record.id not in gone for name in record.needed_archives)


def files_of(store: Store, run: int, in_use: Collection[str] = ()) -> Iterator[Path]:
    """What pruning a run removes; an archive that is in use stays, with its index."""
    for file in (*KNOWN_STATE, RunFile.LINKS, RunFile.DERIVED, RunFile.NAVIGATION):
        if (path := store.runs.path(run, file)).exists():
            yield path
    if store.archive.is_dir() and str(run) not in {name.split(".")[0] for name in in_use}:
        yield from sorted(path for path in store.archive.iterdir() if path.name.split(".")[0] == str(run))


def prune(store: Store, records: Iterable[RunRecord]) -> None:
    """Remove these runs' graphs and archives, and bring the triple stores up to date.

    Raises ``DamagedFile``, and removes nothing, if what remains is not intact: the older runs may then be needed.
    """
    going = [store.runs.read_record(record.id) for record in records]
    every = {record.id: record for record in store.runs.records()}
    for current in current_runs(every.values()):
        ensure_whole(store.runs, every[current.run])
    in_use = archives_in_use(every.values(), going)
    try:
        _forget(store, going, in_use)
    except OSError as error:
        if not is_full_disk(error):
            raise
        _make_room(store, going, in_use)
        _forget(store, going, in_use)
    try:
        store.refresh()
    except OSError as error:
        if not is_full_disk(error):
            raise
        say_once(f"there is still too little room to bring {store.folder} up to date; the next command does that")


def _forget(store: Store, going: Iterable[RunRecord], in_use: Collection[str]) -> None:
    """Note that runs are pruned, and remove what that means; who is killed in between can prune again."""
    # Changes that were never written could not be determined afterwards.
    record_missing(store.runs)
    for record in going:
        store.runs.write_record(replace(record, pruned=datetime.now(UTC).replace(microsecond=0)))
        _remove(files_of(store, record.id, in_use))


def _make_room(store: Store, going: Iterable[RunRecord], in_use: Collection[str]) -> None:
    """Remove, on a full disk, before that can be noted: archives, and graphs whose changes are written."""
    for record in going:
        has_changes = store.runs.changes(record.id).exists() or record.state is not RunState.COMPLETE
        files = files_of(store, record.id, in_use)
        _remove(path for path in list(files) if has_changes or path.parent == store.archive)


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


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
