"""What is known of a site's sections, before a run, after it, or now.

A run knows what it has found, which is its graph, and what it carries on from earlier runs because it is not known to
be gone. The state of some sections is what the latest complete run of each knows about it; of an object that several
of these runs know, the latest observation counts. The index, the diff and the patches on the web all use the state
from here, so they cannot disagree. It is read as streams of sorted lines: only if runs of different sections have
to be joined, the subjects and edges of their graphs are held in memory.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from pathlib import Path

from rdfcrawl.dataclass import dataclass
from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.store.current import CurrentRun, Observed, current_part, current_runs, observed
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.runs.record import CARRIED_FILES, RunFile, RunRecord
from rdfcrawl.store.runs.run_files import RunFiles


@dataclass(frozen=True, slots=True)
class StatePart:
    """What one run contributes to a state; ``files`` are its graph and what it carries on."""

    current: CurrentRun
    files: tuple[Path, ...]

    @property
    def run(self) -> int:
        """The run."""
        return self.current.run

    @property
    def is_graph(self) -> bool:
        """Whether the part is just the graph of the run, unless newer runs have observed some of it again."""
        return self.current.is_whole and len(self.files) == 1

    def lines(self) -> Iterator[bytes]:
        """Everything that the run knows, as sorted N-Quads."""
        return heapq.merge(*(read_lines(path) for path in self.files))

    def current_lines(self, newer: tuple[Observed, ...] = ()) -> Iterator[bytes]:
        """What belongs to the state: in the part's own sections, and not observed again by newer runs."""
        return current_part(self.current, self.lines, newer)

    def triples(self, newer: tuple[Observed, ...] = ()) -> Iterator[bytes]:
        """The same without the name of the graph, in the same order."""
        ending = f" <{run_iri(self.run)}> .".encode()
        return (line.removesuffix(ending) + b" ." for line in self.current_lines(newer))


@dataclass(frozen=True, slots=True)
class KnownState:
    """What is known of some sections, by the runs that know it, newest first."""

    parts: tuple[StatePart, ...] = ()

    @property
    def sections(self) -> frozenset[str]:
        """The sections of which something is known."""
        return frozenset(address for part in self.parts for address in part.current.sections)

    @property
    def graph(self) -> StatePart | None:
        """The only part, if the state is just the graph of one run: such a file can be read as it is."""
        return self.parts[0] if len(self.parts) == 1 and self.parts[0].is_graph else None

    def resolved(self) -> Iterator[tuple[StatePart, tuple[Observed, ...]]]:
        """The parts, newest first, each with what the newer ones have observed."""
        newer: tuple[Observed, ...] = ()
        for part in self.parts:
            yield part, newer
            if part is not self.parts[-1]:
                newer = (*newer, observed(part.current, part.lines, newer))

    def triples(self) -> Iterator[bytes]:
        """All triples of the state as sorted lines, each once."""
        streams = [part.triples(newer) for part, newer in self.resolved()]
        return (line for line, _ in groupby(heapq.merge(*streams)))


def state_of(
    runs: RunFiles,
    records: Iterable[RunRecord],
    sections: Collection[str] | None = None,
    without: Collection[Path] = (),
) -> KnownState:
    """The state that some runs leave behind, of all their sections or of those that are named.

    ``without`` are files of carried triples that cannot be read.
    """
    known = {record.id: record for record in records}
    parts = []
    for current in current_runs(known.values(), sections):
        files = _known_files(runs, known[current.run])
        parts.append(StatePart(current, tuple(path for path in files if path not in without)))
    return KnownState(tuple(parts))


def state_before(runs: RunFiles, record: RunRecord, records: Iterable[RunRecord]) -> KnownState:
    """What was known of a run's sections when it began.

    Earlier are runs that both began earlier and show the site at an earlier time. A replay of an old archive
    is neither news nor something that an existing run was compared with.
    """
    earlier = (other for other in records if other.id < record.id and other.order < record.order)
    return state_of(runs, earlier, record.addresses)


def state_after(runs: RunFiles, record: RunRecord, sections: Collection[str] | None = None) -> KnownState:
    """What a run knows: what it has found, and what it carries on."""
    return KnownState((StatePart(CurrentRun.of(record, sections), _known_files(runs, record)),))


def state_found(runs: RunFiles, record: RunRecord, sections: Collection[str] | None = None) -> KnownState:
    """What a run has found itself."""
    return KnownState((StatePart(CurrentRun.of(record, sections), (runs.graph(record.id),)),))


def _known_files(runs: RunFiles, record: RunRecord) -> tuple[Path, ...]:
    carried = (file for file in CARRIED_FILES.values() if runs.has_file(record, file))
    return tuple(runs.path(record.id, file) for file in (RunFile.GRAPH, *carried))
