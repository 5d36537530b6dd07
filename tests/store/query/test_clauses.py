"""A query gets the names of its graphs where its pattern begins, whatever else is written like that."""

from __future__ import annotations

import pyoxigraph as ox
import pytest

from rdfcrawl.expressions.queries import refusal
from rdfcrawl.store.query.clauses import selects_all, with_columns, with_graphs


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * | { ?s ?p ?o }",
        "select ?s |where{ ?s ?p ?o }",
        "# SELECT {\nPREFIX select: <where:> SELECT ?where | { ?where select:where ?o }",
        "PREFIX ask: <a:>\nSELECT (EXISTS { ?s ?p 1 } AS ?e) | WHERE { ?s ask:where '{' }",
        "SELECT (CONCAT(\"WHERE {\", ' \\' {') AS ?t) | { }",
        'SELECT ("""a "quote" { """ AS ?t) | { }',
        "SELECT ?s | { { SELECT ?s WHERE { ?s ?p ?o } } }",
        "ASK | { ?s ?p ?o }",
        "CONSTRUCT { ?s <p:> ?o } | WHERE { ?s ?p ?o }",
        "CONSTRUCT | WHERE { ?s ?p ?o }",
        "DESCRIBE ?s | WHERE { ?s ?p ?o }",
    ],
)
def test_graphs_are_named_where_the_pattern_begins(query: str) -> None:
    """On the same line, so that messages about lines stay right; and what comes out is a query."""
    before, after = query.split("|")
    found = with_graphs(before + after, ["run://1", "run://2"], ["run://3"])
    assert found is not None
    assert found.split() == f"{before} FROM <run://1> FROM <run://2> {after}".split()
    assert refusal(found, {}) is None
    assert found.count("\n") == query.count("\n")


def test_graphs_of_a_pattern_are_named_too() -> None:
    """Only where there is one."""
    found = with_graphs("SELECT ?g { GRAPH ?g { ?s ?p ?o } }", ["run://1"], ["run://1", "run://2"])
    assert found == "SELECT ?g  FROM <run://1> FROM NAMED <run://1> FROM NAMED <run://2> { GRAPH ?g { ?s ?p ?o } }"


@pytest.mark.parametrize("query", ["", "DESCRIBE <x:>", "nonsense {", "CONSTRUCT { ?s ?p ?o }"])
def test_what_has_no_pattern_stays_as_it_is(query: str) -> None:
    """Nothing is guessed."""
    assert with_graphs(query, ["run://1"], []) is None


@pytest.mark.parametrize(
    ("query", "ordered"),
    [
        ("SELECT * { ?s ?p ?o }", "SELECT ?s ?p ?o { ?s ?p ?o }"),
        (
            "PREFIX s: <b:> # SELECT ?a\nselect distinct * where{ $z s:b ?y OPTIONAL { ?z ?a '?b' } }",
            "PREFIX s: <b:> # SELECT ?a\nselect distinct ?z ?y ?a where{ $z s:b ?y OPTIONAL { ?z ?a '?b' } }",
        ),
        (
            "SELECT REDUCED *{ { SELECT * { ?b ?a 1 } } ?a ?c ?b }",
            "SELECT REDUCED ?b ?a ?c{ { SELECT * { ?b ?a 1 } } ?a ?c ?b }",
        ),
    ],
)
def test_everything_is_selected_in_the_order_in_which_it_is_mentioned(query: str, ordered: str) -> None:
    """What is in comments and texts does not count, and what a part of the query selects stays as it is."""
    assert selects_all(query)
    everything = ox.Store().query(query)
    assert isinstance(everything, ox.QuerySolutions)
    assert with_columns(query, {variable.value for variable in everything.variables}) == ordered
    assert refusal(ordered, {}) is None


@pytest.mark.parametrize(
    "query", ["SELECT ?p ?s { ?s ?p ?o }", "SELECT (1*2 AS ?n) { }", "ASK { ?s <a:>* ?o }", "DESCRIBE * { ?s ?p ?o }"]
)
def test_other_queries_stay_as_they_are(query: str) -> None:
    """They have an order, or no columns."""
    assert not selects_all(query)
    assert with_columns(query, {"s", "p", "o"}) == query
