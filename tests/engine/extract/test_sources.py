"""Where raw values stand, and what is said where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from rdfcrawl.engine.document.tree import Document, Element, Match, compile_path, parse
from rdfcrawl.engine.extract.extraction import Trace
from rdfcrawl.engine.extract.page import extract
from rdfcrawl.engine.extract.plan import PagePlan, build_plan
from rdfcrawl.engine.extract.sources import AttributeValue, PropertySource, RawValue, VisibleText, source_of
from rdfcrawl.metamodel.model import Item, Model, ObjectPage, Property

HTML = "<main><h1 id=' x '>A <b>title</b></h1><p hidden>secret</p><ul><li>red, blue<li>green</ul></main>"


def document() -> Document:
    return parse(HTML.encode(), "http://site.example/", "text/html; charset=utf-8")


def first(found_in: Document, path: str) -> Match:
    return found_in.select(compile_path(path), found_in.root)[0]


@pytest.mark.parametrize(
    ("source", "path", "value"),
    [
        (VisibleText(), "//h1", "A title"),
        (VisibleText(), "//h1/@id", "x"),
        (VisibleText(), "//p", ""),
        (AttributeValue("id"), "//h1", "x"),
        (AttributeValue("id"), "//h1/b/text()", "title"),
    ],
)
def test_a_value_is_given_with_its_place(source: PropertySource, path: str, value: str) -> None:
    """The element or string that the path found; a string is its own value, whatever the source."""
    page = document()
    match = first(page, path)
    ((raw, place),) = source.values(page, match)
    assert raw == value
    assert place is match


def test_an_element_without_the_attribute_has_no_value() -> None:
    """And the source can say why."""
    page, source = document(), AttributeValue("href")
    match = first(page, "//h1")
    assert list(source.values(page, match)) == []
    assert source.absence(match) == "the element has no attribute href"


@pytest.mark.parametrize(
    ("prop", "kind", "wanted"),
    [
        (Property("property://a", "."), VisibleText, "the element"),
        (Property("property://a", ".", attribute="href"), AttributeValue, "its attribute href"),
    ],
)
def test_a_property_asks_for_its_source(prop: Property, kind: type, wanted: str) -> None:
    """The visible text, unless it says otherwise; the source says what is missing where there is no value."""
    source = source_of(prop)
    assert type(source) is kind
    assert source.wanted == wanted


class Words:
    """A source that takes every word of an element, each from an element of its own."""

    wanted = "a word"

    def values(self, document: Document, match: Match) -> Sequence[RawValue]:
        assert isinstance(match, Element)
        return [(word, child) for child in match for word in document.text_of(child).split(", ")]

    def absence(self, match: Match) -> str:
        return "the element has no words"


def with_source(plan: PagePlan, source: PropertySource) -> PagePlan:
    item = plan.required_item
    (prop,) = item.properties
    return replace(plan, item=replace(item, properties=(replace(prop, source=source, ending=None),)))


def test_a_source_may_take_many_values_from_one_element() -> None:
    """All of them are written, and traces show where each stands."""
    page = ObjectPage(iri="page://a", item=Item("item://a", "//main", (Property("property://word", ".//ul"),)))
    plan = with_source(build_plan(Model((), {page.iri: page}, "")).pages[page.iri], Words())
    traces: list[Trace] = []
    found = extract(plan, document(), traces)
    assert [triple.rpartition(" ")[2] for triple in found.triples] == ['"red"', '"blue"', '"green"']
    assert [(trace.raw, trace.match.tag) for trace in traces if isinstance(trace.match, Element)] == [
        ("red", "li"),
        ("blue", "li"),
        ("green", "li"),
    ]


def test_a_match_without_value_is_traced_with_its_place() -> None:
    """The path found something: that is different from finding nothing."""
    page = ObjectPage(iri="page://a", item=Item("item://a", "//main", (Property("property://word", ".//h1/b"),)))
    plan = with_source(build_plan(Model((), {page.iri: page}, "")).pages[page.iri], Words())
    traces: list[Trace] = []
    problems = extract(plan, document(), traces).problems
    (trace,) = traces
    assert trace.raw is None
    assert isinstance(trace.match, Element)
    assert trace.plan.source.absence(trace.match) == "the element has no words"
    assert [problem.kind for problem in problems] == ["no-values"]
