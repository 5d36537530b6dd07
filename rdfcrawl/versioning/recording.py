"""At the end of a run its changes are written beside its graph, and what it could not see is carried on."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rdfcrawl.store.files import write_whole, written_whole
from rdfcrawl.store.record import RunRecord, RunState
from rdfcrawl.store.runs import RunFiles
from rdfcrawl.versioning.carried import carried, unseen_subjects
from rdfcrawl.versioning.changes import Change, ChangeKind
from rdfcrawl.versioning.compare import Comparison, compare_with_previous, find_changes
from rdfcrawl.versioning.models import ModelChange


@dataclass(frozen=True, slots=True)
class ChangeSummary:
    """How many changes of each kind a run has brought, and the edits of its model."""

    counts: Mapping[ChangeKind, int] = field(default_factory=dict)
    edits: tuple[ModelChange, ...] = ()

    def __str__(self) -> str:
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
            and not runs.changes(record.id).exists()
        ):
            _record(runs, record)


def summary_of(changes: Iterable[Change], edits: tuple[ModelChange, ...] = ()) -> ChangeSummary:
    """The number of changes of each kind."""
    return ChangeSummary(Counter(change.kind for change in changes), edits)


def _record(runs: RunFiles, record: RunRecord) -> ChangeSummary:
    comparison = compare_with_previous(runs, record)
    found = find_changes(comparison)
    _write_carried(runs, comparison)
    triples = {item.triple.encode() for item in (*found.changes, *found.edits)}
    graph = f" <{record.iri}> .\n".encode()
    # The changes come last: a run that has them has everything.
    write_whole(runs.changes(record.id), b"".join(triple[:-2] + graph for triple in sorted(triples)))
    return summary_of(found.changes, found.edits)


def _write_carried(runs: RunFiles, comparison: Comparison) -> None:
    scope = comparison.scope
    target = runs.carried(comparison.new_run)
    if not (scope.unread_objects or scope.unread_lists):
        target.unlink(missing_ok=True)
        return
    unseen = unseen_subjects(comparison.differences(), scope)
    lines = carried(comparison.differences(), scope, unseen, comparison.edited_predicates())
    with (
        written_whole(target) as file,
        gzip.GzipFile(filename="", mode="wb", compresslevel=1, fileobj=file, mtime=0) as compressed,
    ):
        graph = f" <run://{comparison.new_run}> .\n"
        for line in lines:
            compressed.write((line[:-2] + graph).encode())
