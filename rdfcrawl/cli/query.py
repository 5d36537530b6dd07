"""``rdfcrawl query``: answers a SPARQL query, as a table or in a standard format."""

from __future__ import annotations

import shutil
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from rdfcrawl.cli.console import err, for_programs, out
from rdfcrawl.cli.output.table import print_solutions
from rdfcrawl.errors import UsageError
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.query.answer import MIB, QueryAnswer, QueryLimits
from rdfcrawl.store.query.asking import ask
from rdfcrawl.store.query.hints import name_hints, names_of
from rdfcrawl.store.query.prepare import QueryForm, ResultFormat
from rdfcrawl.store.query.saved import SAVED, SUFFIX, saved_queries, saved_query


class QueryFormat(StrEnum):
    """The format of the answer."""

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
        str | None, typer.Argument(metavar="[SPARQL]", help="The query; read from standard input if absent.")
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Read the query from a file.")] = None,
    saved: Annotated[
        str | None, typer.Option(metavar="NAME", help="A query that is saved in the store; ? lists all of them.")
    ] = None,
    run: Annotated[
        str, typer.Option(help="What to query: current, latest, previous, the number of a run, or all.")
    ] = "current",
    changes: Annotated[bool, typer.Option("--changes", help="Query the changes instead of the data.")] = False,
    output: Annotated[QueryFormat, typer.Option("--format", help="The format of the answer.")] = QueryFormat.TABLE,
    timeout: Annotated[float, typer.Option(help="Seconds after which the query is stopped; 0 for no limit.")] = 60.0,
    memory: Annotated[int, typer.Option(help="Memory limit of the query, in MiB; 0 for no limit.", min=0)] = 2048,
    allow_service: Annotated[
        bool, typer.Option("--allow-service", help="Let SERVICE send parts of the query to other hosts.")
    ] = False,
    store: Annotated[str | None, typer.Option(help="The store: a folder or a SPARQL endpoint.")] = None,
) -> None:
    """Query the data with SPARQL; the prefixes of the model are predefined.

    The default graph is the current state: what the latest run of each section found. Each run is a named
    graph <run://NUMBER>; its record is <record://NUMBER>.
    """
    opened = open_store(store, create=False)
    if saved == "?":
        _list_saved(opened)
        return
    text = _text(sparql, file) if saved is None else _saved_text(opened, saved, sparql, file)
    formats = {
        QueryForm.SOLUTIONS: _FOR_SOLUTIONS.get(output, ResultFormat.JSON),
        QueryForm.BOOLEAN: _FOR_SOLUTIONS.get(output, ResultFormat.JSON),
        QueryForm.GRAPH: _FOR_GRAPHS.get(output, ResultFormat.TURTLE),
    }
    limits = QueryLimits(seconds=timeout or None, memory=memory * MIB or None, size=None)
    answer, prefixes = ask(opened, text, run, changes, formats, limits, allow_service)
    for hint in name_hints(text, prefixes, names_of(opened.runs.records())):
        err.print(f"Note: nothing in the data is called {hint.written}; did you mean {hint.meant}?")
    with answer.content:
        _check_format(answer, output)
        if output is QueryFormat.TABLE and answer.form is not QueryForm.GRAPH:
            print_solutions(answer.content.read(), prefixes)
        else:
            _copy(answer)


def _text(sparql: str | None, file: Path | None) -> str:
    if sparql is not None and file is not None:
        raise UsageError("the query was given twice, as an argument and as a file")
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
        raise UsageError("no query was given: pass it as an argument, with -f FILE or on standard input")
    return sys.stdin.read()


def _saved_text(store: Store, name: str, sparql: str | None, file: Path | None) -> str:
    if sparql is not None or file is not None:
        raise UsageError("the query was given twice, with --saved and in another way")
    return saved_query(store.folder, name).text


def _list_saved(store: Store) -> None:
    """Print the saved queries with their titles, and which files are none."""
    known = saved_queries(store.folder)
    for query in known:
        out.print(
            Text(f"{query.name}  ")
            + Text(f"cannot be used: it {query.problem}" if query.problem else query.title, "dim")
        )
    if not known:
        err.print(f"There is no saved query: {store.folder / SAVED} has no file NAME{SUFFIX}.")


def _check_format(answer: QueryAnswer, wanted: QueryFormat) -> None:
    fitting = _FOR_GRAPHS if answer.form is QueryForm.GRAPH else _FOR_SOLUTIONS
    if wanted not in fitting:
        kind = "a graph" if answer.form is QueryForm.GRAPH else "rows"
        raise UsageError(f"this query returns {kind}; --format must be one of {', '.join(fitting)}")


def _copy(answer: QueryAnswer) -> None:
    with for_programs() as document:
        shutil.copyfileobj(answer.content, document)
