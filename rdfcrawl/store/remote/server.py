"""A SPARQL 1.1 server as a triple store: graphs are copied there in batches and verified, queries are asked there.

What a store has copied is noted on the server too, in a graph of that store, so that several stores can share a
server and each drops and replaces only its own graphs.
"""

from __future__ import annotations

import io
import json
import logging
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from enum import Enum
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from rdfcrawl.errors import StoreError
from rdfcrawl.rdf.endpoint import ServerAccess
from rdfcrawl.rdf.lines import without_graphs
from rdfcrawl.rdf.ntriples import iri, literal
from rdfcrawl.rdf.servers import NoAnswer, Refused
from rdfcrawl.rdf.sparql import SparqlEndpoint
from rdfcrawl.store.files.lines import Advance, read_lines, unwatched
from rdfcrawl.store.files.locks import exclusive
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.query.answer import QueryAnswer, QueryLimits, QueryTimeout, describe_query
from rdfcrawl.store.query.clauses import with_graphs
from rdfcrawl.store.query.prepare import Query, QueryForm, ResultFormat
from rdfcrawl.store.remote.batches import MOST, UPDATES, WHOLE_GRAPHS
from rdfcrawl.store.remote.endpoints import Endpoints
from rdfcrawl.store.triples import EMPTY, GraphFile, Held, Wanted

MOST_LATE = 2
"""How often in succession a server may take too long for some triples before it is given up."""

_NOTES = "rdfcrawl://held/"
_FINGERPRINT = "predicate://fingerprint"
_CURRENT = "predicate://current"
_KEY = "predicate://key"
_OTHER_KIND = {"data": "changes", "changes": "data"}
_NO_GRAPH_STORE = (404, 405, 501)
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
_log = logging.getLogger(__name__)


class _Heeds(Enum):
    """What decides about the graphs that a server asks."""

    REQUESTS = "default-graph-uri"
    QUERIES = "FROM"
    NOTHING = "itself"


