"""The SPARQL 1.1 protocol, read-only: ``/sparql`` asks the data, ``/sparql/changes`` the changes.

An answer is complete before its first byte is sent, so that what goes wrong is an HTTP error and never half a result.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import IO
from urllib.parse import parse_qsl
from weakref import WeakKeyDictionary

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.data.objects import node_of
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.publish.server.lanes import RETRY_AFTER, Lane, Overcrowded, client_of
from rdfcrawl.publish.sparql import editor
from rdfcrawl.publish.sparql.result import BYTES_SHOWN, ROWS_SHOWN
from rdfcrawl.publish.sparql.service_description import describe_service
from rdfcrawl.publish.web.negotiation import GRAPH_FORMATS, HTML, RESULT_FORMATS, Format, choose, named
from rdfcrawl.publish.web.site import site_of
from rdfcrawl.store.index import Reader
from rdfcrawl.store.query.answer import (
    MIB,
    AnswerTooLarge,
    QueryAnswer,
    QueryLimits,
    QueryMemory,
    QueryTimeout,
    run_query,
)
from rdfcrawl.store.query.prepare import Query, QueryError, QueryForm, ResultFormat, graphs_asked, graphs_named
from rdfcrawl.store.query.processes import Template

QUERY_BYTES = 1_000_000
_LONGEST_TRIAL = 10.0
_PROCESSORS = os.cpu_count() or 1
_FEW = min(max(1, _PROCESSORS // 2), 4)
_WAITING, _WAITING_EACH = 60, 15
UNREAD_BYTES = 4 << 30
_CHUNK = 1 << 16
_FORM = "application/x-www-form-urlencoded"
_QUERY = "application/sparql-query"
_STATUS = {QueryTimeout: 504, AnswerTooLarge: 413}


@dataclass(frozen=True, slots=True)
class Asked:
    """What a client asks for: a query, the graphs it names, and the format it names, if any.

    People can ask to see a query without running it, and to get the answer as a file.
    """

    query: str | None
    default: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    format: str | None = None
    run: bool = True
    download: bool = False


@dataclass(frozen=True, slots=True)
class Round:
    """How many queries are tried at once, with how much time of the processor and memory, and how far they give way."""

    at_once: int
    processor: float | None
    memory: int | None
    niceness: int


ROUNDS = (
    Round(min(_PROCESSORS + 1, 8), 0.25, 256 * MIB, 0),
    Round(_FEW, 2.0, 512 * MIB, 5),
    Round(_FEW, None, None, 10),
)
"""Each query begins in the first round, and again in the next one if it has not come to an end."""


class Queue:
    """How many queries are answered at once, how many may queue, and how many bytes may wait to be read.

    Nobody can tell from a query how long it takes. So each is tried for a moment, and one that takes longer begins
    again in a lane of its own, with more time: it delays others of its kind, and nobody who asks a small question.
    """

    def __init__(self, rounds: Sequence[Round] = ROUNDS) -> None:
        self._lanes = [(each, Lane(each.at_once, _WAITING, _WAITING_EACH)) for each in rounds]
        # Threads of their own: who waits for a query keeps nobody from making a page.
        self._threads = ThreadPoolExecutor(sum(each.at_once for each in rounds), "query")
        self._unread: WeakKeyDictionary[IO[bytes], int] = WeakKeyDictionary()
        self.template = Template()

    async def answer(self, client: str, limits: QueryLimits, run: Callable[[QueryLimits], QueryAnswer]) -> QueryAnswer:
        """Let a query run within its limits when it is its client's turn; raises ``QueryError``."""
        if sum(size for file, size in list(self._unread.items()) if not file.closed) > UNREAD_BYTES:
            raise _busy()
        loop = asyncio.get_running_loop()
        try:
            for each, lane in self._lanes[:-1]:
                async with lane.place(client):
                    with suppress(QueryTimeout, QueryMemory):
                        return await loop.run_in_executor(self._threads, run, _within(limits, each))
            last, lane = self._lanes[-1]
            async with lane.place(client):
                return await loop.run_in_executor(self._threads, run, replace(limits, niceness=last.niceness))
        except Overcrowded:
            raise _busy() from None

    def close(self) -> None:
        """End the queries that are under way."""
        self.template.close()
        self._threads.shutdown(cancel_futures=True)

    def count(self, answer: IO[bytes]) -> None:
        """Count the bytes of an answer until it is closed, or gone."""
        self._unread[answer] = os.fstat(answer.fileno()).st_size


