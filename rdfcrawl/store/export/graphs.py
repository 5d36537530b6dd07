"""Runs and the current state as files of RDF, straight from the run files: equal graphs give equal exports."""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import IO

import pyoxigraph as ox

from rdfcrawl.errors import UsageError
from rdfcrawl.rdf.graphs import part_iri, run_iri
from rdfcrawl.store.contents import carry_out, plan_data
from rdfcrawl.store.current import Lines
from rdfcrawl.store.integrity import KNOWN_STATE, ensure_whole
from rdfcrawl.store.lines import read_lines
from rdfcrawl.store.record import RunFile, RunRecord
from rdfcrawl.store.runs import RunFiles, no_graph

_LINES_PER_PARSE = 10_000


class GraphFormat(StrEnum):
    """The formats that hold a graph, or a graph with its name."""

    NQ = "nq"
    NT = "nt"
    TTL = "ttl"
    TRIG = "trig"
    JSONLD = "jsonld"
    RDFXML = "rdfxml"


_SERIALISED = {
    GraphFormat.TTL: ox.RdfFormat.TURTLE,
    GraphFormat.TRIG: ox.RdfFormat.TRIG,
    GraphFormat.JSONLD: ox.RdfFormat.JSON_LD,
    GraphFormat.RDFXML: ox.RdfFormat.RDF_XML,
}
_WITH_GRAPH_NAMES = (GraphFormat.NQ, GraphFormat.TRIG)


@contextmanager
def exported_lines(runs: RunFiles, run: str) -> Iterator[Lines]:
    """The sorted N-Quads lines of a run, of all runs or of the current state, each in the graph of its run."""
    with tempfile.TemporaryDirectory() as folder:
        exported = runs_exported(runs, run)
        for record in exported:
            ensure_whole(runs, record, KNOWN_STATE if run == "current" else (RunFile.GRAPH,))
        if run == "current":
            wanted = carry_out(plan_data(runs), Path(folder))
            paths = {file.graph: file.path for file in wanted.files}
            yield lambda: heapq.merge(*(_of_run(paths[graph], graph) for graph in wanted.default))
        else:
            yield lambda: heapq.merge(*(read_lines(runs.graph(record.id)) for record in exported))


def runs_exported(runs: RunFiles, run: str) -> list[RunRecord]:
    """The runs that an export is made of; their models and prefixes go with it."""
    if run in ("current", "all"):
        planned = plan_data(runs)
        ids = {part.run for part in planned.state.parts} if run == "current" else set(runs.ids())
        return [record for record in runs.records() if record.id in ids and runs.has_graph(record)]
    record = runs.resolve(run)
    if not runs.has_graph(record):
        raise UsageError(no_graph(record))
    return [record]


def export_graph(lines: Iterable[bytes], output: IO[bytes], written: GraphFormat, prefixes: Mapping[str, str]) -> None:
    """Write lines of N-Quads in a format; formats without graph names get each triple once."""
    named = written in _WITH_GRAPH_NAMES
    statements = iter(lines) if named else without_graphs(lines)
    if written not in _SERIALISED:
        output.writelines(line + b"\n" for line in statements)
        return
    quads = chain.from_iterable(_parsed(batch) for batch in _batches(statements))
    parsed: Iterable[ox.Quad] | Iterable[ox.Triple] = quads if named else (quad.triple for quad in quads)
    ox.serialize(parsed, output, _SERIALISED[written], prefixes=_usable(prefixes))


def without_graphs(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Sorted quads as sorted triples, each once."""
    last = b""
    for line in lines:
        # A line ends with "<graph> ."; an IRI holds no space.
        triple = line[: line.rindex(b" ", 0, len(line) - 2)] + b" ."
        if triple != last:
            yield triple
            last = triple


def _of_run(path: Path, graph: str) -> Iterator[bytes]:
    """A current part says that it is one; an export says of which run it is."""
    run = graph.removeprefix("run://").removesuffix("/current")
    if graph != part_iri(int(run)):
        return read_lines(path)
    ending, whole = f" <{graph}> .".encode(), f" <{run_iri(int(run))}> .".encode()
    return (line.removesuffix(ending) + whole for line in read_lines(path))


def _batches(lines: Iterator[bytes]) -> Iterator[Sequence[bytes]]:
    batch: list[bytes] = []
    for line in lines:
        batch.append(line)
        if len(batch) == _LINES_PER_PARSE:
            yield batch
            batch = []
    yield batch


def _parsed(batch: Sequence[bytes]) -> ox.QuadParser:
    return ox.parse(b"\n".join(batch), format=ox.RdfFormat.N_QUADS, lenient=True)


def _usable(prefixes: Mapping[str, str]) -> dict[str, str]:
    # A prefix that is a whole address, as models name their sections, would only stand in the way.
    return {name: start for name, start in prefixes.items() if start.endswith(("/", "#", ":"))}
