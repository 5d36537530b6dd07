"""Two runs of a store go in; the comparison of what they have in common comes out.

Runs cover sections, so what a run is compared with can come from several earlier runs: of each section the
latest complete one before it.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from rdfcrawl.errors import DamagedFile, ModelError, UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.current import Observed, current_part, current_runs, observed
from rdfcrawl.store.damage import faults_named
from rdfcrawl.store.integrity import KNOWN_STATE, ensure_whole
from rdfcrawl.store.record import RunFile, RunRecord, RunState
from rdfcrawl.store.runs import RunFiles
from rdfcrawl.store.unread import Unread
from rdfcrawl.versioning.blocks import Blocks, State, join_blocks, lines_of, merge_blocks, read_blocks
from rdfcrawl.versioning.changes import Change, Scope, changes
from rdfcrawl.versioning.diff import Difference, diff
from rdfcrawl.versioning.models import ModelChange, ModelPart, compare_models, compare_predicates

_OWN_FILES: Final = (RunFile.GRAPH, RunFile.UNREAD)
"""The files of a run that are needed to compare it with what was known before."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is known of some sections, against what a run has found there.

    ``edits`` are the edits of the model in between; their counts are not known before the changes are. ``damaged`` are
    files of runs that it would have been compared with, ``uncompared`` the sections for which nothing else was left.
    """

    old_runs: tuple[int, ...]
    new_run: int
    old: State
    new: State
    scope: Scope
    edits: tuple[ModelChange, ...] = ()
    damaged: tuple[DamagedFile, ...] = ()
    uncompared: tuple[str, ...] = ()

    def differences(self) -> Iterator[Difference]:
        """The triples that only one side has."""
        return diff(self.old(), self.new())

    def edited_predicates(self) -> frozenset[str]:
        """The predicates whose differences an edit of the model explains."""
        return frozenset(predicate for edit in self.edits for predicate in edit.predicates)


@dataclass(frozen=True, slots=True)
class FoundChanges:
    """The changes of the site, and the edits of the model with the number of changes that they explain."""

    changes: tuple[Change, ...]
    edits: tuple[ModelChange, ...]


def find_changes(comparison: Comparison) -> FoundChanges:
    """What a comparison comes to."""
    site: list[Change] = []
    explained: Counter[int] = Counter()
    by_predicate: dict[str, int] = {}
    by_section: dict[str, int] = {}
    for number, edit in enumerate(comparison.edits):
        if edit.part is ModelPart.SECTION:
            by_section[iri(edit.iri)] = number
        for predicate in edit.predicates:
            by_predicate.setdefault(predicate, number)
    for change in changes(comparison.differences(), comparison.scope):
        cause = by_predicate.get(change.predicate, by_section.get(change.subject))
        if cause is None:
            site.append(change)
        else:
            explained[cause] += 1
    edits = tuple(replace(edit, count=explained[number]) for number, edit in enumerate(comparison.edits))
    return FoundChanges(tuple(site), edits)


def compare_with_previous(runs: RunFiles, new: RunRecord) -> Comparison:
    """A run against the latest complete run before it, of each of its sections; against nothing the first time.

    In place of a run whose files are damaged stands the one before it. A section of which no whole run is left is not
    compared: all of it would seem to be new.
    """
    ensure_comparable(runs, new, _OWN_FILES)
    covered = {section.address for section in new.sections}
    records = {record.id: record for record in runs.records() if record.id < new.id and record.order < new.order}
    lost = {run: damage for run, damage in runs.lost_records().items() if run < new.id}
    damaged: list[DamagedFile] = []
    missed: set[str] = set()
    while True:
        parts = _latest_parts(records.values(), covered)
        if (run := _first_unusable(runs, (records[run] for run in parts), damaged, bool(lost))) is None:
            break
        missed.update(parts[run])
        del records[run]
    compared = {address for sections in parts.values() for address in sections}
    uncompared = (covered if lost else missed) - compared
    damaged += [damage for run, damage in lost.items() if run > min(parts, default=0)]
    previous = [(records[run], sections) for run, sections in parts.items()]
    return replace(
        _comparison(runs, previous, new, covered - uncompared),
        damaged=tuple(damaged),
        uncompared=tuple(sorted(uncompared)),
    )


def compare_runs(runs: RunFiles, old: RunRecord, new: RunRecord) -> Comparison:
    """Two runs, in the sections that both cover and in those that only one of their models has."""
    before, after = ({section.address for section in record.sections} for record in (old, new))
    common = before & after
    if not common:
        raise UsageError(f"the runs {old.id} and {new.id} have no section in common")
    ensure_comparable(runs, old)
    ensure_comparable(runs, new, _OWN_FILES)
    return _comparison(runs, [(old, sorted(common))], new, common)


def ensure_comparable(runs: RunFiles, record: RunRecord, files: Sequence[RunFile] = KNOWN_STATE) -> None:
    """Make sure that a run has a graph, and that its files are whole; raises ``UsageError`` or ``DamagedFile``."""
    if not runs.has_graph(record):
        raise UsageError(f"the graph of run {record.id} is not there: the run has not ended, or it was pruned")
    ensure_whole(runs, record, files)


def known_state(runs: RunFiles, run: int) -> State:
    """What is known after a run: its graph, and what it carries on from earlier ones."""
    if runs.carried(run).exists():
        states = observed_state(runs, run), carried_state(runs, run)
        return lambda: merge_blocks(state() for state in states)
    return observed_state(runs, run)


def observed_state(runs: RunFiles, run: int) -> State:
    """What a run has found itself."""
    return partial(_read, runs.graph(run), run)


def carried_state(runs: RunFiles, run: int) -> State:
    """What a run could not see, as it was last observed."""
    return partial(_read, runs.carried(run), run)


def _latest_parts(records: Iterable[RunRecord], covered: Collection[str]) -> dict[int, list[str]]:
    """The latest runs of some sections, with those sections."""
    parts = {}
    for current in current_runs(list(records)):
        if sections := [address for address in current.sections if address in covered]:
            parts[current.run] = sections
    return parts


def _first_unusable(
    runs: RunFiles, records: Iterable[RunRecord], damaged: list[DamagedFile], is_replacement: bool
) -> int | None:
    """The first run that cannot be compared with; its damage is noted."""
    for record in records:
        if record.is_pruned and (damaged or is_replacement):
            return record.id
        try:
            ensure_comparable(runs, record)
        except DamagedFile as damage:
            damaged.append(damage)
            return record.id
    return None


def _comparison(
    runs: RunFiles, previous: Sequence[tuple[RunRecord, Sequence[str]]], new: RunRecord, sections: Iterable[str]
) -> Comparison:
    records = [record for record, _ in previous]
    state = _state_of_sections(runs, new, sections) if _covers_more(new, sections) else observed_state(runs, new.id)
    return Comparison(
        tuple(record.id for record in records),
        new.id,
        _previous_state(runs, previous),
        state,
        _scope(records, new, sections, runs.read_unread(new)),
        _edits(runs, records, new),
    )


def _scope(old: Sequence[RunRecord], new: RunRecord, sections: Iterable[str], unread: Unread) -> Scope:
    written = [record.model.predicates for record in (*old, new)]
    return Scope(
        sections=frozenset(iri(address) for address in sections),
        items=frozenset(iri(name) for predicates in written for name in predicates.items),
        properties=frozenset(iri(name) for predicates in written for name in predicates.properties),
        unread_objects=frozenset(iri(address) for address in unread.objects),
        unread_lists=frozenset((iri(parent), iri(predicate)) for parent, predicate in unread.lists),
        stopped=new.state is not RunState.COMPLETE,
    )


def _previous_state(runs: RunFiles, previous: Sequence[tuple[RunRecord, Sequence[str]]]) -> State:
    if not previous:
        return lambda: iter(())
    if len(previous) == 1:
        record, sections = previous[0]
        if not _covers_more(record, sections):
            return known_state(runs, record.id)
    return partial(_join_sections, runs, previous)


def _join_sections(runs: RunFiles, previous: Sequence[tuple[RunRecord, Sequence[str]]]) -> Blocks:
    """Each run's part of the state; of an object that several runs have seen, the latest says what it is."""
    newer: list[Observed] = []
    parts: list[State] = []
    for current in current_runs([record for record, _ in previous]):
        sections = next(sections for record, sections in previous if record.id == current.run)
        lines = partial(_stripped_lines, known_state(runs, current.run))
        part = partial(current_part, lines, sections, tuple(newer))
        newer.append(observed(current, part()))
        parts.append(partial(_joined, part))
    return merge_blocks(part() for part in parts)