def _within(limits: QueryLimits, tried: Round) -> QueryLimits:
    bounds = (bound for bound in (limits.memory, tried.memory) if bound is not None)
    return replace(
        limits,
        seconds=min(limits.seconds or math.inf, _LONGEST_TRIAL),
        memory=min(bounds, default=None),
        processor=tried.processor,
        niceness=tried.niceness,
    )


async def sparql(request: Request) -> Response:
    """The endpoint; without a query its description, or the editor for people."""
    asked = await _asked(request)
    if asked.query is None:
        if request.method == "POST":
            raise HTTPException(400, "there is no query= in the request")
        return await asyncio.to_thread(editor.page if is_for_people(request, asked) else describe_service, request)
    if not is_for_people(request, asked):
        return await answer_programs(request, asked, "answer")
    if not asked.run:
        return await asyncio.to_thread(editor.page, request, asked.query)
    try:
        answer = await answer_people(request, asked)
    except HTTPException as error:
        return await asyncio.to_thread(editor.page, request, asked.query, error=error)
    with answer.content:
        return await asyncio.to_thread(editor.page, request, asked.query, answer=answer)


def asked_for(query: str, parameters: QueryParams) -> Asked:
    """A query that is not in the request itself, with what its parameters say about the answer."""
    kept = [(name, value) for name, value in parameters.multi_items() if name in ("format", "download")]
    return _from_parameters([*kept, ("query", query)])


def is_for_people(request: Request, asked: Asked) -> bool:
    """Whether the answer is to be a page."""
    preferred = choose(request.headers.get("accept"), (HTML, *RESULT_FORMATS, *GRAPH_FORMATS))
    return asked.format == "html" or (asked.format is None and preferred is HTML)


async def answer_programs(request: Request, asked: Asked, name: str) -> Response:
    """The answer in the format that the client wants, or an error; as a file of that name if it is asked for."""
    limits = site_of(request).limits
    answer = await _answer(request, asked, _formats(request.headers.get("accept"), asked.format), limits)
    # A shortened answer would look complete, so that too many rows are an error.
    if answer.cut:
        answer.content.close()
        raise HTTPException(
            413, f"the answer has more than {limits.rows} rows; ask for fewer with LIMIT, page with OFFSET"
        )
    chosen = named(answer.format.value, RESULT_FORMATS if answer.form is not QueryForm.GRAPH else GRAPH_FORMATS)
    assert chosen is not None
    request.app.state.queue.count(answer.content)
    headers = {"Vary": "Accept", "Cache-Control": "no-cache"}
    if asked.download:
        headers["Content-Disposition"] = f'attachment; filename="{name}.{chosen.suffix}"'
    return StreamingResponse(_content(answer.content), headers=headers, media_type=chosen.content_type)


async def answer_people(request: Request, asked: Asked) -> QueryAnswer:
    """The answer that a page shows; the page is made here, in memory, so that it has the first rows only."""
    everything = {
        QueryForm.SOLUTIONS: ResultFormat.JSON,
        QueryForm.BOOLEAN: ResultFormat.JSON,
        QueryForm.GRAPH: ResultFormat.TURTLE,
    }
    limits = site_of(request).limits
    shown = replace(limits, rows=min(limits.rows or ROWS_SHOWN, ROWS_SHOWN), size=BYTES_SHOWN)
    return await _answer(request, asked, everything, shown, list_undeclared=True)


async def _answer(
    request: Request,
    asked: Asked,
    formats: Mapping[QueryForm, ResultFormat],
    limits: QueryLimits,
    list_undeclared: bool = False,
) -> QueryAnswer:
    site = site_of(request)
    changes = request.url.path.endswith("/changes")
    queue: Queue = request.app.state.queue

    def run(within: QueryLimits) -> QueryAnswer:
        with site.snapshots.using() as snapshot:
            reader = snapshot.changes if changes else snapshot.data
            query = _query(snapshot, reader, asked, changes)
            return run_query(reader.folder, query, formats, within, list_undeclared, queue.template.run)

    try:
        return await queue.answer(client_of(request), limits, run)
    except QueryError as error:
        raise HTTPException(_STATUS.get(type(error), 400), str(error)) from None


