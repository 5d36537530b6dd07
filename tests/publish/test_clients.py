"""Clients that others wrote, against a real server."""

from __future__ import annotations

import json
from xml.dom.minidom import Document

import pytest
import rdflib
from SPARQLWrapper import Wrapper

from tests.publish.conftest import Server

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
