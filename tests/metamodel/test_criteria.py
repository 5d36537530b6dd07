"""Criteria as a model says them: their names, what inner ones take over, and what an edit of them means."""

from __future__ import annotations

import pytest

from rdfcrawl.metamodel.criteria import Criterion, number, signed
from rdfcrawl.metamodel.load import model_of_text
from rdfcrawl.metamodel.model import Model, SitePage
from rdfcrawl.versioning.models import compare_models

_FRONT = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix part: <part://> . @prefix page: <page://> .
@prefix item: <item://> . @prefix call: <property://call/> .
<model:> :section <https://calls.example/> . <https://calls.example/> :page page:site .
page:call :type type:object ; :item item:call .
item:call :path "//main" ; :property call:title . call:title :path "h1" .
page:site :type type:site ; :target page:call ; :threshold 2 ;
"""


def model(said: str) -> Model:
    return model_of_text(f"{_FRONT} {said} .", "model.ttl")


def site(said: str) -> SitePage:
    page = model(said).page("page://site")
    assert isinstance(page, SitePage)
    return page


def only(said: str) -> Criterion:
    (criterion,) = site(f":criterion {said}").criteria
    return criterion


def test_a_criterion_without_name_is_named_by_what_it_says() -> None:
    """The name stays when only the weight changes, and is readable."""
    named = only('[ :contains "Call for Papers!" ]').iri
    assert named.startswith("criterion://contains-call-for-papers-")
    assert only('[ :contains "Call for Papers!" ; :weight 7.5 ]').iri == named
    assert only('[ :contains "Call for Papers!" ; :in part:head ]').iri != named


def test_the_order_of_a_list_makes_no_other_criterion() -> None:
    """A list says what is looked for, not in which order."""
    assert only('[ :any ( "a" [ :matches "b" ] ) ]').iri == only('[ :any ( [ :matches "b" ] "a" ) ]').iri


def test_inner_criteria_take_over_where_and_how_the_outer_one_looks() -> None:
    """Unless they say something else; the weight is the outer one's alone."""
    outer = only(
        '[ :all ( "a" [ :matches "b" ; :in part:head ] ) ; :in part:headings ; :caseSensitive true ; :weight 4 ]'
    )
    text, pattern = sorted(outer.criteria, key=lambda inner: inner.kind)
    assert (text.parts, text.case_sensitive, text.weight) == (("part://headings",), True, 1.0)
    assert (pattern.parts, pattern.case_sensitive) == (("part://head",), True)


def test_texts_need_no_list() -> None:
    """What has no order can be written as several values."""
    assert [inner.texts for inner in only('[ :any "b" , "a" ]').criteria] == [("a",), ("b",)]
    assert only('[ :near "b" , "a" ]').texts == ("a", "b")


def test_what_a_lead_looks_into_is_the_text_of_the_link() -> None:
    """A page is searched in its visible text, a lead in its anchor."""
    page = site(':criterion [ :contains "x" ] ; :lead [ :contains "x" ]')
    assert (page.criteria[0].parts, page.leads[0].parts) == (("part://text",), ("part://anchor",))


@pytest.mark.parametrize(
    ("value", "text"), [(2.0, "2"), (0.1, "0.1"), (-1.5, "-1.5"), (1e21, "1000000000000000000000"), (-0.0, "0")]
)
def test_numbers_are_written_as_people_write_them(value: float, text: str) -> None:
    """Neither an exponent nor zeros that mean nothing."""
    assert number(value) == text
    assert signed(2.0) == "+2"
    assert signed(-0.5) == "-0.5"


def test_other_weights_are_an_edit_of_the_model_and_no_change_of_the_site() -> None:
    """The facts of the scores and the class that finds are read as are explained by it; the addresses are not."""
    before, after = (model(f':criterion [ :contains "call" ; :weight {weight} ]') for weight in (1, 2))
    explained = {predicate for change in compare_models(before, after) for predicate in change.predicates}
    assert explained == {*(f"<predicate://site/{name}>" for name in ("score", "find", "meets")), "<item://call>"}


def test_other_leads_are_an_edit_that_explains_which_addresses_are_met() -> None:
    """What is not followed any more is not gone."""
    before, after = (model(f':criterion [ :contains "call" ] ; :lead [ :contains "{text}" ]') for text in ("a", "b"))
    explained = {predicate for change in compare_models(before, after) for predicate in change.predicates}
    assert {"<predicate://site/page>", "<item://call>"} <= explained


def test_finds_hang_from_the_section() -> None:
    """Like the addresses of the site, with or without a link to them."""
    from rdfcrawl.metamodel.edges import items_below

    found = items_below(model(':criterion [ :contains "call" ]'), "page://site")
    assert [item.iri for item in found] == ["item://call", "predicate://site/page"]
