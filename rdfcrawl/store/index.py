"""An Oxigraph store that many processes can use side by side.

Only one process may have an Oxigraph store open for writing, and nobody may read beside it. Therefore the index is
a sequence of generations that never change once they are published::

    path/CURRENT       the number of the current generation, and what it holds
    path/7/            a generation: an Oxigraph store
    path/7.lock        held by the readers of the generation; it is not deleted under them
    path/writer.lock   held by the one writer

A writer makes a private copy (of links: only new data takes space), changes it and publishes it by replacing
``CURRENT``. A crash leaves at most a copy that nobody knows of, which the next writer deletes.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Self

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import StoreError
from rdfcrawl.store.files.damage import diagnosed, faults_named
from rdfcrawl.store.files.lines import Advance, unwatched
from rdfcrawl.store.files.locks import exclusive, lock
from rdfcrawl.store.files.whole import NOT_WRITABLE, is_full_disk, opened, sync_folder, write_whole
from rdfcrawl.store.loading import load_slices, slices
from rdfcrawl.store.triples import EMPTY, GraphFile, Held, Wanted, size_of

_FILES_WORTH_OPTIMISING = 150
_WRITER_LOCK = "writer.lock"
_REMOVAL_COST = 4
"""Removing a triple takes about four times as long as loading one."""


_BROKEN = (OSError, RuntimeError)
"""What Oxigraph raises for files that are missing or damaged."""


class BrokenIndex(StoreError):
    """The index cannot be read; it must be rebuilt from the run files."""


@dataclass(frozen=True, slots=True)
class _Current:
    generation: int
    held: Held


_NOTHING = _Current(0, EMPTY)


class Reader:
    """A generation, open for reading; it stays as it is until it is closed."""

    def __init__(self, index: Index, current: _Current, store: ox.Store, held_lock: IO[bytes]) -> None:
        self._index = index
        self._lock = held_lock
        self.generation = current.generation
        self.held = current.held
        self.store = store

    @property
    def folder(self) -> Path:
        """The folder of the generation, for another process that reads it while this reader is open."""
        return self._index.generation_folder(self.generation)

    def close(self) -> None:
        """Release the generation."""
        del self.store
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class IndexDraft:
    """A generation that is not published yet: a copy of another one, and ``graphs`` tells what it holds.

    ``preloaded`` are graphs that it got before their files were written. It is locked, so that no other writer takes it
    for something that a crash has left behind.
    """

    def __init__(
        self, folder: Path, base: int, store: ox.Store, graphs: Mapping[str, str], held_lock: IO[bytes]
    ) -> None:
        self.folder = folder
        self.base = base
        self.graphs = dict(graphs)
        self.preloaded: set[str] = set()
        self.is_published = False
        self._store: ox.Store | None = store
        self._lock = held_lock

    @property
    def number(self) -> int:
        """The number of the generation."""
        return int(self.folder.name)

    @property
    def store(self) -> ox.Store:
        """The store, opened for writing."""
        if self._store is None:
            self._store = ox.Store(str(self.folder))
        return self._store

    @property
    def lock_descriptor(self) -> int:
        """The descriptor of its lock, which is held as long as any process has it open."""
        return self._lock.fileno()

    def seal(self) -> None:
        """Write no more, so that others can open it; a store has no close(), it is closed when nobody refers to it."""
        self._store = None

    def close(self) -> None:
        """Release it."""
        self.seal()
        self._lock.close()

    def discard(self) -> None:
        """Release it, and delete it unless it was published."""
        self.seal()
        if not self.is_published and not self._lock.closed:
            shutil.rmtree(self.folder, ignore_errors=True)
        self._lock.close()


class Index:
    """The generations in one folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def location(self) -> str:
        """Where the index is, for messages."""
        return str(self.path)

    @property
    def is_foreign(self) -> bool:
        """Whether the folder is something else, in which nothing may be deleted as an old generation."""
        return self.path.is_dir() and any(self.path.iterdir()) and not (self.path / _WRITER_LOCK).exists()

    def generation_folder(self, generation: int) -> Path:
        """The folder of a generation."""
        return self.path / str(generation)

    def generation(self) -> int:
        """The number of the current generation; 0 is the empty index."""
        return self._current().generation

    def held(self) -> Held:
        """What the current generation holds."""
        return self._current().held

    def writing(self, wait: float) -> AbstractContextManager[bool]:
        """Be the only writer; yields whether that succeeded within ``wait`` seconds."""
        self.path.mkdir(parents=True, exist_ok=True)
        return exclusive(self.path / _WRITER_LOCK, wait)

    def read(self) -> Reader:
        """Open the current generation."""
        while True:
            current = self._current()
            if current.generation == 0:
                raise BrokenIndex(f"the index {self.path} is missing")
            file = self._reader_lock(current.generation)
            # A writer may have published and cleaned up between our look at CURRENT and our lock.
            if lock(file, fcntl.LOCK_SH) and self.generation() == current.generation:
                break
            file.close()
        try:
            store = ox.Store.read_only(str(self.generation_folder(current.generation)))
        except _BROKEN as error:
            file.close()
            raise BrokenIndex(f"the index {self.path} cannot be read: {error}") from error
        return Reader(self, current, store, file)

    def _reader_lock(self, generation: int) -> IO[bytes]:
        path = self.path / f"{generation}.lock"
        try:
            return path.open("ab")
        except OSError as error:
            if error.errno not in NOT_WRITABLE:
                raise
        # Who may only read can hold the lock as well, unless it was never made; then nobody here can clean up either.
        return path.open("rb") if path.exists() else (self.path / "CURRENT").open("rb")

    def hold(
        self, wanted: Wanted, anew: bool = False, advance: Advance = unwatched, prepared: IndexDraft | None = None
    ) -> None:
        """Publish a generation that holds exactly the wanted graphs; only the one writer may do this.

        ``anew`` reuses nothing of the current generation. A draft that was ``prepared`` of it is used.
        """
        current = _NOTHING if anew else self._current()
        is_worth_copying = _worth_copying(current, wanted)
        try:
            if prepared is not None and is_worth_copying and not anew and prepared.base == current.generation:
                draft = prepared
            else:
                draft = self._draft(current if is_worth_copying else _NOTHING)
            try:
                self._complete(draft, wanted, advance)
                draft.seal()
                self._publish(draft.number, Held(wanted.fingerprints(), wanted.default, wanted.key))
                draft.is_published = True
            finally:
                draft.close()
        except _BROKEN as error:
            if is_full_disk(error):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path)) from error
            raise StoreError(f"the index {self.path} cannot be written: {error}") from error
        finally:
            self._discard_all_but(self.generation())

    def draft(self) -> IndexDraft:
        """A private copy of the current generation; only the one writer may make it, and it is locked from then on."""
        return self._draft(self._current())

    def _draft(self, base: _Current) -> IndexDraft:
        """A private copy of a generation; only the one writer may make it."""
        self._discard_all_but(self.generation())
        number = 1 + max([self.generation(), *self._numbers()])
        file = (self.path / f"{number}.lock").open("ab")
        lock(file, fcntl.LOCK_SH)
        folder = self.generation_folder(number)
        if base.generation:
            try:
                ox.Store.read_only(str(self.generation_folder(base.generation))).backup(str(folder))
                return IndexDraft(folder, base.generation, ox.Store(str(folder)), base.held.graphs, file)
            except _BROKEN:
                # Whatever is wrong with it, a generation made from the run files replaces it.
                shutil.rmtree(folder, ignore_errors=True)
        try:
            return IndexDraft(folder, 0, ox.Store(str(folder)), {}, file)
        except _BROKEN:
            file.close()
            raise

    def _complete(self, draft: IndexDraft, wanted: Wanted, advance: Advance = unwatched) -> None:
        """Make a draft hold exactly the wanted graphs."""
        fingerprints = wanted.fingerprints()
        draft.graphs.update((graph, fingerprints.get(graph, "")) for graph in draft.preloaded)
        for graph, found in draft.graphs.items():
            if fingerprints.get(graph) != found:
                draft.store.remove_graph(ox.NamedNode(graph))
        missing = [file for file in wanted.files if draft.graphs.get(file.graph) != file.fingerprint]
        whole, done = sum(size_of(file.fingerprint) for file in missing), 0
        for file in missing:
            for size in _load(draft.store, file):
                done += size
                advance(min(1.0, done / whole))
        draft.store.flush()
        if len(list(self.generation_folder(draft.number).glob("*.sst"))) > _FILES_WORTH_OPTIMISING:
            draft.store.optimize()

    def _publish(self, number: int, held: Held) -> None:
        sync_folder(self.generation_folder(number))
        write_whole(self.path / "CURRENT", _to_text(_Current(number, held)))

    def _current(self) -> _Current:
        try:
            return _from_text((self.path / "CURRENT").read_bytes())
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            # Whatever is there, a new generation made from the run files replaces it.
            return _NOTHING

    def _numbers(self) -> set[int]:
        return {int(path.stem) for path in self.path.iterdir() if path.stem.isdigit()}

    def _discard_all_but(self, kept: int) -> None:
        for leftover in self.path.glob(".CURRENT.*.tmp"):
            leftover.unlink(missing_ok=True)
        for number in self._numbers() - {kept}:
            with (self.path / f"{number}.lock").open("ab") as file:
                if lock(file, fcntl.LOCK_EX):
                    shutil.rmtree(self.generation_folder(number), ignore_errors=True)
                    (self.path / f"{number}.lock").unlink(missing_ok=True)


