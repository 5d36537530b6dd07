"""The recorder: every answer becomes records of a WARC 1.1 file, each compressed on its own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Final

from rdfcrawl.engine.fetch.answers import header_of
from rdfcrawl.engine.fetch.session import Body, Exchange
from rdfcrawl.engine.fetch.warc.bodies import Bodies
from rdfcrawl.engine.fetch.warc.index import Archived, contents, digest_of, index_path, scan
from rdfcrawl.engine.fetch.warc.records import about_record, answer_record, new_id, request_record

_BUFFER_BYTES: Final = 1 << 16
_WORTH_REFERRING: Final = 512
"""A reference costs about as many bytes; smaller bodies are written again."""


class WarcRecorder:
    """Writes the archive of one run. A body that this archive or an earlier one holds is referred to, not repeated.

    What was recorded before a ``sync`` is not lost, whatever happens. ``referred`` names the earlier archives that this
    one cannot be read without, ``referable`` those that it knows.
    """

    def __init__(self, path: Path, *, about: Mapping[str, str], earlier: Iterable[Path] = ()) -> None:
        """Open the archive, or continue it: what a killed process left unfinished at its end is cut off.

        ``about`` describes the archive in its first record; ``earlier`` archives must be in the same folder.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.referred: set[str] = set()
        self.referable: set[str] = set()
        self._bodies = Bodies()
        self._note_earlier(earlier)
        self._size = self._synced = 0
        self._random = Random()
        self._file = path.open("ab", buffering=_BUFFER_BYTES)
        self._index = index_path(path).open("w", encoding="utf-8")
        if path.stat().st_size:
            self._continue()
        if not self._size:
            self._write(about_record(about.items(), new_id(self._random), path.name, _now()))
            self.sync()

    def record(self, exchange: Exchange) -> None:
        """Write a request and its answer."""
        self._record(exchange, exchange.digest or digest_of(exchange.body))

    def held(self, digest: str) -> Body | None:
        """Where this archive or an earlier one has the body of that digest."""
        return self._bodies.get(digest)

    def record_unchanged(self, exchange: Exchange, digest: str, body: Body) -> None:
        """Write an answer whose body, as the server says, is held already; the request is left out."""
        self._record(exchange, digest, body, with_request=False)

    def _record(self, exchange: Exchange, digest: str, body: Body | None = None, *, with_request: bool = True) -> None:
        name, moment = new_id(self._random), _now()
        asked = request_record(exchange, new_id(self._random), name, moment) if with_request else b""
        offset = self._size + len(asked)
        if body is None:
            held = self._bodies.add(digest, Body(self.path.name, offset, name, exchange.address, moment))
            body = held if len(exchange.body) >= _WORTH_REFERRING else None
        answered = answer_record(exchange, name, moment, digest, body)
        self._write(asked + answered)
        archived = Archived(
            offset=offset,
            length=len(answered),
            record=name,
            moment=moment,
            address=exchange.address,
            status=exchange.status,
            content_type=header_of(exchange.headers, "content-type") or "",
            method=exchange.method,
            posted=digest_of(exchange.request_body) if exchange.request_body else "",
            digest=digest,
            body=body,
        )
        self._index.write(f"{archived.to_line()}\n")
        self._refer_to(body)

    @property
    def synced_bytes(self) -> int:
        """How much of the archive is on the disk."""
        return self._synced

    @property
    def closed(self) -> bool:
        """Whether the archive is closed."""
        return self._file.closed

    def sync(self) -> None:
        """Flush everything to the disk."""
        # What is recorded while the disk is at work is left to the next time.
        size = self._size
        if size != self._synced:
            self._file.flush()
            os.fdatasync(self._file.fileno())
            self._synced = size

    def close(self) -> None:
        """Close the archive and its index."""
        self._file.close()
        self._index.close()
        self._bodies.close()

    def _continue(self) -> None:
        found = scan(self.path)
        self._file.truncate(found.size)
        self._size = found.size
        for answer in found.answers:
            self._index.write(f"{answer.to_line()}\n")
            self._refer_to(answer.body)
            if answer.body is None and answer.digest:
                self._bodies.add(answer.digest, answer.held_by(self.path.name))

    def _refer_to(self, body: Body | None) -> None:
        if body is not None and body.file != self.path.name:
            self.referred.add(body.file)

    def _note_earlier(self, archives: Iterable[Path]) -> None:
        present = {path.name for path in self.path.parent.iterdir()}
        for archive in archives:
            held = [
                (answer.digest, answer.held_by(archive.name)) for answer in contents(archive).answers if answer.digest
            ]
            usable = [(digest, body) for digest, body in held if body.file in present]
            self._bodies.add_all(usable)
            self.referable.update(body.file for _, body in usable)

    def _write(self, members: bytes) -> None:
        self._file.write(members)
        self._size += len(members)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
