"""Answers to queries, within limits: each query has a process of its own, which is ended when its time is up."""

from __future__ import annotations

import json
import signal
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import StoreError
from rdfcrawl.store.query import processes
from rdfcrawl.store.query.prepare import Query, QueryError, QueryForm, ResultFormat
from rdfcrawl.store.query.process import FAILURE, OUT_OF_MEMORY, REFUSED, TOO_LARGE

DEFAULT_FORMATS: Mapping[QueryForm, ResultFormat] = {
    QueryForm.SOLUTIONS: ResultFormat.JSON,
    QueryForm.BOOLEAN: ResultFormat.JSON,
    QueryForm.GRAPH: ResultFormat.TURTLE,
}
MIB: Final = 1 << 20
_MESSAGE_LENGTH = 4000
_NO_MEMORY = ("memory allocation of", "bad_alloc", "out of memory")
"""What machine code says on its end when it gets no memory."""


class QueryTimeout(QueryError):
    """A query took longer than it may."""


class QueryMemory(QueryError):
    """A query needed more memory than it may have."""


class AnswerTooLarge(QueryError):
    """An answer has more bytes than it may have."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """How much a query may take: seconds, rows (or triples) of its result, bytes of memory, and bytes of the answer.

    Rows beyond the limit are left out; beyond the others there is no answer. ``processor`` are seconds of work, where
    they are to be fewer; ``niceness`` is how far the query gives way to other processes.
    """

    seconds: float | None = 60.0
    rows: int | None = None
    memory: int | None = 2048 * MIB
    size: int | None = 1024 * MIB
    processor: float | None = None
    niceness: int = 0


DEFAULT_LIMITS = QueryLimits()


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """An answer: what it is, how it is written, and a file to read it from, which goes when it is closed.

    ``cut`` says that there was more than the limit of rows allows; ``undeclared`` are the prefixes that the query uses
    and does not declare, if they were asked for.
    """

    form: QueryForm
    format: ResultFormat
    content: IO[bytes]
    cut: bool = False
    undeclared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QueryDescription:
    """What a query asks for: a form of answer, perhaps graphs of its own, and known prefixes without declaring them."""

    form: QueryForm
    names_graphs: bool
    undeclared: tuple[str, ...]


def run_query(
    folder: Path,
    query: Query,
    formats: Mapping[QueryForm, ResultFormat] = DEFAULT_FORMATS,
    limits: QueryLimits = DEFAULT_LIMITS,
    list_undeclared: bool = False,
    run: processes.Run | None = None,
) -> QueryAnswer:
    """Answer a query from a generation of an index, whose reader must stay open meanwhile; ``run`` runs its process.

    Blocks without holding the interpreter: an event loop calls it in a thread.
    """
    written = {form.value: chosen.value for form, chosen in formats.items()}
    request = _request(query, limits) | {
        "folder": str(folder),
        "formats": written,
        "rows": limits.rows,
        "list_undeclared": list_undeclared,
    }
    head, content = _ask_process(request, limits, run or processes.run_anew)
    return QueryAnswer(
        QueryForm(head["form"]), ResultFormat(head["format"]), content, head["cut"], tuple(head["undeclared"])
    )


def describe_query(query: Query, limits: QueryLimits) -> QueryDescription:
    """Find out what a query asks for that another server is to answer; raises ``QueryError`` for one that may not."""
    head, content = _ask_process(_request(query, limits) | {"folder": None}, limits, processes.run_anew)
    content.close()
    return QueryDescription(QueryForm(head["form"]), head["names_graphs"], tuple(head["undeclared"]))


def _request(query: Query, limits: QueryLimits) -> dict[str, Any]:
    return {
        "text": query.text,
        "default": query.default,
        "named": query.named,
        "instead": query.instead,
        "prefixes": dict(query.prefixes),
        "service": query.allow_service,
        "network": query.allow_service,
        "memory": limits.memory,
        "size": limits.size,
        "seconds": limits.seconds,
        "processor": limits.processor,
        "niceness": limits.niceness,
    }


def _ask_process(
    request: Mapping[str, object], limits: QueryLimits, run: processes.Run
) -> tuple[dict[str, Any], IO[bytes]]:
    content = tempfile.TemporaryFile()  # noqa: SIM115 - handed on, open
    try:
        try:
            ended = run(json.dumps(request).encode(), content, limits.seconds)
        except TimeoutError:
            raise _too_long(limits) from None
        if ended.status != 0:
            raise _failure(ended.status, ended.said.decode(errors="replace").strip(), limits)
        content.seek(0)
        return json.loads(content.readline()), content
    except BaseException:
        content.close()
        raise


def _failure(status: int, said: str, limits: QueryLimits) -> QueryError | StoreError:
    """What a process means by the way in which it has ended."""
    last = said.rpartition("\n")[2]
    if status in (REFUSED, FAILURE):
        told = json.loads(last)
        message = told["message"][:_MESSAGE_LENGTH]
        return StoreError(message) if status == FAILURE else QueryError(message)
    if status == TOO_LARGE:
        return AnswerTooLarge(f"the answer has more than {_mib(limits.size)}; ask for less")
    if status in (-signal.SIGPROF, -signal.SIGXCPU):
        return _too_long(limits)
    if status in (OUT_OF_MEMORY, -signal.SIGKILL) or any(sign in said for sign in _NO_MEMORY):
        return QueryMemory(f"the query needs more memory than the {_mib(limits.memory)} that it may have")
    if status < 0 or not said:
        # Whatever goes wrong otherwise is said; who has no memory left can say nothing.
        return QueryMemory("the query is nested too deeply, or needs more memory than it may have")
    return StoreError(f"the query could not be carried out: {last[:_MESSAGE_LENGTH]}")


def _too_long(limits: QueryLimits) -> QueryTimeout:
    return QueryTimeout(f"the query took more than {limits.seconds or 0:g} seconds and was stopped")


def _mib(size: int | None) -> str:
    return f"{size // MIB} MiB" if size is not None else "memory of this machine"
