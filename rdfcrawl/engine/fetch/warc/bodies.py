"""Which bodies are held where, by their digest: on disk, because a long run sees more than memory should keep."""

from __future__ import annotations

import sqlite3

from rdfcrawl.engine.fetch.warc.index import Body


class Bodies:
    """A map from digests to the records that hold the bodies, in a database that goes with the process."""

    def __init__(self) -> None:
        # A database without a name is a temporary file, of which only a small cache is in memory.
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute(
            "CREATE TABLE body (digest TEXT PRIMARY KEY, file TEXT, place INTEGER, record TEXT, address TEXT,"
            " moment TEXT) WITHOUT ROWID"
        )

    def __contains__(self, digest: str) -> bool:
        return self._db.execute("SELECT 1 FROM body WHERE digest = ?", (digest,)).fetchone() is not None

    def get(self, digest: str) -> Body | None:
        """The record that holds the body of that digest."""
        query = "SELECT file, place, record, address, moment FROM body WHERE digest = ?"
        row = self._db.execute(query, (digest,)).fetchone()
        return None if row is None else Body(*row)

    def add(self, digest: str, body: Body, *, instead: bool = False) -> None:
        """Note where a body is held; the first place counts unless the new one is to stand ``instead``."""
        rule = "REPLACE" if instead else "IGNORE"
        self._db.execute(
            f"INSERT OR {rule} INTO body VALUES (?, ?, ?, ?, ?, ?)",
            (digest, body.file, body.offset, body.record, body.address, body.moment),
        )

    def close(self) -> None:
        """Forget everything."""
        self._db.close()
