"""Exports: the same triples in every format, and tables with the types of the model."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from io import BytesIO
from pathlib import Path

import duckdb
import pyoxigraph as ox
import pytest

from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.model import Item, Model, ObjectPage, Property, Section
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.ntriples import literal
from rdfcrawl.store.export.csv_tables import write_csv
from rdfcrawl.store.export.formats import ExportFormat
from rdfcrawl.store.export.graphs import export_graph, exported_lines, runs_exported
from rdfcrawl.store.export.parquet_tables import write_parquet
from rdfcrawl.store.export.tables import Tables, Value, tables
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.runs.record import RunState

AddRun = Callable[..., object]
FORMATS = {
    ExportFormat.NQ: ox.RdfFormat.N_QUADS,
    ExportFormat.NT: ox.RdfFormat.N_TRIPLES,
    ExportFormat.TTL: ox.RdfFormat.TURTLE,
    ExportFormat.TRIG: ox.RdfFormat.TRIG,
    ExportFormat.JSONLD: ox.RdfFormat.JSON_LD,
    ExportFormat.RDFXML: ox.RdfFormat.RDF_XML,
}


def export(store: Store, run: str, written: ExportFormat) -> bytes:
    output = BytesIO()
    with exported_lines(store.runs, run) as lines:
        export_graph(lines(), output, written, {"p": "urn:p:", "s": "urn:s:a"})
    return output.getvalue()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, add_run: AddRun) -> Store:
    """Two runs that share an object; of the first only a part is current."""
    store = open_store(tmp_path_factory.mktemp("export") / "store")
    add_run(store, 1, ["urn:s:a"], [("urn:s:a", "urn:i:x", "urn:x:1"), ("urn:x:1", "urn:p:name", "old")])
    add_run(store, 2, ["urn:s:b"], [("urn:s:b", "urn:i:x", "urn:x:1"), ("urn:x:1", "urn:p:name", "new")])
    return store


@pytest.mark.parametrize("written", list(FORMATS))
def test_every_format_holds_the_same_triples(filled: Store, written: ExportFormat) -> None:
    """What is written is read back as the current state, whatever the format."""
    read = {str(quad.triple) for quad in ox.parse(export(filled, "current", written), format=FORMATS[written])}
    assert read == {
        "<urn:s:a> <urn:i:x> <urn:x:1>",
        "<urn:s:b> <urn:i:x> <urn:x:1>",
        '<urn:x:1> <urn:p:name> "new"',
    }


def test_formats_with_graphs_name_the_run_of_each_triple(filled: Store) -> None:
    """The current part of a run is exported under the run's name."""
    assert export(filled, "current", ExportFormat.NQ) == (
        b"<urn:s:a> <urn:i:x> <urn:x:1> <run://1> .\n"
        b"<urn:s:b> <urn:i:x> <urn:x:1> <run://2> .\n"
        b'<urn:x:1> <urn:p:name> "new" <run://2> .\n'
    )


def test_a_single_run_and_all_runs_are_exported(filled: Store) -> None:
    """A run comes as its file has it; of all runs together each triple comes once."""
    assert export(filled, "1", ExportFormat.NT) == (
        b'<urn:s:a> <urn:i:x> <urn:x:1> .\n<urn:x:1> <urn:p:name> "old" .\n'
    )
    assert export(filled, "all", ExportFormat.NT).count(b"\n") == 4
    assert [record.id for record in runs_exported(filled.runs, "all")] == [1, 2]


def test_a_run_without_a_graph_is_not_exported(store: Store, add_run: AddRun) -> None:
    """The message has the state of the run."""
    add_run(store, 3, ["urn:s:a"], [], state=RunState.STOPPED)
    store.runs.graph(3).unlink()
    with pytest.raises(UsageError, match="run 3 is stopped; it has no graph yet"):
        export(store, "3", ExportFormat.NT)


def test_more_lines_than_are_parsed_at_once_stay_in_order(store: Store, add_run: AddRun) -> None:
    """A graph of 25,000 triples is written whole."""
    add_run(store, 1, ["urn:s:"], [(f"urn:x:{number:05}", "urn:p:", "v") for number in range(25_000)])
    written = export(store, "latest", ExportFormat.TTL).decode()
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


def rows_of(made: Tables) -> dict[str, list[tuple[Value, ...]]]:
    found: dict[str, list[tuple[Value, ...]]] = {table.name: [] for table in made}
    for table, row in made.rows():
        found[table.name].append(row)
    return found


