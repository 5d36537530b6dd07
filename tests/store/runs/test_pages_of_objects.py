"""From which pages objects were read: what the record of a run must say of it, and what their names say already."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import ModelUsed, RunRecord, RunState
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.store.runs.sources import PARTS_FOLLOW, note, pages_of, says_more, telling

READ_FROM = "<predicate://record/readFrom>"

# Objects of all kinds, and the pages that they were read from. The names would be sorted between each other's parts.
OWN = {"s:/a": ["s:/a"], "s:/a#part": ["s:/a"]}
CLEANED = {"s:/b": ["s:/b?ref=1"], "s:/b#one": ["s:/b?ref=1"], "s:/b#two": ["s:/b?ref=1"]}
LISTED = {
    "s:/c": ["s:/c", "s:/list"],
    "s:/c#part": ["s:/c"],
    "s:/c/d": ["s:/c/d?ref=2"],
    "s:/c/d#part": ["s:/c/d?ref=2"],
}
OF_LATER_PAGES = {"s:/list#first": ["s:/list"], "s:/list#later": ["s:/list?page=2"]}
ELSEWHERE = {"s:/e": ["s:/e?ref=3"], "s:/e#review": ["s:/reviews"], "s:/e#both": ["s:/e?ref=3", "s:/reviews"]}
EVERYTHING = OWN | CLEANED | LISTED | OF_LATER_PAGES | ELSEWHERE


def statements(objects: dict[str, list[str]]) -> list[str]:
    """What a record says of these objects."""
    noted = sorted({note(f"<{name}>", f"<{page}>") for name, pages in objects.items() for page in pages})
    return sorted(telling(noted))


@pytest.mark.parametrize(
    ("objects", "named"),
    [
        (OWN, []),
        (CLEANED, ["s:/b"]),
        (LISTED, ["s:/c#part", "s:/c/d", "s:/c", "s:/c"]),
        (OF_LATER_PAGES, ["s:/list#later"]),
        (ELSEWHERE, ["s:/e#both", "s:/e#both", "s:/e#review", "s:/e"]),
    ],
    ids=["on its own page", "parameters removed", "in a list, too", "later pages of a list", "parts elsewhere"],
)
def test_only_what_names_do_not_say_is_stated(objects: dict[str, list[str]], named: list[str]) -> None:
    """A part that was read from the pages of its object needs no statement, nor what is named by its page."""
    assert [line.partition(">")[0][1:] for line in statements(objects)] == named


@pytest.mark.parametrize(("objects", "is_needed"), [(OWN, False), (CLEANED, True), (OF_LATER_PAGES, True)])
def test_where_no_note_says_more_there_is_no_statement(objects: dict[str, list[str]], is_needed: bool) -> None:
    """So that notes need not be sorted where every object is named by the page that shows it."""
    noted = [note(f"<{name}>", f"<{page}>") for name, pages in objects.items() for page in pages]
    assert any(says_more(line.encode()) for line in noted) is is_needed
    assert bool(statements(objects)) is is_needed


def recorded(folder: Path, lines: list[str], rules: int) -> tuple[RunFiles, RunRecord]:
    """A run whose record has been written by such rules."""
    runs = open_store(folder).runs
    target = runs.record_graph(7)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(f"{line} <record://7> .\n" for line in lines))
    started = datetime(2026, 1, 1, tzinfo=UTC)
    return runs, RunRecord(7, RunState.COMPLETE, started, ModelUsed("digest", "m.ttl"), (), sources=rules)


@pytest.mark.parametrize("name", EVERYTHING)
def test_whatever_is_stated_all_pages_of_an_object_are_known(name: str, tmp_path: Path) -> None:
    """What the record leaves out is exactly what the names say."""
    runs, record = recorded(tmp_path, statements(EVERYTHING), PARTS_FOLLOW)
    assert pages_of(runs, record, name) == EVERYTHING[name]


def test_in_records_of_earlier_versions_every_part_speaks_for_itself(tmp_path: Path) -> None:
    """There, a part without a statement was read from the page that its name begins with."""
    lines = [f"<s:/c> {READ_FROM} <s:/c>", f"<s:/c> {READ_FROM} <s:/list>"]
    runs, record = recorded(tmp_path, lines, 1)
    assert pages_of(runs, record, "s:/c#part") == ["s:/c"]
    assert pages_of(runs, replace(record, sources=0), "s:/c#part") == []
