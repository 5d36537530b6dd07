"""Which graphs the triple stores should hold, as the run files have it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rdfcrawl.store.current import CurrentRun, Observed, current_part, current_runs, observed
from rdfcrawl.store.files import GraphFile, read_lines
from rdfcrawl.store.record import RunState, run_iri
from rdfcrawl.store.runs import RunFiles
from rdfcrawl.store.triples import Wanted


@dataclass(frozen=True, slots=True)
class Plan:
    """What a triple store should hold, before the current parts of runs are made; equal keys mean equal plans."""

    files: tuple[GraphFile, ...]
    default: tuple[CurrentRun, ...]
    key: str


def record_iri(run: int) -> str:
    """The name of the graph that holds a run's record."""
    return f"record://{run}"


def plan_data(runs: RunFiles) -> Plan:
    """The graphs of all runs that have ended, and of their records."""
    ended = [
        record for record in runs.records() if record.state is not RunState.RUNNING and runs.graph(record.id).exists()
    ]
    files = []
    for record in ended:
        files.append(GraphFile.of(record.iri, runs.graph(record.id)))
        if runs.record_graph(record.id).exists():
            files.append(GraphFile.of(record_iri(record.id), runs.record_graph(record.id)))
    return _plan(files, current_runs(ended))


def plan_changes(runs: RunFiles) -> Plan:
    """The changes that the runs have brought, one graph each."""
    changed = [run for run in runs.ids() if runs.changes(run).exists()]
    files = [GraphFile.of(run_iri(run), runs.changes(run)) for run in changed]
    return _plan(files, [CurrentRun(run, (), frozenset()) for run in changed])


def carry_out(plan: Plan, folder: Path) -> Wanted:
    """The plan with the files of the current parts, which are written into ``folder``."""
    files = {file.graph: file for file in plan.files}
    default: list[str] = []
    parts: list[GraphFile] = []
    newer: list[Observed] = []
    for place, current in enumerate(plan.default):
        graph = run_iri(current.run)
        if current.sections:
            lines = files[graph].path
            # The newest run is current as a whole; where it is the only one, nothing has to be read at all.
            if newer and (part := _write_part(lines, current, newer, folder)):
                parts.append(part)
                graph = part.graph
            if place + 1 < len(plan.default):
                newer.append(observed(current, read_lines(lines)))
        default.append(graph)
    return Wanted((*plan.files, *parts), tuple(default), plan.key)


def _write_part(lines: Path, current: CurrentRun, newer: Sequence[Observed], folder: Path) -> GraphFile | None:
    """The file of what is current of a run's graph; none if that is all of it."""
    target = folder / f"{current.run}.nq"
    total = written = 0
    ending = f" <{run_iri(current.run)}> .".encode()
    part_ending = f" <{current.part_iri}> .\n".encode()
    with target.open("wb") as file:
        for line in current_part(lambda: read_lines(lines), current.sections, newer):
            file.write(line.removesuffix(ending) + part_ending)
            written += 1
    total = sum(1 for _ in read_lines(lines))
    return GraphFile.of(current.part_iri, target) if written < total else None


def _plan(files: Sequence[GraphFile], default: Sequence[CurrentRun]) -> Plan:
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.graph} {file.fingerprint}\n".encode())
    for current in default:
        digest.update(f"{current.run} {' '.join(current.sections)} {sorted(current.predicates)}\n".encode())
    return Plan(tuple(files), tuple(default), digest.hexdigest())
