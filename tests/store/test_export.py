"""Exports: the same triples in every format, and tables with the types of the model."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from io import BytesIO
from pathlib import Path

import duckdb
import pyoxigraph as ox
import pytest

from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel import terms
from rdfcrawl.metamodel.model import Item, Model, ObjectPage, Property, Section
from rdfcrawl.store.export import GraphFormat, export_graph, exported_lines, runs_exported
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.ntriples import literal
from rdfcrawl.store.record import RunState
from rdfcrawl.store.table_files import write_csv, write_parquet
from rdfcrawl.store.tables import Column, Table, plain, tables

AddRun = Callable[..., object]
FORMATS = {
    GraphFormat.NQ: ox.RdfFormat.N_QUADS,
    GraphFormat.NT: ox.RdfFormat.N_TRIPLES,
    GraphFormat.TTL: ox.RdfFormat.TURTLE,
    GraphFormat.TRIG: ox.RdfFormat.TRIG,
    GraphFormat.JSONLD: ox.RdfFormat.JSON_LD,
    GraphFormat.RDFXML: ox.RdfFormat.RDF_XML,
}


def export(store: Store, run: str, written: GraphFormat) -> bytes:
    output = BytesIO()
    with exported_lines(store.runs, run) as lines:
        export_graph(lines, output, written, {"p": "urn:p:", "s": "urn:s:a"})
    return output.getvalue()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, add_run: AddRun) -> Store:
    """Two runs that share an object; of the first only a part is current."""
    store = open_store(tmp_path_factory.mktemp("export") / "store")
    add_run(store, 1, ["urn:s:a"], [("urn:s:a", "urn:i:x", "urn:x:1"), ("urn:x:1", "urn:p:name", "old")])
    add_run(store, 2, ["urn:s:b"], [("urn:s:b", "urn:i:x", "urn:x:1"), ("urn:x:1", "urn:p:name", "new")])
    return store


@pytest.mark.parametrize("written", list(GraphFormat))
def test_every_format_holds_the_same_triples(filled: Store, written: GraphFormat) -> None:
    """What is written is read back as the current state, whatever the format."""
    read = {str(quad.triple) for quad in ox.parse(export(filled, "current", written), format=FORMATS[written])}
    assert read == {
        "<urn:s:a> <urn:i:x> <urn:x:1>",
        "<urn:s:b> <urn:i:x> <urn:x:1>",
        '<urn:x:1> <urn:p:name> "new"',
    }


def test_formats_with_graphs_name_the_run_of_each_triple(filled: Store) -> None:
    """The current part of a run is exported under the run's name."""
    assert export(filled, "current", GraphFormat.NQ) == (
        b"<urn:s:a> <urn:i:x> <urn:x:1> <run://1> .\n"
        b"<urn:s:b> <urn:i:x> <urn:x:1> <run://2> .\n"
        b'<urn:x:1> <urn:p:name> "new" <run://2> .\n'
    )


def test_a_single_run_and_all_runs_are_exported(filled: Store) -> None:
    """A run comes as its file has it; of all runs together each triple comes once."""
    assert export(filled, "1", GraphFormat.NT) == (b'<urn:s:a> <urn:i:x> <urn:x:1> .\n<urn:x:1> <urn:p:name> "old" .\n')
    assert export(filled, "all", GraphFormat.NT).count(b"\n") == 4
    assert [record.id for record in runs_exported(filled.runs, "all")] == [1, 2]


def test_a_run_without_a_graph_is_not_exported(store: Store, add_run: AddRun) -> None:
    """The message has the state of the run."""
    add_run(store, 3, ["urn:s:a"], [], state=RunState.STOPPED)
    store.runs.graph(3).unlink()
    with pytest.raises(UsageError, match="run 3 is stopped; it has no graph yet"):
        export(store, "3", GraphFormat.NT)


