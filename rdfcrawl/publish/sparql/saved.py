"""The saved queries of a store as a server knows them: read again when their files change, complained about once."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

from rdfcrawl.store.query.saved import SavedQuery, read_saved, saved_files

_LONGEST: Final = 300
_log = logging.getLogger(__name__)


class SavedQueries:
    """The files of a folder, which a publisher may edit while the server runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, tuple[object, SavedQuery]] = {}
        self._told: set[tuple[str, int, str]] = set()

    def all(self) -> list[SavedQuery]:
        """The queries by name; files that cannot be read are among them, and say so."""
        found = {}
        for path in saved_files(self._folder):
            stamp = _stamp(path)
            known = self._read.get(path.name)
            found[path.name] = known if known and known[0] == stamp else (stamp, read_saved(path))
        self._read = found
        queries = [query for _, query in found.values()]
        for query in queries:
            if query.problem:
                self.complain(query, query.problem)
        return queries

    def get(self, name: str) -> SavedQuery | None:
        """The query of that name; names are only ever compared, so that none leads out of the folder."""
        return next((query for query in self.all() if query.name == name), None)

    def complain(self, query: SavedQuery, problem: str) -> None:
        """Say what is wrong with a query in the log, once for each problem of each text."""
        told = query.name, hash(query.text), problem
        if told not in self._told:
            self._told.add(told)
            _log.warning("queries/%s.rq %s", query.name, " ".join(problem.split())[:_LONGEST])


def _stamp(path: Path) -> object:
    try:
        status = path.stat()
    except OSError as error:
        return error.errno
    return status.st_ino, status.st_mtime_ns, status.st_size
