"""A SPARQL 1.1 server as a triple store: graphs are copied there in batches and verified, queries are asked there.

What a store has copied is written down beside it, in a graph of the store's own, so that several stores can share a
server and each drops and replaces only what is its own.
"""

from __future__ import annotations

import io
import json
import urllib.error
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rdfcrawl.errors import StoreError
from rdfcrawl.store.answer import Answer, Limits
from rdfcrawl.store.export import without_graphs
from rdfcrawl.store.files import GraphFile, exclusive, read_lines
from rdfcrawl.store.ntriples import iri, literal
from rdfcrawl.store.query import Query, QueryForm, ResultFormat, undeclared
from rdfcrawl.store.remote_access import Access, Credentials, Endpoints, Refused, first_line
from rdfcrawl.store.triples import EMPTY, Held, Wanted

BATCH_LINES = 10_000
_NOTES = "rdfcrawl://held/"
_FINGERPRINT = "predicate://fingerprint"
_CURRENT = "predicate://current"
_KEY = "predicate://key"
_NO_GRAPH_STORE = (404, 405, 501)
_FORMS = {"SELECT": QueryForm.SOLUTIONS, "ASK": QueryForm.BOOLEAN}
_MEDIA_TYPES = {
    ResultFormat.JSON: "application/sparql-results+json",
    ResultFormat.XML: "application/sparql-results+xml",
    ResultFormat.CSV: "text/csv",
    ResultFormat.TSV: "text/tab-separated-values",
    ResultFormat.TURTLE: "text/turtle",
    ResultFormat.N_TRIPLES: "application/n-triples",
    ResultFormat.JSON_LD: "application/ld+json",
    ResultFormat.RDF_XML: "application/rdf+xml",
}


