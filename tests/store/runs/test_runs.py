"""Runs are named by number, address, latest and previous."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from rdfcrawl.errors import StoreError, UsageError
from rdfcrawl.store.runs.record import ModelUsed, RunRecord, RunState
from rdfcrawl.store.runs.run_files import RunFiles, resolve_run


def record(run: int, state: RunState = RunState.COMPLETE) -> RunRecord:
    return RunRecord(run, state, datetime.fromtimestamp(run, UTC), ModelUsed("digest", "model.ttl"), ())


RECORDS = [record(10), record(20), record(30, RunState.STOPPED), record(40), record(50, RunState.RUNNING)]


@pytest.mark.parametrize(
    ("name", "expected"), [("10", 10), ("run://30", 30), ("latest", 40), ("previous", 20), ("50", 50)]
)
def test_a_name_means_one_run(name: str, expected: int) -> None:
    """Any run has its number; latest and previous are complete runs."""
    assert resolve_run(name, RECORDS).id == expected


@pytest.mark.parametrize(
    ("name", "records", "message"),
    [
        ("11", RECORDS, "there is no run 11; the runs are 10, 20, 30, 40, 50"),
        ("11", [], "there is no run 11; there are no runs yet"),
        ("previous", RECORDS[:1], "there is no previous run: only one has ended so far"),
        ("newest", RECORDS, "'newest' is not a run; a run is a number, run://NUMBER, latest or previous"),
    ],
)
def test_a_name_that_means_no_run_is_answered_with_what_there_is(
    name: str, records: list[RunRecord], message: str
) -> None:
    """The message says which runs could be meant."""
    with pytest.raises(UsageError) as raised:
        resolve_run(name, records)
    assert str(raised.value) == message


def test_records_are_read_as_they_were_written_oldest_first(tmp_path: Path) -> None:
    """Numbers are compared as numbers; other files in the folder are not records."""
    runs = RunFiles(tmp_path / "runs")
    assert runs.records() == []
    for number in (100, 20):
        runs.write_record(record(number))
    runs.graph(20).touch()
    assert runs.records() == [record(20), record(100)]


def test_a_broken_record_is_named_and_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The message holds the file; the other runs are there as before."""
    runs = RunFiles(tmp_path)
    runs.write_record(record(4))
    runs.record(5).write_text("{")
    with pytest.raises(StoreError, match=r"5\.json is damaged \(it is not a run record"):
        runs.read_record(5)
    assert runs.records() == [record(4)]
    assert runs.ids() == [4, 5]
    assert "5.json is damaged" in caplog.text
