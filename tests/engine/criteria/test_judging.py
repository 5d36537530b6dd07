"""Criteria on the parts of a page: what meets them, where, and what it adds up to."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rdfcrawl.engine.criteria.judging import Judge, Judgement, Subject
from rdfcrawl.engine.criteria.needles import Needles, nearest
from rdfcrawl.engine.criteria.part_text import PartText
from rdfcrawl.engine.document.text import visible_blocks
from rdfcrawl.engine.document.tree import Document, parse
from rdfcrawl.metamodel.criteria import HEAD, TEXT
from rdfcrawl.metamodel.load import model_of_text
from rdfcrawl.metamodel.model import SitePage

_FRONT = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix part: <part://> .
<model:> :section <https://calls.example/> . <https://calls.example/> :page <page://site> .
<page://site> :type type:site ; :threshold 1 ; :criterion
"""


def judge(*said: str) -> Judge:
    page = model_of_text(f"{_FRONT} {' , '.join(f'[ {one} ]' for one in said)} .", "model.ttl").page("page://site")
    assert isinstance(page, SitePage)
    return Judge(page.criteria)


def document(html: str) -> Document:
    return parse(html.encode(), "https://calls.example/page", "text/html; charset=utf-8")


def judged(said: str, html: str, **about: object) -> Judgement:
    page = document(html)
    parts = {TEXT: PartText(visible_blocks(page.root)), HEAD: PartText(["A call"])}
    return judge(said).judge(Subject(parts, document=page, **about))  # type: ignore[arg-type]


def met(said: str, html: str, **about: object) -> bool:
    return bool(judged(said, html, **about).met)


@pytest.mark.parametrize(
    ("said", "html", "expected"),
    [
        (':contains "call for papers"', "<p>CALL  for&nbsp;Papers", True),
        (':contains "call for papers"', "<h1>Call for<br>Papers</h1>", True),
        (':contains "call for papers"', "<p>Call for <b>Pap</b>ers", True),
        (':contains "call for papers"', "<p>Call for</p><p>papers</p>", False),
        (':contains "call for papers"', "<table><tr><td>call for<td>papers", False),
        (':contains "call for papers" ; :across true', "<table><tr><td>call for<td>papers", True),
        (':contains "call for papers"', "<p hidden>call for papers", False),
        (':contains "call for papers"', "<script>call for papers</script>", False),
        (':contains "straße"', "<p>STRASSE", True),
        (':contains "STRASSE"', "<p>Die Straße", True),
        (':contains "ΣΊΣΥΦΟΣ"', "<p>σίσυφος", True),
        (':contains "Call" ; :caseSensitive true', "<p>call", False),
        (':contains "Call" ; :caseSensitive true', "<p>Call", True),
        (':contains "call" ; :in part:head', "<p>nothing", True),
        (':contains "nothing" ; :in part:head', "<p>nothing", False),
        (':contains "nothing" ; :in part:head , part:text', "<p>nothing", True),
        (':matches "pa.er"', "<p>PAPER", True),
        (':matches "pa.er" ; :caseSensitive true', "<p>PAPER", False),
        (':matches "^papers$"', "<p>call for</p><p>papers</p>", True),
        (':matches "for\\\\s+papers"', "<p>call for</p><p>papers</p>", False),
        (':matches "for\\\\s+papers" ; :across true', "<p>call for</p><p>papers</p>", True),
        (':near ( "deadline" "papers" ) ; :distance 5', "<p>papers: a deadline", True),
        (':near ( "deadline" "papers" ) ; :distance 3', "<p>papers: a deadline", False),
        (':near ( "deadline" "papers" ) ; :distance 5', "<p>papers</p><p>deadline", False),
        (':near ( "deadline" "papers" ) ; :distance 5 ; :across true', "<p>papers</p><p>deadline", True),
        (':near ( "paper" "papers" )', "<p>papers", False),
        (':near ( "paper" "paper" )', "<p>paper paper", True),
        (':near ( "sse" "x" ) ; :distance 4', "<p>Straße ß x", True),
        (":containsDate true", "<p>until 5 October 2010", True),
        (":containsDate true", "<p>until 5 October</p><p>2010", False),
        (':found "//h1"', "<h1>x</h1>", True),
        (':found "//h2"', "<h1>x</h1>", False),
        (':found "css:h1.big"', "<h1 class=big>x</h1>", True),
        (':found "count(//a) > 1"', "<a>1</a><a>2</a>", True),
        (':found "count(//a) > 2"', "<a>1</a><a>2</a>", False),
        (':found "number(//a)"', "<a>one</a>", False),
        (':all ( "a" "b" )', "<p>a b", True),
        (':all ( "a" "b" )', "<p>a", False),
        (':any ( "a" [ :matches "b+" ] )', "<p>bb", True),
        (':all ( "a" [ :any ( "x" [ :found "//i" ] ) ] )', "<p>a<i>.</i>", True),
        (':all ( "a" [ :any ( "x" [ :found "//i" ] ) ] )', "<p>a", False),
    ],
)
def test_a_criterion_is_met_or_not(said: str, html: str, expected: bool) -> None:
    """By visible text, within blocks unless it is asked otherwise, whatever the case unless it matters."""
    assert met(said, html) is expected


