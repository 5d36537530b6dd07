"""Linked Data: from the thing to a document in the format that each client wants."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from urllib.parse import quote

import pyoxigraph as ox
import pytest

from rdfcrawl.errors import UsageError
from rdfcrawl.store.export.formats import ExportFormat
from rdfcrawl.store.export.writing import write_export
from rdfcrawl.store.folder import open_store
from tests.publish.conftest import FIRST, GONE, RECIPE, SECOND, AddRun, Server, add_things, asked, serving, thing

BROWSER = "text/html"
RAPPER = (
    "application/n-triples, text/plain;q=0.1, text/turtle, application/x-turtle, application/turtle, text/n3;q=0.3, "
    "text/rdf+n3;q=0.3, application/rdf+n3;q=0.3, application/trig, application/rss;q=0.8, application/rss+xml;q=0.8, "
    "text/rss;q=0.8, application/xml;q=0.3, text/xml;q=0.3, application/atom+xml;q=0.3, text/html;q=0.2, "
    "application/xhtml+xml;q=0.4, application/html;q=0.2, application/rdf+xml, text/rdf;q=0.6, application/json, "
    "text/json, text/x-nquads, */*;q=0.1"
)
CLIENTS = {
    "Firefox": ("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8", BROWSER),
    "Chrome": (
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8",
        BROWSER,
    ),
    "Safari": ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", BROWSER),
    "Lynx": ("text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01", BROWSER),
    "curl": ("*/*", "text/turtle"),
    "no header": (None, "text/turtle"),
    "curl for Turtle": ("text/turtle", "text/turtle"),
    "rapper": (RAPPER, "text/turtle"),
    "rdflib": (
        "application/rdf+xml,text/rdf+n3;q=0.9,application/xhtml+xml;q=0.5, */*;q=0.1",
        "application/rdf+xml",
    ),
    "rdflib for Turtle": ("text/turtle, application/x-turtle;q=0.5, */*;q=0.1", "text/turtle"),
    "Jena": (
        "text/turtle,application/n-triples;q=0.9,application/ld+json;q=0.8,application/rdf+xml;q=0.7,*/*;q=0.3",
        "text/turtle",
    ),
    "RDF4J": ("application/ld+json;q=0.8, application/n-quads, application/rdf+xml;q=0.8", "application/n-quads"),
    "Protégé": (
        "application/rdf+xml, application/xml; q=0.7, text/xml; q=0.6, text/plain; q=0.1, */*; q=0.09",
        "application/rdf+xml",
    ),
    "jsonld.js": ("application/ld+json, application/json", "application/ld+json"),
    "a spreadsheet": ("text/csv, text/plain;q=0.5", "text/csv"),
    "a program that takes pages too": ("application/rdf+xml, text/html", "application/rdf+xml"),
}


@pytest.mark.parametrize("client", CLIENTS)
def test_each_client_is_sent_to_what_it_can_read(server: Server, client: str) -> None:
    """The thing answers 303 to a document of the type that the client's real Accept header asks for."""
    accept, expected = CLIENTS[client]
    headers = {} if accept is None else {"Accept": accept}
    answer = server.get(f"/resource?iri={asked(RECIPE)}", **headers)
    assert answer.status == 303
    assert "Accept" in answer.headers["vary"]
    document = server.get(answer.headers["location"], **headers)
    assert document.status == 200
    assert document.headers["content-type"].partition(";")[0] == expected


@pytest.mark.parametrize(
    ("suffix", "form"),
    [
        ("ttl", ox.RdfFormat.TURTLE),
        ("jsonld", ox.RdfFormat.JSON_LD),
        ("nt", ox.RdfFormat.N_TRIPLES),
        ("nq", ox.RdfFormat.N_QUADS),
        ("rdf", ox.RdfFormat.RDF_XML),
    ],
)
def test_each_format_says_the_same(server: Server, suffix: str, form: ox.RdfFormat) -> None:
    """The document of a recipe holds its values and its ingredients, whatever it is written in."""
    for address in (f"/data.{suffix}?iri={asked(RECIPE)}", f"/data?iri={asked(RECIPE)}&format={suffix}"):
        triples = [quad.triple for quad in ox.parse(server.get(address).body, format=form)]
        subject = ox.NamedNode(RECIPE)
        ratings = [triple.object.value for triple in triples if triple.predicate.value.endswith("recipe/rating")]
        ingredients = [
            triple for triple in triples if triple.subject == subject and triple.predicate.value == "item://ingredient"
        ]
        amounts = [triple for triple in triples if triple.predicate.value == "property://ingredient/amount"]
        assert ratings == ["4.5"]
        assert len(ingredients) == len(amounts) == 12


def test_n_quads_name_the_run(server: Server) -> None:
    """N-Quads say which run each statement is from."""
    assert f"<run://{SECOND}> .".encode() in server.get(f"/data.nq?iri={asked(RECIPE)}").body


