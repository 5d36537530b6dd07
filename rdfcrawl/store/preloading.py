"""Loading the graph of a run into the index while the run goes on, and while its files are written and compared.

The lines are those that the file will have, in whatever order. It is a help and nothing else: where something fails,
or another process has published a generation meanwhile, the index is brought up to date from the files as always.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Condition, Thread
from typing import IO, Final

from rdfcrawl.store.files.lines import Advance, unwatched
from rdfcrawl.store.index import Index, IndexDraft
from rdfcrawl.store.loading import PACKED, SLICE_BYTES
from rdfcrawl.store.triples import TripleStore

_LOOK_SECONDS: Final = 0.1
_LAST: Final = None

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Source:
    """A file whose lines are loaded; until it is complete, more come."""

    graph: str
    file: IO[bytes]
    is_packed: bool
    is_complete: bool = False
    size: int = 0
    loaded: int = 0

    def waiting(self) -> int:
        """How many bytes are there now that are not on their way."""
        self.size = os.fstat(self.file.fileno()).st_size
        return self.size - self.loaded


class _GivenUp(Exception):
    """Nobody wants the draft any more."""


class Preloading:
    """Processes that load graphs, one after the other, into a draft of the next generation of an index.

    Threads would wait for each other: reading and sorting keep Python busy. A process takes what the crawl leaves of
    the processors. For any other kind of store, and for small graphs, nothing is done.
    """

    def __init__(self, target: TripleStore | None = None) -> None:
        self._index = target if isinstance(target, Index) else None
        self._begin()

    def _begin(self) -> None:
        self._sources: dict[str, _Source] = {}
        self._queue: SimpleQueue[_Source | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._draft: IndexDraft | None = None
        self._is_given_up = False
        self._news = Condition()

    def follow(self, graph: str, lines: Path) -> None:
        """Load a graph from a file of N-Quads that grows, until it is added; what was loaded before is discarded."""
        self.close()
        self._begin()
        self._take(graph, lines)

    def add(self, graph: str, lines: Path) -> None:
        """Load a graph from a file of N-Quads, plain or compressed, that has all its lines and may be removed now."""
        self._take(graph, lines)
        if graph in self._sources:
            with self._news:
                self._sources[graph].is_complete = True
                self._news.notify()

    def draft(self, advance: Advance = unwatched) -> IndexDraft | None:
        """The draft with all graphs that were added, as soon as they are there; none where that has failed.

        Nor is there one if a file was followed and not added: nobody knows what will become of its lines.
        """
        if not all(source.is_complete for source in self._sources.values()):
            self.close()
        if self._thread is None:
            return None
        self._queue.put(_LAST)
        while self._thread.is_alive():
            advance(self._share())
            self._thread.join(_LOOK_SECONDS)
        return self._draft

    def close(self) -> None:
        """End what is under way; a draft that nobody has published is removed."""
        with self._news:
            self._is_given_up = True
            self._news.notify()
        if self._process is not None:
            self._process.kill()
        if self._thread is not None:
            self._queue.put(_LAST)
            self._thread.join()
        if self._draft is not None:
            self._draft.discard()
            self._draft = None

    def _take(self, graph: str, lines: Path) -> None:
        if self._index is None or graph in self._sources:
            return
        source = self._sources[graph] = _Source(graph, lines.open("rb"), lines.suffix == ".gz")
        self._queue.put(source)
        if self._thread is None:
            self._thread = Thread(target=self._work, args=(self._index,), name="preloading")
            self._thread.start()

    def _share(self) -> float:
        sources = self._sources.values()
        return sum(source.loaded for source in sources) / max(1, sum(source.size for source in sources))

    def _work(self, index: Index) -> None:
        """Load what comes; the draft is made when there is enough to make it worth a process."""
        draft = None
        try:
            while (source := self._queue.get()) is not _LAST:
                with source.file:
                    self._wait_for(source, SLICE_BYTES)
                    if source.waiting() < SLICE_BYTES:
                        continue
                    if draft is None and (draft := _sealed_draft(index)) is None:
                        return
                    # A run that was killed at its very end is there already; its file tells whether it is the same.
                    if source.graph not in draft.graphs:
                        self._load(draft, source)
        except (OSError, RuntimeError, _GivenUp) as error:
            _log.debug("what was preloaded is discarded: %s", error)
            if draft is not None:
                draft.discard()
            return
        finally:
            self._release()
        self._draft = draft

    def _wait_for(self, source: _Source, size: int) -> None:
        """Wait until so many bytes are there, or no more come."""
        with self._news:
            while not (source.is_complete or self._is_given_up) and source.waiting() < size:
                self._news.wait(_LOOK_SECONDS)
            if self._is_given_up:
                raise _GivenUp

    def _load(self, draft: IndexDraft, source: _Source) -> None:
        """Give a process what is there, as it comes.

        Whoever is killed meanwhile leaves the draft locked as long as the process goes on.
        """
        command = [sys.executable, "-m", "rdfcrawl.store.loading", str(draft.folder), *[PACKED] * source.is_packed]
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(draft.lock_descriptor,),
        ) as process:
            assert process.stdin is not None
            self._process = process
            try:
                while source.waiting() or not source.is_complete:
                    self._wait_for(source, SLICE_BYTES)
                    source.loaded += process.stdin.write(source.file.read(SLICE_BYTES))
            except BaseException:
                process.kill()
                raise
        if process.returncode:
            raise RuntimeError(f"the process has ended with status {process.returncode}")
        draft.preloaded.add(source.graph)

    def _release(self) -> None:
        with suppress(Empty):
            while True:
                if source := self._queue.get_nowait():
                    source.file.close()


def _sealed_draft(index: Index) -> IndexDraft | None:
    """A draft that another process can open; none while somebody else writes."""
    with index.writing(0) as mine:
        if not mine:
            return None
        draft = index.draft()
    draft.seal()
    return draft
