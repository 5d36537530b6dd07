"""At the end of a run its changes are written beside its graph, and what it could not see is carried on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from typing import Final

from rdfcrawl.errors import DamagedFile, UsageError
from rdfcrawl.store.damage import find_damage
from rdfcrawl.store.files import fingerprint, packed_whole, written_whole
from rdfcrawl.store.integrity import is_damaged, restore
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.record import RunFile, RunRecord, RunState
from rdfcrawl.store.runs import RunFiles
from rdfcrawl.versioning.carry_over import carried, unseen_subjects
from rdfcrawl.versioning.changes import Change, ChangeKind
from rdfcrawl.versioning.compare import Comparison, compare_with_previous, find_changes
from rdfcrawl.versioning.models import ModelChange

_UNCOMPARED: Final = "not compared"


@dataclass(frozen=True, slots=True)
class ChangeSummary:
    """How many changes of each kind a run has brought, the edits of its model, and what could not be compared."""

    counts: Mapping[ChangeKind, int] = field(default_factory=dict)
    edits: tuple[ModelChange, ...] = ()
    notes: tuple[str, ...] = ()
    compared: bool = True

    def __str__(self) -> str:
        if not self.compared:
            return "not compared"
        parts = [f"{self.counts.get(kind, 0)} {kind}" for kind in ChangeKind if kind is not ChangeKind.UNOBSERVED]
        if unobserved := self.counts.get(ChangeKind.UNOBSERVED):
            parts.append(f"{unobserved} not observed")
        if self.edits:
            parts.append(f"{len(self.edits)} {'edit' if len(self.edits) == 1 else 'edits'} of the model")
        return ", ".join(parts)


def record_changes(runs: RunFiles, run: int) -> ChangeSummary:
    """Write the changes of a complete run and what it carries on; doing it again writes the same."""
    record_missing(runs, before=run)
    return _record(runs, runs.read_record(run))


def record_missing(runs: RunFiles, before: int | None = None) -> None:
    """Write the changes of complete runs whose end a crash has cut off; later runs build on what they carry."""
    for record in runs.records():
        if (
            (before is None or record.id < before)
            and record.state is RunState.COMPLETE
            and runs.graph(record.id).exists()
            and not _has_changes(runs, record)
        ):
            try:
                _record(runs, record)
            except (DamagedFile, UsageError) as error:
                # What cannot be found out any more about an old run must not end a new one.
                say_once(f"the changes of run {record.id} cannot be found out: {error}")


def summary_of(changes: Iterable[Change], edits: tuple[ModelChange, ...] = ()) -> ChangeSummary:
    """The number of changes of each kind."""
    return ChangeSummary(Counter(change.kind for change in changes), edits)


def uncompared_notes(comparison: Comparison) -> tuple[str, ...]:
    """What a comparison had to do without, in words."""
    notes = [str(damage) for damage in comparison.damaged]
    if notes and comparison.old_runs:
        notes.append(f"compared with run {', '.join(map(str, comparison.old_runs))} in its place")
    if comparison.uncompared:
        notes.append(f"no other run is left to compare with: {', '.join(comparison.uncompared)}")
    return tuple(notes)


def _has_changes(runs: RunFiles, record: RunRecord) -> bool:
    """Whether the changes of a run were written and are still there, with what it carries on."""
    if not runs.changes(record.id).exists() and RunFile.CHANGES not in record.checksums:
        return False
    carried = record.checksums.get(RunFile.CARRIED)
    if carried and find_damage(runs.carried(record.id), carried):
        return False
    return not is_damaged(runs, record, RunFile.CHANGES) or restore(runs, record, RunFile.CHANGES)


def _record(runs: RunFiles, record: RunRecord) -> ChangeSummary:
    comparison = compare_with_previous(runs, record)
    found = find_changes(comparison)
    _write_carried(runs, comparison)
    triples = sorted(item.triple.encode() for item in chain(found.changes, found.edits))
    graph = f" <{record.iri}> .\n".encode()
    # A run that has its changes has everything; the record only tells how to recognise them.
    with written_whole(runs.changes(record.id)) as file:
        file.writelines(triple[:-2] + graph for triple, _ in groupby(triples))
    notes = uncompared_notes(comparison)
    _note(runs, record, notes)
    compared = bool(comparison.old_runs) or not comparison.uncompared
    return replace(summary_of(found.changes, found.edits), notes=notes, compared=compared)


def _note(runs: RunFiles, record: RunRecord, notes: tuple[str, ...]) -> None:
    checksums: dict[RunFile, str] = dict(record.checksums)
    checksums.pop(RunFile.CARRIED, None)
    for file in (RunFile.CHANGES, RunFile.CARRIED):
        if (path := runs.path(record.id, file)).exists():
            checksums[file] = fingerprint(path)
    said = {_UNCOMPARED: ". ".join(notes)} if notes else {}
    others = {name: note for name, note in record.notes.items() if name != _UNCOMPARED}
    runs.write_record(replace(record, checksums=checksums, notes={**others, **said}))


def _write_carried(runs: RunFiles, comparison: Comparison) -> None:
    scope = comparison.scope
    target = runs.carried(comparison.new_run)
    if not (scope.unread_objects or scope.unread_lists):
        target.unlink(missing_ok=True)
        return
    unseen = unseen_subjects(comparison.differences(), scope)
    lines = carried(comparison.differences(), scope, unseen, comparison.edited_predicates())
    with packed_whole(target) as file:
        graph = f" <run://{comparison.new_run}> .\n"
        for line in lines:
            file.write((line[:-2] + graph).encode())
