"""Which graphs the triple stores should hold, as the run files have it."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rdfcrawl.store.current import CurrentRun, Observed, current_part, current_runs, observed
from rdfcrawl.store.files import GraphFile, fingerprint, read_lines
from rdfcrawl.store.record import RunState, run_iri
from rdfcrawl.store.runs import RunFiles
from rdfcrawl.store.triples import Wanted


@dataclass(frozen=True, slots=True)
class Plan:
    """What a triple store should hold, before the current parts of runs are made; equal keys mean equal plans."""

    files: tuple[GraphFile, ...]
    current: tuple[CurrentRun, ...]
    carried: Mapping[int, Path]
    key: str


def record_iri(run: int) -> str:
    """The name of the graph that holds a run's record."""
    return f"record://{run}"


def changes_iri(run: int) -> str:
    """The name that a run's changes have beside the data, where the run's own name is that of its graph."""
    return f"changes://{run}"


def plan_data(runs: RunFiles) -> Plan:
    """The graphs of all runs that have ended, of their records, and of their changes for those who ask for both."""
    ended = [
        record for record in runs.records() if record.state is not RunState.RUNNING and runs.graph(record.id).exists()
    ]
    files = []
    for record in ended:
        files.append(GraphFile.of(record.iri, runs.graph(record.id)))
        if runs.record_graph(record.id).exists():
            files.append(GraphFile.of(record_iri(record.id), runs.record_graph(record.id)))
        if runs.changes(record.id).exists():
            files.append(GraphFile.of(changes_iri(record.id), runs.changes(record.id), record.iri))
    current = current_runs(ended)
    carried = {found.run: runs.carried(found.run) for found in current if runs.carried(found.run).exists()}
    return _plan(files, current, carried)


def plan_changes(runs: RunFiles) -> Plan:
    """The changes that the runs have brought, one graph each."""
    changed = [run for run in runs.ids() if runs.changes(run).exists()]
    files = [GraphFile.of(run_iri(run), runs.changes(run)) for run in changed]
    return _plan(files, [CurrentRun(run, (), frozenset()) for run in changed], {})


def carry_out(plan: Plan, folder: Path) -> Wanted:
    """The plan with the files of the current parts, which are written into ``folder``."""
    files = {file.graph: file for file in plan.files}
    default: list[str] = []
    parts: list[GraphFile] = []
    newer: list[Observed] = []
    for place, run in enumerate(plan.current):
        known = [files[run_iri(run.run)].path]
        if run.run in plan.carried:
            known.append(plan.carried[run.run])
        # The newest run is current as a whole; where it is the only one, nothing has to be read at all.
        part = _write_part(known, run, newer, folder) if newer or len(known) > 1 else None
        if part is not None:
            parts.append(part)
        default.append(part.graph if part is not None else run_iri(run.run))
        if run.sections and place + 1 < len(plan.current):
            newer.append(observed(run, _lines(known)))
    return Wanted((*plan.files, *parts), tuple(default), plan.key)


def _write_part(known: Sequence[Path], run: CurrentRun, newer: Sequence[Observed], folder: Path) -> GraphFile | None:
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


def _lines(paths: Iterable[Path]) -> Iterator[bytes]:
    return heapq.merge(*map(read_lines, paths))


def _plan(files: Sequence[GraphFile], current: Sequence[CurrentRun], carried: Mapping[int, Path]) -> Plan:
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.graph} {file.fingerprint}\n".encode())
    for run in current:
        kept = fingerprint(carried[run.run]) if run.run in carried else ""
        digest.update(f"{run.run} {' '.join(run.sections)} {sorted(run.predicates)} {kept}\n".encode())
    return Plan(tuple(files), tuple(current), carried, digest.hexdigest())
