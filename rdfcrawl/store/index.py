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

import fcntl
import json
import shutil
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Self

import pyoxigraph as ox

from rdfcrawl.errors import DamagedFile, StoreError
from rdfcrawl.store.files import (
    GraphFile,
    diagnosed,
    exclusive,
    faults_named,
    lock,
    opened,
    sync_folder,
    write_whole,
)
from rdfcrawl.store.triples import EMPTY, Held, Wanted

_FILES_WORTH_OPTIMISING = 150
_LOADED_LINES = 50_000
_REMOVAL_COST = 4
"""Removing a triple takes about four times as long as loading one."""


_BROKEN = (OSError, RuntimeError)
"""What Oxigraph raises for files that are missing or damaged."""


class BrokenIndex(StoreError):
    """The index cannot be read; it must be made anew from the run files."""


@dataclass(frozen=True, slots=True)
class _Current:
    generation: int
    held: Held


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

    @property
    def stale(self) -> bool:
        """Whether a newer generation was published."""
        return self._index.generation() != self.generation

    def close(self) -> None:
        """Let go of the generation."""
        del self.store
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Index:
    """The generations in one folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def location(self) -> str:
        """Where the index is, for messages."""
        return str(self.path)

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
        """Be the one writer; gives whether that came true within ``wait`` seconds."""
        self.path.mkdir(parents=True, exist_ok=True)
        return exclusive(self.path / "writer.lock", wait)

    def read(self) -> Reader:
        """Open the current generation."""
        while True:
            current = self._current()
            if current.generation == 0:
                raise BrokenIndex(f"the index {self.path} is missing")
            file = (self.path / f"{current.generation}.lock").open("ab")
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

    def hold(self, wanted: Wanted, anew: bool = False) -> None:
        """Publish a generation that holds exactly the wanted graphs; only the one writer may do this.

        ``anew`` takes nothing over from the current generation.
        """
        current = self._current()
        self._discard_all_but(current.generation)
        number = 1 + max([current.generation, *self._numbers()])
        folder = self.generation_folder(number)
        try:
            self._build(folder, _Current(0, EMPTY) if anew else current, wanted)
        except DamagedFile:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        except _BROKEN as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise StoreError(f"the index {self.path} cannot be written: {error}") from error
        sync_folder(folder)
        held = Held(wanted.fingerprints(), wanted.default, wanted.key)
        write_whole(self.path / "CURRENT", _to_text(_Current(number, held)))
        self._discard_all_but(number)

    def _build(self, folder: Path, base: _Current, wanted: Wanted) -> None:
        # The store has no close(): it is closed when this function lets go of it.
        store, graphs = self._copy(folder, base, wanted)
        fingerprints = wanted.fingerprints()
        for graph, found in graphs.items():
            if fingerprints.get(graph) != found:
                store.remove_graph(ox.NamedNode(graph))
        for file in wanted.files:
            if graphs.get(file.graph) != file.fingerprint:
                _load(store, file)
        store.flush()
        if len(list(folder.glob("*.sst"))) > _FILES_WORTH_OPTIMISING:
            store.optimize()

    def _copy(self, folder: Path, base: _Current, wanted: Wanted) -> tuple[ox.Store, Mapping[str, str]]:
        """A private copy of a generation, or nothing where beginning anew is faster or the only way."""
        fingerprints = wanted.fingerprints()
        outdated = sum(size_of(found) for graph, found in base.held.graphs.items() if fingerprints.get(graph) != found)
        total = sum(size_of(fingerprint) for fingerprint in fingerprints.values())
        if base.generation and _REMOVAL_COST * outdated <= total:
            try:
                ox.Store.read_only(str(self.generation_folder(base.generation))).backup(str(folder))
                return ox.Store(str(folder)), base.held.graphs
            except _BROKEN:
                shutil.rmtree(folder, ignore_errors=True)
        return ox.Store(str(folder)), {}

    def _current(self) -> _Current:
        try:
            return _from_text((self.path / "CURRENT").read_bytes())
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            # Whatever is there, a new generation made of the run files replaces it.
            return _Current(0, EMPTY)

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


def size_of(fingerprint: str) -> int:
    """The size of the content that a fingerprint belongs to."""
    return int(fingerprint.rpartition("-")[2])


def _load(store: ox.Store, file: GraphFile) -> None:
    # In slices, because a load holds all that it loads in memory. Our own lines are canonical: checking each IRI again
    # costs a tenth of the time.
    file.ensure_unchanged()
    try:
        with faults_named(file.path), opened(file.path) as content:
            while lines := b"".join(islice(content, _LOADED_LINES)):
                store.bulk_load(input=file.renamed(lines), format=ox.RdfFormat.N_QUADS, lenient=True)
    except SyntaxError as error:
        raise diagnosed(file.path) from error


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
