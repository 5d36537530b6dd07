"""Somebody says that what runs suspect is really gone: suspicion becomes removal.

The decision is written into the record of the run first. Its files follow; where a crash came in between, whoever
accepts, runs or prunes next brings them up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.rdf.ntriples import iri, split
from rdfcrawl.store.current import CurrentRun, current_runs, reachable
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.files.whole import packed_whole, write_whole
from rdfcrawl.store.runs.integrity import ensure_whole, with_checksums
from rdfcrawl.store.runs.record import CARRIED_FILES, RunFile, RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.store.runs.suspicion import Suspicion
from rdfcrawl.store.state import state_after
from rdfcrawl.versioning.changes import ChangeKind, change_triple
from rdfcrawl.versioning.suspicion.record_rdf import is_suspicion, suspicion_triples

FOLLOWING: Final = (RunFile.CHANGES, *CARRIED_FILES.values())
"""The files of a run that follow from a comparison and from what was accepted."""

_SUSPECTED: Final = iri(terms.METAMODEL + ChangeKind.SUSPECTED)

Wanted = Callable[[Suspicion], bool]


@dataclass(frozen=True, slots=True)
class Accepted:
    """What was accepted in a run."""

    run: int
    suspicions: tuple[Suspicion, ...]


def accept(runs: RunFiles, since: RunRecord | None, wanted: Wanted) -> list[Accepted]:
    """Accept what the latest runs of all sections suspect, or only what a run (``since``) already suspected."""
    found: list[Accepted] = []
    records = {record.id: record for record in runs.records()}
    for current in current_runs(records.values()):
        record = records[current.run]
        if is_pending(record):
            record = follow_acceptance(runs, record)
        standing = [one for one in record.open_suspicions if wanted(one) and _stands(runs, record, current, one)]
        if since is not None:
            known = {suspicion.key for suspicion in since.suspicions}
            standing = [one for one in standing if one.since <= since.id and one.key in known]
        if standing:
            found.append(Accepted(record.id, tuple(standing)))
            _accept(runs, record, standing)
    return found


def is_pending(record: RunRecord) -> bool:
    """Whether something was accepted and the files of the run do not follow yet."""
    return len(record.open_suspicions) < len(record.suspicions) and RunFile.CHANGES not in record.checksums


def follow_acceptance(runs: RunFiles, record: RunRecord) -> RunRecord:
    """Make the files of a run follow what was accepted; doing it again changes nothing."""
    carried = [line.decode() for line in _lines(runs, record, RunFile.SUSPECTED)]
    pairs = {(subject, value): predicate for subject, predicate, value in map(split, carried)}
    properties = {(subject, predicate) for subject, predicate, _ in map(split, carried)}
    still_open = _OpenSuspicions(runs, record)
    open_pairs: set[tuple[str, str]] = set()
    said: list[str] = []
    for line in (line.decode() for line in _lines(runs, record, RunFile.CHANGES)):
        subject, kind, what = split(line)
        if is_suspicion(line, record.id):
            continue
        if kind != _SUSPECTED:
            said.append(f"{subject} {kind} {what} .")
        elif still_open.has(subject, what, pairs.get((subject, what)), is_value=(subject, what) in properties):
            open_pairs.add((subject, what))
            said.append(f"{subject} {kind} {what} .")
        else:
            said.append(change_triple(subject, ChangeKind.REMOVED, what))
    graph = f" <{record.iri}> .\n"
    lines = sorted({line[:-2] + graph for line in (*said, *suspicion_triples(record))}, key=str.encode)
    write_whole(runs.changes(record.id), "".join(lines).encode())
    _write_suspected(runs, record, carried, open_pairs)
    followed = with_checksums(runs, record, FOLLOWING)
    runs.write_record(followed)
    return followed


def _accept(runs: RunFiles, record: RunRecord, accepted: Iterable[Suspicion]) -> None:
    ensure_whole(runs, record, (RunFile.SUSPECTED, RunFile.CHANGES))
    keys = {suspicion.key for suspicion in accepted}
    now = datetime.now(UTC).replace(microsecond=0)
    suspicions = tuple(
        replace(one, accepted=now) if one.is_open and one.key in keys else one for one in record.suspicions
    )
    checksums = {file: made for file, made in record.checksums.items() if file not in FOLLOWING}
    # How many changes there are is counted anew when somebody wants to know.
    counts = replace(record.counts, changes={})
    decided = replace(record, suspicions=suspicions, checksums=checksums, counts=counts)
    runs.write_record(decided)
    follow_acceptance(runs, decided)


class _OpenSuspicions:
    """What a run still suspects; the class of an object is looked up only where that decides."""

    def __init__(self, runs: RunFiles, record: RunRecord) -> None:
        self._open = {suspicion.key for suspicion in record.open_suspicions}
        owners: dict[str, set[bool]] = {}
        for suspicion in record.suspicions:
            if suspicion.prop is not None:
                owners.setdefault(suspicion.prop, set()).add(suspicion.is_open)
        mixed = any(len(states) > 1 for states in owners.values())
        self._classes = _classes(runs, record) if mixed else {}

    def has(self, subject: str, what: str, predicate: str | None, *, is_value: bool) -> bool:
        """Whether the edge to an object, or the values of a property, are still suspected."""
        if not is_value:
            return predicate is not None and (predicate[1:-1], None) in self._open
        prop = what[1:-1]
        if subject in self._classes:
            return any((item, prop) in self._open for item in self._classes[subject])
        return any(key[1] == prop for key in self._open)


def _classes(runs: RunFiles, record: RunRecord) -> dict[str, set[str]]:
    items = {iri(name).encode() for name in record.model.predicates.items}
    found: dict[str, set[str]] = {}
    for line in read_lines(runs.graph(record.id)):
        _, predicate, rest = line.split(b" ", 2)
        if predicate in items and rest.startswith(b"<"):
            found.setdefault(rest[: rest.index(b">") + 1].decode(), set()).add(predicate.decode()[1:-1])
    return found


def _write_suspected(runs: RunFiles, record: RunRecord, carried: list[str], open_pairs: set[tuple[str, str]]) -> None:
    """Carry on only what is still suspected, with everything below it."""
    statements = [(line, *split(line)) for line in carried]
    roots = [value for _, subject, _, value in statements if (subject, value) in open_pairs and value[0] == "<"]
    below = reachable((line.encode() for line in carried), (name[1:-1] for name in roots))
    target = runs.suspected(record.id)
    graph = f" <{run_iri(record.id)}> .\n"
    kept = [
        f"{subject} {predicate} {value}{graph}".encode()
        for _, subject, predicate, value in statements
        if (subject, value) in open_pairs or (subject, predicate) in open_pairs or subject.encode() in below
    ]
    if not kept:
        target.unlink(missing_ok=True)
        return
    with packed_whole(target) as file:
        file.writelines(kept)


def _stands(runs: RunFiles, record: RunRecord, current: CurrentRun, suspicion: Suspicion) -> bool:
    """Whether a suspicion is about sections whose latest run this is; another run may have decided about the rest."""
    if current.is_whole:
        return True
    predicate = iri(suspicion.prop or suspicion.item).encode()
    sections = reachable(state_after(runs, record).parts[0].lines(), current.sections)
    lines = (line.split(b" ", 2) for line in _lines(runs, record, RunFile.SUSPECTED))
    return any(subject in sections and name == predicate for subject, name, _ in lines)


def _lines(runs: RunFiles, record: RunRecord, file: RunFile) -> list[bytes]:
    path = runs.path(record.id, file)
    return list(read_lines(path)) if path.exists() else []
