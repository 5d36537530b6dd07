"""Where a SPARQL 1.1 server takes queries, updates and whole graphs, and the credentials for it."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from rdfcrawl.dataclass import dataclass
from rdfcrawl.rdf.endpoint import NOBODY, Credentials, checked_address, credentials_for

DATA = "RDFCRAWL_SPARQL"
CHANGES = "RDFCRAWL_CHANGES"
"""The prefix of the environment variables for the credentials and the endpoints of a server."""
_GRAPHDB = "/repositories/"


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where a server takes queries, updates and, if it has that, whole graphs."""

    query: str
    update: str
    graphs: str | None = None


def endpoints_of(address: str, variables: str = DATA) -> Endpoints:
    """The endpoints of a server, as the usual servers lay them out; the environment can name others.

    Known are Oxigraph (``…/query``, or the bare host), Fuseki (``…/DATASET/query`` or ``/sparql``), GraphDB and RDF4J
    (``…/repositories/NAME``) and Virtuoso (``…/sparql`` or ``…/sparql-auth``).
    """
    address = checked_address(address, variables).rstrip("/")
    parent, _, last = address.rpartition("/")
    has_dataset = urlsplit(parent).path.strip("/") != ""
    if _GRAPHDB in urlsplit(address).path:
        found = Endpoints(address, f"{address}/statements", f"{address}/rdf-graphs/service")
    elif last in ("query", "sparql") and has_dataset:
        found = Endpoints(address, f"{parent}/update", f"{parent}/data")
    elif last == "query":
        found = Endpoints(address, f"{parent}/update", f"{parent}/store")
    elif last in ("sparql", "sparql-auth"):
        found = Endpoints(address, f"{parent}/sparql-auth", f"{parent}/sparql-graph-crud-auth")
    else:
        found = Endpoints(f"{address}/query", f"{address}/update", f"{address}/store")
    return Endpoints(
        os.environ.get(f"{variables}_QUERY_URL") or found.query,
        os.environ.get(f"{variables}_UPDATE_URL") or found.update,
        os.environ.get(f"{variables}_GRAPH_STORE_URL") or found.graphs,
    )


def credentials_at(address: str, variables: str, data: str | None = None) -> Credentials:
    """The credentials for a store; changes at the same server as the data use those for the data."""
    found = credentials_for(address, variables)
    if found == NOBODY and data is not None and urlsplit(data).netloc == urlsplit(address).netloc:
        return credentials_for(data, DATA)
    return found
