"""Runs and the current state as files of RDF, straight from the run files: equal graphs yield equal exports."""

from __future__ import annotations

import heapq
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO

import pyoxigraph as ox

from rdfcrawl.errors import UsageError
from rdfcrawl.rdf.graphs import is_part, run_iri, run_of
from rdfcrawl.rdf.lines import moved, without_graphs
from rdfcrawl.rdf.names import namespaces
from rdfcrawl.rdf.xml_names import writable_in_xml
from rdfcrawl.store.contents import carry_out, plan_data
from rdfcrawl.store.current import Lines
from rdfcrawl.store.export.formats import ExportFormat
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.runs.integrity import KNOWN_STATE, ensure_whole
from rdfcrawl.store.runs.record import RunFile, RunRecord
from rdfcrawl.store.runs.run_files import RunFiles, no_graph

_LINES_PER_PARSE = 10_000
SERIALISED = {
    ExportFormat.NQ: None,
    ExportFormat.NT: None,
    ExportFormat.TTL: ox.RdfFormat.TURTLE,
    ExportFormat.TRIG: ox.RdfFormat.TRIG,
    ExportFormat.JSONLD: ox.RdfFormat.JSON_LD,
    ExportFormat.RDFXML: ox.RdfFormat.RDF_XML,
}
"""The formats of a graph; what has no serialiser is written line by line."""
_WITH_GRAPH_NAMES = (ExportFormat.NQ, ExportFormat.TRIG)


@contextmanager
def exported_lines(runs: RunFiles, run: str, *, with_links: bool = True) -> Iterator[Lines]:
    """The sorted N-Quads lines of a run, of all runs or of the current state, each in the graph of its run.

    What a run has surveyed comes ``with_links``, which are in a graph of their own.
    """
    with tempfile.TemporaryDirectory() as folder:
        exported = runs_exported(runs, run)
        own = (RunFile.GRAPH, *((RunFile.LINKS,) if with_links else ()))
        for record in exported:
            ensure_whole(runs, record, KNOWN_STATE if run == "current" else own)
        if run == "current":
            wanted = carry_out(plan_data(runs), Path(folder))
            paths = {file.graph: file.path for file in wanted.files}
            yield lambda: heapq.merge(*(_of_run(paths[graph], graph) for graph in wanted.default))
        else:
            files = [runs.path(record.id, file) for record in exported for file in own if runs.has_file(record, file)]
            yield lambda: heapq.merge(*map(read_lines, files))


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


def export_graph(lines: Iterable[bytes], output: IO[bytes], written: ExportFormat, prefixes: Mapping[str, str]) -> None:
    """Write lines of N-Quads in a format; formats without graph names get each triple once."""
    named = written in _WITH_GRAPH_NAMES
    statements = iter(lines) if named else without_graphs(lines)
    serialiser = SERIALISED[written]
    if serialiser is None:
        output.writelines(line + b"\n" for line in statements)
        return
    quads = _parsed(statements)
    parsed: Iterable[ox.Quad] | Iterable[ox.Triple] = quads if named else (quad.triple for quad in quads)
    if serialiser == ox.RdfFormat.RDF_XML:
        parsed = writable_in_xml(quad.triple for quad in quads)
    ox.serialize(parsed, output, serialiser, prefixes=namespaces(prefixes))


def _of_run(path: Path, graph: str) -> Iterator[bytes]:
    """A current part says that it is one; an export says of which run it is."""
    lines = read_lines(path)
    return moved(lines, graph, run_iri(run_of(graph))) if is_part(graph) else lines


def _parsed(lines: Iterator[bytes]) -> Iterator[ox.Quad]:
    while batch := list(islice(lines, _LINES_PER_PARSE)):
        yield from ox.parse(b"\n".join(batch), format=ox.RdfFormat.N_QUADS, lenient=True)
