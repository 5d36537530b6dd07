"""Pictures that runs have fetched and kept, by their addresses. Whether the bytes are pictures, others decide."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.fetch.warc.index import Archived, contents, index_path
from rdfcrawl.engine.fetch.warc.source import FoundAnswer, WarcSource
from rdfcrawl.engine.run.archives import archive_paths
from rdfcrawl.errors import UsageError
from rdfcrawl.store.folder import Store

MOST_BYTES: Final = 5_000_000
_RUNS: Final = 8
_MOST_PICTURES: Final = 200_000
_OK: Final = 200


class KeptPictures:
    """The pictures in the archives of a store; the indexes of a few runs are kept at hand."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._source = WarcSource(body_bytes=MOST_BYTES)
        self._lock = threading.Lock()
        self._known: OrderedDict[int, Mapping[str, FoundAnswer]] = OrderedDict()

    def read(self, run: int, address: str) -> bytes | None:
        """What a run was sent as a picture from that address; ``None`` if it has not, or it is damaged or too large."""
        found = self._pictures(run).get(address)
        if found is None:
            return None
        try:
            answer = self._source.read(found)
        except FetchFailed:
            return None
        return answer.body if answer is not None else None

    def _pictures(self, run: int) -> Mapping[str, FoundAnswer]:
        with self._lock:
            if run not in self._known:
                self._known[run] = _pictures_in(archive_paths(self._store, run))
            self._known.move_to_end(run)
            while len(self._known) > _RUNS:
                self._known.popitem(last=False)
            return self._known[run]


def _pictures_in(archives: list[Path]) -> Mapping[str, FoundAnswer]:
    found: dict[str, FoundAnswer] = {}
    for archive in archives:
        for answer in _answers(archive):
            is_picture = answer.content_type.startswith("image/") and answer.method == "GET" and answer.status == _OK
            if is_picture and len(found) < _MOST_PICTURES:
                found[answer.address] = FoundAnswer(archive, answer)
    return found


def _answers(archive: Path) -> Iterator[Archived]:
    """What may be pictures, from the index line by line: most of a large archive is something else."""
    try:
        with index_path(archive).open(encoding="utf-8") as lines:
            yield from (Archived.from_line(line) for line in lines if '"image/' in line)
    except (OSError, ValueError, TypeError):
        try:
            yield from contents(archive).answers
        except UsageError:
            return
