"""The recorder: every answer becomes records of a WARC 1.1 file, each compressed on its own."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import uuid4

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from rdfcrawl.engine.fetch.session import Exchange
from rdfcrawl.engine.fetch.warc.bodies import Bodies
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
"""warcio's own level, 9, takes three times as long for a fifth less."""

_WORTH_REFERRING: Final = 512
"""A reference costs about as many bytes; smaller bodies are written again."""

_SECRETS: Final = frozenset(("authorization", "cookie", "proxy-authorization"))
_ABOUT_TRANSFER: Final = frozenset(("content-encoding", "content-length", "transfer-encoding"))


class WarcRecorder:
    """Writes the archive of one run. A body that this archive or an earlier one has is referred to, not repeated.

    Every record is handed to the system before ``record`` returns, so a killed process loses none. ``referred`` names
    the earlier archives that this one cannot be read without, ``referable`` those that it knows.
    """

    def __init__(self, path: Path, *, about: Mapping[str, str], earlier: Iterable[Path] = ()) -> None:
        """Open the archive, or go on with it: what a killed process left unfinished at its end is cut off.

        ``about`` describes the archive in its first record; ``earlier`` archives must be in the same folder.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.referred: set[str] = set()
        self.referable: set[str] = set()
        self._bodies = Bodies()
        self._know_earlier(earlier)
        self._plain = BytesIO()
        self._writer = WARCWriter(self._plain, gzip=False, warc_version="1.1")
        self._size = 0
        self._file = path.open("ab")
        self._index = index_path(path).open("w", encoding="utf-8")
        if path.stat().st_size:
            self._go_on()
        if not self._size:
            self._write(self._writer.create_warcinfo_record(path.name, dict(about)))

    def record(self, exchange: Exchange) -> str:
        """Write a request and its answer; gives the id of the answer's record."""
        digest = digest_of(exchange.body)
        return self._record(
            exchange, digest, self._bodies.get(digest) if len(exchange.body) >= _WORTH_REFERRING else None
        )

    def holds(self, digest: str) -> bool:
        """Whether this archive or an earlier one has the body of that digest."""
        return digest in self._bodies

    def record_unchanged(self, exchange: Exchange, digest: str) -> str:
        """Write a request whose answer is, as the server says, a body that is held already."""
        return self._record(exchange, digest, self._bodies.get(digest))

    def _record(self, exchange: Exchange, digest: str, body: Body | None) -> str:
        name, moment = f"<urn:uuid:{uuid4()}>", _now()
        self._write(self._request(exchange, name, moment))
        offset = self._size
        self._write(self._answer(exchange, name, moment, digest, body))
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

    @property
    def closed(self) -> bool:
        """Whether nothing more will come."""
        return self._file.closed

    def close(self) -> None:
        """Close the archive and its index."""
        self._file.close()
        self._index.close()
        self._bodies.close()

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
            self._bodies.add(answer.digest, answer.held_by(self.path.name))

    def _know_earlier(self, archives: Iterable[Path]) -> None:
        present = {path.name for path in self.path.parent.iterdir()}
        for archive in archives:
            for answer in contents(archive).answers:
                held = answer.held_by(archive.name)
                if answer.digest and held.file in present:
                    self._bodies.add(answer.digest, held, instead=True)
                    self.referable.add(held.file)

    def _write(self, record: Any) -> None:
        self._writer.write_record(record)
        compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS + 16)
        member = compressor.compress(self._plain.getvalue()) + compressor.flush()
        self._plain.seek(0)
        self._plain.truncate()
        self._file.write(member)
        self._size += len(member)

    def _request(self, exchange: Exchange, answered_by: str, moment: str) -> Any:
        parts = urlsplit(exchange.address)
        target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        headers = [header for header in exchange.request_headers.items() if header[0].lower() not in _SECRETS]
        if not any(name.lower() == "host" for name, _ in headers):
            headers.insert(0, ("Host", parts.netloc.rpartition("@")[2]))
        posted = exchange.request_body or b""
        return self._writer.create_warc_record(
            exchange.address,
            "request",
            payload=BytesIO(posted),
            length=len(posted),
            http_headers=StatusAndHeaders(
                f"{exchange.method} {target} HTTP/1.1", _texts(headers), is_http_request=True
            ),
            warc_headers_dict={"WARC-Date": moment, "WARC-Concurrent-To": answered_by},
        )

    def _answer(self, exchange: Exchange, name: str, moment: str, digest: str, body: Body | None) -> Any:
        """The record of an answer, its body decoded; the headers say what is there and not what went over the wire."""
        headers = [header for header in exchange.headers if header[0].lower() not in _ABOUT_TRANSFER]
        if exchange.body or body is None:
            headers.append(("Content-Length", str(len(exchange.body))))
        said = StatusAndHeaders(f"{exchange.status} {exchange.reason}".rstrip(), _texts(headers), protocol="HTTP/1.1")
        about = {"WARC-Record-ID": name, "WARC-Date": moment}
        if exchange.peer:
            about["WARC-IP-Address"] = exchange.peer
        if body is None:
            about["WARC-Payload-Digest"] = digest
            return self._writer.create_warc_record(
                exchange.address,
                "response",
                payload=BytesIO(exchange.body),
                length=len(exchange.body),
                http_headers=said,
                warc_headers_dict=about,
            )
        about |= {"WARC-Refers-To": body.record, BODY_FILE: body.file, BODY_OFFSET: str(body.offset)}
        return self._writer.create_revisit_record(
            exchange.address, digest, body.address, body.moment, http_headers=said, warc_headers_dict=about
        )


def _texts(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Headers on one line each; bytes that were no UTF-8 are taken for what old servers meant by them."""
    texts = []
    for name, value in headers:
        line = " ".join(value.splitlines())
        if not line.isascii():
            sent = line.encode("utf-8", "surrogateescape")
            try:
                line = sent.decode()
            except UnicodeDecodeError:
                line = sent.decode("latin-1")
        texts.append((name, line))
    return texts


def _content_type(exchange: Exchange) -> str:
    return next((value for name, value in exchange.headers if name.lower() == "content-type"), "")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
