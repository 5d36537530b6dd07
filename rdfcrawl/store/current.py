"""What is current: of each section the latest complete run, of each object the latest observation.

Most runs are current as a whole or not at all. If a run is the latest for only some of its sections, or if a later run
has read some of its objects again, only a part of what it knows is current.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from rdfcrawl.dataclass import dataclass
from rdfcrawl.rdf.graphs import part_iri
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.runs.record import RunRecord, RunState

Lines = Callable[[], Iterable[bytes]]
"""A run's lines; they are read more than once."""


@dataclass(frozen=True, slots=True)
class CurrentRun:
    """A run that is the latest of some sections; ``is_whole`` if those are all that it covers."""

    run: int
    sections: tuple[str, ...]
    predicates: frozenset[bytes]
    is_whole: bool = True

    @classmethod
    def of(cls, record: RunRecord, sections: Collection[str] | None = None) -> CurrentRun:
        """A run as the latest of all its sections, or of those that are named."""
        every = [section.address for section in record.sections]
        chosen = tuple(address for address in every if sections is None or address in sections)
        written = (*record.model.predicates.items, *record.model.predicates.properties)
        predicates = frozenset(iri(address).encode() for address in written)
        return cls(record.id, chosen, predicates, len(chosen) == len(every))

    @property
    def part_iri(self) -> str:
        """The name of the graph that holds the current part, if that is not the run's graph."""
        return part_iri(self.run)


@dataclass(frozen=True, slots=True)
class Observed:
    """What a run has said something about: these predicates of these subjects."""

    subjects: frozenset[bytes]
    predicates: frozenset[bytes]

    def covers(self, subject: bytes, predicate: bytes) -> bool:
        """Whether the run would have written this predicate of this subject, if it was still there."""
        return subject in self.subjects and (not self.predicates or predicate in self.predicates)


def current_runs(records: Iterable[RunRecord], sections: Collection[str] | None = None) -> list[CurrentRun]:
    """The latest complete runs of all sections, or of those that are named, newest first.

    A run that replays an old archive is as old as that: it shows the site as it was then.
    """
    seen: set[str] = set()
    current = []
    for record in sorted(records, key=lambda record: record.order, reverse=True):
        if record.state is not RunState.COMPLETE:
            continue
        wanted = record.addresses if sections is None else record.addresses & set(sections)
        if unseen := wanted - seen:
            current.append(CurrentRun.of(record, unseen))
            seen |= unseen
    return current


def observed(run: CurrentRun, lines: Lines, newer: Sequence[Observed] = ()) -> Observed:
    """What a run has observed in the sections whose latest run it is."""
    subjects = (line[: line.index(b" ")] for line in lines())
    if run.is_whole and not newer:
        return Observed(frozenset(subjects), run.predicates)
    reached = reachable(lines(), run.sections, newer)
    return Observed(frozenset(subject for subject in subjects if subject in reached), run.predicates)


def current_part(run: CurrentRun, lines: Lines, newer: Sequence[Observed] = ()) -> Iterator[bytes]:
    """The lines reachable from the run's sections along IRIs, without what newer runs have observed again."""
    if run.is_whole and not newer:
        # Everything that a run has written can be reached from its sections.
        yield from lines()
        return
    reached = reachable(lines(), run.sections, newer)
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