def _busy() -> HTTPException:
    return HTTPException(503, "too many queries are waiting; try again in a moment", RETRY_AFTER)


def _query(snapshot: Snapshot, reader: Reader, asked: Asked, changes: bool) -> Query:
    assert asked.query is not None
    prefixes = snapshot.schema.prefixes
    if asked.default or asked.named:
        # The graphs that the protocol names take the place of those in the query.
        return Query(asked.query, asked.default, asked.named, prefixes, instead=True)
    default = graphs_asked("all" if changes else "current", snapshot.records, reader.held)
    return Query(asked.query, default, graphs_named(reader.held), prefixes)


def _formats(accept: str | None, wanted: str | None) -> dict[QueryForm, ResultFormat]:
    """The formats for whatever the query turns out to be; 406 if the client accepts none of them."""
    results = (named(wanted, RESULT_FORMATS) if wanted else None) or choose(accept, RESULT_FORMATS)
    graph = (named(wanted, GRAPH_FORMATS) if wanted else None) or choose(accept, GRAPH_FORMATS)
    if results is None and graph is None:
        offered = ", ".join(form.media for form in (*RESULT_FORMATS, *GRAPH_FORMATS))
        raise HTTPException(406, f"available formats: {offered}", {"Vary": "Accept"})
    # A client that can read only the other kind of answer still gets one that is well-formed and named rightly.
    solutions = ResultFormat((results or RESULT_FORMATS[0]).suffix)
    return {
        QueryForm.SOLUTIONS: solutions,
        QueryForm.BOOLEAN: solutions if solutions in (ResultFormat.JSON, ResultFormat.XML) else ResultFormat.JSON,
        QueryForm.GRAPH: ResultFormat((graph or GRAPH_FORMATS[0]).suffix),
    }


async def _asked(request: Request) -> Asked:
    """The parameters of a request, in any of the three forms that the protocol allows."""
    in_address = parse_qsl(request.url.query, keep_blank_values=True)
    if request.method in ("GET", "HEAD"):
        return _from_parameters(in_address)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in (_FORM, _QUERY):
        raise HTTPException(415, f"a query is sent as {_FORM} or {_QUERY}")
    try:
        body = (await _body(request)).decode()
    except UnicodeDecodeError:
        raise HTTPException(400, "the query is not in UTF-8") from None
    if kind == _QUERY:
        if any(name == "query" for name, _ in in_address):
            raise HTTPException(400, "there is a query in the address and one in the body")
        return _from_parameters([*in_address, ("query", body)])
    return _from_parameters([*in_address, *parse_qsl(body, keep_blank_values=True)])


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > QUERY_BYTES:
            raise HTTPException(413, f"a query may have at most {QUERY_BYTES} bytes")
    return bytes(body)


def _from_parameters(parameters: list[tuple[str, str]]) -> Asked:
    def values(name: str) -> tuple[str, ...]:
        return tuple(value for key, value in parameters if key == name)

    queries = values("query")
    if values("update"):
        raise HTTPException(400, "this endpoint is read-only and takes no updates")
    if len(queries) > 1:
        raise HTTPException(400, "there is more than one query= in the request")
    default, graphs = values("default-graph-uri"), values("named-graph-uri")
    for graph in (*default, *graphs):
        if node_of(graph) is None:
            raise HTTPException(400, f"{graph[:200]!r} is not an absolute IRI")
    form = next(iter(values("format")), None)
    known: tuple[Format, ...] = (HTML, *RESULT_FORMATS, *GRAPH_FORMATS)
    if form is not None and named(form, known) is None:
        raise HTTPException(400, f"there is no format {form[:40]!r}; available: {', '.join(f.suffix for f in known)}")
    run, download = values("run") != ("no",), bool(values("download"))
    return Asked(queries[0] if queries else None, default, graphs, form, run, download)


async def _content(file: IO[bytes]) -> AsyncIterator[bytes]:
    with file:
        while chunk := await asyncio.to_thread(file.read, _CHUNK):
            yield chunk
