"""Which bodies are held where, by their digest: on disk, because a long run sees more than memory should keep."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final

from rdfcrawl.engine.fetch.session import Body

_AT_ONCE: Final = 500
"""How many values one statement asks for."""


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

    def known(self, digests: Sequence[str]) -> dict[str, Body]:
        """The records that hold the bodies of these digests, as far as there are any."""
        found = dict[str, Body]()
        for start in range(0, len(digests), _AT_ONCE):
            some = digests[start : start + _AT_ONCE]
            among = f"digest IN ({','.join('?' * len(some))})"
            rows = self._db.execute(
                f"SELECT digest, file, place, record, address, moment FROM body WHERE {among}", some
            )
            found.update({digest: Body(*body) for digest, *body in rows})
        return found

    def add_new(self, bodies: Iterable[tuple[str, Body]]) -> None:
        """Note where many bodies are held; the first place counts."""
        rows = ((digest, *body) for digest, body in bodies)
        self._db.executemany("INSERT OR IGNORE INTO body VALUES (?, ?, ?, ?, ?, ?)", rows)

    def add_all(self, bodies: Iterable[tuple[str, Body]]) -> None:
        """Note where many bodies are held; the last place counts."""
        rows = ((digest, *body) for digest, body in bodies)
        self._db.executemany("INSERT OR REPLACE INTO body VALUES (?, ?, ?, ?, ?, ?)", rows)

    def close(self) -> None:
        """Forget everything."""
        self._db.close()