def test_objects_are_rows_of_their_class_with_the_key_of_what_they_hang_from() -> None:
    """An object of two parents is one row; the edges have both; a property named like a key gets a number."""
    made = tables(lines, [MODEL])
    columns = {table.name: [column.name for column in table.columns] for table in made}
    assert columns.keys() == {"part", "thing", "edges"}
    assert columns["part"] == ["iri", "parent", "iri_2"]
    rows = rows_of(made)
    assert rows["part"] == [("urn:y:", "urn:x:1", "named")]
    assert [row[0] for row in rows["thing"]] == ["urn:x:1", "urn:x:2"]
    assert set(rows["edges"]) == {
        ("urn:s:", "thing", "urn:x:1"),
        ("urn:s:", "thing", "urn:x:2"),
        ("urn:x:1", "part", "urn:y:"),
        ("urn:x:2", "part", "urn:y:"),
    }


def test_rows_are_not_kept_in_memory() -> None:
    """The first row is there while most of the lines are still unread."""
    edges = [f"<urn:s:> <urn:i:part> <urn:y:{number:04}> <run://1> .".encode() for number in range(1000)]
    named = [f'<urn:y:{number:04}> <urn:p:iri> "named" <run://1> .'.encode() for number in range(1000)]
    reads: list[int] = []

    def counted() -> Iterator[bytes]:
        reads.append(0)
        for line in [*edges, *named]:
            reads[-1] += 1
            yield line

    parts = (row for table, row in tables(counted, [MODEL]).rows() if table.name == "part")
    assert next(parts) == ("urn:y:0000", "urn:s:", "named")
    assert reads == [2000, 1002]


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


def values_of(predicate: str, datatype: str, *texts: str) -> list[bytes]:
    """The lines of things that have nothing but one value each."""
    things = range(len(texts))
    statements = [f"<urn:s:> <urn:i:thing> <urn:x:{number}>" for number in things]
    statements += [f"<urn:x:{number}> <{predicate}> {literal(texts[number], datatype)}" for number in things]
    return sorted(f"{statement} <run://1> .".encode() for statement in statements)


@pytest.mark.parametrize("batch_rows", [1, 100])
@pytest.mark.parametrize(
    ("name", "datatype", "texts", "kind"),
    [
        ("moment", terms.DATE_TIME, ["2020-01-01T00:00:00", "2020-01-01T00:00:00Z"], "VARCHAR"),
        ("count", terms.INTEGER, ["1", "99999999999999999999"], "VARCHAR"),
        ("price", terms.DECIMAL, ["1" * 30, "0." + "1" * 30], "VARCHAR"),
        ("price", terms.DECIMAL, ["1" * 50, "1"], "VARCHAR"),
        ("price", terms.DECIMAL, ["1.25", "1000"], "DECIMAL(38,2)"),
        ("size", terms.INT, ["1", "-7"], "INTEGER"),
    ],
)
def test_a_column_has_a_type_that_fits_all_of_its_values(
    tmp_path: Path, name: str, datatype: str, texts: list[str], kind: str, batch_rows: int
) -> None:
    """No value is lost for the sake of a type: zones that only some values have, numbers too large."""
    write_parquet(tables(lambda: values_of(f"urn:p:{name}", datatype, *texts), [MODEL]), tmp_path, batch_rows)
    rows = duckdb.sql(f"SELECT typeof({name}), {name}::VARCHAR FROM '{tmp_path}/thing.parquet'").fetchall()
    assert {row[0] for row in rows} == {kind}
    assert [Decimal(row[1]) if kind.startswith("DECIMAL") else row[1] for row in rows] == [
        Decimal(text) if kind.startswith("DECIMAL") else text for text in texts
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


@pytest.mark.parametrize(
    "tags", [["a", "b"], ["a | b", "c"], ["a |", "b"], ["a | b || c", "d"], ["one\ntwo | x", "y ¦ z"]]
)
def test_lists_in_csv_can_be_split_again(tmp_path: Path, tags: list[str]) -> None:
    """Whatever is in the values: the metadata says which separator the column has."""
    said = [f"<urn:x:1> <urn:p:tag> {literal(tag)}" for tag in tags]
    whole = sorted(f"{one} <run://1> .".encode() for one in ("<urn:s:> <urn:i:thing> <urn:x:1>", *said))
    write_csv(tables(lambda: whole, [MODEL]), tmp_path)
    described = json.loads((tmp_path / "csv-metadata.json").read_text())["tables"]
    columns = next(one for one in described if one["url"] == "thing.csv")["tableSchema"]["columns"]
    separator = next(one["separator"] for one in columns if one["name"] == "tag")
    with (tmp_path / "thing.csv").open(newline="", encoding="utf-8") as file:
        assert sorted(next(csv.DictReader(file))["tag"].split(separator)) == sorted(tags)


def test_parquet_without_pyarrow_gives_one_sentence(tmp_path: Path) -> None:
    """The sentence has the command that installs it."""
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from pathlib import Path; from rdfcrawl.store.export.parquet_tables import write_parquet\n"
        "from rdfcrawl.errors import UsageError\n"
        "try: write_parquet(None, Path(sys.argv[1]))\n"
        "except UsageError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == 'Parquet needs pyarrow: pip install "rdfcrawl[parquet]"\n'
