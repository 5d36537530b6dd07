"""What a run writes while it is under way: its triples, problems and links, appended, and cut back after a crash.

Each worker has its own files, so that none waits for another; the one that finishes the run takes over the rest.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import takewhile
from pathlib import Path
from shutil import rmtree
from typing import BinaryIO, Final, Protocol

from rdfcrawl.engine.frontier.entries import MAIN_WORKER, NOTHING_VALID, Block, Lengths
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.errors import DamagedFile
from rdfcrawl.rdf.ntriples import iri, split
from rdfcrawl.store.runs.sources import note

_TRIPLES: Final = "triples.nq"
_PROBLEMS: Final = "problems.jsonl"
_LINKS: Final = "links.nq"
_SOURCES: Final = "sources.txt"
_OLD_SOURCES: Final = "sources.nt"
_BLOCK_BYTES: Final = 1 << 20
_REMEDY: Final = "the run cannot be resumed without losing pages: restore the file, or begin again with `run --fresh`"


class Results(Protocol):
    """Where a crawl puts what it has read before it commits; ``folder`` is on the disk that it fills."""

    @property
    def folder(self) -> Path | None:
        """The folder whose disk must not become full."""
        ...

    def write(
        self,
        triples: Sequence[str],
        problems: Iterable[Problem],
        address: str | None = None,
        links: Sequence[str] = (),
    ) -> None:
        """Keep what was read from a page."""
        ...

    def sync(self) -> Lengths:
        """Make it safe, and return how much there is."""
        ...


class InBlocks:
    """Results that travel in the commit itself: only how long the archive is has to be told."""

    def __init__(self, folder: Path | None, archive_bytes: Callable[[], int] = lambda: 0) -> None:
        self.folder = folder
        self._archive_bytes = archive_bytes

    def write(
        self,
        triples: Sequence[str],
        problems: Iterable[Problem],
        address: str | None = None,
        links: Sequence[str] = (),
    ) -> None:
        """Nothing: the commit gets the same."""

    def sync(self) -> Lengths:
        """How much of the archive there is."""
        return Lengths(archive=self._archive_bytes())


class Journal:
    """A worker's part of the journal: append-only files in its own folder within that of the run.

    What says from which pages objects were read is not cut: it stays true of a page that is read again.
    """

    def __init__(
        self,
        run_folder: Path,
        graph: str,
        *,
        links_graph: str = "",
        worker: str = MAIN_WORKER,
        valid: Lengths = NOTHING_VALID,
    ) -> None:
        """Open the files, cut to what was acknowledged; raises ``DamagedFile`` where a part of that is missing.

        Links are in a graph of their own.
        """
        self.folder = run_folder / worker
        self.folder.mkdir(parents=True, exist_ok=True)
        self.triples_path = self.folder / _TRIPLES
        self.problems_path = self.folder / _PROBLEMS
        self.links_path = self.folder / _LINKS
        self.sources_path = self.folder / _SOURCES
        if worker == MAIN_WORKER:
            _take_from_old_place(run_folder, self.folder)
            _take_old_sources(self.folder)
        self._ending = f" {graph} .\n"
        self._links_ending = f" {links_graph} .\n"
        self._triples = _open_cut(self.triples_path, valid.triples)
        self._problems = _open_cut(self.problems_path, valid.problems)
        self._links = _open_cut(self.links_path, valid.links)
        self._sources = _open_cut(self.sources_path, 0 if valid == NOTHING_VALID else _whole_lines(self.sources_path))
        self._synced = valid

    def write(
        self,
        triples: Sequence[str],
        problems: Iterable[Problem],
        address: str | None = None,
        links: Sequence[str] = (),
    ) -> None:
        """Append statements and links (without graph and dot), and problems; ``sync`` makes them safe.

        ``address`` is the page that the statements were read from.
        """
        ending = self._ending
        if address is not None:
            subjects = dict.fromkeys([triple[: triple.index(" ")] for triple in triples])
            page = iri(address)
            self._sources.write("".join([f"{note(subject, page)}\n" for subject in subjects]).encode())
        if text := "".join([triple + ending for triple in triples]):
            self._triples.write(text.encode())
        for problem in problems:
            self._problems.write(json.dumps(asdict(problem), ensure_ascii=False).encode() + b"\n")
        if links:
            ending = self._links_ending
            self._links.write(f"{ending.join(links)}{ending}".encode())

    def write_blocks(self, blocks: Iterable[Block]) -> Lengths:
        """Append what workers have left in the queue, make it safe, and return how much there is."""
        for block in blocks:
            for result in block.results:
                self.write(result.triples, result.problems, result.address, result.links)
        return self.sync()

    def take_over(self, worker: str, valid: Lengths) -> None:
        """Append the acknowledged part of what another worker has written."""
        folder = self.folder.parent / worker
        _append(self._triples, folder / _TRIPLES, valid.triples)
        _append(self._problems, folder / _PROBLEMS, valid.problems)
        _append(self._links, folder / _LINKS, valid.links)
        _append(self._sources, folder / _SOURCES, _whole_lines(folder / _SOURCES))

    def sync(self) -> Lengths:
        """Flush everything to the disk and return the lengths of the files."""
        lengths = Lengths(self._triples.tell(), self._problems.tell(), self._links.tell())
        if lengths.triples != self._synced.triples:
            _sync(self._triples)
            _sync(self._sources)
        if lengths.problems != self._synced.problems:
            _sync(self._problems)
        if lengths.links != self._synced.links:
            _sync(self._links)
        self._synced = lengths
        return lengths

    def problems(self) -> Iterator[Problem]:
        """Every problem so far."""
        self._problems.flush()
        with self.problems_path.open(encoding="utf-8") as lines:
            for line in lines:
                values = json.loads(line)
                yield Problem(**values | {"kind": ProblemKind(values["kind"])})

    def close(self) -> None:
        """Close the files; they stay for the next start."""
        self._sources.close()
        self._triples.close()
        self._problems.close()
        self._links.close()


def remove_journal(run_folder: Path) -> None:
    """Remove what all workers of a run have written; the run has ended."""
    rmtree(run_folder, ignore_errors=True)


def _take_from_old_place(run_folder: Path, folder: Path) -> None:
    """Move the files of a run that the previous version began, which kept them in the folder of the run itself."""
    for name in (_TRIPLES, _PROBLEMS):
        if (old := run_folder / name).exists():
            old.replace(folder / name)


def _take_old_sources(folder: Path) -> None:
    """Take over what the version before has noted of a run that it began: statements instead of notes."""
    if not (old := folder / _OLD_SOURCES).exists():
        return
    with old.open("rb") as lines, (folder / _SOURCES).open("ab") as notes:
        for line in takewhile(lambda line: line.startswith(b"<") and line.endswith(b">\n"), lines):
            subject, _, page = split(f"{line.decode()[:-1]} .")
            notes.write(f"{note(subject, page)}\n".encode())
    old.unlink()


def _append(target: BinaryIO, source: Path, length: int) -> None:
    """Append the first bytes of a file."""
    if not length:
        return
    _ensure_length(source, length)
    with source.open("rb") as file:
        while length and (block := file.read(min(length, _BLOCK_BYTES))):
            target.write(block)
            length -= len(block)


def _ensure_length(path: Path, length: int) -> None:
    """Refuse a file that lacks acknowledged bytes: their pages would not be read again, and so be lost."""
    size = path.stat().st_size if path.exists() else 0
    if size < length:
        raise DamagedFile(path, f"{size:,} of {length:,} bytes are left", remedy=_REMEDY)


def _open_cut(path: Path, length: int) -> BinaryIO:
    _ensure_length(path, length)
    file = path.open("r+b" if path.exists() else "w+b")
    file.truncate(length)
    file.seek(length)
    return file


def _whole_lines(path: Path) -> int:
    """How many bytes of a file are whole lines; a crash can leave half of one, or a block of zero bytes."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(map(len, takewhile(lambda line: line.count(b" ") == 2 and line.endswith(b"\n"), file)))


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fdatasync(file.fileno())
