"""From the raw text of a property to its RDF term."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import RdfFormat, parse

from rdfcrawl.engine.values.pipeline import Misfit, NoValue, Pipeline, Steps
from rdfcrawl.expressions.patterns import literal_of
from rdfcrawl.metamodel.model import Property, Replacement
from rdfcrawl.rdf import terms

BASE = "http://example.org/list/page.html"
XSD = terms.XSD


def pipeline(
    datatype: str = terms.STRING,
    *,
    pattern: str | None = None,
    replacements: tuple[Replacement, ...] = (),
    format: str | None = None,  # noqa: A002
    locale: str | None = None,
    language: str | None = None,
) -> Pipeline:
    return Pipeline(
        Property(
            "property://x",
            "./x",
            datatype=datatype,
            pattern=pattern,
            replacements=replacements,
            format=format,
            locale=locale,
            language=language,
        )
    )


def reason(datatype: str, raw: str) -> str:
    result = pipeline(datatype).term(raw, BASE)
    assert isinstance(result, Misfit)
    return result.reason


AMOUNT = pipeline(
    terms.DECIMAL,
    pattern=r"[\d.]{6,}(,\d{2})?",
    replacements=(Replacement(",", ".", order=2), Replacement(r"\.", "", order=1)),
)


def test_a_text_is_written_as_it_stands() -> None:
    """Without anything to do, the trimmed text is the value, line breaks included."""
    term = pipeline().term(" Petuelring 130\n80788 München\u00a0", BASE)
    assert term == '"Petuelring 130\\n80788 München"'


def test_a_language_makes_a_tagged_text() -> None:
    """The tag is written in lower case, as stores compare it."""
    assert pipeline(language="de-AT").term("Jänner", BASE) == '"Jänner"@de-at'


def test_every_step_of_a_value_can_be_seen() -> None:
    """Pattern, replacements by ascending order and the term, as a person wants to look at them."""
    assert AMOUNT.steps("55.886,411", BASE) == Steps(
        raw="55.886,411",
        after_pattern="55.886,41",
        after_replacements=("55886,41", "55886.41"),
        term=f'"55886.41"^^<{XSD}decimal>',
        reason=None,
    )


def test_steps_without_pattern_have_no_pattern_step() -> None:
    """A missing step is not shown as an empty one."""
    steps = pipeline(replacements=(Replacement("a", "b"),)).steps("a", BASE)
    assert (steps.after_pattern, steps.after_replacements, steps.term) == (None, ("b",), '"b"')


@given(st.text("0123456789.,- \u00a0€x", max_size=12))
def test_the_steps_end_where_the_term_does(raw: str) -> None:
    """What ``try`` shows is what a run writes."""
    steps, term = AMOUNT.steps(raw, BASE), AMOUNT.term(raw, BASE)
    stopped = NoValue if steps.is_empty else Misfit
    assert term == (steps.term if steps.reason is None else stopped(steps.reason))


@pytest.mark.parametrize("datatype", [terms.STRING, terms.INT, terms.ANY_URI])
def test_a_pattern_without_match_is_no_value(datatype: str) -> None:
    """Whatever the type; the reason quotes the text."""
    result = pipeline(datatype, pattern=r"\d+").term("none", BASE)
    assert result == NoValue('the :pattern finds nothing in "none"')


@pytest.mark.parametrize(
    ("raw", "replacements", "reason"),
    [
        ("", (), "the element has no text"),
        (" \u00a0\n", (), "the element has no text"),
        ("-", (Replacement("-", " "),), 'the :replace leaves nothing of "-"'),
        ("\x07", (), 'no character of "␇" can be written'),
    ],
)
def test_an_empty_text_is_no_value(raw: str, replacements: tuple[Replacement, ...], reason: str) -> None:
    """Nothing is written, and the reason says what took the text away."""
    assert pipeline(replacements=replacements).term(raw, BASE) == NoValue(reason)


def test_a_replacement_may_fill_an_empty_text() -> None:
    """Only what is empty in the end is no value; one that then does not fit its type still names the pattern."""
    filled = (Replacement("^$", "none"),)
    assert pipeline(pattern=r"\d+", replacements=filled).term("many", BASE) == '"none"'
    misfit = pipeline(terms.INT, pattern=r"\d+", replacements=filled).term("many", BASE)
    assert isinstance(misfit, Misfit)
    assert misfit.reason.startswith('the :pattern finds nothing in "many", and "none" is not a valid xsd:int')


@pytest.mark.parametrize(
    ("raw", "text"), [("Table 9.11: Ports ", "Ports"), ("Table 9.11: ", ""), ("Ports", ""), ("Table 9: 7", "7")]
)
def test_the_final_text_is_what_is_there_before_the_type(raw: str, text: str) -> None:
    """After :pattern, :replace and trimming; also where it does not fit the type."""
    numbered = pipeline(terms.INT, pattern=r"Table.*", replacements=(Replacement(r"Table [\d.]+:", ""),))
    assert numbered.value(raw, BASE)[0] == text


def test_a_pattern_may_look_behind() -> None:
    """Look-behind of any length works, also with repetitions."""
    pattern = r"(?<=Schwierigkeitsgrad:\s*).+?(?=/)"
    assert pipeline(pattern=pattern).term("Schwierigkeitsgrad:  normal/ 60 min", BASE) == '"normal"'


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ("_", ".", "a.b.c"),
        (r"(\w)_(\w)", "$2-$1", "b-a_c"),
        ("_", "[$0]", "a[_]b[_]c"),
        ("_", r"\$\\", "a$\\b$\\c"),
        ("_", "$", "a$b$c"),
        ("(_)|(x)", "<$2>", "a<>b<>c"),
        ("(_)", "$12", "a_2b_2c"),
        ("_", "$1!", "a!b!c"),
        ("(?P<sign>_)", "${sign}${sign}", "a__b__c"),
        ("_", r"\g<0>", "ag<0>bg<0>c"),
        ("$", "!", "a_b_c!"),
    ],
)
def test_replacements_refer_to_groups_with_a_dollar_sign(old: str, new: str, result: str) -> None:
    """``$1`` is a group, ``$0`` the match; a group that took no part or does not exist gives nothing."""
    assert pipeline(replacements=(Replacement(old, new),)).steps("a_b_c", BASE).after_replacements == (result,)


@given(
    old=st.text(st.sampled_from("ab.,\\$^*+?{}[]|() \n_-ß"), min_size=1, max_size=4),
    text=st.text(st.sampled_from("ab.,\\$^*+?{}[]|() \n_-ß"), max_size=12),
    new=st.sampled_from(["", ".", "a,", "ß"]),
)
def test_a_text_is_replaced_as_the_expression_that_it_is(old: str, text: str, new: str) -> None:
    """What is written without anything that has a meaning in expressions is searched for as it is."""
    if (literal := literal_of(old)) is not None:
        assert text.replace(literal, new) == regex.sub(old, lambda _: new, text)


@pytest.mark.parametrize(
    ("old", "literal"),
    [(r"\.", "."), (",", ","), ("a b", "a b"), (r"\\", "\\"), (".", None), (r"\d", None), ("a|b", None), ("", None)],
)
def test_texts_are_told_apart_from_expressions(old: str, literal: str | None) -> None:
    """An escaped character is itself; a dot, a class or nothing at all is an expression."""
    assert literal_of(old) == literal


@pytest.mark.parametrize("slow", [r"(\w|\w\w)+!?\d$", r"(?x) (\w|\w\w) + !? \d $"])
def test_an_expression_that_never_ends_is_stopped(slow: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern or a replacement that backtracks without end costs one value, not the run."""
    monkeypatch.setattr("rdfcrawl.engine.values.pipeline.PATTERN_SECONDS", 0.2)
    raw = "x" * 60 + "!!"
    for slow_pipeline in (pipeline(pattern=slow), pipeline(replacements=(Replacement(slow, ""),))):
        result = slow_pipeline.term(raw, BASE)
        assert isinstance(result, Misfit)
        assert slow in result.reason


