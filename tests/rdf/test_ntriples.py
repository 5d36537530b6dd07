"""Terms as N-Triples text, written and read back."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import is_part, is_run, part_iri, record_iri, run_iri, run_of
from rdfcrawl.rdf.lines import moved, without_graphs
from rdfcrawl.rdf.ntriples import iri, literal, literal_parts, split, term_text

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)


@given(TEXTS)
@example('a"b\\c\nd\te\x01f')
@example("\\u0041")
@example("\U0001f600")
@example('"@en')
@example('"^^<a:b>')
def test_text_survives_its_escapes(text: str) -> None:
    """What ``literal`` has written is read back, and another reader reads the same."""
    for written, language, datatype in (
        (literal(text), None, terms.STRING),
        (literal(text, terms.DATE), None, terms.DATE),
        (literal(text, language="de-at"), "de-at", terms.LANGUAGE_STRING),
    ):
        found = literal_parts(written)
        assert (found.text, found.datatype, found.language) == (text, datatype, language)
        assert term_text(written) == text
        line = f"<a:s> <a:p> {written} ."
        assert split(line) == ("<a:s>", "<a:p>", written)
        read = next(iter(ox.parse(line, format=ox.RdfFormat.N_TRIPLES))).object
        assert isinstance(read, ox.Literal)
        assert (read.value, read.datatype.value, read.language) == (text, datatype, language)


def test_escapes_are_the_shortest() -> None:
    """The escapes of canonical N-Triples, also where usual and rare ones meet: equal triples must be equal lines."""
    assert literal('\\n"\n\r\t\b\f\x01\x7f\x80') == r'"\\n\"\n\r\t\b\f\u0001\u007F' + '\x80"'


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r'"\u00e4\U0001F600\'\"\\n"', "ä\U0001f600'\"\\n"),
        (r'"\t\b\n\r\f"@en', "\t\b\n\r\f"),
        ("<http://example.org/a%20b>", "http://example.org/a%20b"),
    ],
)
def test_what_others_have_written_is_read(written: str, text: str) -> None:
    """Also with escapes that are never written here."""
    assert term_text(written) == text


def test_what_no_iri_may_contain_is_encoded() -> None:
    """So that every line can be taken apart at its spaces and brackets."""
    assert iri("http://example.org/a b<c>\n") == "<http://example.org/a%20b%3Cc%3E%0A>"


def test_quads_become_triples_each_once() -> None:
    """Two runs that say the same say it once."""
    lines = [
        b'<a:s> <a:p> "<run://1> ." <run://1> .',
        b'<a:s> <a:p> "<run://1> ." <run://2> .',
        b"<a:s> <a:p> <a:o> <g:> .",
    ]
    assert list(without_graphs(lines)) == [b'<a:s> <a:p> "<run://1> ." .', b"<a:s> <a:p> <a:o> ."]


def test_lines_move_from_one_graph_to_another() -> None:
    """Only the last term is the graph."""
    assert list(moved([b"<a:s> <a:p> <a:g> <a:g> ."], "a:g", "a:h")) == [b"<a:s> <a:p> <a:g> <a:h> ."]


def test_graphs_tell_whose_they_are() -> None:
    """A run, or only its current part."""
    graphs = (run_iri(7), part_iri(7), record_iri(7))
    assert [is_run(graph) for graph in graphs] == [True, False, False]
    assert [is_part(graph) for graph in graphs] == [False, True, False]
    assert [run_of(graph) for graph in graphs[:2]] == [7, 7]