def _state_of_sections(runs: RunFiles, record: RunRecord, sections: Iterable[str]) -> State:
    lines = partial(_stripped_lines, observed_state(runs, record.id))
    return partial(_joined, partial(current_part, lines, tuple(sections), ()))


def _joined(part: partial[Iterator[bytes]]) -> Blocks:
    return join_blocks(line + b"\n" for line in part())


def _stripped_lines(state: State) -> Iterator[bytes]:
    return (line[:-1] for line in lines_of(state()))


def _covers_more(record: RunRecord, sections: Iterable[str]) -> bool:
    return not {section.address for section in record.sections} <= set(sections)


def _read(path: Path, run: int) -> Blocks:
    with faults_named(path), gzip.open(path, "rb") as file:
        yield from read_blocks(file, run_iri(run))


def _edits(runs: RunFiles, old: Sequence[RunRecord], new: RunRecord) -> tuple[ModelChange, ...]:
    found: dict[tuple[ModelPart, str], ModelChange] = {}
    for record in old:
        if record.model.digest != new.model.digest:
            for edit in _edits_between(runs, record, new):
                found.setdefault((edit.part, edit.iri), edit)
    return tuple(found.values())


def _edits_between(runs: RunFiles, old: RunRecord, new: RunRecord) -> tuple[ModelChange, ...]:
    before, after = _model(runs, old), _model(runs, new)
    if before is None or after is None:
        return compare_predicates(old.model.predicates, new.model.predicates)
    return compare_models(before, after)


def _model(runs: RunFiles, record: RunRecord) -> Model | None:
    try:
        return load_model(runs.model(record.id))
    except (OSError, ModelError):
        # A copy that is gone or that this version no longer accepts still leaves the record's predicates.
        return None
