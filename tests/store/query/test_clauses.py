"""A query gets the names of its graphs where its pattern begins, whatever else is written like that."""

from __future__ import annotations

import pytest

from rdfcrawl.expressions.queries import refusal
from rdfcrawl.store.query.clauses import with_graphs


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
