"""What the current state says, read once from its files and kept by predicate while a catalogue is made of it."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Final

import pyoxigraph as ox

from rdfcrawl.errors import DamagedFile
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.rdf.graphs import is_run, run_of
from rdfcrawl.rdf.ntriples import iri, term_text
from rdfcrawl.store.contents import plan_data
from rdfcrawl.store.files.lines import Advance, read_lines
from rdfcrawl.store.files.whole import fingerprint
from rdfcrawl.store.triples import size_of

MOST_OF_TEXT: Final = 10_000
"""How many characters of a value are ordered, filtered and searched."""
_HELD_BYTES: Final = 1 << 24
_Source = tuple[Iterable[bytes], bytes]
"""Lines, and how they end."""


class Statements:
    """Subjects and objects as they are written in N-Triples, in a file for each predicate."""

    def __init__(self, files: Mapping[str, Path], graphs: int) -> None:
        self._files = files
        self._graphs = graphs

    def of(self, predicate: str) -> Iterator[tuple[bytes, bytes]]:
        """Subjects and objects of a predicate; what two graphs say is there twice."""
        path = self._files.get(predicate)
        if path is not None and path.exists():
            for line in read_lines(path):
                subject, _, value = line.split(b" ", 2)
                yield subject, value

    def values(self, predicate: str, places: Mapping[bytes, int]) -> list[tuple[int, str]]:
        """The values of some objects, those of one object after each other, in the order of the objects."""
        place_of = places.get
        found = [
            (place, text_of_term(value))
            for subject, value in self.of(predicate)
            if (place := place_of(subject)) is not None
        ]
        if self._graphs > 1:
            # Two graphs may say the same.
            found = list(dict.fromkeys(found))
        found.sort(key=itemgetter(0))
        return found


def text_of_term(term: bytes) -> str:
    """The beginning of what a term says: an IRI without its brackets, a literal without its type and its escapes."""
    if term.startswith(b'"') and b"\\" not in term:
        return term[1 : term.rindex(b'"')].decode()[:MOST_OF_TEXT]
    return term_text(term.decode())[:MOST_OF_TEXT]


def spool(snapshot: Snapshot, predicates: Collection[str], folder: Path, advance: Advance) -> Statements:
    """Write the statements of these predicates into files of a folder, which are as large as what they say.

    They are read from the run files where these are what the index holds: the index would take thirty times as long.
    """
    try:
        return _spooled(snapshot, predicates, folder / "from-files", advance)
    except DamagedFile:
        shutil.rmtree(folder / "from-files")
        return _spooled(snapshot, predicates, folder / "from-index", advance, only_index=True)


def _spooled(
    snapshot: Snapshot, predicates: Collection[str], folder: Path, advance: Advance, only_index: bool = False
) -> Statements:
    folder.mkdir()
    files = {predicate: folder / str(number) for number, predicate in enumerate(predicates)}
    targets = {iri(predicate).encode(): path for predicate, path in files.items()}
    known = snapshot.data.held.graphs
    size = sum(size_of(known[graph.value]) for graph in snapshot.graphs if graph.value in known) or 1
    done = 0
    sources = None if only_index else _run_files(snapshot) or _state(snapshot)
    for lines, ending in sources or _dumped(snapshot, folder):
        for held in _parted(lines, ending, targets.keys()):
            for name, found in held.items():
                with targets[name].open("ab") as file:
                    done += file.write(b"\n".join(found) + b"\n")
            advance(min(1.0, done / size))
    return Statements(files, len(snapshot.graphs))


def _parted(lines: Iterable[bytes], ending: bytes, wanted: Collection[bytes]) -> Iterator[dict[bytes, list[bytes]]]:
    """Lines without their ending, by their predicates, so many at a time."""
    held: dict[bytes, list[bytes]] = {}
    size = 0
    for line in lines:
        predicate = line.split(b" ", 2)[1]
        if predicate in held:
            held[predicate].append(line.removesuffix(ending))
        elif predicate in wanted:
            held[predicate] = [line.removesuffix(ending)]
        else:
            continue
        size += len(line)
        if size > _HELD_BYTES:
            yield held
            held, size = {}, 0
    if held:
        yield held


def _run_files(snapshot: Snapshot) -> list[_Source] | None:
    """The lines of the current graphs, if each is that of a run whose file is what the index holds."""
    found: list[_Source] = []
    for graph in snapshot.data.held.default:
        path = snapshot.files.graph(run_of(graph)) if is_run(graph) else None
        if path is None or not path.exists() or fingerprint(path) != snapshot.data.held.graphs.get(graph):
            return None
        found.append((read_lines(path), f" <{graph}> .".encode()))
    return found


def _state(snapshot: Snapshot) -> list[_Source] | None:
    """The lines of the current state, put together from parts of runs as the index has done it."""
    plan = plan_data(snapshot.files)
    return [(plan.state.triples(), b" .")] if plan.key == snapshot.data.held.key and not plan.damaged else None


def _dumped(snapshot: Snapshot, folder: Path) -> Iterator[_Source]:
    """The lines of the current graphs as the index has them."""
    path = folder / "graph.nt"
    for graph in snapshot.graphs:
        snapshot.data.store.dump(str(path), ox.RdfFormat.N_TRIPLES, from_graph=graph)
        yield read_lines(path), b" ."
        path.unlink()