@pytest.mark.parametrize(
    ("asked", "given", "expected"),
    [("pdf", "pdf", True), ("PDF", "pdf", True), ("htm", "html", True), ("txt", None, False)],
)
def test_a_file_type_has_several_names(asked: str, given: str | None, expected: bool) -> None:
    """Endings and types that mean the same are the same."""
    assert met(f':fileType "{asked}"', "<p>", file_type=given) is expected


def test_a_score_is_the_exact_sum_of_the_weights() -> None:
    """Ten times a tenth is one, and a negative weight is subtracted."""
    criteria = [f':contains "{letter}" ; :weight 0.1' for letter in "abcdefghij"]
    subject = Subject({TEXT: PartText(["a b c d e f g h i j z"])})
    assert judge(*criteria, ':contains "z" ; :weight -0.75').judge(subject).score == Decimal("0.25")


@pytest.mark.parametrize(
    ("said", "text", "place"),
    [
        (':contains "straße"', "ßßß STRASSE 1", "STRASSE"),
        (':contains "sse"', "ŉ Straße 1", "ße"),
        (':near ( "deadline" "paper" )', "x Paper: the DEADLINE ß", "Paper: the DEADLINE"),
        (':matches "b+"', "aß bbb c", "bbb"),
        (":containsDate true", "ß on 5.10.2010.", "5.10.2010"),
    ],
)
def test_a_place_is_one_of_the_text_as_it_is_written(said: str, text: str, place: str) -> None:
    """Although it was found in a text without case, in which some letters are two."""
    part = PartText(["one", text])
    ((_, spot),) = judge(said).judge(Subject({TEXT: part})).met.items()
    assert part.text[spot.start : spot.end] == place


def test_a_hostile_expression_ends_by_its_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not met, and says so; other criteria are."""
    for module in ("rdfcrawl.expressions.patterns", "rdfcrawl.engine.criteria.judging"):
        monkeypatch.setattr(f"{module}.PATTERN_SECONDS", 0.2)
    judgement = judged(':any ( [ :matches "(a|aa)+$" ] "aaa" )', f"<p>{'a' * 60}b")
    assert judgement.met
    assert judgement.complaints == (
        "the regular expression (a|aa)+$ takes more than 0.2 s on this text; make it more specific",
    )


def test_a_text_that_is_there_a_million_times_costs_no_memory() -> None:
    """The first place is enough."""
    assert Needles(["a", "aa", "b"]).places("a" * 1_000_000) == {"a": 0, "aa": 0}


@given(st.lists(st.text("ab", min_size=1, max_size=4), min_size=1), st.text("abc", max_size=60))
def test_the_automaton_finds_what_a_plain_search_finds(needles: list[str], text: str) -> None:
    """Also texts that overlap or contain each other."""
    assert Needles(needles).places(text) == {one: text.index(one) for one in needles if one in text}


def test_a_text_across_the_pieces_of_a_long_page_is_found() -> None:
    """A page is searched piece by piece."""
    text = "x" * ((1 << 16) - 2) + "needle" + "x" * (1 << 16)
    assert Needles(["needle"]).places(text) == {"needle": (1 << 16) - 2}


@given(st.text("ab.\n", max_size=40), st.integers(0, 5))
def test_texts_are_near_where_any_pair_of_them_is(text: str, distance: int) -> None:
    """As trying all pairs shows."""
    pairs = [
        (one, other)
        for one in range(len(text))
        for other in range(len(text))
        if text.startswith("a", one) and text.startswith("b.", other)
    ]
    gaps = [
        text[one + 1 : other] if one < other else text[other + 2 : one]
        for one, other in pairs
        if not 0 < one - other < 2
    ]
    expected = any(len(gap) <= distance and "\n" not in gap for gap in gaps)
    assert (nearest(text, "a", "b.", distance, "\n") is not None) == expected
