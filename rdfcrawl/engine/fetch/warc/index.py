"""Which answers an archive holds and where: read from the archive itself, or from the small file next to it."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from rdfcrawl.engine.fetch.session import Body
from rdfcrawl.errors import UsageError

BODY_FILE: Final = "WARC-Refers-To-Filename"
BODY_OFFSET: Final = "WARC-Refers-To-File-Offset"
_GZIP: Final = b"\x1f\x8b"
_CHUNK: Final = 1 << 20
_encode: Final = json.JSONEncoder(check_circular=False).encode


class Archived(NamedTuple):
    """One answer: the place of its record, and what it answers. ``body`` is set where another record holds the body."""

    offset: int
    length: int
    record: str
    moment: str
    address: str
    status: int
    content_type: str = ""
    method: str = "GET"
    posted: str = ""
    digest: str = ""
    body: Body | None = None

    def to_line(self) -> str:
        """The answer as a line of the index."""
        return _encode(self)

    @classmethod
    def from_line(cls, line: str) -> Archived:
        """The answer that ``to_line`` wrote; raises ``ValueError`` or ``TypeError`` for any other line."""
        values: Any = json.loads(line)
        if not isinstance(values, list):
            raise ValueError("a line of the index is a list")
        *about, body = values
        return cls._make([*about, Body(*body) if body else None])

    def held_by(self, file: str) -> Body:
        """The record that holds this answer's body; ``file`` is the archive that the answer is in."""
        return self.body or Body(file, self.offset, self.record, self.address, self.moment)


@dataclass(frozen=True, slots=True)
class Contents:
    """The answers of an archive in the order of recording; ``size`` is where its last whole record ends."""

    answers: tuple[Archived, ...]
    size: int


def index_path(archive: Path) -> Path:
    """The file next to an archive that says where its answers are."""
    return archive.with_name(f"{archive.name.removesuffix('.gz').removesuffix('.warc')}.index.jsonl")


def digest_of(content: bytes) -> str:
    """The digest by which archives recognise equal bodies."""
    return "sha1:" + base64.b32encode(hashlib.sha1(content, usedforsecurity=False).digest()).decode()


def contents(archive: Path) -> Contents:
    """What an archive holds, from its index if that is there and belongs to it."""
    try:
        lines = index_path(archive).read_text(encoding="utf-8").splitlines()
        answers = tuple(Archived.from_line(line) for line in lines)
    except (OSError, ValueError, TypeError):
        return scan(archive)
    size = answers[-1].offset + answers[-1].length if answers else 0
    return Contents(answers, size) if size == archive.stat().st_size else scan(archive)


def scan(archive: Path) -> Contents:
    """What an archive holds, read from end to end; a record that was cut off is left out."""
    asked: dict[str, tuple[str, str]] = {}
    size = _whole_size(archive)
    try:
        answers = list(_records(archive, size, asked)) if size else []
    except (ArchiveLoadFailed, ValueError) as error:
        raise UsageError(f"{archive} is not a WARC file: {str(error).strip()}") from error
    return Contents(tuple(_joined(answers, asked, archive.name)), size)


def _whole_size(archive: Path) -> int:
    """Where the last whole compressed record of a file ends; of a plain file nothing is known but its size."""
    end = 0
    with archive.open("rb") as file:
        rest = file.read(_CHUNK)
        if not rest.startswith(_GZIP):
            return 0 if archive.name.endswith(".gz") else archive.stat().st_size
        member = zlib.decompressobj(zlib.MAX_WBITS + 16)
        while rest:
            try:
                member.decompress(rest)
            except zlib.error:
                break
            rest = member.unused_data
            if member.eof:
                end = file.tell() - len(rest)
                member = zlib.decompressobj(zlib.MAX_WBITS + 16)
            rest = rest or file.read(_CHUNK)
    return end


def _records(archive: Path, size: int, asked: dict[str, tuple[str, str]]) -> Iterator[Archived]:
    """The answers; ``asked`` gets method and posted body's digest by the answer that they led to."""
    with archive.open("rb") as file:
        records = ArchiveIterator(file)
        for record in records:
            answer = _archived(record) if record.rec_type in ("response", "revisit") else None
            if record.rec_type == "request":
                body = record.content_stream().read()
                asked_for = record.rec_headers.get_header("WARC-Concurrent-To", "")
                asked[asked_for] = (record.http_headers.protocol.upper(), digest_of(body) if body else "")
            offset, length = records.get_record_offset(), records.get_record_length()
            if answer is not None:
                yield answer._replace(offset=offset, length=length)
            if offset + length >= size:
                # What follows was cut off, and warcio does not expect that.
                return


def _archived(record: Any) -> Archived | None:
    status = record.http_headers.get_statuscode() if record.http_headers else ""
    if not status.isdecimal():
        return None
    said = record.rec_headers.get_header
    body = None
    if record.rec_type == "revisit":
        offset = said(BODY_OFFSET, "")
        body = Body(
            said(BODY_FILE, ""),
            int(offset) if offset.isdecimal() else -1,
            said("WARC-Refers-To", ""),
            said("WARC-Refers-To-Target-URI", ""),
            said("WARC-Refers-To-Date", ""),
        )
    return Archived(
        offset=0,
        length=0,
        record=said("WARC-Record-ID", ""),
        moment=said("WARC-Date", ""),
        address=said("WARC-Target-URI", ""),
        status=int(status),
        content_type=record.http_headers.get_header("Content-Type", ""),
        digest=said("WARC-Payload-Digest", ""),
        body=body,
    )


def _joined(answers: Iterable[Archived], asked: dict[str, tuple[str, str]], file: str) -> Iterator[Archived]:
    """Answers with what was asked, and with the places of bodies that other programs name by their digest alone."""
    bodies: dict[str, Body] = {}
    for answer in answers:
        method, posted = asked.get(answer.record, ("GET", ""))
        body = answer.body
        if body is not None and not body.file:
            body = bodies.get(answer.digest)
        elif body is None and answer.digest:
            bodies[answer.digest] = answer.held_by(file)
        yield answer._replace(method=method, posted=posted, body=body)
