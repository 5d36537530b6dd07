"""Which bodies are held where, by their digest: on disk, because a long run sees more than memory should keep."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from rdfcrawl.engine.fetch.session import Body


class Bodies:
    """A map from digests to the records that hold the bodies, in a database that ends with the process."""

    def __init__(self) -> None:
        # A database without a name is a temporary file, of which only a small cache is in memory.
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute(
            "CREATE TABLE body (digest TEXT PRIMARY KEY, file TEXT, place INTEGER, record TEXT, address TEXT,"
            " moment TEXT) WITHOUT ROWID"
        )

    def get(self, digest: str) -> Body | None:
        """The record that holds the body of that digest."""
        query = "SELECT file, place, record, address, moment FROM body WHERE digest = ?"
        row = self._db.execute(query, (digest,)).fetchone()
        return None if row is None else Body(*row)

    def add(self, digest: str, body: Body) -> Body | None:
        """Note where a body is held; the first place counts, and is returned if it is another one."""
        added = self._db.execute("INSERT OR IGNORE INTO body VALUES (?, ?, ?, ?, ?, ?)", (digest, *body))
        return None if added.rowcount else self.get(digest)

    def add_all(self, bodies: Iterable[tuple[str, Body]]) -> None:
        """Note where many bodies are held; the last place counts."""
        rows = ((digest, *body) for digest, body in bodies)
        self._db.executemany("INSERT OR REPLACE INTO body VALUES (?, ?, ?, ?, ?, ?)", rows)

    def close(self) -> None:
        """Forget everything."""
        self._db.close()
