"""A shape that pySHACL finds broken is in doubt before pySHACL is asked, whatever breaks it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyshacl import validate
from rdflib import RDF, BNode, Graph, Literal, URIRef
from rdflib.term import Node

from rdfcrawl.metamodel.check.shapes import screening
from rdfcrawl.metamodel.check.shapes.screening import SH, doubts
from rdfcrawl.metamodel.statements.notation import Statement
from rdfcrawl.metamodel.vocabulary import shapes
from rdfcrawl.rdf.terms import BOOLEAN, DECIMAL, INTEGER, METAMODEL, STRING

NAMED = {URIRef(f"{kind.lower()}://described"): kind for kind in ("Page", "Item", "Link", "Property")}
IN_BRACKETS = {BNode(kind): kind for kind in ("Login", "Fill", "Criterion", "Replacement", "Alert")}
KINDS: dict[Node, str] = {**NAMED, **IN_BRACKETS}
VALUES: tuple[Node, ...] = (
    *KINDS,
    BNode("bare"),
    URIRef("page://undescribed"),
    URIRef("https://example.org/"),
    URIRef("type://object"),
    URIRef("scope://host"),
    URIRef("part://text"),
    URIRef("alert://found"),
    Literal("text"),
    Literal("text", lang="en"),
    Literal("text", datatype=URIRef(STRING)),
    Literal("text", datatype=URIRef("datatype://own")),
    Literal(""),
    Literal("image"),
    Literal("22:00-06:00"),
    Literal("Authorization: env:TOKEN"),
    Literal("session=env:TOKEN"),
    Literal("env:TOKEN"),
    Literal(0),
    Literal(-1),
    Literal(1.5),
    Literal("1.5", datatype=URIRef(DECIMAL)),
    Literal("one", datatype=URIRef(INTEGER)),
    Literal(True),
    Literal("1", datatype=URIRef(BOOLEAN)),
)
"""At least one that keeps each constraint of each shape, and many that break it."""


def test_what_is_in_doubt_is_what_is_broken() -> None:
    """Shape by shape and value by value: nothing that is broken passes, and nothing that is kept waits for pySHACL."""
    statements = list(_statements())
    data = Graph()
    for statement in statements:
        data.add(statement)
    _, report, _ = validate(data, shacl_graph=shapes(), inplace=True)
    broken = {
        (report.value(result, SH.sourceShape), report.value(result, SH.focusNode))
        for result in report.subjects(RDF.type, SH.ValidationResult)
    }
    assert set(doubts(statements)) == broken
    never_broken = {URIRef(f"{METAMODEL}shapes#{name}") for name in ("all", "any")}
    assert {shape for shape, _ in broken} == _targeted() - never_broken


def test_a_constraint_that_the_screening_does_not_know_stops_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passed over, it would never be broken."""
    extended = Graph() + shapes()
    extended.add((URIRef(f"{METAMODEL}shapes#page"), SH.maxLength, Literal(80)))
    monkeypatch.setattr(screening, "shapes", lambda: extended)
    with pytest.raises(KeyError, match="maxLength"):
        screening._shapes.__wrapped__()


def _statements() -> Iterator[Statement]:
    """For each shape resources that it is about: one without a value, one with two, one with each of the values."""
    for resource, kind in KINDS.items():
        yield resource, RDF.type, URIRef(METAMODEL + kind)
    graph = shapes()
    for number, shape in enumerate(sorted(_targeted())):
        path = graph.value(shape, SH.path) or URIRef(f"{METAMODEL}misplaced")
        for place, values in enumerate([(), (Literal("one"), Literal("two")), *((value,) for value in VALUES)]):
            resource = URIRef(f"{'https' if place else 'ftp'}://example.org/{number}/{place}")
            for kind in graph.objects(shape, SH.targetClass):
                yield resource, RDF.type, kind
            for value in values:
                yield resource, path, value


def _targeted() -> set[Node]:
    return {*shapes().subjects(SH.targetClass), *shapes().subjects(SH.targetSubjectsOf)}
