"""``rdfcrawl query``: the answer to a SPARQL query, as a table or in a standard format."""

from __future__ import annotations

import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rdfcrawl.cli.table import print_solutions
from rdfcrawl.errors import UsageError
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.query.answer import MIB, QueryAnswer, QueryLimits
from rdfcrawl.store.query.asking import ask
from rdfcrawl.store.query.prepare import QueryForm, ResultFormat


class QueryFormat(StrEnum):
    """How the answer is written."""

    TABLE = "table"
    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    XML = "xml"
    TTL = "ttl"
    NT = "nt"
    JSONLD = "jsonld"


_FOR_GRAPHS = {
    QueryFormat.TABLE: ResultFormat.TURTLE,
    QueryFormat.TTL: ResultFormat.TURTLE,
    QueryFormat.NT: ResultFormat.N_TRIPLES,
    QueryFormat.JSONLD: ResultFormat.JSON_LD,
    QueryFormat.JSON: ResultFormat.JSON_LD,
    QueryFormat.XML: ResultFormat.RDF_XML,
}
_FOR_SOLUTIONS = {
    QueryFormat.TABLE: ResultFormat.JSON,
    QueryFormat.CSV: ResultFormat.CSV,
    QueryFormat.TSV: ResultFormat.TSV,
    QueryFormat.JSON: ResultFormat.JSON,
    QueryFormat.XML: ResultFormat.XML,
}


def query(
    sparql: Annotated[
        str | None, typer.Argument(metavar="[SPARQL]", help="The query; standard input if absent.")
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Read the query from a file.")] = None,
    run: Annotated[
        str, typer.Option(help="What is asked: current, latest, previous, a run's number or all.")
    ] = "current",
    changes: Annotated[bool, typer.Option("--changes", help="Ask the changes instead of the data.")] = False,
    output: Annotated[QueryFormat, typer.Option("--format", help="How the answer is written.")] = QueryFormat.TABLE,
    timeout: Annotated[float, typer.Option(help="Seconds after which the query is stopped; 0 for never.")] = 60.0,
    memory: Annotated[int, typer.Option(help="MiB of memory that the query may take; 0 for any.", min=0)] = 2048,
    allow_service: Annotated[
        bool, typer.Option("--allow-service", help="Let SERVICE send parts of the query to other hosts.")
    ] = False,
    store: Annotated[str | None, typer.Option(help="The store: a folder or a SPARQL endpoint.")] = None,
) -> None:
    """Ask the data with SPARQL; the prefixes of the model are known.

    The default graph is the current state: of each section what its latest complete run has found. Each run is a
    named graph <run://NUMBER>, its record is <record://NUMBER>.
    """
    text = _text(sparql, file)
    opened = open_store(store, create=False)
    formats = {
        QueryForm.SOLUTIONS: _FOR_SOLUTIONS.get(output, ResultFormat.JSON),
        QueryForm.BOOLEAN: _FOR_SOLUTIONS.get(output, ResultFormat.JSON),
        QueryForm.GRAPH: _FOR_GRAPHS.get(output, ResultFormat.TURTLE),
    }
    limits = QueryLimits(seconds=timeout or None, memory=memory * MIB or None, size=None)
    answer, prefixes = ask(opened, text, run, changes, formats, limits, allow_service)
    with answer.content:
        _check_format(answer, output)
        if output is QueryFormat.TABLE and answer.form is not QueryForm.GRAPH:
            print_solutions(answer.content.read(), prefixes)
        else:
            _copy(answer)


def _text(sparql: str | None, file: Path | None) -> str:
    if sparql is not None and file is not None:
        raise UsageError("the query is given twice, as an argument and as a file")
    if file is not None:
        try:
            return file.read_text(encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{file} cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise UsageError(f"{file} is not UTF-8 text: {error}") from error
    if sparql is not None and sparql != "-":
        return sparql
    if sys.stdin.isatty():
        raise UsageError("there is no query: give it as an argument, with -f FILE or on standard input")
    return sys.stdin.read()


def _check_format(answer: QueryAnswer, wanted: QueryFormat) -> None:
    fitting = _FOR_GRAPHS if answer.form is QueryForm.GRAPH else _FOR_SOLUTIONS
    if wanted not in fitting:
        kind = "a graph" if answer.form is QueryForm.GRAPH else "rows"
        raise UsageError(f"this query gives {kind}; --format is one of {', '.join(fitting)}")


def _copy(answer: QueryAnswer) -> None:
    shutil.copyfileobj(answer.content, sys.stdout.buffer)
    if sys.stdout.isatty():
        sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()
