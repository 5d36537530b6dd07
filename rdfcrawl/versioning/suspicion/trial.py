"""A comparison goes in; what of it is suspected comes out: judged anew, or as it was recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rdfcrawl.metamodel.statements.places import line_of
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.ntriples import iri, split
from rdfcrawl.rdf.servers import is_address
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.runs.integrity import ensure_whole
from rdfcrawl.store.runs.record import RunFile, RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.store.runs.suspicion import Selector, Suspicion
from rdfcrawl.versioning.changes import ChangeKind, Scope, changes
from rdfcrawl.versioning.models import model_of
from rdfcrawl.versioning.suspicion.evidence import Evidence, evidence_of
from rdfcrawl.versioning.suspicion.judging import Court, Earlier, SuspicionJudgement, judge
from rdfcrawl.versioning.suspicion.losses import come_edges, count_left, find_missing, without_moved
from rdfcrawl.versioning.suspicion.selectors import SelectorPart, dead_part

if TYPE_CHECKING:
    from rdfcrawl.versioning.compare import Comparison

_REMOVED: Final = iri(terms.METAMODEL + ChangeKind.REMOVED)


def judged(runs: RunFiles, comparison: Comparison, old: Sequence[RunRecord], new: RunRecord) -> SuspicionJudgement:
    """What a run suspects, compared with what the runs before it knew."""
    scope = comparison.scope
    if scope.stopped or not old:
        return SuspicionJudgement()
    # The problems of a run can be many; without anything unread they are not needed to know what is missing.
    evidence = evidence_of(runs, new) if scope.unread_objects or scope.unread_lists else None
    earlier = _earlier(runs, old, scope)
    found = changes(comparison.differences(), scope)
    missing = find_missing(found, scope, evidence or Evidence(), earlier.edges)
    if not (missing.edges or missing.values) or (model := model_of(runs, new.id)) is None:
        return SuspicionJudgement()
    come = come_edges(comparison.differences(), missing.edges, scope)
    without_moved(missing, come, comparison.differences())
    left = count_left(comparison.new, comparison.differences(), missing, come, model, scope)
    court = Court(new.id, model, missing, left, earlier, comparison.edited_predicates())
    judgement = judge(court, [suspicion for suspicion in new.suspicions if not suspicion.is_open])
    if not judgement.suspicions:
        return judgement
    evidence = evidence or evidence_of(runs, new)
    parts = (dead_part(model, suspicion, evidence) for suspicion in judgement.suspicions)
    accused = (_accusing(runs, new, *pair) for pair in zip(judgement.suspicions, parts, strict=True))
    return replace(judgement, suspicions=tuple(accused))


def recorded(runs: RunFiles, new: RunRecord, scope: Scope) -> SuspicionJudgement:
    """What a run suspected when its changes were recorded, and what was accepted since."""
    if not new.suspicions:
        return SuspicionJudgement()
    ensure_whole(runs, new, (RunFile.SUSPECTED,))
    edges, values = _suspected(runs, (new,), scope)
    accepted: frozenset[tuple[str, str]] = frozenset()
    if len(new.open_suspicions) < len(new.suspicions):
        ensure_whole(runs, new, (RunFile.CHANGES,))
        lines = (split(line.decode()) for line in read_lines(runs.changes(new.id)))
        accepted = frozenset((subject, value) for subject, predicate, value in lines if predicate == _REMOVED)
    return SuspicionJudgement(edges, values, accepted, new.open_suspicions)


def _earlier(runs: RunFiles, old: Sequence[RunRecord], scope: Scope) -> Earlier:
    edges, values = _suspected(runs, old, scope)
    return Earlier(edges, values, tuple(suspicion for record in old for suspicion in record.suspicions))


def _suspected(
    runs: RunFiles, records: Iterable[RunRecord], scope: Scope
) -> tuple[frozenset[tuple[str, str, str]], frozenset[tuple[str, str]]]:
    """The edges, and the subjects and properties, that runs carry on because they suspect something."""
    edges: set[tuple[str, str, str]] = set()
    values: set[tuple[str, str]] = set()
    for record in records:
        if runs.has_file(record, RunFile.SUSPECTED):
            for line in read_lines(runs.suspected(record.id)):
                subject, predicate, value = split(line.decode())
                if scope.is_edge(predicate, value):
                    edges.add((subject, predicate, value))
                else:
                    values.add((subject, predicate))
    return frozenset(edges), frozenset(values)


def _accusing(runs: RunFiles, record: RunRecord, suspicion: Suspicion, part: SelectorPart | None) -> Suspicion:
    """The suspicion with the selector that has probably died, and where it stands in the model."""
    if part is None:
        return suspicion
    path, source = runs.model(record.id), record.model.source
    # The copy has the lines of what was run; under its own name the author finds the model more easily.
    is_text = source and source != "-" and not is_address(source) and Path(source).suffix != ".n3"
    line = line_of(path.read_text(encoding="utf-8"), *part)
    name = source if is_text else str(path)
    return replace(suspicion, selector=Selector(*part, f"{name}:{line}" if line else name))
