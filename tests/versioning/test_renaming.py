"""Stores whose earlier runs named objects by other rules: what they are compared with later."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from rdfcrawl.cli.output.diff_text import report_lines
from rdfcrawl.versioning.compare import compare_with_previous
from rdfcrawl.versioning.models import ModelPart
from rdfcrawl.versioning.recording import record_changes
from rdfcrawl.versioning.report import make_report
from tests.versioning.written_runs import WrittenRuns

LIST = "http://site.example/list"
MODEL = f"""
@prefix :     <predicate://> .
@prefix type: <type://> .
@prefix item: <item://> .
@prefix p:    <property://> .
<model:> :section <{LIST}> .
<{LIST}> :page <page://list> .
<page://list> :type type:objects ; :item item:x .
item:x :path "//li" ; :property p:name %s .
p:name :path "./b" .
"""
KEYED, LINKED, PLAIN = MODEL % "; :key p:name", MODEL % '; :id "./a"', MODEL % ""


def hashed(digit: int) -> str:
    return f"{LIST}#{str(digit) * 40}"


def lines(names: dict[str, str]) -> Iterable[str]:
    for name, value in names.items():
        yield f"<{LIST}> <item://x> <{name}> ."
        yield f'<{name}> <property://name> "{value}" .'


def add_old(runs: WrittenRuns, run: int, model: str, names: dict[str, str]) -> None:
    """Write a run whose record does not say how its objects are named."""
    runs.add(run, model, lines(names))
    path = runs.files.record(run)
    values = json.loads(path.read_text())
    del values["naming"]
    path.write_text(json.dumps(values))


@pytest.mark.parametrize(
    ("model", "before", "after"),
    [
        (KEYED, {hashed(1): "A", hashed(2): "B"}, {hashed(3): "A", hashed(2): "B", hashed(4): "new"}),
        (LINKED, {"http://site.example/a": "A"}, {"http://site.example/a#1": "A", "http://site.example/a#2": "B"}),
    ],
    ids=["key", "id"],
)
def test_other_names_are_one_entry_once(
    tmp_path: Path, model: str, before: dict[str, str], after: dict[str, str]
) -> None:
    """Instead of removals and additions; the next run has names of the same kind and is compared as always."""
    runs = WrittenRuns(tmp_path)
    add_old(runs, 1, model, before)
    second = runs.add(2, model, lines(after))
    summary = record_changes(runs.files, 2)
    assert (summary.counts, summary.renamed) == ({}, ("item://x",))
    assert str(summary) == "1 class named differently"
    assert runs.recorded(2) == ["<model:> <predicate://changed> <item://x> ."]
    report = make_report(compare_with_previous(runs.files, second))
    text = "\n".join(map(str, report_lines(report, {"item": "item://"})))
    assert "objects of item:x are named differently since this version of rdfcrawl" in text
    assert [edit.part for edit in report.edits] == [ModelPart.NAMING]
    runs.add(3, model, lines(dict(list(after.items())[1:])))
    assert str(record_changes(runs.files, 3)) == "1 object removed"


@pytest.mark.parametrize(
    ("model", "before", "after"),
    [
        (KEYED, {hashed(1): "A", hashed(2): "B"}, {hashed(1): "A", hashed(3): "C"}),
        (LINKED, {"http://site.example/a": "A"}, {"http://site.example/b": "A"}),
        (PLAIN, {hashed(1): "A", hashed(2): "B"}, {hashed(1): "A", hashed(3): "C"}),
    ],
    ids=["key", "id", "neither"],
)
def test_names_that_are_as_before_explain_nothing(
    tmp_path: Path, model: str, before: dict[str, str], after: dict[str, str]
) -> None:
    """What the site added and removed is reported."""
    runs = WrittenRuns(tmp_path)
    add_old(runs, 1, model, before)
    runs.add(2, model, lines(after))
    assert str(record_changes(runs.files, 2)) == "1 object added, 1 removed"