@pytest.mark.parametrize(
    ("datatype", "raw"),
    [
        ("decimal", "4"),
        ("decimal", "+4.0"),
        ("decimal", "-.5"),
        ("decimal", "4."),
        ("double", "1.5E-3"),
        ("int", "-2147483648"),
        ("int", "007"),
        ("int", "+2147483647"),
        ("int", "0000000000000000001"),
        ("integer", "99999999999999999999"),
        ("boolean", "true"),
        ("boolean", "0"),
        ("gYear", "2015"),
        ("gYear", "-0044"),
        ("duration", "PT60M"),
        ("duration", "P1Y2M3DT4H5M6.7S"),
        ("duration", "-P1D"),
        ("date", "2015-11-11"),
        ("date", "2016-02-29Z"),
        ("date", "12016-02-29"),
        ("time", "16:00:00.5+01:00"),
        ("time", "24:00:00"),
        ("dateTime", "2016-01-22T20:00:00+01:00"),
        ("gMonthDay", "--02-29"),
        ("gMonthDay", "--12-31Z"),
        ("token", "12\u00a0000 Euro"),
    ],
)
def test_a_valid_lexical_form_is_kept(datatype: str, raw: str) -> None:
    """What XSD allows is written as the page has it, only trimmed."""
    assert pipeline(XSD + datatype).term(f" {raw}\n", BASE) == f'"{raw}"^^<{XSD}{datatype}>'


