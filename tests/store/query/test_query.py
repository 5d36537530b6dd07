"""Queries: which graphs they ask, what they may do, and what is said about those that cannot be answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from rdfcrawl.errors import UsageError
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.query.answer import QueryLimits, QueryTimeout
from rdfcrawl.store.query.asking import ask
from rdfcrawl.store.query.prepare import QueryError, QueryForm, ResultFormat
from rdfcrawl.store.runs.record import RunState

AddRun = Callable[..., object]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, add_run: AddRun) -> Store:
    """Two runs of one section and one of another, with prefixes and a file of changes."""
    store = open_store(tmp_path_factory.mktemp("query") / "store")
    add_run(store, 1, ["s:a"], [("s:a", "i:x", "x:1"), ("x:1", "p:name", "first")])
    add_run(store, 2, ["s:b"], [("s:b", "i:x", "x:2"), ("x:2", "p:name", "other")])
    add_run(store, 3, ["s:a"], [("s:a", "i:x", "x:1"), ("x:1", "p:name", "third")])
    record = store.runs.read_record(3)
    store.runs.write_record(replace(record, model=replace(record.model, prefixes={"prop": "p:"})))
    store.runs.changes(3).write_text("<x:1> <predicate://changed> <p:name> <run://3> .\n")
    return store


def names(store: Store, run: str = "current", query: str = "SELECT ?n { ?s prop:name ?n } ORDER BY ?n") -> list[str]:
    answer, _ = ask(store, query, run, formats=dict.fromkeys(QueryForm, ResultFormat.CSV))
    with answer.content:
        return answer.content.read().decode().split()[1:]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("current", ["other", "third"]),
        ("latest", ["third"]),
        ("previous", ["other"]),
        ("1", ["first"]),
        ("run://2", ["other"]),
        ("all", ["first", "other", "third"]),
    ],
)
def test_the_default_graph_is_what_was_named(filled: Store, run: str, expected: list[str]) -> None:
    """The current state, one run or all of them; the model's prefixes are known."""
    assert names(filled, run) == expected


def test_every_run_is_a_named_graph(filled: Store) -> None:
    """GRAPH reaches runs, records and changes, and shows no graph twice."""
    graphs = names(filled, query="SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g")
    assert graphs == ["changes://3", "record://1", "record://2", "record://3", "run://1", "run://2", "run://3"]


def test_a_query_that_names_its_graphs_gets_those(filled: Store) -> None:
    """FROM takes the place of the default graph."""
    assert names(filled, query="SELECT ?n FROM <run://1> { ?s prop:name ?n }") == ["first"]


def test_the_changes_are_asked_on_their_own(filled: Store) -> None:
    """All changes are the default graph; each run's are a named one."""
    answer, _ = ask(filled, "SELECT ?g { ?s ?p ?o . GRAPH ?g { ?s ?p ?o } }", changes=True)
    with answer.content:
        assert b"run://3" in answer.content.read()


@pytest.mark.parametrize(
    ("query", "form", "content"),
    [
        ("ASK { ?s prop:name 'third' }", QueryForm.BOOLEAN, b"true"),
        ("CONSTRUCT { ?s prop:name ?n } WHERE { ?s prop:name ?n }", QueryForm.GRAPH, b"prop:name"),
        ("DESCRIBE <x:1>", QueryForm.GRAPH, b'"third"'),
    ],
)
def test_every_form_of_query_is_answered(filled: Store, query: str, form: QueryForm, content: bytes) -> None:
    """A truth value or a graph comes in a format that suits it."""
    answer, _ = ask(filled, query)
    with answer.content:
        assert answer.form is form
        assert content in answer.content.read()


@pytest.mark.parametrize("written", [ResultFormat.JSON, ResultFormat.XML, ResultFormat.CSV, ResultFormat.TSV])
def test_rows_beyond_the_limit_are_left_out(filled: Store, written: ResultFormat) -> None:
    """The result with fewer rows is a complete document of its format, unbound and tagged values included."""
    query = "SELECT ?v ?none { VALUES ?v { 'a'@en 'b' 3 <x:> } }"
    formats = dict.fromkeys(QueryForm, written)
    whole, _ = ask(filled, query, formats=formats)
    limited, _ = ask(filled, query, formats=formats, limits=QueryLimits(rows=4))
    fewer, _ = ask(filled, query, formats=formats, limits=QueryLimits(rows=1))
    with whole.content, limited.content, fewer.content:
        complete = whole.content.read()
        assert limited.content.read() == complete
        assert len(fewer.content.read()) < len(complete)
    assert [answer.cut for answer in (whole, limited, fewer)] == [False, False, True]


def test_a_query_is_stopped_when_its_time_is_up(filled: Store) -> None:
    """A query that would take years ends with a message."""
    endless = "SELECT (COUNT(*) AS ?n) { " + " ".join(
        f"VALUES ?v{number} {{ {' '.join(map(str, range(200)))} }}" for number in range(9)
    )
    with pytest.raises(QueryTimeout, match=r"took more than 0\.2 seconds"):
        ask(filled, endless + " }", limits=QueryLimits(seconds=0.2))


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "SELECT * {\n  ?s prop:name ?o .\n  FILTER(?o > )\n}",
            "query:3:3: this is no SPARQL\n    FILTER(?o > )\n    ^",
        ),
        (
            "SELECT * { ?s ?p ?o } LIMT 5",
            f"query:1:23: this is no SPARQL\n  SELECT * {{ ?s ?p ?o }} LIMT 5\n  {'^':>23}",
        ),
        ("SELECT * { ?s ?p ?o", f"query:1:20: the query ends too early\n  SELECT * {{ ?s ?p ?o\n  {'^':>20}"),
        (
            "SELECT * {\n  ?s zz:p ?o }",
            "query:2:6: the prefix zz: is not declared, and no model in the store has it\n    ?s zz:p ?o }\n       ^",
        ),
        ("SELECT ?s (SUM(?a) AS ?n) { ?s ?p ?a }", "query:1:39: The SELECT contains a variable that is unbound"),
        ("INSERT DATA { <a:> <b:> 1 }", "INSERT would change the store; only queries"),
        ("   ", "the query is empty"),
    ],
)
def test_a_mistake_is_shown_at_its_place(filled: Store, query: str, message: str) -> None:
    """The message has line, column, the line itself and a mark under the place."""
    with pytest.raises(QueryError) as raised:
        ask(filled, query)
    assert message in str(raised.value)


def test_a_run_without_a_graph_cannot_be_asked(store: Store, add_run: AddRun) -> None:
    """A run that has not ended is named with its state."""
    add_run(store, 1, ["s:a"], [("s:a", "i:x", "x:1")])
    store.runs.write_record(replace(store.runs.read_record(1), id=2, state=RunState.RUNNING))
    with pytest.raises(UsageError, match="run 2 is running; it has no graph"):
        ask(store, "ASK {}", run="2")


def test_a_stopped_query_leaves_no_process(filled: Store) -> None:
    """The process of a query that was stopped is gone, and was waited for."""
    before = _children()
    with pytest.raises(QueryTimeout):
        ask(filled, "SELECT * { }", limits=QueryLimits(seconds=0.0001))
    assert _children() <= before


def _children() -> set[str]:
    """The processes that this one has started and not waited for."""
    threads = Path("/proc/self/task").iterdir()
    return {child for thread in threads for child in (thread / "children").read_text().split()}
