"""Loading the graphs of a run into the index while its files are still being sorted, written and compared.

The lines are those that the files will have, in whatever order. It is a help and nothing else: where something fails,
or another process has published a generation meanwhile, the index is brought up to date from the files as always.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Final, NamedTuple

from rdfcrawl.store.files.lines import Advance, unwatched
from rdfcrawl.store.index import Index, IndexDraft
from rdfcrawl.store.loading import PACKED, SLICE_BYTES
from rdfcrawl.store.triples import TripleStore

_LOOK_SECONDS: Final = 0.1
_LAST: Final = None

_log = logging.getLogger(__name__)


class _Source(NamedTuple):
    """A graph and the open file of its lines."""

    graph: str
    lines: IO[bytes]
    size: int
    is_packed: bool


class Preloading:
    """Processes that load graphs, one after the other, into a draft of the next generation of an index.

    Threads would wait for each other: sorting keeps Python busy. For any other kind of store, and for small graphs,
    nothing is done.
    """

    def __init__(self, target: TripleStore | None = None) -> None:
        self._index = target if isinstance(target, Index) else None
        self._sources: SimpleQueue[_Source | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._draft: IndexDraft | None = None
        self._is_given_up = False
        self._share = 0.0

    def add(self, graph: str, lines: Path) -> None:
        """Load a graph from a file of N-Quads, plain or compressed, which may be removed from now on."""
        size = lines.stat().st_size
        if self._index is None or size < SLICE_BYTES:
            return
        self._sources.put(_Source(graph, lines.open("rb"), size, lines.suffix == ".gz"))
        if self._thread is None:
            self._thread = Thread(target=self._work, args=(self._index,), name="preloading")
            self._thread.start()

    def draft(self, advance: Advance = unwatched) -> IndexDraft | None:
        """The draft with all graphs that were added, as soon as they are there; none where that has failed."""
        if self._thread is None:
            return None
        self._sources.put(_LAST)
        while self._thread.is_alive():
            advance(self._share)
            self._thread.join(_LOOK_SECONDS)
        return self._draft

    def close(self) -> None:
        """End what is under way; a draft that nobody has published is removed."""
        self._is_given_up = True
        if self._process is not None:
            self._process.kill()
        if self._thread is not None:
            self._sources.put(_LAST)
            self._thread.join()
        if self._draft is not None:
            self._draft.discard()
            self._draft = None

    def _work(self, index: Index) -> None:
        draft = None
        try:
            if (draft := _sealed_draft(index)) is None:
                return
            while (source := self._sources.get()) is not _LAST and not self._is_given_up:
                with source.lines:
                    # A run that was killed at its very end is there already; its file tells whether it is the same.
                    if source.graph not in draft.graphs:
                        self._load(draft, source)
        except (OSError, RuntimeError) as error:
            _log.debug("what was preloaded is discarded: %s", error)
            if draft is not None:
                draft.discard()
            return
        finally:
            _close_all(self._sources)
        self._draft = draft

    def _load(self, draft: IndexDraft, source: _Source) -> None:
        """Load one graph; whoever is killed meanwhile leaves the draft locked as long as the process goes on."""
        command = [
            sys.executable,
            "-P",
            "-m",
            "rdfcrawl.store.loading",
            str(draft.folder),
            *[PACKED] * source.is_packed,
        ]
        with subprocess.Popen(
            command,
            stdin=source.lines,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(draft.lock_descriptor,),
        ) as process:
            self._process = process
            while process.poll() is None and not self._is_given_up:
                # The process reads from the same descriptor.
                self._share = os.lseek(source.lines.fileno(), 0, os.SEEK_CUR) / source.size
                _wait(process)
            if process.poll() is None:
                process.kill()
        if process.returncode:
            raise RuntimeError(f"the process has ended with status {process.returncode}")
        draft.preloaded.add(source.graph)


def _wait(process: subprocess.Popen[bytes]) -> None:
    with suppress(subprocess.TimeoutExpired):
        process.wait(_LOOK_SECONDS)


def _close_all(sources: SimpleQueue[_Source | None]) -> None:
    with suppress(Empty):
        while True:
            if source := sources.get_nowait():
                source.lines.close()


def _sealed_draft(index: Index) -> IndexDraft | None:
    """A draft that another process can open; none while somebody else writes."""
    with index.writing(0) as mine:
        if not mine:
            return None
        draft = index.draft()
    draft.seal()
    return draft
