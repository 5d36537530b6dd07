"""The process that reads and answers one query: it can be killed, it has no network, and its memory is bounded.

Reads a request as JSON from standard input. Writes the answer to standard output, after a line of JSON that says what
it is; without a folder of an index, that line is all, and says what the query asks for. Ends with 0, or with a message,
as a last line of JSON on standard error and a status that says what kind of failure it was.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from typing import IO, Any, NoReturn

import pyoxigraph as ox

from rdfcrawl.expressions.queries import refusal
from rdfcrawl.store.query import reading
from rdfcrawl.store.query.clauses import selects_all, with_columns
from rdfcrawl.store.query.confinement import forbid_network, limit_resources
from rdfcrawl.store.query.mistakes import mistake_in
from rdfcrawl.store.query.results import form_of, write_head, write_results

FAILURE = 3
"""The store cannot be read, or the answer not be written."""
REFUSED = 4
"""The query is none, or cannot or may not be carried out."""
OUT_OF_MEMORY = 5
TOO_LARGE = 6

_NOT_ALLOWED = "SERVICE would send parts of the query to another host; it must be allowed (--allow-service)"
_UNCLEAR = (
    "the query may have a SERVICE in it, which would send parts of it to another host: what has these letters must be "
    "plain SPARQL 1.1 here, or be allowed (--allow-service)"
)


def main() -> None:
    """Answer the request on standard input."""
    request = json.load(sys.stdin.buffer)
    if not request["network"]:
        forbid_network()
    try:
        store = ox.Store.read_only(request["folder"]) if request["folder"] is not None else None
    except (OSError, RuntimeError) as error:
        _end(FAILURE, str(error))
    os.nice(request["niceness"])
    limit_resources(request["memory"], request["size"], request["seconds"], request["processor"])
    try:
        if not request["service"]:
            _refuse_service(request["text"], request["prefixes"])
        if store is None:
            _describe(request, sys.stdout.buffer)
        else:
            _answer(store, request, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except BaseException as error:
        _fail(error, request)


def _refuse_service(text: str, prefixes: dict[str, str]) -> None:
    if not reading.may_have_service(text):
        return
    if (objection := refusal(text, prefixes)) is not None:
        raise objection
    found = reading.service_in(text, prefixes)
    if found is not False:
        _end(REFUSED, _NOT_ALLOWED if found else _UNCLEAR)


def _answer(store: ox.Store, request: dict[str, Any], output: IO[bytes]) -> None:
    text, prefixes = request["text"], request["prefixes"]
    graphs: dict[str, Any] = {}
    if request["instead"] or not reading.reads_keyword(text, prefixes, "FROM"):
        graphs["default_graph"] = [ox.NamedNode(graph) for graph in request["default"]]
        graphs["named_graphs"] = [ox.NamedNode(graph) for graph in request["named"]]
    results = store.query(_with_columns(text, prefixes), prefixes=prefixes, **graphs)
    undeclared = reading.undeclared(text, prefixes) if request["list_undeclared"] else ()
    write_results(results, output, request["formats"], request["rows"], prefixes, undeclared)


def _with_columns(text: str, prefixes: dict[str, str]) -> str:
    """A query whose columns are in the order in which it mentions them; Oxigraph's ``*`` goes by the alphabet.

    Raises ``SyntaxError`` for what is no query: to look for words in that may take long.
    """
    if "*" not in text or reading.may_have_service(text):
        return text
    everything = ox.Store().query(text, prefixes=prefixes)
    if not isinstance(everything, ox.QuerySolutions) or not selects_all(text):
        return text
    ordered = with_columns(text, {variable.value for variable in everything.variables})
    return ordered if refusal(ordered, prefixes) is None else text


def _describe(request: dict[str, Any], output: IO[bytes]) -> None:
    """Say what a query asks for, for another server that is to answer it."""
    text, prefixes = request["text"], request["prefixes"]
    if (found := reading.tree(text)) is not None:
        form, names_graphs = found.form, found.names_graphs
        undeclared = [name for name in found.undeclared if name in prefixes]
    elif refusal(text, prefixes) is None:
        form = form_of(ox.Store().query(text, prefixes=prefixes))
        names_graphs = reading.reads_keyword(text, prefixes, "FROM")
        undeclared = reading.undeclared(text, prefixes)
    else:
        # The server may know a language that nobody here does, and if not, it says what is wrong.
        form, names_graphs = "solutions", False
        undeclared = reading.mentioned(text, prefixes)
    write_head(output, {"form": form, "names_graphs": names_graphs, "undeclared": undeclared})


def _fail(error: BaseException, request: dict[str, Any]) -> NoReturn:
    if isinstance(error, SyntaxError):
        try:
            mistake = mistake_in(request["text"], request["prefixes"], str(error))
        except MemoryError:
            _end(OUT_OF_MEMORY)
        _end(REFUSED, mistake)
    if isinstance(error, MemoryError):
        _end(OUT_OF_MEMORY)
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EFBIG:
        _end(TOO_LARGE)
    # Oxigraph's errors are of one kind, whether a file is damaged or a value cannot be written in a format.
    damaged = number is not None or (request["folder"] is not None and request["folder"] in str(error))
    _end(FAILURE if damaged else REFUSED, f"the query could not be carried out: {error}")


def told(message: str) -> bytes:
    """A message as the last line of what a process says."""
    return ("\n" + json.dumps({"message": message})).encode()


def _end(status: int, message: str = "") -> NoReturn:
    sys.stderr.buffer.write(told(message))
    sys.stderr.flush()
    # Without the usual end of a program: what is left of an answer would be written once more.
    os._exit(status)


if __name__ == "__main__":
    main()
