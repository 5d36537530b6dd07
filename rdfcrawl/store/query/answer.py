"""Answers to queries, within limits: each query has a process of its own, which is ended when its time is up."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from rdfcrawl.errors import StoreError
from rdfcrawl.store.query.prepare import Mistake, Query, QueryError, QueryForm, ResultFormat, syntax_error
from rdfcrawl.store.query.process import SYNTAX_ERROR

DEFAULT_FORMATS: Mapping[QueryForm, ResultFormat] = {
    QueryForm.SOLUTIONS: ResultFormat.JSON,
    QueryForm.BOOLEAN: ResultFormat.JSON,
    QueryForm.GRAPH: ResultFormat.TURTLE,
}
_MESSAGE_LENGTH = 4000


class QueryTimeout(QueryError):
    """A query took longer than it may."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """How much a query may take: seconds, and rows (or triples) of its result; what is beyond the rows is left out."""

    seconds: float | None = 60.0
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """An answer: what it is, how it is written, and a file to read it from, which goes when it is closed.

    ``cut`` says that there was more than the limit of rows allows.
    """

    form: QueryForm
    format: ResultFormat
    content: IO[bytes]
    cut: bool = False


def run_query(
    folder: Path,
    query: Query,
    formats: Mapping[QueryForm, ResultFormat] = DEFAULT_FORMATS,
    limits: QueryLimits = QueryLimits(),  # noqa: B008 - frozen
) -> QueryAnswer:
    """Answer a query from a generation of an index, whose reader must stay open meanwhile.

    Blocks without holding the interpreter: an event loop calls it by ``asyncio.to_thread``.
    """
    request = {
        "folder": str(folder),
        "text": query.text,
        "default": query.default,
        "named": query.named or (),
        "prefixes": dict(query.prefixes),
        "formats": {form.value: written.value for form, written in formats.items()},
        "rows": limits.rows,
    }
    content = tempfile.TemporaryFile()  # noqa: SIM115 - handed on, open
    try:
        _run_process(query, json.dumps(request).encode(), content, limits)
        content.seek(0)
        head = json.loads(content.readline())
    except BaseException:
        content.close()
        raise
    return QueryAnswer(QueryForm(head["form"]), ResultFormat(head["format"]), content, head["cut"])


def _run_process(query: Query, request: bytes, output: IO[bytes], limits: QueryLimits) -> None:
    command = [sys.executable, "-m", "rdfcrawl.store.query.process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.PIPE) as process:
        try:
            _, message = process.communicate(request, timeout=limits.seconds)
        except BaseException as error:
            process.kill()
            if isinstance(error, subprocess.TimeoutExpired):
                raise QueryTimeout(f"the query took more than {limits.seconds:g} seconds and was stopped") from None
            raise
    reason = message.decode(errors="replace").strip()
    if process.returncode == SYNTAX_ERROR:
        raise syntax_error(query.text, query.prefixes, Mistake(**json.loads(reason)))
    if process.returncode != 0:
        raise StoreError(
            f"the query could not be carried out: {reason[:_MESSAGE_LENGTH] or f'ended with {process.returncode}'}"
        )