def _load(store: ox.Store, file: GraphFile) -> Iterator[int]:
    """Load a graph, slice by slice; yields the size of each when it is there."""
    file.ensure_unchanged()
    try:
        with faults_named(file.path), opened(file.path) as content:
            yield from load_slices(store, map(file.renamed, slices(content)))
    except SyntaxError as error:
        raise diagnosed(file.path) from error


def _worth_copying(base: _Current, wanted: Wanted) -> bool:
    """Whether copying a generation is faster than starting from nothing: removing what is outdated takes its time."""
    fingerprints = wanted.fingerprints()
    outdated = sum(size_of(found) for graph, found in base.held.graphs.items() if fingerprints.get(graph) != found)
    return _REMOVAL_COST * outdated <= sum(map(size_of, fingerprints.values()))


def _to_text(current: _Current) -> bytes:
    held = current.held
    values = {
        "generation": current.generation,
        "key": held.key,
        "default": list(held.default),
        "graphs": dict(held.graphs),
    }
    return json.dumps(values, indent=1).encode()


def _from_text(text: bytes) -> _Current:
    values: Mapping[str, object] = json.loads(text)
    generation, graphs, default, key = (values[name] for name in ("generation", "graphs", "default", "key"))
    if not (isinstance(generation, int) and isinstance(graphs, dict) and isinstance(default, list)):
        raise TypeError("not the state of an index")
    return _Current(generation, Held(graphs, tuple(default), str(key)))
