"""Loads a run's graph into the index while the run is under way, so that little is left to load at its end."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from rdfcrawl.store.index import SLICE_BYTES, Draft, Index, load_slice
from rdfcrawl.store.triples import TripleStore, Wanted

_WITHOUT_WAITING: Final = 0.0
_MOST_SLICES: Final = 16
"""A backlog beyond this is loaded at the end, when nothing else needs memory."""

_log = logging.getLogger(__name__)


class Ahead:
    """Loads what a run has written into a draft of the index, in a thread: Oxigraph needs no interpreter to load.

    Failing to load something now is not an error: whatever is missing is loaded from the run files at the end.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="index")
        self._graph = ""
        self._lines: IO[bytes] | None = None
        self._written = 0
        self._asked = 0
        self._loading: Future[None] | None = None
        self._failed = False
        self._draft: Draft | None = None

    def follow(self, graph: str, lines: Path) -> None:
        """Load the N-Quads of that graph from a growing file, which may be deleted once it is written."""
        self._graph = graph
        self._lines = lines.open("rb")

    def written(self, length: int) -> None:
        """Note that so many bytes of the file are final, and end with a whole line."""
        self._written = length
        if SLICE_BYTES <= length - self._asked <= _MOST_SLICES * SLICE_BYTES:
            self._load_up_to(length)

    def take(self, base: int, wanted: Wanted) -> Draft | None:
        """Hand over the draft, if it is based on that generation and contains all that was written."""
        if self._loading is None or self._graph not in (fingerprints := wanted.fingerprints()):
            return None
        self._load_up_to(self._written)
        self.wait()
        self._loading = None
        if self._failed or self._draft is None or self._draft.base != base:
            return None
        draft, self._draft = self._draft, None
        # The run file holds the same lines, sorted, and each of them once.
        draft.graphs[self._graph] = fingerprints[self._graph]
        return draft

    def wait(self) -> None:
        """Wait until everything requested is loaded, or has failed."""
        if self._loading is not None:
            self._loading.result()

    def close(self) -> None:
        """Stop, and delete a draft that was not taken."""
        self._thread.shutdown(cancel_futures=True)
        if self._lines is not None:
            self._lines.close()
        if self._draft is not None:
            self._index.discard(self._draft)

    def _load_up_to(self, length: int) -> None:
        self._asked = length
        self._loading = self._thread.submit(self._load, length)

    def _load(self, end: int) -> None:
        if self._failed:
            return
        try:
            self._load_slices(end)
        except Exception as error:
            # A slice may be missing now, so the draft is useless; any fault shows again at the end.
            self._failed = True
            _log.info("the index is loaded at the end of the run: %s", error)

    def _load_slices(self, end: int) -> None:
        assert self._lines is not None
        if self._draft is None:
            with self._index.writing(_WITHOUT_WAITING) as mine:
                if not mine:
                    raise BlockingIOError("another process is writing to the index")
                self._draft = self._index.draft()
        while (missing := end - self._lines.tell()) > 0:
            lines = self._lines.read(min(SLICE_BYTES, missing))
            load_slice(self._draft.store, lines + self._lines.readline() if len(lines) < missing else lines)


@contextmanager
def loading_ahead(target: TripleStore) -> Iterator[Ahead | None]:
    """Load a run into an index while it is under way; a server gets it at the end."""
    if not isinstance(target, Index):
        yield None
        return
    ahead = target.prepared = Ahead(target)
    try:
        yield ahead
    finally:
        target.prepared = None
        ahead.close()
