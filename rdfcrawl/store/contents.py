"""Which graphs the triple stores should hold, as the run files have it."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rdfcrawl.rdf.graphs import changes_iri, record_iri, run_iri
from rdfcrawl.store.current import CurrentRun, Observed, current_part, current_runs, observed
from rdfcrawl.store.files import fingerprint
from rdfcrawl.store.lines import read_lines
from rdfcrawl.store.record import RunFile, RunRecord, RunState
from rdfcrawl.store.runs import RunFiles
from rdfcrawl.store.triples import GraphFile, Wanted


@dataclass(frozen=True, slots=True)
class ContentsPlan:
    """What a triple store should hold, before the current parts of runs are made; equal keys mean equal plans.

    ``damaged`` are files that are plainly not what was written, as their size and end show.
    """

    files: tuple[GraphFile, ...]
    current: tuple[CurrentRun, ...]
    carried: Mapping[int, GraphFile]
    key: str
    damaged: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Files that a plan must do without; a graph of which there is a copy already (``held``) is kept as that."""

    paths: frozenset[Path] = frozenset()
    held: Mapping[str, str] = field(default_factory=dict)

    def allows(self, file: GraphFile) -> bool:
        """Whether a graph can be held."""
        return file.path not in self.paths or self.held.get(file.graph) == file.fingerprint


ALL_READABLE = Unreadable()


def plan_data(runs: RunFiles, without: Unreadable = ALL_READABLE) -> ContentsPlan:
    """The graphs of all runs that have ended, of their records, and of their changes for those who ask for both."""
    ended = [record for record in runs.records() if record.state is not RunState.RUNNING and runs.has_graph(record)]
    files = []
    for record in ended:
        files.append(_graph_file(runs, record, RunFile.GRAPH, record.iri))
        if _has_file(runs, record, RunFile.RECORD):
            files.append(_graph_file(runs, record, RunFile.RECORD, record_iri(record.id)))
        if _has_file(runs, record, RunFile.CHANGES):
            files.append(_graph_file(runs, record, RunFile.CHANGES, changes_iri(record.id), record.iri))
    current = current_runs([record for record in ended if runs.graph(record.id) not in without.paths])
    by_id = {record.id: record for record in ended}
    carried = {
        found.run: _graph_file(runs, by_id[found.run], RunFile.CARRIED, run_iri(found.run))
        for found in current
        if _has_file(runs, by_id[found.run], RunFile.CARRIED) and runs.carried(found.run) not in without.paths
    }
    return _plan(files, current, carried, without)


def plan_changes(runs: RunFiles, without: Unreadable = ALL_READABLE) -> ContentsPlan:
    """The changes that the runs have brought, one graph each."""
    changed = [record for record in runs.records() if _has_file(runs, record, RunFile.CHANGES)]
    files = [_graph_file(runs, record, RunFile.CHANGES, record.iri) for record in changed]
    held = {file.graph for file in files if without.allows(file)}
    current = [CurrentRun(record.id, (), frozenset()) for record in changed if record.iri in held]
    return _plan(files, current, {}, without)


def carry_out(plan: ContentsPlan, folder: Path) -> Wanted:
    """The plan with the files of the current parts, which are written into ``folder``."""
    files = {file.graph: file for file in plan.files}
    default: list[str] = []
    parts: list[GraphFile] = []
    newer: list[Observed] = []
    for place, run in enumerate(plan.current):
        known = [files[run_iri(run.run)]]
        if run.run in plan.carried:
            known.append(plan.carried[run.run])
        # The newest run is current as a whole; where it is the only one, nothing has to be read at all.
        if run.sections and (len(plan.current) > 1 or len(known) > 1):
            for file in known:
                file.ensure_whole()
        part = _write_part(known, run, newer, folder) if newer or len(known) > 1 else None
        if part is not None:
            parts.append(part)
        default.append(part.graph if part is not None else run_iri(run.run))
        if run.sections and place + 1 < len(plan.current):
            newer.append(observed(run, _lines(known)))
    return Wanted((*plan.files, *parts), tuple(default), plan.key)


def _write_part(
    known: Sequence[GraphFile], run: CurrentRun, newer: Sequence[Observed], folder: Path
) -> GraphFile | None:
    """The file of what is current of what a run knows; none if that is just the run's graph."""
    target = folder / f"{run.run}.nq"
    written = 0
    ending = f" <{run_iri(run.run)}> .".encode()
    part_ending = f" <{run.part_iri}> .\n".encode()
    with target.open("wb") as file:
        for line in current_part(lambda: _lines(known), run.sections, newer):
            file.write(line.removesuffix(ending) + part_ending)
            written += 1
    if len(known) == 1 and written == sum(1 for _ in _lines(known)):
        return None
    return GraphFile.of(run.part_iri, target)


def _graph_file(runs: RunFiles, record: RunRecord, file: RunFile, graph: str, written: str | None = None) -> GraphFile:
    path = runs.path(record.id, file)
    return GraphFile(graph, path, record.checksums.get(file) or fingerprint(path), written or graph)


def _has_file(runs: RunFiles, record: RunRecord, file: RunFile) -> bool:
    return file in record.checksums or runs.path(record.id, file).exists()


def _lines(files: Iterable[GraphFile]) -> Iterator[bytes]:
    return heapq.merge(*(read_lines(file.path) for file in files))


def _plan(
    files: Sequence[GraphFile], current: Sequence[CurrentRun], carried: Mapping[int, GraphFile], without: Unreadable
) -> ContentsPlan:
    planned = tuple(file for file in files if without.allows(file))
    damaged = tuple(dict.fromkeys(file.path for file in (*files, *carried.values()) if file.is_changed))
    digest = hashlib.sha256()
    for file in planned:
        digest.update(f"{file.graph} {file.fingerprint}\n".encode())
    for run in current:
        kept = carried[run.run].fingerprint if run.run in carried else ""
        digest.update(f"{run.run} {' '.join(run.sections)} {sorted(run.predicates)} {kept}\n".encode())
    for path in damaged:
        digest.update(f"damaged: {path.name}\n".encode())
    return ContentsPlan(planned, tuple(current), carried, digest.hexdigest(), damaged)