def test_csv_is_a_table_of_statements(server: Server) -> None:
    """CSV has one row for each statement, with its datatype."""
    rows = list(csv.DictReader(io.StringIO(server.get(f"/data.csv?iri={asked(RECIPE)}").text)))
    rating = next(row for row in rows if row["predicate"] == "property://recipe/rating")
    assert (rating["object"], rating["datatype"]) == ("4.5", "http://www.w3.org/2001/XMLSchema#decimal")


def test_documents_can_be_kept_by_clients(server: Server) -> None:
    """A client that already has a document gets 304, by its tag and by its date."""
    address = f"/data.ttl?iri={asked(RECIPE)}"
    first = server.get(address)
    assert server.get(address, If_None_Match=first.headers["etag"]).status == 304
    assert server.get(address, If_Modified_Since=first.headers["last-modified"]).status == 304
    assert server.get(address, If_Modified_Since="Tue, 01 Jan 2019 00:00:00 GMT").status == 200
    assert server.get(address, If_None_Match='"other"').status == 200


def test_documents_name_their_alternates(server: Server) -> None:
    """A Link header leads from the page to the data."""
    link = server.get(f"/page?iri={asked(RECIPE)}").headers["link"]
    assert 'rel="alternate"; type="text/turtle"' in link
    assert "/data.ttl?iri=" in link


def test_what_was_never_seen_is_not_found(server: Server) -> None:
    """404 for the thing and for its documents; 400 for what is no IRI."""
    for address in ("/resource", "/page", "/data.ttl", "/timemap", "/feed.atom"):
        assert server.get(f"{address}?iri={asked('http://example.org/nothing')}").status == 404
    assert server.get("/resource?iri=nothing").status == 400
    assert server.get("/resource").status == 400
    assert server.get(f"/data.xyz?iri={asked(RECIPE)}").status == 404


def test_what_was_removed_is_gone_and_keeps_its_history(server: Server) -> None:
    """410 for programs and for people, who see the history; the run that saw it still has it."""
    assert server.get(f"/data.ttl?iri={asked(GONE)}").status == 410
    page = server.get(f"/page?iri={asked(GONE)}", Accept="text/html")
    assert page.status == 410
    assert "removed" in page.text
    assert f"/run/{FIRST}/resource" in page.text
    assert server.get(f"/run/{FIRST}/resource?iri={asked(GONE)}").status == 200
    assert server.get(f"/run/{SECOND}/resource?iri={asked(GONE)}").status == 404


def test_no_acceptable_format_is_said(server: Server) -> None:
    """406 for a client that wants neither pages nor data."""
    assert server.get(f"/resource?iri={asked(RECIPE)}", Accept="image/png").status == 406


@pytest.fixture
def home(tmp_path: Path, add_run: AddRun) -> object:
    store = open_store(tmp_path / "store")
    add_run(store, 1, thing("a%20b", "A b") + thing("page.html", "Page"))
    return store


def test_own_iris_have_real_addresses(home: object) -> None:
    """Under ``--base`` the IRI of an object is its address, and its documents have suffixes."""
    with serving(home, base="http://data.example.org/") as server:  # type: ignore[arg-type]
        thing_answer = server.get("/things/a%20b", Accept="text/turtle")
        assert thing_answer.status == 303
        assert thing_answer.headers["location"] == "/things/a%20b.ttl"
        document = server.get("/things/a%20b.ttl")
        assert document.status == 200
        assert b"<http://data.example.org/things/a%20b>" in document.body
        page = server.get("/things/a%20b.html")
        assert page.headers["content-type"].startswith("text/html")
        assert server.get("/things/none").status == 404


def test_an_own_iri_that_looks_like_a_document_is_still_a_thing(home: object) -> None:
    """An object whose IRI ends in .html is not taken for the document of another."""
    with serving(home, base="http://data.example.org/") as server:  # type: ignore[arg-type]
        answer = server.get("/things/page.html", Accept="text/turtle")
        assert answer.status == 303
        assert server.get(answer.headers["location"]).status == 200


def test_what_xml_has_no_name_for_is_no_broken_xml(tmp_path: Path) -> None:
    """A predicate that ends with a number is no element: the document, the query and the export say so."""
    store = open_store(tmp_path / "store")
    iri = "http://data.example.org/things/1"
    add_things(store, 1, thing("1", "one") + f'<{iri}> <property://sum/2026> "7" .\n', tmp_path)
    with serving(store) as server:
        for path in (f"/data.rdf?iri={iri}", f"/sparql?query={quote(f'DESCRIBE <{iri}>')}&format=rdf"):
            answer = server.get(path)
            assert answer.status in (400, 406)
            assert "RDF/XML cannot write <property://sum/2026>" in answer.text
        assert "property://sum/2026" in server.get(f"/data.ttl?iri={iri}").text
        assert server.get("/data.rdf?iri=http://data.example.org/things").status == 200
    with pytest.raises(UsageError, match="take another format"):
        write_export(store.runs, "current", ExportFormat.RDFXML, tmp_path / "out.rdf")
    assert not (tmp_path / "out.rdf").exists()
