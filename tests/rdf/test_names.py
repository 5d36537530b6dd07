"""IRIs as people read and write them."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rdfcrawl.rdf.names import expand, is_hash_name, last_part, namespaces, notation, shorten

PREFIXES = {
    "p": "property://",
    "book": "property://book/",
    "s": "https://books.example/list",
    "x": "http://x.example/",
    "d": "http://x.example/deep/",
}


@pytest.mark.parametrize(
    ("iri", "read", "written"),
    [
        ("property://book/title", "book:title", "book:title"),
        ("http://x.example/1", "x:1", "x:1"),
        ("http://x.example/deep/er", "d:er", "d:er"),
        ("http://x.example/K%C3%A4se", "x:K%C3%A4se", "x:K%C3%A4se"),
        ("http://x.example/a.b:c", "x:a.b:c", "x:a.b:c"),
        ("http://x.example/Größe", "x:Größe", "x:Größe"),
        # What Turtle could only take with escapes, or not at all, stays an address.
        ("property://other/title", "property://other/title", "<property://other/title>"),
        ("http://x.example/a/b", "http://x.example/a/b", "<http://x.example/a/b>"),
        ("http://x.example/a?b=c", "http://x.example/a?b=c", "<http://x.example/a?b=c>"),
        ("http://x.example/a,b", "http://x.example/a,b", "<http://x.example/a,b>"),
        ("http://x.example/end.", "http://x.example/end.", "<http://x.example/end.>"),
        ("http://x.example/-a", "http://x.example/-a", "<http://x.example/-a>"),
        ("http://x.example/100%", "http://x.example/100%", "<http://x.example/100%>"),
        # A prefix that stands for all of it is how a model writes it; readers want to know where it leads.
        ("https://books.example/list", "https://books.example/list", "s:"),
        ("http://x.example/deep/", "http://x.example/deep/", "d:"),
        ("urn:other", "urn:other", "<urn:other>"),
    ],
)
def test_an_iri_is_shortened_where_a_name_is_left(iri: str, read: str, written: str) -> None:
    """The longest prefix that leaves a name counts; what is no name stays an address."""
    assert shorten(iri, PREFIXES) == read
    assert notation(iri, PREFIXES) == written


def test_a_shorter_prefix_serves_where_the_longest_leaves_no_name() -> None:
    """Readers get a name if any prefix leaves one."""
    assert shorten("http://x.example/deep", {"x": "http://x.example/", "all": "http://x.example/deep"}) == "x:deep"


def test_of_two_prefixes_for_one_namespace_always_the_same_is_taken() -> None:
    """The shorter one, whatever the order in which they are declared."""
    for prefixes in ({"a": "n://", "": "n://"}, {"": "n://", "a": "n://"}):
        assert shorten("n://x", prefixes) == ":x"
        assert notation("n://", prefixes) == ":"


def test_a_prefix_that_stands_for_nothing_shortens_nothing() -> None:
    """An empty namespace would fit everything."""
    assert shorten("n://x", {"": ""}) == "n://x"


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=6))
@example("·a")
@example("a·")
@example("²")
@example("\U00010000")
@example("a.")
@example("%C3.%A4")
def test_what_is_written_reads_as_the_same_iri(local: str) -> None:
    """Turtle and SPARQL understand the notation of every IRI that they take at all."""
    iri = f"http://x.example/{local}"
    try:
        ox.NamedNode(iri)
    except ValueError:
        return
    turtle = f"@prefix x: <http://x.example/> . {notation(iri, {'x': 'http://x.example/'})} <a:b> <a:c> ."
    assert next(iter(ox.parse(turtle, format=ox.RdfFormat.TURTLE))).subject == ox.NamedNode(iri)
    query = f"PREFIX x: <http://x.example/> SELECT ({notation(iri, {'x': 'http://x.example/'})} AS ?iri) {{}}"
    results = ox.Store().query(query)
    assert isinstance(results, ox.QuerySolutions)
    assert [row["iri"] for row in results] == [ox.NamedNode(iri)]
    assert expand(shorten(iri, {"x": "http://x.example/"}), {"x": "http://x.example/"}) == iri


@pytest.mark.parametrize(
    ("name", "iri"),
    [
        ("book:title", "property://book/title"),
        ("s:", "https://books.example/list"),
        ("property://book/title", "property://book/title"),
        ("x://other", "x://other"),
        ("unknown:title", "unknown:title"),
        ("title", "title"),
    ],
)
def test_a_name_with_a_prefix_is_expanded(name: str, iri: str) -> None:
    """Anything else is an IRI already, even if a prefix has the name of its scheme."""
    assert expand(name, PREFIXES) == iri


def test_a_prefix_of_a_whole_address_is_no_namespace() -> None:
    """Models name their sections that way; in a document it would only stand in the way."""
    assert namespaces({"s": "https://books.example/list", "p": "property://", "h": "a#", "u": "urn:isbn:"}) == {
        "p": "property://",
        "h": "a#",
        "u": "urn:isbn:",
    }


@pytest.mark.parametrize(
    ("iri", "last"),
    [
        ("property://book/title", "title"),
        ("http://x.example/terms#label", "label"),
        ("http://x.example/list/", "list"),
        ("http://x.example/list?sort", "sort"),
        ("urn:isbn:1", "1"),
        ("model:", "model"),
        ("", ""),
    ],
)
def test_the_last_part_of_an_iri_says_what_it_is(iri: str, last: str) -> None:
    """After the last separator that something follows."""
    assert last_part(iri) == last


def test_names_made_of_values_are_known_by_their_hash() -> None:
    """Also those with a number; a fragment that a site has chosen itself is an address."""
    page, digest = "http://library.example/book/trial", "aeabf42db4c00f93ee072e77e940e4d3e11c656f"
    assert is_hash_name(f"{page}#{digest}")
    assert is_hash_name(f"{page}#{digest}-2")
    for other in (page, f"{page}#chapter-1", f"{page}#{digest}-", f"{page}#{digest}#{digest}", f"{page}/{digest}"):
        assert not is_hash_name(other)
