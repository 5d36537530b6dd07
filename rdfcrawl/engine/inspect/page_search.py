"""On which archived pages an object can be: its own, those of the objects that lead to it, any that mentions it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cached_property
from urllib.parse import unquote, urlsplit

from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.extract.plan import ModelPlan
from rdfcrawl.engine.fetch.session import Source
from rdfcrawl.engine.fetch.warc.source import FoundAnswer, WarcSource
from rdfcrawl.errors import DamagedFile
from rdfcrawl.rdf.ntriples import iri, split
from rdfcrawl.store.files.lines import lines_about, read_lines
from rdfcrawl.store.folder import Store
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.runs.integrity import ensure_whole
from rdfcrawl.store.runs.record import RunFile, RunRecord
from rdfcrawl.store.runs.sources import pages_of


class Whereabouts:
    """Searches the graph of a run and its archived pages."""

    def __init__(self, store: Store, record: RunRecord, plan: ModelPlan, source: Source) -> None:
        self._runs = store.runs
        self._record = record
        self._plan = plan
        self._source = source

    def predicates_to(self, subject: str) -> frozenset[str]:
        """The predicates by which the graph leads to an object: they say what it was read as."""
        return frozenset(predicate[1:-1] for _, predicate in self._edges.get(iri(subject), ()))

    def says(self, subject: str, predicates: Collection[str]) -> bool:
        """Whether the graph has a value of an object with one of these predicates."""
        path = self._runs.graph(self._record.id)
        if not path.exists():
            return False
        try:
            found = (split(line.decode())[1][1:-1] for line in lines_about(path, iri(subject).encode()))
            return any(predicate in predicates for predicate in found)
        except DamagedFile as damage:
            say_once(str(damage))
            return False

    def likely_pages(self, subject: str) -> Iterator[str]:
        """Addresses, the likeliest first: those that the run has noted, the object's own, those around it."""
        seen: set[str] = set()
        noted = pages_of(self._runs, self._record, subject)
        for address in (*noted, *self._own(subject), *self._above(subject)):
            if address not in seen:
                seen.add(address)
                yield address

    def mentions(self, subject: str) -> Iterator[str]:
        """The addresses of all kept pages in which the last part of the object's address occurs."""
        if not isinstance(self._source, WarcSource):
            return
        last = urlsplit(subject).path.rstrip("/").rpartition("/")[2]
        needles = {last.encode(), unquote(last).encode()} - {b""}
        for found in self._source.found():
            if found.answer.status < 300 and found.answer.method == "GET" and _is_document(found):
                answer = self._source.read(found)
                if answer and any(needle in answer.body for needle in needles):
                    yield found.answer.address

    def record_of(self, address: str) -> FoundAnswer | None:
        """The record of an archived page."""
        return self._source.find(address) if isinstance(self._source, WarcSource) else None

    def _own(self, subject: str) -> Iterator[str]:
        address = clean_address(subject)
        yield address
        removed = {page.params for page in self._plan.model.pages.values() if page.params}
        if removed and isinstance(self._source, WarcSource):
            for found in self._source.found():
                asked = found.answer.address
                if asked != address and any(clean_address(asked, params) == address for params in removed):
                    yield asked

    def _above(self, subject: str) -> Iterator[str]:
        waiting, seen = [iri(subject)], {iri(subject)}
        while waiting:
            for parent, _ in self._edges.get(waiting.pop(0), ()):
                if parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
                    yield from self._own(parent[1:-1])

    @cached_property
    def _edges(self) -> dict[str, list[tuple[str, str]]]:
        """The edges between objects, by what they lead to; none are known of a run without its graph."""
        edges: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        items = {iri(item.predicate) for item in self._plan.model.items()}
        for line in self._lines():
            parent, predicate, target = split(line.decode())
            if predicate in items:
                edges[target].append((parent, predicate))
        return dict(edges)

    def _lines(self) -> Iterator[bytes]:
        if not self._runs.has_graph(self._record):
            return
        try:
            ensure_whole(self._runs, self._record, (RunFile.GRAPH,))
        except DamagedFile as damage:
            say_once(str(damage))
            return
        yield from read_lines(self._runs.graph(self._record.id))


def _is_document(found: FoundAnswer) -> bool:
    kind = found.answer.content_type.partition(";")[0].strip().lower()
    return kind in ("", "text/html", "text/plain", "text/csv") or kind.endswith(("xml", "json"))