def test_more_lines_than_are_parsed_at_once_stay_in_order(store: Store, add_run: AddRun) -> None:
    """A graph of 25,000 triples is written whole."""
    add_run(store, 1, ["urn:s:"], [(f"urn:x:{number:05}", "urn:p:", "v") for number in range(25_000)])
    written = export(store, "latest", GraphFormat.TTL).decode()
    found = [line.split()[0] for line in written.splitlines() if line.startswith("<urn:x")]
    assert found == [f"<urn:x:{number:05}>" for number in range(25_000)]


PROPERTIES = (
    Property("urn:p:label", "."),
    Property("urn:p:price", ".", datatype=terms.DECIMAL),
    Property("urn:p:size", ".", datatype=terms.INT, optional=True),
    Property("urn:p:day", ".", datatype=terms.DATE),
    Property("urn:p:moment", ".", datatype=terms.DATE_TIME),
    Property("urn:p:hour", ".", datatype=terms.TIME),
    Property("urn:p:length", ".", datatype=terms.DURATION),
    Property("urn:p:ratio", ".", datatype=terms.DOUBLE),
    Property("urn:p:open", ".", datatype=terms.BOOLEAN),
    Property("urn:p:year", ".", datatype=terms.G_YEAR),
    Property("urn:p:count", ".", datatype=terms.INTEGER),
    Property("urn:p:tag", ".", datatype=terms.INT, multiple=True),
)
MODEL = Model(
    sections=(Section("urn:s:", "urn:page"),),
    pages={
        "urn:page": ObjectPage(iri="urn:page", item=Item("urn:i:thing", ".", PROPERTIES)),
        "urn:sub": ObjectPage(iri="urn:sub", item=Item("urn:i:part", ".", (Property("urn:p:iri", "."),))),
    },
    digest="",
)
VALUES = {
    "label": literal("=1+1\nä"),
    "price": literal("12.50", terms.DECIMAL),
    "size": literal("7", terms.INT),
    "day": literal("2020-02-29", terms.DATE),
    "moment": literal("2020-02-29T12:00:00+01:00", terms.DATE_TIME),
    "hour": literal("12:30:00", terms.TIME),
    "length": literal("PT1H30M", terms.DURATION),
    "ratio": literal("INF", terms.DOUBLE),
    "open": literal("true", terms.BOOLEAN),
    "year": literal("2010", terms.G_YEAR),
    "count": literal("12345678901", terms.INTEGER),
}


def lines() -> list[bytes]:
    statements = [f"<urn:x:1> <urn:p:{name}> {value}" for name, value in VALUES.items()]
    statements += [f"<urn:x:1> <urn:p:tag> {literal(tag, terms.INT)}" for tag in ("3", "4")]
    statements += ["<urn:s:> <urn:i:thing> <urn:x:1>", "<urn:s:> <urn:i:thing> <urn:x:2>"]
    statements += [f"<urn:x:{number}> <urn:i:part> <urn:y:>" for number in (1, 2)]
    statements += [f"<urn:x:2> <urn:p:price> {literal('3', terms.DECIMAL)}", '<urn:y:> <urn:p:iri> "named"']
    return sorted(f"{statement} <run://1> .".encode() for statement in statements)


def test_objects_are_rows_of_their_class_with_the_key_of_what_they_hang_from() -> None:
    """An object of two parents is one row; the edges have both; a property named like a key gets a number."""
    made = {table.name: table for table in tables(lines, [MODEL])}
    assert made.keys() == {"part", "thing", "edges"}
    assert [column.name for column in made["part"].columns] == ["iri", "parent", "iri_2"]
    assert list(made["part"].rows) == [("urn:y:", "urn:x:1", "named")]
    assert [row[0] for row in made["thing"].rows] == ["urn:x:1", "urn:x:2"]
    assert set(made["edges"].rows) == {
        ("urn:s:", "thing", "urn:x:1"),
        ("urn:s:", "thing", "urn:x:2"),
        ("urn:x:1", "part", "urn:y:"),
        ("urn:x:2", "part", "urn:y:"),
    }


