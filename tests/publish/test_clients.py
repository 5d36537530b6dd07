"""Clients that others wrote, against a real server."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from xml.dom.minidom import Document
from xml.etree import ElementTree as ET

import pyoxigraph as ox
import pytest
import rdflib
from SPARQLWrapper import Wrapper

from rdfcrawl.store.folder import open_store
from tests.publish.conftest import RECIPE, SECOND, AddRun, Server, serving, thing
from tests.publish.conftest import asked as asked_iri

ATOM = "{http://www.w3.org/2005/Atom}"
GRAPH_QUERIES = (
    "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } LIMIT 5",
    "DESCRIBE ?s WHERE { ?s <item://recipe> ?o } LIMIT 1",
)
GRAPH_FORMATS = (Wrapper.TURTLE, Wrapper.N3, Wrapper.RDF, Wrapper.RDFXML, Wrapper.XML, Wrapper.JSONLD, Wrapper.JSON)


def asked(server: Server, query: str, form: str, method: str = Wrapper.GET) -> object:
    client = Wrapper.SPARQLWrapper(f"{server.address}/sparql", returnFormat=form)
    client.setMethod(method)
    client.setQuery(query)
    return client.query().convert()


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("form", GRAPH_FORMATS)
@pytest.mark.parametrize("query", GRAPH_QUERIES)
def test_sparqlwrapper_gets_graphs_in_every_format(server: Server, query: str, form: str) -> None:
    """It names formats in its own words, in three parameters and in Accept; every answer is one that it can read."""
    found = asked(server, query, form)
    graph = found if isinstance(found, rdflib.Graph) else rdflib.Graph()
    if isinstance(found, bytes):
        graph.parse(data=found, format="turtle")
    elif isinstance(found, dict | list):
        graph.parse(data=json.dumps(found), format="json-ld")
    elif isinstance(found, Document):
        graph.parse(data=found.toxml(), format="xml")
    assert len(graph) > 0


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("method", [Wrapper.GET, Wrapper.POST])
@pytest.mark.parametrize("form", [Wrapper.JSON, Wrapper.XML, Wrapper.CSV, Wrapper.TSV, Wrapper.TURTLE])
def test_sparqlwrapper_gets_rows_in_every_format(server: Server, form: str, method: str) -> None:
    """Also where it asks for rows in a format of graphs: then it is told what it gets."""
    found = asked(server, "SELECT ?s WHERE { ?s <item://recipe> ?o } LIMIT 2", form, method)
    assert found


def test_other_words_are_left_to_the_accept_header(server: Server) -> None:
    """A format of rows for a graph, or the other way round, is no mistake; an unknown word is one."""
    construct = "/sparql?query=CONSTRUCT%20WHERE%20%7B%3Fs%20%3Fp%20%3Fo%7D%20LIMIT%201"
    assert server.get(f"{construct}&format=csv", accept="text/turtle").headers["content-type"].startswith("text/turtle")
    assert server.get(f"{construct}&format=rdf+xml").headers["content-type"] == "application/rdf+xml"
    assert server.get(f"{construct}&format=nonsense").status == 400


COMUNICA = "application/n-quads,application/trig;q=0.95,application/ld+json;q=0.9,application/n-triples;q=0.8,*/*;q=0.1"


def test_who_prefers_quads_finds_an_object_in_the_default_graph(server: Server) -> None:
    """Comunica asks for N-Quads first and then looks into the default graph; who names the suffix gets the graphs."""
    answer = server.get(f"/data?iri={asked_iri(RECIPE)}", accept=COMUNICA)
    assert answer.headers["content-type"] == "application/n-quads"
    quads = list(ox.parse(answer.body, ox.RdfFormat.N_QUADS))
    assert any(quad.subject == ox.NamedNode(RECIPE) for quad in quads)
    assert {quad.graph_name for quad in quads} == {ox.DefaultGraph()}


def test_a_timegate_is_asked_as_rfc_7089_says(server: Server) -> None:
    """The address that it leads to is absolute, and a blank Accept-Datetime means the latest."""
    latest = server.get("/timegate")
    assert latest.headers["location"].startswith(server.address)
    assert server.get("/timegate", accept_datetime="  ").headers["location"] == latest.headers["location"]


@pytest.mark.parametrize("path", [f"/run/{SECOND}/dump.nq.gz", "/current.nt.gz"])
def test_a_dump_is_sent_once(server: Server, path: str) -> None:
    """A client that has it is told so, by its tag and by its date."""
    first = server.get(path)
    for condition in ({"if_none_match": first.headers["etag"]}, {"if_modified_since": first.headers["last-modified"]}):
        again = server.get(path, **condition)
        assert (again.status, again.body) == (304, b"")
    assert server.get(path, if_none_match='"other"').body == first.body


def test_the_current_state_is_a_dump(server: Server) -> None:
    """It has what a query over the current state finds, each triple once; the description of the data set names it."""
    dumped = server.get("/current.nt.gz")
    assert dumped.headers["content-type"] == "application/gzip"
    lines = gzip.decompress(dumped.body).decode().splitlines()
    assert lines == sorted(set(lines))
    asked_for = "/sparql?query=CONSTRUCT%20WHERE%20%7B%3Fs%20%3Fp%20%3Fo%7D"
    found = server.get(asked_for, accept="application/n-triples").text
    # The index writes 12 as an integer where the model says that it is an int.
    assert [line.split(" ", 2)[:2] for line in lines] == sorted(line.split(" ", 2)[:2] for line in found.splitlines())
    description = ox.parse(server.get("/.well-known/void", accept="text/turtle").body, ox.RdfFormat.TURTLE)
    named = {quad.object for quad in description if quad.predicate.value.endswith(("#dataDump", "#downloadURL"))}
    assert ox.NamedNode(f"{server.address}/current.nt.gz") in named


def test_the_dump_of_the_current_state_follows_the_store(tmp_path: Path, add_run: AddRun) -> None:
    """Without runs it is empty; each new state has a tag of its own; a part of it can be asked for."""
    store = open_store(tmp_path / "store")
    with serving(store) as server:
        assert gzip.decompress(server.get("/current.nt.gz").body) == b""
    tags = set()
    for run, label in ((1, "old"), (2, "new")):
        add_run(store, run, thing("a", label))
        with serving(store) as server:
            dumped = server.get("/current.nt.gz")
            assert f'"{label}"' in gzip.decompress(dumped.body).decode()
            tags.add(dumped.headers["etag"])
            part = server.get("/current.nt.gz", range="bytes=0-9")
            assert (part.status, part.body) == (206, dumped.body[:10])
    assert len(tags) == 2


def test_a_feed_reader_follows_the_pages_of_a_feed(tmp_path: Path, add_run: AddRun) -> None:
    """Every change is in one page, by a name that is an address with one fragment, also where the IRI has one."""
    store = open_store(tmp_path / "store")
    add_run(store, 1, "".join(thing(f"list#{number:03}", f"thing {number}") for number in range(120)))
    found: list[str] = []
    with serving(store) as server:
        address: str | None = "/feed.atom?class=item://thing"
        while address is not None:
            feed = ET.fromstring(server.get(address).body)
            found += [entry.findtext(f"{ATOM}id") or "" for entry in feed.iter(f"{ATOM}entry")]
            links = {link.get("rel"): link.get("href") for link in feed.findall(f"{ATOM}link")}
            address = (links.get("next") or "").removeprefix(server.address) or None
    assert len(found) == len(set(found)) == 120
    assert all(one.count("#") == 1 and "page=" not in one for one in found)
