"""The commands that read a store: query, export, runs and shapes."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from rdfcrawl.cli.exports.command import export
from rdfcrawl.cli.query import query
from rdfcrawl.cli.runs import runs
from rdfcrawl.cli.shapes import shapes
from rdfcrawl.store.folder import finish_run, open_store
from rdfcrawl.store.runs.record import ModelUsed, RunCounts, RunRecord, RunState, SectionRecord

SECTION = "http://www.imdb.com/chart/toptv/"
LINES = f"""\
<{SECTION}> <item://series> <http://x.example/1> <run://1> .
<http://x.example/1> <property://series/label> "The Wire\\nof Baltimore" <run://1> .
<http://x.example/1> <property://series/rating> "9.3"^^<http://www.w3.org/2001/XMLSchema#decimal> <run://1> .
"""

app = typer.Typer()
for command in (query, export, runs, shapes):
    app.command()(command)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with one run of the imdb model."""
    tmp_path = tmp_path_factory.mktemp("commands")
    (tmp_path / "lines").write_text(LINES)
    record = RunRecord(
        id=1,
        state=RunState.COMPLETE,
        started=datetime(2015, 5, 1, 12, tzinfo=UTC),
        ended=datetime(2015, 5, 1, 12, 1, 5, tzinfo=UTC),
        model=ModelUsed(
            "digest",
            "models/imdb.ttl",
            {"series": "property://series/", "item": "item://", "x": "http://x.example/"},
        ),
        sections=(SectionRecord(SECTION),),
        counts=RunCounts(objects={"item://series": 1}),
    )
    store = open_store(tmp_path / "store")
    finish_run(store, record, tmp_path / "lines", b"", Path("models/imdb.ttl").read_text())
    return str(store.folder)


def call(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=text, catch_exceptions=True)


def test_a_query_is_answered_with_a_table(place: str) -> None:
    """IRIs are shortened, each solution is one line, the count goes to standard error."""
    result = call("query", "SELECT ?s ?l ?r { ?s series:label ?l ; series:rating ?r }", "--store", place)
    header, _, row = result.stdout.splitlines()
    assert header.split() == ["s", "l", "r"]
    assert row.split() == ["x:1", "The", "Wire", "↵", "of", "Baltimore", "9.3"]
    assert result.stderr == "1 row\n"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["ASK { ?s series:rating 9.3 }"], "yes\n"),
        (["SELECT ?r { ?s series:rating ?r }", "--format", "csv"], "r\n9.3\n"),
        (
            ["CONSTRUCT WHERE { ?s series:rating ?r }", "--format", "nt", "--run", "latest"],
            "<http://x.example/1> <prop",
        ),
        (["DESCRIBE x:1"], "@prefix"),
    ],
)
def test_answers_come_in_the_wanted_format(place: str, arguments: list[str], expected: str) -> None:
    """Truth values, rows and graphs."""
    assert call("query", *arguments, "--store", place).stdout.startswith(expected)


def test_a_query_comes_from_a_file_or_standard_input(place: str, tmp_path: Path) -> None:
    """All three ways of giving a query have the same answer."""
    text = "ASK { ?s series:rating 9.3 }"
    (tmp_path / "query.rq").write_text(text)
    assert call("query", "-f", str(tmp_path / "query.rq"), "--store", place).stdout == "yes\n"
    assert call("query", "--store", place, text=text).stdout == "yes\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["query", "ASK {}", "--format", "ttl"],
            "this query returns rows; --format must be one of table, csv, tsv, json, xml",
        ),
        (["query", "DESCRIBE x:1", "--format", "csv"], "this query returns a graph"),
        (["query", "ASK {}", "-f", "x"], "the query was given twice"),
        (["query", "-f", "nowhere.rq"], "nowhere.rq cannot be read: No such file"),
        (["query", "ASK {}", "--run", "7"], "there is no run 7"),
        (["export", "--format", "csv"], "name a folder for them with -o"),
        (["export", "-o", "nowhere/file"], "the folder nowhere does not exist"),
    ],
)
def test_what_cannot_be_done_is_said(place: str, arguments: list[str], message: str) -> None:
    """The error's text names what is wrong."""
    assert message in str(call(*arguments, "--store", place).exception)


def test_exports_go_to_a_file_or_to_standard_output(place: str, tmp_path: Path) -> None:
    """Both are the same; tables are one file for each class."""
    whole = call("export", "--store", place).stdout
    assert whole == "".join(sorted(LINES.splitlines(keepends=True)))
    call("export", "--store", place, "-o", str(tmp_path / "out.nq"))
    assert (tmp_path / "out.nq").read_text() == whole
    call("export", "--store", place, "--format", "csv", "-o", str(tmp_path / "tables"))
    names = sorted(path.stem for path in (tmp_path / "tables").glob("*.csv"))
    assert names == ["actor", "edges", "episode", "season", "series"]


def test_runs_are_listed_for_people_and_for_programs(place: str) -> None:
    """Two lines with the essentials, and the whole records as JSON."""
    _, first, second = call("runs", "--store", place).stdout.splitlines()
    assert first.split()[0] == "1"
    assert first.split()[3:] == ["1:05", "complete", "models/imdb.ttl"]
    assert second.strip() == "0 pages, 1 object, 3 triples, 0 problems"
    (record,) = json.loads(call("runs", "--store", place, "--format", "json").stdout)
    assert (record["id"], record["counts"]["triples"]) == (1, 3)


def test_a_missing_store_is_not_made_by_asking(tmp_path: Path) -> None:
    """The message says how a store comes to be."""
    for arguments in (["runs"], ["query", "ASK {}"], ["export"]):
        result = call(*arguments, "--store", str(tmp_path / "none"))
        assert "there is no store at" in str(result.exception)
    assert not (tmp_path / "none").exists()


def test_a_reader_that_closes_early_is_no_error(place: str) -> None:
    """``rdfcrawl export | head -1`` ends without a traceback."""
    code = "from rdfcrawl.cli.exports.command import export; import typer; typer.run(export)"
    command = f'"{sys.executable}" -c "{code}" --store "{place}" --format ttl | true'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr


def test_shapes_of_a_model_are_printed() -> None:
    """As Turtle."""
    assert "sh:targetObjectsOf item:series" in call("shapes", "models/imdb.ttl").stdout
