"""Two runs of a store go in; the comparison of what they have in common comes out.

A run is compared with what was known of its sections before it, which can come from several earlier runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import DamagedFile, UsageError
from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.runs.integrity import KNOWN_STATE, ensure_whole
from rdfcrawl.store.runs.record import CARRIED_FILES, CarryReason, RunFile, RunRecord, RunState
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.store.runs.suspicion import Suspicion
from rdfcrawl.store.runs.unread import Unread
from rdfcrawl.store.state import KnownState, StatePart, state_after, state_before, state_found
from rdfcrawl.versioning.blocks import Blocks, State, about, graph_blocks, lines_of, state_blocks
from rdfcrawl.versioning.changes import Change, ChangeKind, Scope, changes
from rdfcrawl.versioning.diff import Difference, diff
from rdfcrawl.versioning.models import ModelChange, ModelPart, compare_models, compare_predicates, model_of
from rdfcrawl.versioning.pairing.renaming import renamed_classes
from rdfcrawl.versioning.pairing.replaced import Place, descriptions, keys_of, may_be_replaced, paired, replacements
from rdfcrawl.versioning.suspicion.trial import judged, recorded

_OWN_FILES: Final = (RunFile.GRAPH, RunFile.UNREAD)
"""The files of a run that are needed to compare it with what was known before."""
_FEW_SECTIONS: Final = 16
"""So many are searched for one by one in less time than it takes to look at each line."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What is known of some sections, against what a run has found there.

    ``edits`` are the edits of the model in between; their counts are not known before the changes are. ``damaged`` are
    files of runs that it would have been compared with, ``uncompared`` the sections for which nothing else was left.
    ``model`` loads the model of the new run, ``suspicions`` say what that run does not believe to be gone.
    """

    old_runs: tuple[int, ...]
    new_run: int
    old: State
    new: State
    scope: Scope
    edits: tuple[ModelChange, ...] = ()
    damaged: tuple[DamagedFile, ...] = ()
    uncompared: tuple[str, ...] = ()
    model: Callable[[], Model | None] = lambda: None
    suspicions: tuple[Suspicion, ...] = ()

    def differences(self) -> Iterator[Difference]:
        """The triples that only one side has."""
        return diff(self.old(), self.new())

    def topmost_differences(self) -> Iterator[Difference]:
        """Those of the differences that changes are made of.

        Where nothing was known before, all else is only described by what its section leads to, and not looked at.
        """
        if len(self.scope.sections) > _FEW_SECTIONS or next(self.old(), None) is not None:
            return self.differences()
        return _found_of_sections(self.new(), sorted(self.scope.sections))

    def edited_predicates(self) -> frozenset[str]:
        """The predicates whose differences an edit of the model explains."""
        return frozenset(predicate for edit in self.edits for predicate in edit.predicates)

    def removed_predicates(self) -> frozenset[str]:
        """The predicates that the new model no longer writes."""
        gone = (edit for edit in self.edits if edit.kind is ChangeKind.REMOVED)
        return frozenset(predicate for edit in gone for predicate in edit.predicates)


@dataclass(frozen=True, slots=True)
class FoundChanges:
    """The changes of the site, and the edits of the model with the number of changes that they explain."""

    changes: tuple[Change, ...]
    edits: tuple[ModelChange, ...]


def _found_of_sections(blocks: Blocks, sections: Sequence[str]) -> Iterator[Difference]:
    for block in blocks:
        for section in sections:
            for line in about(iter((block,)), section.encode()):
                yield Difference(line[:-1].decode(), True, False, False)


def find_changes(comparison: Comparison) -> FoundChanges:
    """The result of a comparison."""
    site: list[Change] = []
    explained: Counter[int] = Counter()
    by_predicate: dict[str, int] = {}
    by_section: dict[str, int] = {}
    for number, edit in enumerate(comparison.edits):
        if edit.part is ModelPart.SECTION:
            by_section[iri(edit.iri)] = number
        for predicate in edit.predicates:
            by_predicate.setdefault(predicate, number)
    for change in changes(comparison.topmost_differences(), comparison.scope):
        cause = by_predicate.get(change.predicate, by_section.get(change.subject))
        if cause is None or change.kind is ChangeKind.SUSPECTED:
            site.append(change)
        else:
            explained[cause] += 1
    edits = tuple(replace(edit, count=explained[number]) for number, edit in enumerate(comparison.edits))
    return FoundChanges(tuple(paired(site, _successors(comparison, site))), edits)


def _successors(comparison: Comparison, site: Sequence[Change]) -> dict[str, str]:
    """The objects that took the place of others; everything is read once more, where there can be any."""
    if not may_be_replaced(site):
        return {}

    def crowded(places: Collection[Place]) -> list[Place]:
        wanted = {" ".join(place).encode(): place for place in places}
        found = (line[: line.index(b" ", line.index(b" ") + 1)] for line in lines_of(comparison.new()))
        counted = Counter(place for place in found if place in wanted)
        return [wanted[place] for place, count in counted.items() if count > 1]

    return replacements(site, descriptions(comparison.differences()), keys_of(comparison.model()), crowded)


def compare_with_previous(runs: RunFiles, new: RunRecord, judging: bool = False) -> Comparison:
    """A run against the latest complete run before it, of each of its sections; against nothing the first time.

    ``judging`` decides anew what is suspected, although that may be recorded.
    A run whose files are damaged is replaced by the one before it, and so is a pruned one where the changes are
    determined for the first time: a replay comes after the run that it replays. A section of which no intact run is
    left is not compared: all of it would seem to be new.
    """
    ensure_comparable(runs, new, _OWN_FILES)
    records = {record.id: record for record in runs.records()}
    lost = {run: damage for run, damage in runs.lost_records().items() if run < new.id}
    damaged: list[DamagedFile] = []
    missed: set[str] = set()
    skips_pruned = bool(lost) or (judging and RunFile.CHANGES not in new.checksums)
    state = state_before(runs, new, records.values())
    while (part := _first_unusable(runs, state, records, damaged, skips_pruned)) is not None:
        missed.update(part.current.sections)
        del records[part.run]
        state = state_before(runs, new, records.values())
    uncompared = (new.addresses if lost else missed) - state.sections
    damaged += [damage for run, damage in lost.items() if run > min((part.run for part in state.parts), default=0)]
    return replace(
        _comparison(runs, state, records, new, new.addresses - uncompared, judging),
        damaged=tuple(damaged),
        uncompared=tuple(sorted(uncompared)),
    )


def compare_runs(runs: RunFiles, old: RunRecord, new: RunRecord) -> Comparison:
    """Two runs, in the sections that both cover and in those that only one of their models has."""
    common = old.addresses & new.addresses
    if not common:
        raise UsageError(f"the runs {old.id} and {new.id} have no section in common")
    ensure_comparable(runs, old)
    ensure_comparable(runs, new, _OWN_FILES)
    return _comparison(runs, state_after(runs, old, common), {old.id: old}, new, common)


def compare_named(runs: RunFiles, old: str | None, new: str) -> Comparison:
    """The comparison that people ask for: of two runs, or of one with the previous run of each of its sections."""
    if old is not None:
        return compare_runs(runs, runs.resolve(old), runs.resolve(new))
    comparison = compare_with_previous(runs, runs.resolve(new))
    if comparison.uncompared and not comparison.old_runs:
        raise comparison.damaged[0]
    return comparison


def ensure_comparable(runs: RunFiles, record: RunRecord, files: Sequence[RunFile] = KNOWN_STATE) -> None:
    """Make sure that a run has a graph, and that its files are intact; raises ``UsageError`` or ``DamagedFile``."""
    if not runs.has_graph(record):
        raise UsageError(f"run {record.id} has no graph: it has not ended, or it was pruned")
    ensure_whole(runs, record, files)


def observed_state(runs: RunFiles, run: int) -> State:
    """What a run has found itself."""
    return graph_blocks(runs.graph(run), run)


def carried_state(runs: RunFiles, run: int, reason: CarryReason) -> State:
    """What a run has not found and carries on for a reason, as it was last observed."""
    return graph_blocks(runs.path(run, CARRIED_FILES[reason]), run)


def _first_unusable(
    runs: RunFiles,
    state: KnownState,
    records: Mapping[int, RunRecord],
    damaged: list[DamagedFile],
    skips_pruned: bool,
) -> StatePart | None:
    """The first part of a state whose run cannot be compared with; the damage is noted."""
    for part in state.parts:
        record = records[part.run]
        if record.is_pruned and (damaged or skips_pruned):
            return part
        try:
            ensure_comparable(runs, record)
        except DamagedFile as damage:
            damaged.append(damage)
            return part
    return None


def _comparison(
    runs: RunFiles,
    state: KnownState,
    records: Mapping[int, RunRecord],
    new: RunRecord,
    sections: Collection[str],
    judging: bool = False,
) -> Comparison:
    previous = [records[part.run] for part in state.parts]
    comparison = Comparison(
        tuple(record.id for record in previous),
        new.id,
        state_blocks(state),
        state_blocks(state_found(runs, new, sections)),
        _scope(previous, new, sections, runs.read_unread(new)),
        _edits(runs, previous, new),
        model=partial(model_of, runs, new.id),
    )
    renamed = any(record.naming != new.naming for record in previous)
    if renamed and (model := model_of(runs, new.id)) is not None:
        comparison = _with_renamed(comparison, model)
    if judging or not runs.has_file(new, RunFile.CHANGES):
        found = judged(runs, comparison, previous, new)
    else:
        found = recorded(runs, new, comparison.scope)
    return replace(comparison, scope=found.within(comparison.scope), suspicions=found.suspicions)


def _with_renamed(comparison: Comparison, model: Model) -> Comparison:
    """The comparison with the classes that are named by other rules, unless an edit of the model explains them."""
    found = changes(comparison.differences(), comparison.scope)
    renamed = renamed_classes(found, descriptions(comparison.differences()), model, comparison.scope)
    edited = comparison.edited_predicates()
    return replace(comparison, edits=(*comparison.edits, *(one for one in renamed if not one.predicates & edited)))


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


def _edits(runs: RunFiles, old: Sequence[RunRecord], new: RunRecord) -> tuple[ModelChange, ...]:
    found: dict[tuple[ModelPart, str], ModelChange] = {}
    for record in old:
        if record.model.digest != new.model.digest:
            for edit in _edits_between(runs, record, new):
                found.setdefault((edit.part, edit.iri), edit)
    return tuple(found.values())


def _edits_between(runs: RunFiles, old: RunRecord, new: RunRecord) -> tuple[ModelChange, ...]:
    before, after = model_of(runs, old.id), model_of(runs, new.id)
    if before is None or after is None:
        # The records still say which predicates the models had.
        return compare_predicates(old.model.predicates, new.model.predicates)
    return compare_models(before, after)
