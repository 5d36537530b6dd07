"""At the end of a run its changes are written next to its graph, and what is not known to be gone is carried on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import field, replace
from itertools import chain, groupby
from typing import IO, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import DamagedFile, UsageError
from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.store.files.damage import find_damage
from rdfcrawl.store.files.whole import packed_whole, written_whole
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.runs.integrity import is_damaged, restore, with_checksums
from rdfcrawl.store.runs.record import CARRIED_FILES, CarryReason, RunFile, RunRecord, RunState
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.store.runs.suspicion import Suspicion
from rdfcrawl.versioning.carry_over import carried, kept_subjects
from rdfcrawl.versioning.changes import Change, ChangeKind
from rdfcrawl.versioning.compare import Comparison, compare_with_previous, find_changes
from rdfcrawl.versioning.counts import ChangeCounts
from rdfcrawl.versioning.models import ModelChange, ModelPart
from rdfcrawl.versioning.sites import in_words, site_counts
from rdfcrawl.versioning.suspicion.acceptance import FOLLOWING, follow_acceptance, is_pending
from rdfcrawl.versioning.suspicion.record_rdf import suspicion_triples

_UNCOMPARED: Final = "not compared"


@dataclass(frozen=True, slots=True)
class ChangeSummary:
    """How many changes a run has, the edits of its model, what it suspects, and what could not be compared.

    ``first`` is set where none of the sections had been read before. ``site`` counts the addresses of a survey that
    are new, gone, changed, broken or repaired.
    """

    changes: ChangeCounts = field(default_factory=ChangeCounts)
    edits: tuple[ModelChange, ...] = ()
    notes: tuple[str, ...] = ()
    compared: bool = True
    suspicions: tuple[Suspicion, ...] = ()
    first: bool = False
    site: Mapping[str, int] = field(default_factory=dict)

    @property
    def counts(self) -> Mapping[ChangeKind, int]:
        """The changes of each kind, of objects and of values together."""
        return self.changes.by_kind

    @property
    def renamed(self) -> tuple[str, ...]:
        """The classes whose objects are named by other rules since this version."""
        return tuple(edit.iri for edit in self.edits if edit.part is ModelPart.NAMING)

    def __str__(self) -> str:
        if not self.compared:
            return "not compared"
        parts = [str(self.changes)] if self.changes.by_kind or not self.edits else []
        if edits := len(self.edits) - len(self.renamed):
            parts.append(f"{edits} {'edit' if edits == 1 else 'edits'} of the model")
        if renamed := len(self.renamed):
            parts.append(f"{renamed} {'class' if renamed == 1 else 'classes'} named differently")
        if self.site and not self.first:
            parts.append(f"of the site, {in_words(self.site)}")
        return "; ".join(parts)


def record_changes(runs: RunFiles, run: int) -> ChangeSummary:
    """Write the changes of a complete run and what it carries on; doing it again writes the same."""
    record_missing(runs, before=run)
    return _record(runs, runs.read_record(run))


def record_missing(runs: RunFiles, before: int | None = None) -> None:
    """Write the changes of complete runs that were killed before they could; later runs build on what they carry on."""
    for record in runs.records():
        if (
            (before is None or record.id < before)
            and record.state is RunState.COMPLETE
            and runs.graph(record.id).exists()
            and (is_pending(record) or not _has_changes(runs, record))
        ):
            try:
                if is_pending(record) and runs.changes(record.id).exists():
                    follow_acceptance(runs, record)
                else:
                    _record(runs, record)
            except (DamagedFile, UsageError) as error:
                # Whatever is wrong with an old run must not stop a new one.
                say_once(f"the changes of run {record.id} cannot be determined: {error}")


def summary_of(
    changes: Iterable[Change], edits: tuple[ModelChange, ...] = (), suspicions: tuple[Suspicion, ...] = ()
) -> ChangeSummary:
    """The number of changes of each kind."""
    found = tuple(changes)
    return ChangeSummary(ChangeCounts.of(found, edits), edits, suspicions=suspicions, site=site_counts(found))


def uncompared_notes(comparison: Comparison) -> tuple[str, ...]:
    """What a comparison had to do without, in words."""
    notes = [str(damage) for damage in comparison.damaged]
    if notes and comparison.old_runs:
        notes.append(f"compared with run {', '.join(map(str, comparison.old_runs))} instead")
    if comparison.uncompared:
        notes.append(f"no other run is left to compare with: {', '.join(comparison.uncompared)}")
    return tuple(notes)


def _has_changes(runs: RunFiles, record: RunRecord) -> bool:
    """Whether the changes of a run were written and are still there, with what it carries on."""
    if not runs.has_file(record, RunFile.CHANGES):
        return False
    for file in CARRIED_FILES.values():
        checksum = record.checksums.get(file)
        if checksum and find_damage(runs.path(record.id, file), checksum):
            return False
    return not is_damaged(runs, record, RunFile.CHANGES) or restore(runs, record, RunFile.CHANGES)


def _record(runs: RunFiles, record: RunRecord) -> ChangeSummary:
    comparison = compare_with_previous(runs, record, judging=True)
    found = find_changes(comparison)
    _write_carried(runs, comparison)
    accepted = tuple(suspicion for suspicion in record.suspicions if not suspicion.is_open)
    if (suspicions := (*comparison.suspicions, *accepted)) != record.suspicions:
        record = replace(record, suspicions=suspicions)
        runs.write_record(record)
    changed = (triple for item in chain(found.changes, found.edits) for triple in item.triples)
    triples = sorted(triple.encode() for triple in chain(changed, suspicion_triples(record)))
    graph = f" <{record.iri}> .\n".encode()
    # A run that has its changes has everything; the record only says how to recognise them.
    with written_whole(runs.changes(record.id)) as file:
        file.writelines(triple[:-2] + graph for triple, _ in groupby(triples))
    notes = uncompared_notes(comparison)
    summary = summary_of(found.changes, found.edits, comparison.suspicions)
    _note(runs, record, notes, summary.changes)
    compared = bool(comparison.old_runs) or not comparison.uncompared
    return replace(summary, notes=notes, compared=compared, first=not comparison.old_runs and compared)


def _note(runs: RunFiles, record: RunRecord, notes: tuple[str, ...], changes: ChangeCounts) -> None:
    said = {_UNCOMPARED: ". ".join(notes)} if notes else {}
    others = {name: note for name, note in record.notes.items() if name != _UNCOMPARED}
    counts = replace(record.counts, changes=changes.as_noted())
    noted = replace(record, notes={**others, **said}, counts=counts)
    runs.write_record(with_checksums(runs, noted, FOLLOWING))


def _write_carried(runs: RunFiles, comparison: Comparison) -> None:
    """Write what a run carries on, a file for each reason; unneeded files of an earlier attempt are removed."""
    written: dict[CarryReason, IO[bytes]] = {}
    graph = f" <{run_iri(comparison.new_run)}> .\n"
    with ExitStack() as files:
        for reason, line in _carried_lines(comparison):
            if reason not in written:
                target = runs.path(comparison.new_run, CARRIED_FILES[reason])
                written[reason] = files.enter_context(packed_whole(target))
            written[reason].write((line[:-2] + graph).encode())
    for reason in CARRIED_FILES.keys() - written.keys():
        runs.path(comparison.new_run, CARRIED_FILES[reason]).unlink(missing_ok=True)


def _carried_lines(comparison: Comparison) -> Iterator[tuple[CarryReason, str]]:
    scope = comparison.scope
    if not scope.may_keep:
        return iter(())
    kept = kept_subjects(comparison.differences(), scope)
    dropped = {
        CarryReason.UNREAD: comparison.edited_predicates(),
        CarryReason.SUSPECTED: comparison.removed_predicates(),
    }
    return carried(comparison.differences(), scope, kept, dropped)
