"""What is current: of each section the latest complete run, of each object the latest observation.

Most runs are current as a whole or not at all. Where a run is the latest for only some of its sections, or where a
later run has read some of its objects again, only a part of its graph is current; that part gets a graph of its own,
and so does the current state of a run that carries on what it could not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rdfcrawl.rdf.graphs import part_iri
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.record import RunRecord, RunState

Lines = Callable[[], Iterable[bytes]]
"""A run's lines; they are read more than once."""


@dataclass(frozen=True, slots=True)
class CurrentRun:
    """A run that is the latest of some of its sections."""

    run: int
    sections: tuple[str, ...]
    predicates: frozenset[bytes]

    @property
    def part_iri(self) -> str:
        """The name of the graph that holds the current part, where that is not the whole."""
        return part_iri(self.run)


@dataclass(frozen=True, slots=True)
class Observed:
    """What a run has said something about: these predicates of these subjects."""

    subjects: frozenset[bytes]
    predicates: frozenset[bytes]

    def covers(self, subject: bytes, predicate: bytes) -> bool:
        """Whether the run would have written this predicate of this subject, if it was still there."""
        return subject in self.subjects and (not self.predicates or predicate in self.predicates)


def current_runs(records: Sequence[RunRecord]) -> list[CurrentRun]:
    """The runs that are the latest complete ones of a section, with those sections, newest first.

    A run that replays an old archive is as old as that: it shows the site of then.
    """
    seen: set[str] = set()
    current = []
    for record in sorted(records, key=lambda record: record.order, reverse=True):
        if record.state is not RunState.COMPLETE:
            continue
        sections = tuple(section.address for section in record.sections if section.address not in seen)
        if sections:
            written = (*record.model.predicates.items, *record.model.predicates.properties)
            current.append(CurrentRun(record.id, sections, frozenset(iri(address).encode() for address in written)))
            seen.update(sections)
    return current


def observed(run: CurrentRun, lines: Iterable[bytes]) -> Observed:
    """What a run has observed."""
    return Observed(frozenset(line[: line.index(b" ")] for line in lines), run.predicates)


def current_part(lines: Lines, sections: Iterable[str], newer: Sequence[Observed]) -> Iterator[bytes]:
    """The lines reachable from the sections along IRIs, without what newer runs have observed again."""
    reached = reachable(lines(), sections, newer)
    for line in lines():
        subject, predicate, _ = line.split(b" ", 2)
        if subject in reached and not _superseded(subject, predicate, newer):
            yield line


def reachable(lines: Iterable[bytes], sections: Iterable[str], newer: Sequence[Observed] = ()) -> set[bytes]:
    """The sections and all IRIs that can be reached from them, as they are written in the lines."""
    edges: dict[bytes, list[bytes]] = {}
    for line in lines:
        subject, predicate, rest = line.split(b" ", 2)
        if rest.startswith(b"<") and not _superseded(subject, predicate, newer):
            edges.setdefault(subject, []).append(rest[: rest.index(b">") + 1])
    waiting = [iri(section).encode() for section in sections]
    reached = set(waiting)
    while waiting:
        for target in edges.get(waiting.pop(), ()):
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    return reached


def _superseded(subject: bytes, predicate: bytes, newer: Sequence[Observed]) -> bool:
    return any(run.covers(subject, predicate) for run in newer)