class RemoteStore:
    """The copies that one store keeps at a server; ``owner`` is the store and which of its two kinds of graphs."""

    def __init__(
        self, endpoints: Endpoints, credentials: Credentials, owner: str, lock: Path, access: Access | None = None
    ) -> None:
        self._endpoints = endpoints
        self._credentials = credentials
        self._notes = f"{_NOTES}{owner}"
        self._lock = lock
        self._access = access or Access(credentials)

    @property
    def location(self) -> str:
        """Where the server takes queries, for messages."""
        return self._endpoints.query

    def held(self) -> Held:
        """What this store has copied to the server."""
        return self._held(f"VALUES ?notes {{ {iri(self._notes)} }}")

    def held_by_all(self) -> Held:
        """What all stores that share the server have copied to it."""
        kind = self._notes.rpartition("/")[2]
        return self._held(f'FILTER(STRSTARTS(STR(?notes), "{_NOTES}") && STRENDS(STR(?notes), "/{kind}"))')

    def writing(self, wait: float) -> AbstractContextManager[bool]:
        """Be the one process of this store that writes to the server."""
        return exclusive(self._lock, wait)

    def hold(self, wanted: Wanted, anew: bool = False) -> None:
        """Copy the wanted graphs that are not there yet, and drop those that are no longer wanted."""
        held = self.held()
        fingerprints = wanted.fingerprints()
        for graph, found in held.graphs.items():
            if anew or fingerprints.get(graph) != found:
                self._update(f"DROP SILENT GRAPH {iri(graph)}")
                self._update(f"DELETE WHERE {{ GRAPH {iri(self._notes)} {{ {iri(graph)} ?p ?o }} }}")
        for file in wanted.files:
            if anew or held.graphs.get(file.graph) != file.fingerprint:
                self._copy(file)
        self._note_current(wanted)

    def answer(self, query: Query, formats: Mapping[QueryForm, ResultFormat], limits: Limits) -> Answer:
        """Ask a query at the server; the prefixes that it does not declare are declared for it."""
        used = undeclared(query.text, query.prefixes)
        # On the query's own first line, so that the server's line numbers stay right.
        text = "".join(f"PREFIX {name}: {iri(start)} " for name, start in used.items()) + query.text
        wrapper = self._wrapper(text, limits.seconds)
        for graph in query.default or ():
            wrapper.addDefaultGraph(graph)
        for graph in query.named or ():
            wrapper.addNamedGraph(graph)
        form = _FORMS.get(wrapper.queryType or "SELECT", QueryForm.GRAPH)
        wrapper.addCustomHttpHeader("Accept", _MEDIA_TYPES[formats[form]])
        return Answer(form, formats[form], io.BytesIO(self._ask(wrapper)))

    def _copy(self, file: GraphFile) -> None:
        # Sending a batch twice changes nothing, so that each may be tried again.
        self._update(f"DROP SILENT GRAPH {iri(file.graph)}")
        lines = without_graphs(read_lines(file.path))
        count = 0
        while batch := list(islice(lines, BATCH_LINES)):
            self._send(file.graph, batch)
            count += len(batch)
        found = self._count(file.graph)
        if found != count:
            raise StoreError(f"{self.location} has {found} of the {count} triples of the graph {file.graph}")
        note = f"{iri(file.graph)} {iri(_FINGERPRINT)} {literal(file.fingerprint)}"
        self._update(f"INSERT DATA {{ GRAPH {iri(self._notes)} {{ {note} }} }}")

    def _send(self, graph: str, batch: Sequence[bytes]) -> None:
        if self._endpoints.graphs is not None:
            address = f"{self._endpoints.graphs}?graph={quote(graph, safe='')}"
            try:
                self._access.send("POST", address, b"\n".join(batch) + b"\n", "application/n-triples")
                return
            except Refused as refusal:
                if refusal.status not in _NO_GRAPH_STORE:
                    raise
                self._endpoints = Endpoints(self._endpoints.query, self._endpoints.update)
        self._update(f"INSERT DATA {{ GRAPH {iri(graph)} {{\n" + b"\n".join(batch).decode() + "\n} }")

    def _note_current(self, wanted: Wanted) -> None:
        here = iri(self._notes)
        notes = [f"{here} {iri(_KEY)} {literal(wanted.key)} ."]
        notes += [f"{here} {iri(_CURRENT)} {iri(graph)} ." for graph in wanted.default]
        self._update(
            f"DELETE WHERE {{ GRAPH {here} {{ {here} ?p ?o }} }} ; "
            f"INSERT DATA {{ GRAPH {here} {{ {' '.join(notes)} }} }}"
        )

    def _held(self, which_notes: str) -> Held:
        query = f"SELECT ?s ?p ?o {{ GRAPH ?notes {{ ?s ?p ?o }} {which_notes} }} ORDER BY ?s ?o"
        rows = list(self._rows(query))
        graphs = {subject: value for subject, predicate, value in rows if predicate == _FINGERPRINT}
        default = tuple(dict.fromkeys(value for _, predicate, value in rows if predicate == _CURRENT))
        key = next((value for _, predicate, value in rows if predicate == _KEY), "")
        return Held(graphs, default, key) if rows else EMPTY

    def _count(self, graph: str) -> int:
        ((count,),) = self._rows(f"SELECT (COUNT(*) AS ?n) {{ GRAPH {iri(graph)} {{ ?s ?p ?o }} }}")
        return int(count)

    def _rows(self, query: str) -> Iterator[tuple[str, ...]]:
        wrapper = self._wrapper(query, self._access.timeout)
        wrapper.addCustomHttpHeader("Accept", _MEDIA_TYPES[ResultFormat.JSON])
        try:
            results = json.loads(self._ask(wrapper))
            names = results["head"]["vars"]
            for binding in results["results"]["bindings"]:
                yield tuple(binding[name]["value"] for name in names)
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{self.location} does not answer as a SPARQL endpoint does: {error}") from error

    def _wrapper(self, text: str, seconds: float | None) -> Any:
        from SPARQLWrapper import POST, SPARQLWrapper

        wrapper = SPARQLWrapper(self._endpoints.query)
        wrapper.setMethod(POST)
        wrapper.setQuery(text)
        if seconds is not None:
            wrapper.setTimeout(max(1, round(seconds)))
        if header := self._credentials.header:
            wrapper.addCustomHttpHeader("Authorization", header)
        return wrapper

    def _ask(self, wrapper: Any) -> bytes:
        from SPARQLWrapper.SPARQLExceptions import SPARQLWrapperException

        try:
            response = wrapper.query().response
            content: bytes = response.read()
        except urllib.error.HTTPError as error:
            with error:
                said = first_line(error.read(4096))
            raise Refused(f"{self.location} refuses: {error.code} {error.reason}: {said}", error.code) from None
        except SPARQLWrapperException as error:
            raise StoreError(f"{self.location} refuses: {_reason(error)}") from None
        except OSError as error:
            raise StoreError(f"{self.location} does not answer: {getattr(error, 'reason', None) or error}") from error
        if "html" in (response.headers.get("Content-Type") or ""):
            raise StoreError(f"{self.location} is a web page, no SPARQL endpoint")
        return content

    def _update(self, text: str) -> None:
        self._access.send("POST", self._endpoints.update, text.encode(), "application/sparql-update")


def _reason(error: Exception) -> str:
    """What the server said; SPARQLWrapper wraps it in the text of a bytes object."""
    text = str(error).strip()
    _, marker, said = text.partition("Response:\n")
    said = said.removeprefix("b'").removeprefix('b"').rstrip("'\"").replace("\\n", "\n")
    return first_line(said.encode()) if marker and said.strip() else first_line(text.encode())
