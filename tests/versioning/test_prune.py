"""Which runs pruning removes, and what it leaves."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import ModelUsed, RunRecord, RunState, SectionRecord
from rdfcrawl.store.runs.unread import Unread
from rdfcrawl.versioning.pruning import Retention, files_of, prunable, prune
from rdfcrawl.versioning.recording import record_changes
from tests.versioning.library import MODEL, book
from tests.versioning.written_runs import WrittenRuns

_START = datetime(2024, 1, 1, tzinfo=UTC)


def _run(day: float, section: str = "http://s/", state: RunState = RunState.COMPLETE) -> RunRecord:
    started = _START + timedelta(days=day)
    model = ModelUsed("digest", "model.ttl")
    return RunRecord(int(started.timestamp()), state, started, model, (SectionRecord(section),))


def _kept_days(records: list[RunRecord], retention: Retention) -> list[int]:
    gone = {record.id for record in prunable(records, retention)}
    return [(record.started - _START).days for record in records if record.id not in gone]


def test_the_latest_runs_stay() -> None:
    """``--keep 3``."""
    assert _kept_days([_run(day) for day in range(10)], Retention(latest=3)) == [7, 8, 9]


def test_the_latest_run_of_each_day_week_and_month_stays() -> None:
    """Each rule keeps its own runs; a run that any rule wants stays."""
    twice_a_day = [_run(half / 2) for half in range(2 * 70)]
    assert _kept_days(twice_a_day, Retention(daily=3)) == [67, 68, 69]
    assert _kept_days(twice_a_day, Retention(weekly=3)) == [55, 62, 69]
    assert _kept_days(twice_a_day, Retention(monthly=3)) == [30, 59, 69]
    assert _kept_days(twice_a_day, Retention(latest=2, daily=2, monthly=2)) == [59, 68, 69, 69]


def test_the_latest_run_of_every_section_stays() -> None:
    """The next run of the section is compared with it, however old it is."""
    records = [_run(0, "http://rare/"), _run(1, "http://rare/"), *(_run(day) for day in range(2, 9))]
    assert _kept_days(records, Retention(latest=1)) == [1, 8]


def test_runs_that_can_go_on_stay_and_abandoned_ones_go() -> None:
    """A stopped run is not old, it is unfinished."""
    records = [_run(0, state=RunState.STOPPED), _run(1, state=RunState.ABANDONED), _run(2), _run(3)]
    assert _kept_days(records, Retention(latest=1)) == [0, 3]


def test_nothing_goes_before_a_run_is_complete() -> None:
    """An abandoned first try is all there is."""
    assert prunable([_run(0, state=RunState.ABANDONED)], Retention(latest=1)) == []


def test_pruning_removes_graphs_and_archives_and_keeps_records_and_changes(runs: WrittenRuns) -> None:
    """Also changes that had not been written yet are written first."""
    for run, price in ((1, "1.00"), (2, "2.00"), (3, "3.00")):
        runs.add(run, MODEL, book("trial", price=price))
    store = open_store(runs.store)
    store.archive.mkdir()
    (store.archive / "1.warc.gz").write_bytes(b"")
    (store.archive / "11.warc.gz").write_bytes(b"")
    gone = prunable(runs.files.records(), Retention(latest=1))
    assert [path.name for path in files_of(store, 1)] == ["1.nq.gz", "1.warc.gz"]
    prune(store, gone)
    assert [runs.files.graph(run).exists() for run in (1, 2, 3)] == [False, False, True]
    assert [path.name for path in store.archive.iterdir()] == ["11.warc.gz"]
    assert len(runs.recorded(1)) == len(runs.recorded(2)) == len(runs.recorded(3)) == 1
    assert [record.is_pruned for record in runs.files.records()] == [True, True, False]


def test_pruning_keeps_what_a_run_left_unread(runs: WrittenRuns) -> None:
    """It belongs to the record: what was not observed then is not said to have been gone."""
    runs.add(1, MODEL, book("trial"))
    unread = Unread(objects=("http://library.example/book/trial",))
    runs.add(2, MODEL, book("castle"), unread=unread)
    runs.add(3, MODEL, book("castle"))
    record_changes(runs.files, 3)
    assert [path.name for path in files_of(open_store(runs.store), 2)] == ["2.nq.gz", "2.carried.nq.gz"]
    prune(open_store(runs.store), prunable(runs.files.records(), Retention(latest=1)))
    assert not runs.files.carried(2).exists()
    assert runs.files.read_unread(runs.files.read_record(2)) == unread


def test_the_run_after_pruning_is_compared_as_before(runs: WrittenRuns) -> None:
    """What it needs was kept."""
    for run in (1, 2):
        runs.add(run, MODEL, book("trial"))
    record_changes(runs.files, 2)
    prune(open_store(runs.store), prunable(runs.files.records(), Retention(latest=1)))
    runs.add(3, MODEL, book("trial", price="1.00"))
    record_changes(runs.files, 3)
    assert len(runs.recorded(3)) == 1


def test_the_replay_of_a_pruned_run_is_compared_with_what_is_left(runs: WrittenRuns) -> None:
    """Its archive can outlive its graph; what a first run found does not become new by being read again."""
    for run, price in ((1, "1.00"), (2, "2.00"), (3, "3.00")):
        runs.add(run, MODEL, book("trial", price=price))
    prune(open_store(runs.store), prunable(runs.files.records(), Retention(latest=2)))
    first = runs.add(4, MODEL, book("trial", price="1.00"))
    runs.files.write_record(replace(first, settings=replace(first.settings, replay="run:1")))
    summary = record_changes(runs.files, 4)
    assert not summary.compared
    assert len(summary.notes) == 1
    assert summary.notes[0].startswith("no other run is left to compare with: http://library.example/")
    assert runs.recorded(4) == []

    prune(open_store(runs.store), [runs.files.read_record(2)])
    second = runs.add(5, MODEL, book("trial", price="5.00"))
    runs.files.write_record(replace(second, settings=replace(second.settings, replay="run:2")))
    assert record_changes(runs.files, 5).compared
    assert len(runs.recorded(5)) == 1
