"""What each run has said of one object, read from the run files."""

from __future__ import annotations

from collections.abc import Iterator

from rdfcrawl.metamodel import terms
from rdfcrawl.store.files import read_lines
from rdfcrawl.store.ntriples import iri, split
from rdfcrawl.store.record import RunRecord, RunState
from rdfcrawl.store.runs import RunFiles
from rdfcrawl.versioning.blocks import Blocks, about
from rdfcrawl.versioning.changes import Values
from rdfcrawl.versioning.compare import carried_state, observed_state
from rdfcrawl.versioning.history import Observation, Sighting

_MODEL = f"<{terms.MODEL}> ".encode()


def observations(runs: RunFiles, address: str) -> Iterator[Observation]:
    """How the object stood in every complete run, oldest first."""
    for record in runs.records():
        if record.state is RunState.COMPLETE:
            yield _observation(runs, record, iri(address).encode())


def _observation(runs: RunFiles, record: RunRecord, subject: bytes) -> Observation:
    sections = frozenset(section.address for section in record.sections)
    if not runs.graph(record.id).exists():
        return Observation(record.id, record.started, Sighting.UNKNOWN, sections)
    if values := _values(observed_state(runs, record.id)(), subject):
        edited = _edited_predicates(runs, record.id)
        return Observation(record.id, record.started, Sighting.SEEN, sections, values, edited)
    carried = runs.carried(record.id).exists() and _values(carried_state(runs, record.id)(), subject)
    sighting = Sighting.UNOBSERVED if carried else Sighting.ABSENT
    return Observation(record.id, record.started, sighting, sections)


def _values(blocks: Blocks, subject: bytes) -> Values:
    return frozenset(split(line.decode().rstrip("\n"))[1:] for line in about(blocks, subject))


def _edited_predicates(runs: RunFiles, run: int) -> frozenset[str]:
    if not runs.changes(run).exists():
        return frozenset()
    return frozenset(split(line.decode())[2] for line in read_lines(runs.changes(run)) if line.startswith(_MODEL))