def test_weeks_become_days() -> None:
    """ISO 8601 knows weeks, XSD does not."""
    assert pipeline(terms.DURATION).term("P2W", BASE) == f'"P14D"^^<{XSD}duration>'


@pytest.mark.parametrize(
    ("datatype", "raw"),
    [
        ("decimal", "1,5"),
        ("decimal", "1e5"),
        ("decimal", "٤"),
        ("decimal", "."),
        ("double", "NaN"),
        ("double", "INF"),
        ("int", "2147483648"),
        ("int", "-2147483649"),
        ("int", "9" * 5000),
        ("int", "4.0"),
        ("integer", "--1"),
        ("boolean", "True"),
        ("boolean", "yes"),
        ("gYear", "15"),
        ("duration", "P"),
        ("duration", "PT"),
        ("duration", "P1DT"),
        ("duration", "60 min"),
        ("duration", "PT1,5H"),
        ("date", "2015-02-29"),
        ("date", "1900-02-29"),
        ("date", "11.11.2015"),
        ("time", "16:00"),
        ("time", "24:00:01"),
        ("dateTime", "2016-01-22 20:00:00"),
        ("dateTime", "2016-13-22T20:00:00"),
        ("dateTime", "2016-01-22T20:00:00+15:00"),
        ("gMonthDay", "--02-30"),
        ("gMonthDay", "--11-31"),
        ("token", "a\nb"),
    ],
)
def test_what_does_not_fit_is_never_written(datatype: str, raw: str) -> None:
    """No type takes what XSD would not."""
    assert f"is not a valid xsd:{datatype}" in reason(XSD + datatype, raw)


def test_a_misfit_says_what_would_fit() -> None:
    """The reason quotes the text, names what was expected and what can be done."""
    assert reason(terms.DECIMAL, "keine Angabe") == (
        '"keine Angabe" is not a valid xsd:decimal; digits with an optional "." were expected; '
        "a :pattern or :replace can bring it into shape"
    )
    assert "no-break space" in reason(terms.INT, "1\u00a0000")
    assert "thin space" in reason(terms.DECIMAL, "1\u2009000.5")
    assert 'a :replace can turn the ","' in reason(terms.DECIMAL, "1,5")
    assert "xsd:integer" in reason(terms.INT, "4000000000")
    assert ":format" in reason(terms.DATE, "11.11.2015")
    assert len(reason(terms.INT, "many words " * 1000)) < 300


def test_dates_follow_their_format() -> None:
    """With a format the value is written as XSD wants it; what does not follow the format is a misfit."""
    day = pipeline(terms.DATE, format="d. MMMM yyyy", locale="de")
    assert day.term("1. März 2015", BASE) == f'"2015-03-01"^^<{XSD}date>'
    reason = '"30. Februar 2015" is not a valid xsd:date: 2015-02 has 28 days'
    assert day.steps("30. Februar 2015", BASE).reason == reason


def test_an_address_becomes_an_iri() -> None:
    """Relative addresses start at the base address; what leads nowhere is a misfit."""
    address = pipeline(terms.ANY_URI)
    assert address.term(" ../poster 1.jpg ", BASE) == "<http://example.org/poster%201.jpg>"
    assert address.term("//cdn.example/x", BASE) == "<http://cdn.example/x>"
    for raw in ("javascript:void(0)", "http://"):
        assert isinstance(address.term(raw, BASE), Misfit)


def test_characters_that_no_xml_can_hold_are_left_out() -> None:
    """Controls vanish, half a surrogate pair becomes the replacement character; tabs and line breaks stay."""
    assert pipeline().term("a\x00b\x1fc\ud800d\te\nf", BASE) == '"abc\ufffdd\\te\\nf"'


@given(st.text(st.characters(exclude_categories=())), st.sampled_from(terms.DATATYPES))
def test_every_term_can_be_read_back(raw: str, datatype: str) -> None:
    """Whatever stands on a page, a term that is written is a term for the store."""
    term = pipeline(datatype).term(raw, BASE)
    assert term != '""'
    if isinstance(term, str):
        line = f"<http://a> <http://b> {term} .\n".encode()
        assert len(list(parse(line, format=RdfFormat.N_TRIPLES))) == 1
