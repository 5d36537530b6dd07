"""The results of a query, written within a limit of rows, after a line of JSON that says what they are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import IO

import pyoxigraph as ox

from rdfcrawl.rdf.xml_names import writable_in_xml

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


def write_results(
    results: ox.QuerySolutions | ox.QueryBoolean | ox.QueryTriples,
    output: IO[bytes],
    formats: Mapping[str, str],
    rows: int | None,
    prefixes: dict[str, str],
    undeclared: Sequence[str] = (),
) -> None:
    """Write what the results are, as a line of JSON, and then the results in the format for it.

    ``undeclared`` are the prefixes that the query has taken for granted.
    """
    form = form_of(results)
    head: dict[str, object] = {"form": form, "format": formats[form], "undeclared": list(undeclared)}
    if isinstance(results, ox.QueryBoolean):
        write_head(output, head | {"cut": False})
        results.serialize(output, RESULT_FORMATS[formats["boolean"]])
    elif isinstance(results, ox.QueryTriples):
        kept, cut = _different(results, rows)
        form_of_graph = GRAPH_FORMATS[formats["graph"]]
        triples = writable_in_xml(kept) if form_of_graph == ox.RdfFormat.RDF_XML else kept
        write_head(output, head | {"cut": cut})
        ox.serialize(triples, output, form_of_graph, prefixes=prefixes)
    else:
        cut = False
        if rows is not None:
            kept_json = b"".join(_json(results.variables, islice(results, rows)))
            cut = next(results, None) is not None
            parsed = ox.parse_query_results(kept_json, format=ox.QueryResultsFormat.JSON)
            assert isinstance(parsed, ox.QuerySolutions)
            results = parsed
        write_head(output, head | {"cut": cut})
        _write(results, output, RESULT_FORMATS[formats["solutions"]])


def _different(triples: Iterable[ox.Triple], at_most: int | None) -> tuple[dict[ox.Triple, None], bool]:
    """Each triple once, not more of them than there may be, and whether there are more."""
    kept: dict[ox.Triple, None] = {}
    for triple in triples:
        if len(kept) == at_most and triple not in kept:
            return kept, True
        kept[triple] = None
    return kept, False


def form_of(results: ox.QuerySolutions | ox.QueryBoolean | ox.QueryTriples) -> str:
    """What kind of results these are, as ``QueryForm`` names it."""
    if isinstance(results, ox.QueryBoolean):
        return "boolean"
    return "graph" if isinstance(results, ox.QueryTriples) else "solutions"


def write_head(output: IO[bytes], head: Mapping[str, object]) -> None:
    """Write the line that says what follows."""
    output.write(json.dumps(head).encode() + b"\n")


def _write(solutions: ox.QuerySolutions, output: IO[bytes], written: ox.QueryResultsFormat) -> None:
    try:
        solutions.serialize(output, written)
    except MemoryError as error:
        if "maximal size" not in str(error):
            raise
        # What Oxigraph calls so is no lack of memory: a value is longer than its parsers take.
        raise ValueError("one of the values is longer than 16 MiB") from error


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
    if isinstance(term, ox.Triple):
        parts = {"subject": term.subject, "predicate": term.predicate, "object": term.object}
        return {"type": "triple", "value": {name: _json_term(part) for name, part in parts.items()}}
    assert isinstance(term, ox.Literal)
    if term.direction:
        return {"type": "literal", "value": term.value, "xml:lang": term.language, "its:dir": term.direction.value}
    if term.language:
        return {"type": "literal", "value": term.value, "xml:lang": term.language}
    return {"type": "literal", "value": term.value, "datatype": term.datatype.value}
