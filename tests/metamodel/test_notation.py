"""Turtle is read with the place of every statement, and broken Turtle never breaks the check."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import Literal, URIRef

from rdfcrawl.metamodel.load import check_model
from rdfcrawl.metamodel.statements.notation import NotationError, SourcePlace, parse

MODELS = Path(__file__).parents[2] / "models"


def test_a_statement_stands_where_its_object_begins() -> None:
    """Comments, strings over several lines, nested nodes and lists of objects do not confuse the places."""
    parsed = parse(
        '@prefix : <a:> . # :p "one"\n'
        ':s :p """two\nlines""" ,\n'
        '      "one" ;\n'
        "   :q [ :r\n"
        "          :t ] .\r\n"
        "\t:u :p 5 .\n"
    )
    places = {str(value): place for (_, _, value), place in parsed.statements.items() if not str(value).startswith("n")}
    assert places == {
        "two\nlines": SourcePlace(2, 7),
        "one": SourcePlace(4, 7),
        "a:t": SourcePlace(6, 11),
        "5": SourcePlace(7, 8),
    }
    assert parsed.subjects[URIRef("a:u")] == SourcePlace(7, 2)


def test_a_repeated_statement_stands_where_it_was_first() -> None:
    """RDF keeps a statement once, so the first place counts."""
    parsed = parse('<a:s> <a:p> "x" .\n<a:s> <a:p> "x" .\n')
    assert parsed.statements == {(URIRef("a:s"), URIRef("a:p"), Literal("x")): SourcePlace(1, 13)}


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ('@prefix : <a:> .\n:a :b "\\d" .', SourcePlace(2, 8), "\\d is not an escape in a string"),
        (":a :b :c .", SourcePlace(1, 1), "the prefix : is not declared"),
        ("@prefix : <a:> .\n:a :b :c\n:d :e :f .", SourcePlace(3, 1), "':d :e :f .' is not expected here"),
        ("@prefix : <a:> .\n:a :b ?x .", SourcePlace(2, 1), "the statement that starts here is incomplete or invalid"),
        (
            "@prefix : <a:> .\n:a :b " + "[ :b " * 5000,
            SourcePlace(2, 1),
            "the statement that starts here is incomplete or invalid",
        ),
    ],
)
def test_a_syntax_error_is_told_with_its_place(text: str, place: SourcePlace, message: str) -> None:
    """Line and column of the mistake, in words that do not come from the parser."""
    with pytest.raises(NotationError) as caught:
        parse(text)
    assert (caught.value.place, caught.value.message) == (place, message)


@pytest.mark.parametrize("syntax", ["ttl", "n3"])
def test_a_model_that_is_cut_off_anywhere_gets_findings_with_lines(syntax: str, tmp_path: Path) -> None:
    """Whatever a half-written file looks like, the check answers."""
    text = (MODELS / "chefkoch.ttl").read_text()
    path = tmp_path / f"model.{syntax}"
    for end in range(0, len(text) - 200, 151):
        path.write_text(text[:end])
        findings = check_model(path).findings
        assert findings, end
        assert all(finding.line for finding in findings), end


@pytest.mark.parametrize("syntax", ["ttl", "n3"])
@pytest.mark.parametrize("namespace", ["page://", "item://", "type://", "http://www.w3.org/2001/XMLSchema#"])
def test_names_that_are_no_iris_are_findings(namespace: str, syntax: str, tmp_path: Path) -> None:
    """rdflib cannot write such names; the check still says what is wrong with them."""
    text = (MODELS / "imdb.ttl").read_text().replace(f"<{namespace}>", f"<{namespace[:-1]} ^>")
    path = tmp_path / f"model.{syntax}"
    path.write_text(text)
    checked = check_model(path)
    assert checked.model is None
    assert checked.findings
