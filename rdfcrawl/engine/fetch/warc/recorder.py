"""The recorder: every answer becomes records of a WARC 1.1 file, each compressed on its own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from rdfcrawl.engine.fetch.answers import header_of
from rdfcrawl.engine.fetch.session import Body, Exchange
from rdfcrawl.engine.fetch.warc.bodies import Bodies
from rdfcrawl.engine.fetch.warc.index import Archived, contents, digest_of, index_path, scan
from rdfcrawl.engine.fetch.warc.records import about_record, answer_record, new_id, request_record

_BUFFER_BYTES: Final = 1 << 16
_WORTH_REFERRING: Final = 512
"""A reference costs about as many bytes; smaller bodies are written again."""
_MOST_WAITING: Final = 256
_MOST_WAITING_BYTES: Final = 1 << 20


class _Waiting(NamedTuple):
    """An exchange that is to be written, when it took place, and the record that holds its body already, if any."""

    exchange: Exchange
    moment: str
    digest: str
    body: Body | None = None
    with_request: bool = True


class WarcRecorder:
    """Writes the archive of one run. A body that this archive or an earlier one holds is referred to, not repeated.

    What was written out before a ``sync`` is not lost, whatever happens. ``referred`` names the earlier archives that
    this one cannot be read without, ``referable`` those that it knows.
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
        self._waiting: list[_Waiting] = []
        self._waiting_bytes = 0
        self._random = Random()
        self._file = path.open("ab", buffering=_BUFFER_BYTES)
        self._index = index_path(path).open("w", encoding="utf-8")
        if path.stat().st_size:
            self._continue()
        if not self._size:
            self._write(about_record(about.items(), new_id(self._random), path.name, _now()))
            self.sync()

    def record(self, exchange: Exchange) -> None:
        """Write a request and its answer, with the next ones or in ``write_out``."""
        self._wait(_Waiting(exchange, _now(), exchange.digest or digest_of(exchange.body)))

    def held(self, digest: str) -> Body | None:
        """Where this archive or an earlier one has the body of that digest."""
        return self._bodies.get(digest)

    def record_unchanged(self, exchange: Exchange, digest: str, body: Body) -> None:
        """Write an answer whose body, as the server says, is held already; the request is left out."""
        self._wait(_Waiting(exchange, _now(), digest, body, with_request=False))

    def write_out(self) -> None:
        """Write what was recorded; to be called where it is recorded, and before ``sync``.

        Written together, records take two thirds of the time that they take one by one, between all other work.
        """
        waiting, self._waiting, self._waiting_bytes = self._waiting, [], 0
        if not waiting:
            return
        held = self._bodies.known([one.digest for one in waiting if one.body is None])
        lines, added = list[str](), list[tuple[str, Body]]()
        for one in waiting:
            archived = self._written(one, held, added)
            lines.append(f"{archived.to_line()}\n")
            self._refer_to(archived.body)
        self._bodies.add_new(added)
        self._index.write("".join(lines))

    def _wait(self, one: _Waiting) -> None:
        self._waiting.append(one)
        self._waiting_bytes += len(one.exchange.body)
        if len(self._waiting) >= _MOST_WAITING or self._waiting_bytes >= _MOST_WAITING_BYTES:
            self.write_out()

    def _written(self, one: _Waiting, held: dict[str, Body], added: list[tuple[str, Body]]) -> Archived:
        """Write one exchange; a body that nobody has ``held`` so far is held by it, and ``added``."""
        exchange, moment, digest, body, with_request = one
        name = new_id(self._random)
        asked = request_record(exchange, new_id(self._random), name, moment) if with_request else b""
        offset = self._size + len(asked)
        if body is None and (earlier := held.get(digest)) is None:
            held[digest] = first = Body(self.path.name, offset, name, exchange.address, moment)
            added.append((digest, first))
        elif body is None and len(exchange.body) >= _WORTH_REFERRING:
            body = earlier
        answered = answer_record(exchange, name, moment, digest, body)
        self._write(asked + answered)
        return Archived(
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

    @property
    def synced_bytes(self) -> int:
        """How much of the archive is on the disk."""
        return self._synced

    @property
    def closed(self) -> bool:
        """Whether the archive is closed."""
        return self._file.closed

    def sync(self) -> None:
        """Bring everything that is written to the disk; another thread may do that."""
        # What is written while the disk is at work is left to the next time.
        size = self._size
        if size != self._synced:
            self._file.flush()
            os.fdatasync(self._file.fileno())
            self._synced = size

    def close(self) -> None:
        """Close the archive and its index."""
        self.write_out()
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
        whole = [answer for answer in found.answers if answer.body is None and answer.digest]
        self._bodies.add_new((answer.digest, answer.held_by(self.path.name)) for answer in whole)

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
