"""A SPARQL query before it is carried out: which graphs it asks, and which prefixes it need not declare."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import UsageError
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import is_part, is_run, run_iri
from rdfcrawl.store.current import current_runs
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import no_graph, resolve_run
from rdfcrawl.store.triples import Held

COMMON_PREFIXES: Mapping[str, str] = {
    "rdf": terms.RDF,
    "rdfs": terms.RDFS,
    "xsd": terms.XSD,
    "prov": terms.PROV,
}

_PREFIX_NAME = re.compile(r"(?:[^\W\d_](?:[\w.-]*[\w-])?)?")
"""What can stand before the colon of a prefixed name."""


class ResultFormat(StrEnum):
    """How results are written; the first four suit solutions and truth values, the others graphs."""

    JSON = "json"
    XML = "xml"
    CSV = "csv"
    TSV = "tsv"
    TURTLE = "ttl"
    N_TRIPLES = "nt"
    JSON_LD = "jsonld"
    RDF_XML = "rdf"


class QueryForm(StrEnum):
    """What a query gives."""

    SOLUTIONS = "solutions"
    BOOLEAN = "boolean"
    GRAPH = "graph"


class QueryError(UsageError):
    """A query cannot be carried out; the message says where, when that is known."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query, the graphs that it asks unless it names its own, and whether it may send parts of itself to other hosts.

    With ``instead``, the graphs take the place of those that the query names.
    """

    text: str
    default: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict)
    allow_service: bool = False
    instead: bool = False


def graphs_asked(run: str, records: Sequence[RunRecord], held: Held) -> tuple[str, ...]:
    """The default graph for ``current``, ``all`` or the name of a run."""
    if run == "current":
        return held.default
    if run == "all":
        return tuple(graph for graph in held.graphs if is_run(graph))
    record = resolve_run(run, records)
    if record.iri not in held.graphs:
        raise UsageError(no_graph(record))
    return (record.iri,)


def graphs_named(held: Held) -> tuple[str, ...]:
    """The graphs that ``GRAPH`` can name: all but the current parts, which would repeat what their runs say."""
    return tuple(graph for graph in held.graphs if not is_part(graph))


def known_prefixes(records: Sequence[RunRecord]) -> dict[str, str]:
    """The prefixes of the models of the current runs, the newest first, and a few that everybody expects.

    One that SPARQL could not declare would make every query a mistake, so that it is left out.
    """
    by_id = {run_iri(record.id): record for record in records}
    prefixes = dict(COMMON_PREFIXES)
    for current in reversed(current_runs(records)):
        prefixes.update(by_id[run_iri(current.run)].model.prefixes)
    return {name: iri for name, iri in prefixes.items() if _PREFIX_NAME.fullmatch(name) and _is_absolute(iri)}


def _is_absolute(iri: str) -> bool:
    try:
        ox.NamedNode(iri)
    except ValueError:
        return False
    return True
