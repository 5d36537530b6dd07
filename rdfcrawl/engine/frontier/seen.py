"""What the pages said when they were last read, so that a page that has not changed is not read again.

Extraction is a function of the model and of what came over the network. A row holds the fingerprint of what came and
what was extracted from it; where the next run meets the same fingerprint, or the server says that nothing has changed,
it takes the extraction from here. Losing rows costs time, never data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from typing import Final

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.extract.packing import encode, unpacked, values_of
from rdfcrawl.engine.extract.page import Extraction
from rdfcrawl.engine.fetch.session import Fetched, Known
from rdfcrawl.engine.fetch.warc.index import digest_of
from rdfcrawl.engine.frontier.sqlite import Entry, connect
from rdfcrawl.version import VERSION

KEPT_SECONDS: Final = 90 * 24 * 3600
"""How long a page is remembered that no run asks for any more."""
_NOTED_SECONDS: Final = 30 * 24 * 3600
"""After how long it is noted again that a run has asked for a page."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS seen (
    model TEXT NOT NULL,
    page TEXT NOT NULL,
    key TEXT NOT NULL,
    engine TEXT NOT NULL,
    run INTEGER NOT NULL,
    fingerprint BLOB NOT NULL,
    known TEXT,
    extraction BLOB NOT NULL,
    UNIQUE (model, page, key, engine)
);
"""


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page as it was: the fingerprint of what came, how to ask whether it is still so, and what it said."""

    fingerprint: bytes
    known: Known | None
    packed: bytes

    def extraction(self) -> Extraction:
        """What was extracted from it."""
        return unpacked(self.packed)


class Seen:
    """The pages that earlier runs of a model have read."""

    def __init__(self, queue: Path, run: int, model_digest: str) -> None:
        self._run = run
        # Another version may extract otherwise.
        self._model = f"{VERSION}/{model_digest}"
        self._db = connect(queue)
        self._db.executescript(_SCHEMA)
        # Each page is asked for once in a run: what this run itself notes is for the next one.
        self._is_new = self._db.execute("SELECT 1 FROM seen WHERE model = ?", (self._model,)).fetchone() is None

    def page(self, entry: Entry, engine: Engine) -> SeenPage | None:
        """How the page was when it was last read."""
        if self._is_new:
            return None
        row = self._db.execute(
            "SELECT fingerprint, known, extraction FROM seen WHERE model = ? AND page = ? AND key = ? AND engine = ?",
            (self._model, entry.page, entry.key, engine.value),
        ).fetchone()
        if row is None:
            return None
        return SeenPage(row[0], Known(*json.loads(row[1])) if row[1] else None, row[2])

    def remember(self, pages: Iterable[tuple[Entry, str, SeenPage]]) -> None:
        """Keep how pages are; what was known of them before is forgotten."""
        rows = [
            (
                self._model,
                entry.page,
                entry.key,
                engine,
                self._run,
                page.fingerprint,
                encode(values_of(page.known)) if page.known else None,
                page.packed,
            )
            for entry, engine, page in pages
        ]
        if rows:
            with self._db:
                self._db.executemany("INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def forget_others(self, whole_model: bool) -> None:
        """Forget the pages that a run of the whole model has not met, and those that no run has met for long.

        Which pages the run has met, its queue says; it must still be there.
        """
        met = "EXISTS (SELECT 1 FROM entry WHERE run = :run AND entry.page = seen.page AND entry.key = seen.key)"
        times = {"run": self._run, "model": self._model, "noted": self._run - _NOTED_SECONDS}
        with self._db:
            if whole_model:
                self._db.execute(f"DELETE FROM seen WHERE model = :model AND NOT {met}", times)
            # To note every page in every run would write all of this anew each time.
            self._db.execute(f"UPDATE seen SET run = :run WHERE model = :model AND run < :noted AND {met}", times)
            self._db.execute("DELETE FROM seen WHERE run < ?", (self._run - KEPT_SECONDS - _NOTED_SECONDS,))

    def close(self) -> None:
        """Close the database."""
        self._db.close()


def fingerprint(documents: Sequence[Fetched]) -> bytes:
    """Equal only for documents from which the same is extracted."""
    made = sha1(usedforsecurity=False)
    for fetched in documents:
        about = (fetched.address, fetched.content_type, fetched.rendered, fetched.notes, len(fetched.body))
        made.update(repr(about).encode())
        made.update(fetched.body)
    return made.digest()


def seen_page(documents: Sequence[Fetched], packed: bytes) -> SeenPage:
    """What is kept of a page that was just read."""
    return SeenPage(fingerprint(documents), _known(documents), packed)


def _known(documents: Sequence[Fetched]) -> Known | None:
    """How to ask for a page only if it has changed; nothing where the server gave no means to."""
    if len(documents) != 1 or documents[0].rendered:
        return None
    (fetched,) = documents
    etag, modified = fetched.headers.get("etag"), fetched.headers.get("last-modified")
    if not etag and not modified:
        return None
    return Known(fetched.address, etag, modified, fetched.content_type, fetched.digest or digest_of(fetched.body))
