"""Which graphs the triple stores should hold, according to the run files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from rdfcrawl.dataclass import dataclass
from rdfcrawl.rdf.graphs import changes_iri, derived_iri, links_iri, navigation_iri, record_iri, run_iri
from rdfcrawl.store.current import Observed
from rdfcrawl.store.files.whole import fingerprint
from rdfcrawl.store.runs.record import CARRIED_FILES, RunFile, RunRecord, RunState
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.store.state import KnownState, StatePart, state_of
from rdfcrawl.store.triples import GraphFile, Wanted

_RULES = b"2\n"
"""A part of every key: where other rules decided what is current, it is determined again."""


@dataclass(frozen=True, slots=True)
class ContentsPlan:
    """What a triple store should hold, before the current parts of runs are written; equal keys mean equal plans.

    ``state`` is what is current of the graphs in ``files`` and ``carried``; the graphs in ``default`` are current as
    they are. ``damaged`` are files that are plainly not what was written, as their size and end show.
    """

    files: tuple[GraphFile, ...]
    state: KnownState
    carried: tuple[GraphFile, ...]
    default: tuple[str, ...]
    key: str
    damaged: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Files that a plan must do without; a graph that the store already holds (``held``) is kept there."""

    paths: frozenset[Path] = frozenset()
    held: Mapping[str, str] = field(default_factory=dict)

    def allows(self, file: GraphFile) -> bool:
        """Whether a graph can be held."""
        return file.path not in self.paths or self.held.get(file.graph) == file.fingerprint


ALL_READABLE = Unreadable()


def plan_data(runs: RunFiles, without: Unreadable = ALL_READABLE) -> ContentsPlan:
    """The graphs of all runs that have ended, with all that belongs to them: for queries about everything."""
    ended = [record for record in runs.records() if record.state is not RunState.RUNNING and runs.has_graph(record)]
    files = []
    for record in ended:
        files.append(_graph_file(runs, record, RunFile.GRAPH, record.iri))
        if runs.has_file(record, RunFile.RECORD):
            files.append(_graph_file(runs, record, RunFile.RECORD, record_iri(record.id)))
        if runs.has_file(record, RunFile.DERIVED):
            files.append(_graph_file(runs, record, RunFile.DERIVED, derived_iri(record.id)))
        if runs.has_file(record, RunFile.CHANGES):
            files.append(_graph_file(runs, record, RunFile.CHANGES, changes_iri(record.id), record.iri))
        if runs.has_file(record, RunFile.LINKS):
            files.append(_graph_file(runs, record, RunFile.LINKS, links_iri(record.id)))
        if runs.has_file(record, RunFile.NAVIGATION):
            files.append(_graph_file(runs, record, RunFile.NAVIGATION, navigation_iri(record.id)))
    readable = [record for record in ended if runs.graph(record.id) not in without.paths]
    state = state_of(runs, readable, without=without.paths)
    return _plan(files, state, _carried(runs, state, readable), (), without)


def plan_changes(runs: RunFiles, without: Unreadable = ALL_READABLE) -> ContentsPlan:
    """The changes of the runs, one graph each."""
    changed = [record for record in runs.records() if runs.has_file(record, RunFile.CHANGES)]
    files = [_graph_file(runs, record, RunFile.CHANGES, record.iri) for record in changed]
    default = tuple(file.graph for file in files if without.allows(file))
    return _plan(files, KnownState(), (), default, without)


def carry_out(plan: ContentsPlan, folder: Path) -> Wanted:
    """The plan with the files of the current parts, which are written into ``folder``."""
    files = {file.path: file for file in (*plan.files, *plan.carried)}
    default = list(plan.default)
    parts: list[GraphFile] = []
    for part, newer in plan.state.resolved():
        if plan.state.graph is None:
            for path in part.files:
                files[path].ensure_whole()
        written = _write_part(part, newer, folder)
        if written is not None:
            parts.append(written)
        default.append(written.graph if written is not None else run_iri(part.run))
    return Wanted((*plan.files, *parts), tuple(default), plan.key)


def _write_part(part: StatePart, newer: tuple[Observed, ...], folder: Path) -> GraphFile | None:
    """The file of what is current of what a run knows; none if that is just the run's graph."""
    if part.is_graph and not newer:
        return None
    target = folder / f"{part.run}.nq"
    count = 0
    ending = f" <{run_iri(part.run)}> .".encode()
    part_ending = f" <{part.current.part_iri}> .\n".encode()
    with target.open("wb") as file:
        for line in part.current_lines(newer):
            file.write(line.removesuffix(ending) + part_ending)
            count += 1
    if len(part.files) == 1 and count == sum(1 for _ in part.lines()):
        return None
    return GraphFile.of(part.current.part_iri, target)


def _carried(runs: RunFiles, state: KnownState, records: Iterable[RunRecord]) -> tuple[GraphFile, ...]:
    """The files of what the runs of a state carry on."""
    known = {record.id: record for record in records}
    return tuple(
        _graph_file(runs, known[part.run], file, run_iri(part.run))
        for part in state.parts
        for file in CARRIED_FILES.values()
        if runs.path(part.run, file) in part.files
    )


def _graph_file(runs: RunFiles, record: RunRecord, file: RunFile, graph: str, written: str | None = None) -> GraphFile:
    path = runs.path(record.id, file)
    return GraphFile(graph, path, record.checksums.get(file) or fingerprint(path), written or graph)


def _plan(
    files: Sequence[GraphFile],
    state: KnownState,
    carried: tuple[GraphFile, ...],
    default: tuple[str, ...],
    without: Unreadable,
) -> ContentsPlan:
    planned = tuple(file for file in files if without.allows(file))
    damaged = tuple(dict.fromkeys(file.path for file in (*files, *carried) if file.is_changed))
    digest = hashlib.sha256(_RULES)
    for file in (*planned, *carried):
        digest.update(f"{file.graph} {file.fingerprint}\n".encode())
    for part in state.parts:
        run = part.current
        digest.update(f"{run.run} {' '.join(run.sections)} {sorted(run.predicates)}\n".encode())
    for path in damaged:
        digest.update(f"damaged: {path.name}\n".encode())
    return ContentsPlan(planned, state, carried, default, digest.hexdigest(), damaged)
