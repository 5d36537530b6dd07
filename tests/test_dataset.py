"""A store in a notebook: `rdfcrawl.open` and what it returns."""

from __future__ import annotations

import asyncio
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
import rdflib

import rdfcrawl
from rdfcrawl.dataset import Dataset, Rows
from rdfcrawl.versioning.changes import ChangeKind

_ROOT = Path(__file__).parent.parent
_MODEL = _ROOT / "models/bundestag.ttl"
_ALL = """SELECT ?party ?amount ?date {
    ?d donation:party ?party ; donation:amount ?amount ; donation:date ?day
    BIND (STRDT(REPLACE(?day, "(..).(..).(....)", "$3-$2-$1"), xsd:date) AS ?date) }
"""


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Two runs of the example site: as it was before, and as it is."""
    store = tmp_path_factory.mktemp("notebook") / "store"
    before = tmp_path_factory.mktemp("before") / "sites"
    host = "www.bundestag.de"
    for folder in ("sites", "sites-before"):
        for path in (_ROOT / "examples" / folder / host).rglob("*"):
            target = before / path.relative_to(_ROOT / "examples" / folder)
            if path.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())

    async def crawl() -> None:
        for replay in (before, _ROOT / "examples/sites"):
            options = rdfcrawl.RunOptions(replay=str(replay), engine=rdfcrawl.Engine.HTTP, record=False)
            await rdfcrawl.run(_MODEL, store=store, options=options)

    asyncio.run(crawl())
    return rdfcrawl.open(store)


def test_rows_are_python_values_in_the_order_of_the_query(dataset: Dataset) -> None:
    """Texts, numbers and dates are what they are; columns stand as the query names them."""
    rows = dataset.query(_ALL + "ORDER BY ?date ?amount LIMIT 3")
    assert isinstance(rows, Rows)
    assert rows.columns == ("party", "amount", "date")
    assert len(rows) == 3
    assert all((type(party), type(amount), type(day)) == (str, Decimal, date) for party, amount, day in rows)
    assert next(rows.dicts())["date"] == rows[0][2]


def test_what_is_not_bound_is_none(dataset: Dataset) -> None:
    """A missing value is no text."""
    rows = dataset.query("SELECT ?a ?b { VALUES (?a ?b) { (1 UNDEF) } }")
    assert isinstance(rows, Rows)
    assert rows.rows == ((1, None),)


def test_a_text_that_python_has_no_value_for_stays_a_text(dataset: Dataset) -> None:
    """Year 20000 is a date of XSD, and not one of Python."""
    rows = dataset.query('SELECT ("20000-01-01"^^xsd:date AS ?a) ("P1D"^^xsd:duration AS ?b) {}')
    assert isinstance(rows, Rows)
    assert rows.rows == (("20000-01-01", "P1D"),)


def test_questions_and_graphs_have_their_own_answers(dataset: Dataset) -> None:
    """ASK is a truth value, CONSTRUCT a graph of rdflib."""
    assert dataset.query("ASK { ?d donation:party 'CDU' }") is True
    graph = dataset.query("CONSTRUCT { ?d a item:donation } { ?d donation:party ?p }")
    assert isinstance(graph, rdflib.Graph)
    assert len(graph) == 39


def test_a_frame_can_be_summed_and_sorted_by_date(dataset: Dataset) -> None:
    """Amounts are numbers of pandas, dates its timestamps."""
    frame = dataset.frame(_ALL)
    assert list(frame.columns) == ["party", "amount", "date"]
    exact = dataset.query("SELECT (SUM(?amount) AS ?sum) { ?d donation:amount ?amount }")
    assert isinstance(exact, Rows)
    assert isinstance(exact[0][0], Decimal)
    assert float(frame["amount"].sum()) == pytest.approx(float(exact[0][0]))
    assert str(frame["date"].dtype).startswith("datetime64")
    with pytest.raises(rdfcrawl.UsageError, match="only a SELECT"):
        dataset.frame("ASK {}")


def test_a_notebook_shows_rows_as_a_table_without_markup_of_the_pages() -> None:
    """What comes from a page is text there, too."""
    shown = Rows(("<b>",), (("<script>",), (None,)))._repr_html_()
    assert "<td>&lt;script&gt;</td>" in shown
    assert "<th>&lt;b&gt;</th>" in shown
    assert "49 more rows" in Rows(("n",), tuple((n,) for n in range(99)))._repr_html_()


def test_differences_and_histories_are_those_of_the_commands(dataset: Dataset) -> None:
    """The report that `rdfcrawl diff` prints, with its changes; runs by number or by name."""
    first, second = dataset.runs()
    report = dataset.diff()
    assert (report.old_runs, report.new_run) == ((first.id,), second.id)
    assert report.entries == dataset.diff(first.id, "latest").entries
    assert {entry.change.kind for entry in report.entries} <= set(ChangeKind)
    assert report.entries
    about = report.entries[0].change.subject.strip("<>")
    assert not dataset.history("http://nobody.example/")
    assert isinstance(dataset.history(about), list)
    assert dataset.diff(classes=["item:nothing"]).entries == ()


def test_an_export_takes_its_format_from_the_name_of_the_file(dataset: Dataset, tmp_path: Path) -> None:
    """Graphs are one file, tables a folder; an unknown ending says what there is."""
    assert dataset.export(tmp_path / "all.nt") == [tmp_path / "all.nt"]
    assert len(rdflib.Graph().parse(tmp_path / "all.nt")) == 195
    tables = dataset.export(tmp_path / "tables", "csv")
    assert tmp_path / "tables" / "donation.csv" in tables
    with pytest.raises(rdfcrawl.UsageError, match="available formats: nq, nt"):
        dataset.export(tmp_path / "all.xlsx")


def test_nothing_is_made_where_there_is_no_store(tmp_path: Path) -> None:
    """A wrong path is an error, not an empty store."""
    with pytest.raises(rdfcrawl.StoreError, match="there is no store"):
        rdfcrawl.open(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


async def test_a_run_works_where_an_event_loop_is_running(tmp_path: Path) -> None:
    """In a notebook, `await rdfcrawl.run(…)` takes a path or a model, and its data can be asked at once."""
    options = rdfcrawl.RunOptions(replay=str(_ROOT / "examples/sites"), engine=rdfcrawl.Engine.HTTP, record=False)
    finished = await rdfcrawl.run(rdfcrawl.load_model(_MODEL), store=tmp_path / "store", options=options)
    assert finished.report.record.counts.objects
    assert rdfcrawl.open(tmp_path / "store").query("ASK { ?s ?p ?o }") is True
