"""The recorder: every answer becomes records of a WARC 1.1 file, each compressed on its own.

The records are put together here: warcio's writer makes the same ones in five times the time, and a crawl that is not
held up by its archive is worth the few lines. Everything that reads archives uses warcio.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from uuid import uuid4

from rdfcrawl.engine.fetch.session import Exchange
from rdfcrawl.engine.fetch.warc.index import (
    BODY_FILE,
    BODY_OFFSET,
    Archived,
    Body,
    contents,
    digest_of,
    index_path,
    scan,
)

_LEVEL: Final = 3
_WORTH_REFERRING: Final = 512
"""A reference costs about as many bytes; smaller bodies are written again."""

_SECRETS: Final = frozenset(("authorization", "cookie", "proxy-authorization"))
_ABOUT_TRANSFER: Final = frozenset(("content-encoding", "content-length", "transfer-encoding"))
_UNCHANGED: Final = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

Headers = Iterable[tuple[str, str]]


class WarcRecorder:
    """Writes the archive of one run. A body that this archive or an earlier one has is referred to, not repeated.

    Every record is handed to the system before ``record`` returns, so a killed process loses none. ``referred`` names
    the earlier archives that this one cannot be read without.
    """

    def __init__(self, path: Path, *, about: Mapping[str, str], earlier: Iterable[Path] = ()) -> None:
        """Open the archive, or go on with it: what a killed process left unfinished at its end is cut off.

        ``about`` describes the archive in its first record; ``earlier`` archives must be in the same folder.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.referred: set[str] = set()
        self._bodies: dict[str, Body] = {}
        self._know_earlier(earlier)
        self._size = 0
        self._file = path.open("ab")
        self._index = index_path(path).open("w", encoding="utf-8")
        if path.stat().st_size:
            self._go_on()
        if not self._size:
            self._write(_warcinfo(path.name, about))

    def record(self, exchange: Exchange) -> str:
        """Write a request and its answer; gives the id of the answer's record."""
        digest = digest_of(exchange.body)
        body = self._bodies.get(digest) if len(exchange.body) >= _WORTH_REFERRING else None
        name, moment = _new_id(), _now()
        self._write(_request(exchange, name, moment))
        offset = self._size
        self._write(_answer(exchange, name, moment, digest, body))
        self._file.flush()
        archived = Archived(
            offset=offset,
            length=self._size - offset,
            record=name,
            moment=moment,
            address=exchange.address,
            status=exchange.status,
            content_type=_content_type(exchange),
            method=exchange.method,
            posted=digest_of(exchange.request_body) if exchange.request_body else "",
            digest=digest,
            body=body,
        )
        self._index.write(f"{archived.to_line()}\n")
        self._take_note(archived)
        return name

    def close(self) -> None:
        """Close the archive and its index."""
        self._file.close()
        self._index.close()

    def _go_on(self) -> None:
        found = scan(self.path)
        self._file.truncate(found.size)
        self._size = found.size
        for answer in found.answers:
            self._index.write(f"{answer.to_line()}\n")
            self._take_note(answer)

    def _take_note(self, answer: Archived) -> None:
        if answer.body is not None and answer.body.file != self.path.name:
            self.referred.add(answer.body.file)
        if answer.digest:
            self._bodies.setdefault(answer.digest, answer.held_by(self.path.name))

    def _know_earlier(self, archives: Iterable[Path]) -> None:
        present = {path.name for path in self.path.parent.iterdir()}
        for archive in archives:
            for answer in contents(archive).answers:
                held = answer.held_by(archive.name)
                if answer.digest and held.file in present:
                    self._bodies[answer.digest] = held

    def _write(self, record: bytes) -> None:
        compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS + 16)
        member = compressor.compress(record) + compressor.flush()
        self._file.write(member)
        self._size += len(member)


def _request(exchange: Exchange, answered_by: str, moment: str) -> bytes:
    parts = urlsplit(exchange.address)
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    headers = [(name, value) for name, value in exchange.request_headers.items() if name.lower() not in _SECRETS]
    if not any(name.lower() == "host" for name, _ in headers):
        headers.insert(0, ("Host", parts.netloc.rpartition("@")[2]))
    about = [
        ("WARC-Type", "request"),
        ("WARC-Record-ID", _new_id()),
        ("WARC-Concurrent-To", answered_by),
        ("WARC-Target-URI", exchange.address),
        ("WARC-Date", moment),
        ("Content-Type", "application/http; msgtype=request"),
    ]
    head = _lines(f"{exchange.method} {target} HTTP/1.1", headers)
    return _record(about, head + (exchange.request_body or b""))


def _answer(exchange: Exchange, name: str, moment: str, digest: str, body: Body | None) -> bytes:
    """The record of an answer, its body decoded; the headers say what is there and not what went over the wire."""
    headers = [header for header in exchange.headers if header[0].lower() not in _ABOUT_TRANSFER]
    headers.append(("Content-Length", str(len(exchange.body))))
    about = [
        ("WARC-Type", "response" if body is None else "revisit"),
        ("WARC-Record-ID", name),
        ("WARC-Target-URI", exchange.address),
        ("WARC-Date", moment),
        ("WARC-Payload-Digest", digest),
        ("Content-Type", "application/http; msgtype=response"),
    ]
    if exchange.peer:
        about.append(("WARC-IP-Address", exchange.peer))
    if body is not None:
        about += [
            ("WARC-Profile", _UNCHANGED),
            ("WARC-Refers-To", body.record),
            ("WARC-Refers-To-Target-URI", body.address),
            ("WARC-Refers-To-Date", body.moment),
            (BODY_FILE, body.file),
            (BODY_OFFSET, str(body.offset)),
        ]
    head = _lines(f"HTTP/1.1 {exchange.status} {exchange.reason}", headers)
    return _record(about, head if body is not None else head + exchange.body)


def _warcinfo(file: str, about: Mapping[str, str]) -> bytes:
    headers = [
        ("WARC-Type", "warcinfo"),
        ("WARC-Record-ID", _new_id()),
        ("WARC-Filename", file),
        ("WARC-Date", _now()),
        ("Content-Type", "application/warc-fields"),
    ]
    return _record(headers, "".join(f"{name}: {value}\r\n" for name, value in about.items()).encode())


def _record(about: Headers, block: bytes) -> bytes:
    sizes = [("WARC-Block-Digest", digest_of(block)), ("Content-Length", str(len(block)))]
    return _lines("WARC/1.1", [*about, *sizes]) + block + b"\r\n\r\n"


def _lines(first: str, headers: Headers) -> bytes:
    lines = [first.rstrip(), *(f"{name}: {' '.join(value.splitlines())}" for name, value in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "surrogateescape")


def _content_type(exchange: Exchange) -> str:
    return next((value for name, value in exchange.headers if name.lower() == "content-type"), "")


def _new_id() -> str:
    return f"<urn:uuid:{uuid4()}>"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