def test_parquet_has_the_declared_types(tmp_path: Path) -> None:
    """DuckDB sees the types of the model, and calculates with the values."""
    write_parquet(tables(lines, [MODEL]), tmp_path)
    described = duckdb.sql(f"DESCRIBE SELECT * FROM '{tmp_path}/thing.parquet'").fetchall()
    assert {row[0]: row[1] for row in described} == {
        "iri": "VARCHAR",
        "parent": "VARCHAR",
        "label": "VARCHAR",
        "price": "DECIMAL(38,2)",
        "size": "INTEGER",
        "day": "DATE",
        "moment": "TIMESTAMP WITH TIME ZONE",
        "hour": "TIME",
        "length": "VARCHAR",
        "length_seconds": "DOUBLE",
        "ratio": "DOUBLE",
        "open": "BOOLEAN",
        "year": "INTEGER",
        "count": "BIGINT",
        "tag": "INTEGER[]",
    }
    total = "sum(price), max(length_seconds), max(len(tag)), count(size)"
    rows = duckdb.sql(f"SELECT {total} FROM '{tmp_path}/thing.parquet'").fetchall()
    assert rows == [(Decimal("15.50"), 5400.0, 2, 1)]


def test_a_column_with_a_value_that_does_not_fit_is_text(tmp_path: Path) -> None:
    """No value is lost for the sake of a type: zones that only some values have, numbers too large."""
    mixed: list[str | list[str] | None] = ["2020-01-01T00:00:00", "2020-01-01T00:00:00Z"]
    large: list[str | list[str] | None] = ["1", "99999999999999999999"]
    columns = [
        Column("moment", terms.DATE_TIME, values=mixed),
        Column("count", terms.INTEGER, values=large),
        Column("empty", terms.DECIMAL, values=[None, None]),
    ]
    write_parquet([Table("t", columns)], tmp_path)
    assert duckdb.sql(f"SELECT * FROM '{tmp_path}/t.parquet'").fetchall() == [
        (mixed[0], large[0], None),
        (mixed[1], large[1], None),
    ]


def test_csv_is_what_was_found_and_safe_for_a_spreadsheet_when_asked(tmp_path: Path) -> None:
    """Plain CSV has the exact text; for a spreadsheet there is a mark, and no text begins a formula."""
    write_csv(tables(lines, [MODEL]), tmp_path / "plain")
    write_csv(tables(lines, [MODEL]), tmp_path / "sheet", spreadsheet=True)
    with (tmp_path / "plain" / "thing.csv").open(newline="", encoding="utf-8") as file:
        first = next(csv.DictReader(file))
    assert (first["label"], first["tag"], first["price"]) == ("=1+1\nä", "3 | 4", "12.50")
    assert (tmp_path / "sheet" / "thing.csv").read_bytes().startswith(b"\xef\xbb\xbfiri,parent")
    with (tmp_path / "sheet" / "thing.csv").open(newline="", encoding="utf-8-sig") as file:
        assert next(csv.DictReader(file))["label"] == "'=1+1\nä"


@pytest.mark.parametrize("text", ["", 'a"b\\c\nd\te\x01f', "\U0001f600", "\\u0041"])
def test_text_survives_its_escapes(text: str) -> None:
    """What ``literal`` has written is read back."""
    assert plain(literal(text)) == plain(literal(text, language="en")) == text


def test_parquet_without_pyarrow_gives_one_sentence(tmp_path: Path) -> None:
    """The sentence has the command that installs it."""
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from pathlib import Path; from rdfcrawl.store.table_files import write_parquet\n"
        "from rdfcrawl.errors import UsageError\n"
        "try: write_parquet([], Path(sys.argv[1]))\n"
        "except UsageError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == 'Parquet needs pyarrow: pip install "rdfcrawl[parquet]"\n'
