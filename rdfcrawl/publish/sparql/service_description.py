"""What the endpoint can do, in the words of SPARQL 1.1 Service Description."""

from __future__ import annotations

from collections.abc import Iterator

import pyoxigraph as ox
from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.publish.web.documents import serialise, triple
from rdfcrawl.publish.web.negotiation import GRAPH_FORMATS
from rdfcrawl.publish.web.site import negotiated, send, site_of
from rdfcrawl.rdf import terms
from rdfcrawl.store.query.prepare import graphs_named

SD = "http://www.w3.org/ns/sparql-service-description#"
_FORMATS = "http://www.w3.org/ns/formats/"
_RESULTS = ("SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV")
_GRAPHS = ("Turtle", "JSON-LD", "N-Triples", "RDF_XML")


def describe_service(request: Request) -> Response:
    """``/sparql`` without a query, for programs."""
    site, form = site_of(request), negotiated(request, GRAPH_FORMATS)
    address = site.root(request) + request.url.path
    with site.snapshots.using() as snapshot:
        changes = request.url.path.endswith("/changes")
        triples = [(found, address) for found in _described(snapshot, address, changes)]
        return send(request, serialise(triples, form, {"sd": SD}), form, modified=snapshot.modified)


def _described(snapshot: Snapshot, address: str, changes: bool) -> Iterator[ox.Triple]:
    held = (snapshot.changes if changes else snapshot.data).held
    service, dataset, default = f"{address}#service", f"{address}#dataset", f"{address}#default"
    yield triple(service, terms.RDF_TYPE, SD + "Service")
    yield triple(service, SD + "endpoint", address)
    yield triple(service, SD + "supportedLanguage", SD + "SPARQL11Query")
    for name in (*_RESULTS, *_GRAPHS):
        yield triple(service, SD + "resultFormat", _FORMATS + name)
    yield triple(service, SD + "defaultDataset", dataset)
    yield triple(dataset, terms.RDF_TYPE, SD + "Dataset")
    yield triple(dataset, SD + "defaultGraph", default)
    yield triple(default, terms.RDF_TYPE, SD + "Graph")
    for number, graph in enumerate(sorted(graphs_named(held)), 1):
        named = f"{address}#graph-{number}"
        yield triple(dataset, SD + "namedGraph", named)
        yield triple(named, terms.RDF_TYPE, SD + "NamedGraph")
        yield triple(named, SD + "name", graph)