class RemoteStore:
    """The copies that one store keeps at a server; ``owner`` is the store and which of its two kinds of graphs."""

    def __init__(self, endpoints: Endpoints, owner: str, lock: Path, access: ServerAccess) -> None:
        self._endpoints = endpoints
        self._notes = f"{_NOTES}{owner}"
        self._lock = lock
        self._access = replace(access, repeats_late=False)
        # A user who queries should be told at once that the server is unavailable.
        self._asking = replace(access, attempts=1)
        self._batch = WHOLE_GRAPHS if endpoints.graphs else UPDATES
        self._heeded: _Heeds | None = None

    @property
    def location(self) -> str:
        """Where the server takes queries, for messages."""
        return self._endpoints.query

    def held(self) -> Held:
        """What this store has copied to the server."""
        return self._held(self._access, f"GRAPH {iri(self._notes)} {{ ?s ?p ?o }}")

    def held_by_all(self) -> Held:
        """What all stores that share the server have copied to it."""
        kind = self._notes.rpartition("/")[2]
        # Notes that have no key are those of a store that is being copied for the first time. By the key, also servers
        # that do not plan their queries find the notes without going through all that they hold.
        notes = f"GRAPH ?notes {{ ?notes {iri(_KEY)} ?key . ?s ?p ?o }}"
        of_this_kind = f'FILTER(STRSTARTS(STR(?notes), "{_NOTES}") && STRENDS(STR(?notes), "/{kind}"))'
        return self._held(self._asking, f"{notes} {of_this_kind}")

    def writing(self, wait: float) -> AbstractContextManager[bool]:
        """Lock out other processes of this store that would write to the server."""
        return exclusive(self._lock, wait)

    def hold(self, wanted: Wanted, anew: bool = False, advance: Advance = unwatched) -> None:
        """Copy the wanted graphs that are not there yet, and drop those that are no longer wanted."""
        self._ensure_no_namesakes()
        held = self.held()
        fingerprints = wanted.fingerprints()
        for graph, found in held.graphs.items():
            if anew or fingerprints.get(graph) != found:
                self._update(f"DROP SILENT GRAPH {iri(graph)}")
                self._update(f"DELETE WHERE {{ GRAPH {iri(self._notes)} {{ {iri(graph)} ?p ?o }} }}")
        missing = [file for file in wanted.files if anew or held.graphs.get(file.graph) != file.fingerprint]
        for number, file in enumerate(missing, 1):
            self._copy(file)
            advance(number / len(missing))
        self._note_current(wanted)
        if wanted.default and self._heeds(wanted.default[0]) is _Heeds.NOTHING:
            self._warn_of_other_graphs(wanted.default[0])

    def answer(self, query: Query, formats: Mapping[QueryForm, ResultFormat], limits: QueryLimits) -> QueryAnswer:
        """Send a query to the server; the prefixes that it does not declare are declared for it."""
        asked = describe_query(query, limits)
        form = asked.form
        # On the query's own first line, so that the server's line numbers stay right.
        text = "".join(f"PREFIX {name}: {iri(query.prefixes[name])} " for name in asked.undeclared) + query.text
        default, named = ((), ()) if asked.names_graphs else (query.default, query.named)
        access = replace(self._asking, timeout=limits.seconds)
        try:
            content = self._answered(access, text, formats[form], default, named)
        except NoAnswer as error:
            if error.in_time:
                raise
            raise QueryTimeout(f"{self.location} took more than {limits.seconds:g} seconds for the query") from None
        return QueryAnswer(form, formats[form], io.BytesIO(content))

    def _ensure_no_namesakes(self) -> None:
        """Refuse a data set that has the other kind of this store's graphs, under whatever address it got them."""
        store, _, kind = self._notes.rpartition("/")
        other = _OTHER_KIND[kind]
        if any(self._rows(self._access, f"SELECT ?s {{ GRAPH {iri(f'{store}/{other}')} {{ ?s ?p ?o }} }} LIMIT 1")):
            raise StoreError(
                f"{self.location} has the {other} of this store, and data and changes name their graphs alike; "
                f"name another server or data set for the {kind}, or empty this one if the {other} are elsewhere now"
            )

    def _copy(self, file: GraphFile) -> None:
        file.ensure_whole()
        # Sending a batch twice changes nothing, so each may be tried again.
        self._update(f"DROP SILENT GRAPH {iri(file.graph)}")
        lines = without_graphs(read_lines(file.path))
        while batch := list(islice(lines, MOST)):
            self._send_all(file.graph, batch)
        self._verify(file)
        note = f"{iri(file.graph)} {iri(_FINGERPRINT)} {literal(file.fingerprint)}"
        self._update(f"INSERT DATA {{ GRAPH {iri(self._notes)} {{ {note} }} }}")

    def _verify(self, file: GraphFile) -> None:
        """Make sure that the server has every triple; it may have merged values that are equal."""
        least, most = count_values(without_graphs(read_lines(file.path)))
        found = self._count(file.graph)
        if not least <= found <= most:
            raise StoreError(f"{self.location} has {found} of the {most} triples of the graph {file.graph}")
        if found < most:
            _log.info("%s keeps equal values of %s once: %d of %d triples", self.location, file.graph, found, most)

    def _send_all(self, graph: str, triples: Sequence[bytes]) -> None:
        """Send triples in portions of which the server takes each in about a second."""
        sent = late = 0
        while sent < len(triples):
            portion = triples[sent : sent + self._batch.lines]
            begun = time.monotonic()
            try:
                is_taken = self._send(graph, portion)
            except NoAnswer as error:
                late += 1
                if error.in_time or late == MOST_LATE:
                    raise
                self._batch = self._batch.after_none(len(portion))
                continue
            if is_taken:
                late = 0
                sent += len(portion)
                self._batch = self._batch.after(len(portion), time.monotonic() - begun)

    def _send(self, graph: str, triples: Sequence[bytes]) -> bool:
        """Send triples; returns whether the server has taken them. It has not where it turns out to want updates."""
        if self._endpoints.graphs is None:
            self._update(f"INSERT DATA {{ GRAPH {iri(graph)} {{\n" + b"\n".join(triples).decode() + "\n} }")
            return True
        address = f"{self._endpoints.graphs}?graph={quote(graph, safe='')}"
        try:
            self._access.send("POST", address, b"\n".join(triples) + b"\n", {"Content-Type": "application/n-triples"})
        except Refused as refusal:
            if refusal.status not in _NO_GRAPH_STORE:
                raise
            self._endpoints = Endpoints(self._endpoints.query, self._endpoints.update)
            self._batch = UPDATES
            return False
        return True

    def _note_current(self, wanted: Wanted) -> None:
        here = iri(self._notes)
        notes = [f"{here} {iri(_KEY)} {literal(wanted.key)} ."]
        notes += [f"{here} {iri(_CURRENT)} {iri(graph)} ." for graph in wanted.default]
        self._update(
            f"DELETE WHERE {{ GRAPH {here} {{ {here} ?p ?o }} }} ; "
            f"INSERT DATA {{ GRAPH {here} {{ {' '.join(notes)} }} }}"
        )

    def _answered(
        self, access: ServerAccess, text: str, written: ResultFormat, default: Sequence[str], named: Sequence[str]
    ) -> bytes:
        """The answer over these graphs; a server that does not heed those of a request finds them in the query."""
        heeds = self._heeds(default[0]) if default else _Heeds.REQUESTS
        if heeds is _Heeds.QUERIES and (rewritten := with_graphs(text, default, named)):
            try:
                return self._ask(access, rewritten, written)
            except Refused as refusal:
                # What the query itself has wrong, the server says once more of the query as it was written.
                _log.debug("%s refuses graphs in the query: %s", self.location, refusal)
        if heeds is not _Heeds.REQUESTS:
            self._warn_of_other_graphs(default[0])
        return self._ask(access, text, written, default, named)

    def _heeds(self, current: str) -> _Heeds:
        """Which graphs the server asks: those that a request names, those that a query names, or neither."""
        if self._heeded is None:
            self._heeded = self._found_to_heed(current)
        return self._heeded

    def _found_to_heed(self, current: str) -> _Heeds:
        # Where no graph is asked, something of the current one is missing; where all are asked, there are notes.
        some = f"{{ SELECT ?s ?p ?o {{ GRAPH {iri(current)} {{ ?s ?p ?o }} }} LIMIT 1 }}"
        probe = f"SELECT ?s {{ {{ {some} FILTER NOT EXISTS {{ ?s ?p ?o }} }} UNION {{ ?s {iri(_KEY)} ?o }} }} LIMIT 1"
        try:
            if not any(self._rows(self._asking, probe, (current,), (current,))):
                return _Heeds.REQUESTS
        except StoreError as error:
            _log.debug("%s cannot be asked whether it knows default-graph-uri: %s", self.location, error)
            return _Heeds.REQUESTS
        try:
            is_other = any(self._rows(self._asking, with_graphs(probe, (current,), (current,)) or probe))
        except StoreError as error:
            _log.debug("%s cannot be asked whether it knows FROM: %s", self.location, error)
            is_other = True
        return _Heeds.NOTHING if is_other else _Heeds.QUERIES

    def _warn_of_other_graphs(self, current: str) -> None:
        say_once(
            f"{self.location} ignores default-graph-uri and FROM: a query that names no graph is not asked of the "
            f"current state, but of all graphs or of none; name one, as in GRAPH <{current}> {{ … }}"
        )

    def _held(self, access: ServerAccess, where: str) -> Held:
        query = f"SELECT ?s ?p ?o {{ {where} }} ORDER BY ?s ?o"
        rows = list(self._rows(access, query))
        graphs = {subject: value for subject, predicate, value in rows if predicate == _FINGERPRINT}
        default = tuple(dict.fromkeys(value for _, predicate, value in rows if predicate == _CURRENT))
        key = next((value for _, predicate, value in rows if predicate == _KEY), "")
        return Held(graphs, default, key) if rows else EMPTY

    def _count(self, graph: str) -> int:
        ((count,),) = self._rows(self._access, f"SELECT (COUNT(*) AS ?n) {{ GRAPH {iri(graph)} {{ ?s ?p ?o }} }}")
        return int(count)

    def _rows(
        self, access: ServerAccess, query: str, default: Iterable[str] = (), named: Iterable[str] = ()
    ) -> Iterator[tuple[str, ...]]:
        try:
            results = json.loads(self._ask(access, query, ResultFormat.JSON, default, named))
            names = results["head"]["vars"]
            for binding in results["results"]["bindings"]:
                yield tuple(binding[name]["value"] for name in names)
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{self.location} does not answer as a SPARQL endpoint does: {error}") from error

    def _ask(
        self,
        access: ServerAccess,
        query: str,
        written: ResultFormat,
        default: Iterable[str] = (),
        named: Iterable[str] = (),
    ) -> bytes:
        reply = SparqlEndpoint(self._endpoints.query, access).ask(query, _MEDIA_TYPES[written], default, named)
        if "html" in reply.content_type:
            raise StoreError(f"{self.location} is a web page, not a SPARQL endpoint")
        return reply.body

    def _update(self, text: str) -> None:
        SparqlEndpoint(self._endpoints.update, self._access).update(text)


def count_values(triples: Iterable[bytes]) -> tuple[int, int]:
    """The least and the most triples that a server can have of sorted triples.

    Some servers keep values rather than spellings, so that 1 and 1.0 of one subject and predicate are one.
    """
    most = 0
    could_be_one = 0
    last = (b"", b"")
    for triple in triples:
        most += 1
        subject, predicate, value = triple.split(b" ", 2)
        if value.startswith(b'"') and value.endswith(b"> ."):
            could_be_one += (subject, predicate) == last
            last = subject, predicate
    return most - could_be_one, most
