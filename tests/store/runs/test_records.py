"""Records of runs, those of the version before included."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rdfcrawl.store.folder import open_store
from rdfcrawl.store.marker import FORMAT, MARKER
from rdfcrawl.store.runs.record import (
    ModelUsed,
    Predicates,
    RunCounts,
    RunFile,
    RunRecord,
    RunSettings,
    RunState,
    SectionRecord,
)
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.store.runs.unread import Unread

RECORD = RunRecord(
    id=1794908688,
    state=RunState.COMPLETE,
    started=datetime(2026, 11, 17, 9, 44, 48, tzinfo=UTC),
    ended=datetime(2026, 11, 17, 9, 44, 48, 224961, tzinfo=UTC),
    model=ModelUsed(
        "8d8f3feac6bb4a0b",
        "models/things.ttl",
        {"": "predicate://", "p": "property://"},
        Predicates(("item://thing",), ("property://name",)),
    ),
    sections=(SectionRecord("http://site.example/list", complete=False, objects=5, reasons={"refused": 1}),),
    settings=RunSettings("http", "run:1794908680"),
    counts=RunCounts({"http": 7}, {"item://thing": 5}, {"refused": 1}, 10),
    needed_archives=("1794908600.warc.gz", "1794908680.warc.gz"),
    pruned=datetime(2026, 11, 17, 9, 44, 51, tzinfo=UTC),
    checksums={RunFile.GRAPH: "09e28cd2-905", RunFile.RECORD: "0cd4a4f8-4295"},
    notes={"robots": "robots.txt was ignored"},
    naming=1,
)

OLD_TEXT = """{
 "id": 1794908688,
 "state": "complete",
 "started": "2026-11-17T09:44:48+00:00",
 "model_digest": "8d8f3feac6bb4a0b",
 "model_source": "models/things.ttl",
 "sections": [
  {
   "address": "http://site.example/list",
   "complete": false,
   "objects": 5,
   "reasons": {
    "refused": 1
   }
  }
 ],
 "ended": "2026-11-17T09:44:48.224961+00:00",
 "engine": "http",
 "replay": "run:1794908680",
 "prefixes": {
  "": "predicate://",
  "p": "property://"
 },
 "predicates": {
  "items": [
   "item://thing"
  ],
  "properties": [
   "property://name"
  ]
 },
 "pages": {
  "http": 7
 },
 "objects": {
  "item://thing": 5
 },
 "problems": {
  "refused": 1
 },
 "triples": 10,
 "unread": {
  "objects": [
   "http://site.example/thing/1"
  ],
  "lists": [
   [
    "http://site.example/list",
    "item://thing"
   ]
  ]
 },
 "notes": {
  "robots": "robots.txt was ignored",
  "needed archives": "1794908600.warc.gz 1794908680.warc.gz",
  "pruned": "2026-11-17T09:44:51+00:00"
 },
 "checksums": {
  "graph": "09e28cd2-905",
  "record": "0cd4a4f8-4295"
 }
}"""
OLD_UNREAD = Unread(("http://site.example/thing/1",), (("http://site.example/list", "item://thing"),))


def old_store(folder: Path) -> RunFiles:
    """A store as the version before has left it."""
    runs = RunFiles(folder / "runs")
    runs.folder.mkdir(parents=True)
    (folder / MARKER).write_text('{"format": 1, "id": "02331cde"}')
    runs.record(RECORD.id).write_text(OLD_TEXT)
    return runs


def test_a_record_is_read_as_it_was_written() -> None:
    """Every value of it, through the text of its file."""
    assert RunRecord.from_json(RECORD.to_json()) == RECORD


def test_a_record_of_the_version_before_says_the_same(tmp_path: Path) -> None:
    """What was hidden in its notes has a name of its own now, what was left unread is found in it; its naming is 1."""
    runs = old_store(tmp_path)
    assert runs.records() == [RECORD]
    assert runs.read_unread(RECORD) == OLD_UNREAD


def test_reading_a_store_of_the_version_before_leaves_it_as_it_is(tmp_path: Path) -> None:
    """The version before can go on with it."""
    old_store(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    runs = open_store(tmp_path, create=False).runs
    assert runs.read_unread(runs.read_record(RECORD.id)) == OLD_UNREAD
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_first_write_brings_a_record_into_the_form_of_today(tmp_path: Path) -> None:
    """What was left unread moves to its file, with a checksum in the record."""
    runs = old_store(tmp_path)
    runs.write_record(runs.read_record(RECORD.id))
    written = runs.read_record(RECORD.id)
    assert "unread" not in json.loads(runs.record(RECORD.id).read_text())
    assert set(written.checksums) == {RunFile.GRAPH, RunFile.RECORD, RunFile.UNREAD}
    assert runs.read_unread(written) == OLD_UNREAD
    again = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    runs.write_record(written)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == again


def test_a_kill_between_the_file_and_the_record_loses_nothing(tmp_path: Path) -> None:
    """As long as the record is the old one, it says what was left unread."""
    runs = old_store(tmp_path)
    runs.unread(RECORD.id).write_bytes(b"half a fi")
    assert runs.read_unread(runs.read_record(RECORD.id)) == OLD_UNREAD
    runs.write_record(runs.read_record(RECORD.id))
    assert runs.read_unread(runs.read_record(RECORD.id)) == OLD_UNREAD


def test_the_first_write_tells_older_versions_that_they_cannot_read_the_store(tmp_path: Path) -> None:
    """They look for their own format, 1, and name the one that they find; the store keeps its name."""
    runs = old_store(tmp_path)
    runs.write_record(runs.read_record(RECORD.id))
    assert json.loads((tmp_path / MARKER).read_text()) == {"format": FORMAT, "id": "02331cde"}
    assert FORMAT == 3
    open_store(tmp_path, create=False)


def test_a_run_never_ends_before_it_began() -> None:
    """Of two runs that begin in one second, the later is numbered with the next second, and may end before that."""
    numbered_ahead = replace(RECORD, started=datetime.now(UTC) + timedelta(seconds=30))
    assert replace(numbered_ahead, ended=numbered_ahead.end()).seconds == 0
    assert RECORD.end() > datetime.now(UTC) - timedelta(seconds=30)
