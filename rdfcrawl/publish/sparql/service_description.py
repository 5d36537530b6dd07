"""What the endpoint can do, in the words of SPARQL 1.1 Service Description."""

from __future__ import annotations

from collections.abc import Iterator

import pyoxigraph as ox
from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.publish.web.dataset import graph_format
from rdfcrawl.publish.web.documents import serialise
from rdfcrawl.publish.web.site import send, site_of
from rdfcrawl.rdf import terms
from rdfcrawl.store.query.prepare import graphs_named

SD = "http://www.w3.org/ns/sparql-service-description#"
_FORMATS = "http://www.w3.org/ns/formats/"
_RESULTS = ("SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV")
_GRAPHS = ("Turtle", "JSON-LD", "N-Triples", "RDF_XML")


def describe_service(request: Request) -> Response:
    """``/sparql`` without a query, for programs."""
    site, form = site_of(request), graph_format(request)
    address = site.root(request) + request.url.path
    with site.snapshots.using() as snapshot:
        changes = request.url.path.endswith("/changes")
        triples = [(triple, address) for triple in _triples(snapshot, address, changes)]
        return send(request, serialise(triples, form, {"sd": SD}), form, modified=snapshot.modified)


def _triples(snapshot: Snapshot, address: str, changes: bool) -> Iterator[ox.Triple]:
    held = (snapshot.changes if changes else snapshot.data).held
    service, dataset, default = f"{address}#service", f"{address}#dataset", f"{address}#default"
    yield _triple(service, terms.RDF_TYPE, SD + "Service")
    yield _triple(service, SD + "endpoint", address)
    yield _triple(service, SD + "supportedLanguage", SD + "SPARQL11Query")
    for name in (*_RESULTS, *_GRAPHS):
        yield _triple(service, SD + "resultFormat", _FORMATS + name)
    yield _triple(service, SD + "defaultDataset", dataset)
    yield _triple(dataset, terms.RDF_TYPE, SD + "Dataset")
    yield _triple(dataset, SD + "defaultGraph", default)
    yield _triple(default, terms.RDF_TYPE, SD + "Graph")
    for number, graph in enumerate(sorted(graphs_named(held)), 1):
        named = f"{address}#graph-{number}"
        yield _triple(dataset, SD + "namedGraph", named)
        yield _triple(named, terms.RDF_TYPE, SD + "NamedGraph")
        yield _triple(named, SD + "name", graph)


def _triple(subject: str, predicate: str, value: str) -> ox.Triple:
    return ox.Triple(ox.NamedNode(subject), ox.NamedNode(predicate), ox.NamedNode(value))
