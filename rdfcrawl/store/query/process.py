"""The process that answers one query: it can be killed when it takes too long, which a thread cannot.

Reads a request as JSON from standard input. Writes the answer to standard output, after a line of JSON that says what
it is. Ends with 0, or with a message on standard error and a status that says what kind of failure it was.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO, Any, NoReturn

import pyoxigraph as ox

FAILURE = 3
SYNTAX_ERROR = 4

RESULT_FORMATS = {
    "json": ox.QueryResultsFormat.JSON,
    "xml": ox.QueryResultsFormat.XML,
    "csv": ox.QueryResultsFormat.CSV,
    "tsv": ox.QueryResultsFormat.TSV,
}
GRAPH_FORMATS = {
    "ttl": ox.RdfFormat.TURTLE,
    "nt": ox.RdfFormat.N_TRIPLES,
    "jsonld": ox.RdfFormat.JSON_LD,
    "rdf": ox.RdfFormat.RDF_XML,
}


def main() -> None:
    """Answer the request on standard input."""
    request = json.load(sys.stdin.buffer)
    try:
        _answer(request, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except SyntaxError as error:
        _end(SYNTAX_ERROR, json.dumps(_described(request["text"], str(error))))
    except (OSError, RuntimeError, ValueError) as error:
        _end(FAILURE, str(error))


def _end(status: int, message: str) -> NoReturn:
    sys.stderr.write(message)
    sys.exit(status)


def _described(text: str, message: str) -> dict[str, object]:
    """Where a query stops being SPARQL.

    Oxigraph says how far it has looked ahead, which can be the end of the text; rdflib says where the part begins that
    it cannot read. Where rdflib has no objection, the mistake is not one of grammar, and Oxigraph knows better.
    """
    from pyparsing import ParseException
    from rdflib.plugins.sparql.parser import parseQuery

    place, _, reason = message.removeprefix("error at ").partition(": ")
    line, _, column = place.partition(":")
    described: dict[str, object] = {"reason": reason, "line": int(line), "column": int(column), "grammar": False}
    try:
        parseQuery(text)
    except ParseException as error:
        described |= {"line": error.lineno, "column": error.col, "grammar": True}
    except RecursionError:
        pass
    return described


def _answer(request: dict[str, Any], output: IO[bytes]) -> None:
    store = ox.Store.read_only(request["folder"])
    graphs: dict[str, Any] = {}
    if request["default"] is not None:
        graphs["default_graph"] = [ox.NamedNode(graph) for graph in request["default"]]
        graphs["named_graphs"] = [ox.NamedNode(graph) for graph in request["named"]]
    results = store.query(request["text"], prefixes=request["prefixes"], **graphs)
    write_results(results, output, request["formats"], request["rows"], request["prefixes"])


def write_results(
    results: ox.QuerySolutions | ox.QueryBoolean | ox.QueryTriples,
    output: IO[bytes],
    formats: dict[str, str],
    rows: int | None,
    prefixes: dict[str, str],
) -> None:
    """Write what the results are, as a line of JSON, and then the results in the format for it."""
    if isinstance(results, ox.QueryBoolean):
        _head(output, "boolean", formats["boolean"], cut=False)
        results.serialize(output, RESULT_FORMATS[formats["boolean"]])
    elif isinstance(results, ox.QueryTriples):
        kept, cut = _different(results, rows)
        _head(output, "graph", formats["graph"], cut)
        ox.serialize(kept, output, GRAPH_FORMATS[formats["graph"]], prefixes=prefixes)
    else:
        cut = False
        if rows is not None:
            kept_json = b"".join(_json(results.variables, islice(results, rows)))
            cut = next(results, None) is not None
            parsed = ox.parse_query_results(kept_json, format=ox.QueryResultsFormat.JSON)
            assert isinstance(parsed, ox.QuerySolutions)
            results = parsed
        _head(output, "solutions", formats["solutions"], cut)
        results.serialize(output, RESULT_FORMATS[formats["solutions"]])


def _different(triples: Iterable[ox.Triple], at_most: int | None) -> tuple[dict[ox.Triple, None], bool]:
    """Each triple once, not more of them than there may be, and whether there are more."""
    kept: dict[ox.Triple, None] = {}
    for triple in triples:
        if len(kept) == at_most and triple not in kept:
            return kept, True
        kept[triple] = None
    return kept, False


def _head(output: IO[bytes], form: str, written: str, cut: bool) -> None:
    output.write(json.dumps({"form": form, "format": written, "cut": cut}).encode() + b"\n")


def _json(variables: list[ox.Variable], solutions: Iterable[ox.QuerySolution]) -> Iterator[bytes]:
    yield b'{"head":{"vars":' + json.dumps([variable.value for variable in variables]).encode()
    yield b'},"results":{"bindings":['
    for number, solution in enumerate(solutions):
        bound = {variable.value: _json_term(term) for variable in variables if (term := solution[variable]) is not None}
        yield (b"," if number else b"") + json.dumps(bound).encode()
    yield b"]}}"


def _json_term(term: object) -> dict[str, object]:
    if isinstance(term, ox.NamedNode):
        return {"type": "uri", "value": term.value}
    if isinstance(term, ox.BlankNode):
        return {"type": "bnode", "value": term.value}
    if isinstance(term, ox.Literal):
        if term.language:
            return {"type": "literal", "value": term.value, "xml:lang": term.language}
        return {"type": "literal", "value": term.value, "datatype": term.datatype.value}
    raise ValueError(f"{term} cannot be written")


if __name__ == "__main__":
    main()
