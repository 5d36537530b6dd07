"""What each run says about one object, read from the run files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Final

from rdfcrawl.errors import DamagedFile
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.ntriples import iri, split
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.runs.integrity import ensure_whole, is_damaged
from rdfcrawl.store.runs.record import CARRIED_FILES, CarryReason, RunFile, RunRecord, RunState
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.versioning.blocks import Blocks, about
from rdfcrawl.versioning.changes import Values
from rdfcrawl.versioning.compare import carried_state, observed_state
from rdfcrawl.versioning.history import Observation, Sighting

_MODEL = f"<{terms.MODEL}> ".encode()
_CARRIED: Final = {CarryReason.UNREAD: Sighting.UNOBSERVED, CarryReason.SUSPECTED: Sighting.SUSPECTED}
"""The status of an object that a run carries on, by the reason for it."""


def observations(runs: RunFiles, address: str) -> Iterator[Observation]:
    """How the object stood in every complete run, oldest first; a replay takes the place of the run that it replays."""
    for record, edited in readings(runs.records(), lambda run: runs.graph(run).exists()):
        yield _observation(runs, record, iri(address).encode(), edited)


def readings(
    records: Iterable[RunRecord], has_graph: Callable[[int], bool]
) -> Iterator[tuple[RunRecord, frozenset[str]]]:
    """The latest reading of each observation, in the order in which the site was observed.

    Each comes with the predicates that either it or the reading before does not write: what only one of two models
    has can neither appear nor vanish between their runs.
    """
    latest: dict[tuple[int, frozenset[str]], RunRecord] = {}
    for record in records:
        if record.state is RunState.COMPLETE and (record.observed == record.id or has_graph(record.id)):
            latest[record.observed, record.addresses] = record
    earlier: list[RunRecord] = []
    for record in sorted(latest.values(), key=lambda record: record.order):
        before = next((one for one in reversed(earlier) if one.addresses & record.addresses), record)
        yield record, _properties(before) ^ _properties(record)
        earlier.append(record)


def _observation(runs: RunFiles, record: RunRecord, subject: bytes, edited: frozenset[str]) -> Observation:
    unknown = Observation(record.id, _seen(record), Sighting.UNKNOWN, record.addresses)
    if not runs.has_graph(record):
        return unknown
    try:
        if not is_damaged(runs, record, RunFile.GRAPH):
            return _reading(runs, record, subject, edited)
    except (DamagedFile, ValueError):
        # Damaged compressed data can produce broken lines before it is noticed.
        pass
    try:
        ensure_whole(runs, record)
    except DamagedFile as damage:
        say_once(str(damage))
        return unknown
    return _reading(runs, record, subject, edited)


def _reading(runs: RunFiles, record: RunRecord, subject: bytes, edited: frozenset[str]) -> Observation:
    sections = record.addresses
    if values := _values(observed_state(runs, record.id)(), subject):
        every_edit = edited | _edited_predicates(runs, record)
        suspected = carried_values(runs, record, CarryReason.SUSPECTED, subject)
        return Observation(record.id, _seen(record), Sighting.SEEN, sections, values, every_edit, suspected)
    for reason, sighting in _CARRIED.items():
        if carried_values(runs, record, reason, subject):
            return Observation(record.id, _seen(record), sighting, sections)
    return Observation(record.id, _seen(record), Sighting.ABSENT, sections)


def carried_values(runs: RunFiles, record: RunRecord, reason: CarryReason, subject: bytes) -> Values:
    """What a run carries on about an object for a reason."""
    if not runs.has_file(record, CARRIED_FILES[reason]):
        return frozenset()
    return _values(carried_state(runs, record.id, reason)(), subject)


def _seen(record: RunRecord) -> datetime:
    return datetime.fromtimestamp(record.observed, UTC)


def _properties(record: RunRecord) -> frozenset[str]:
    return frozenset(iri(name) for name in record.model.predicates.properties)


def _values(blocks: Blocks, subject: bytes) -> Values:
    return frozenset(split(line.decode().rstrip("\n"))[1:] for line in about(blocks, subject))


def _edited_predicates(runs: RunFiles, record: RunRecord) -> frozenset[str]:
    if not runs.has_file(record, RunFile.CHANGES):
        return frozenset()
    try:
        ensure_whole(runs, record, (RunFile.CHANGES,))
    except DamagedFile as damage:
        say_once(str(damage))
        return frozenset()
    lines = read_lines(runs.changes(record.id))
    return frozenset(split(line.decode())[2] for line in lines if line.startswith(_MODEL))
