"""Which answers an archive holds and where: read from the archive itself, or from the small file next to it."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.fetch.session import Body
from rdfcrawl.engine.fetch.warc.reading import BadRecord, Records, TooLarge, content_of
from rdfcrawl.errors import UsageError

BODY_FILE: Final = "WARC-Refers-To-Filename"
BODY_OFFSET: Final = "WARC-Refers-To-File-Offset"
_GZIP: Final = b"\x1f\x8b"
_CHUNK: Final = 1 << 20
_STATUS_DIGITS: Final = 3
_MOST_OFFSET_DIGITS: Final = 18
_MOST_POSTED_BYTES: Final = 32 * 1024 * 1024
_log = logging.getLogger(__name__)
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
        answer = cls._make([*about, Body(*body) if body else None])
        if not all(type(value) is wanted for value, wanted in zip(about, _TYPES, strict=True)):
            raise ValueError("a line of the index has other values")
        return answer

    def held_by(self, file: str) -> Body:
        """The record that holds this answer's body; ``file`` is the archive that the answer is in."""
        return self.body or Body(file, self.offset, self.record, self.address, self.moment)


_TYPES: Final = (int, int, str, str, str, int, str, str, str, str)
"""What the values of a line of the index are, up to the body."""
_NO_ANSWER: Final = Archived(0, 0, "", "", "", 0)


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
    """What an archive holds, read from end to end; records that are cut off or cannot be read are left out."""
    asked: dict[str, tuple[str, str]] = {}
    ends = _member_ends(archive)
    try:
        answers = list(_records(archive, ends, asked)) if ends else []
    except BadRecord as error:
        raise UsageError(f"{archive} is not a WARC file: {error}") from error
    return Contents(tuple(_joined(answers, asked, archive.name)), ends[-1] if ends else 0)


def _member_ends(archive: Path) -> list[int]:
    """Where each whole compressed record of a file ends; of a plain file nothing is known but its size."""
    ends: list[int] = []
    with archive.open("rb") as file:
        rest = file.read(_CHUNK)
        if not rest.startswith(_GZIP):
            return [] if archive.name.endswith(".gz") else [archive.stat().st_size]
        member = zlib.decompressobj(zlib.MAX_WBITS + 16)
        while rest:
            try:
                # What it expands to is not needed here, and may be a thousand times as large.
                member.decompress(rest, _CHUNK)
            except zlib.error:
                break
            rest = member.unconsumed_tail or member.unused_data
            if member.eof:
                ends.append(file.tell() - len(rest))
                member = zlib.decompressobj(zlib.MAX_WBITS + 16)
            rest = rest or file.read(_CHUNK)
    return ends


def _records(archive: Path, ends: Sequence[int], asked: dict[str, tuple[str, str]]) -> Iterator[Archived]:
    """The answers; ``asked`` gets method and posted body's digest by the answer that they led to.

    After a record that cannot be read, reading goes on where the next compressed one begins.
    """
    begin, is_first = 0, True
    while begin < ends[-1]:
        try:
            for answer in _records_from(archive, begin, ends[-1], asked):
                is_first = False
                begin = answer.offset + answer.length
                if answer.status:
                    yield answer
            return
        except BadRecord as error:
            if is_first or len(ends) == 1:
                raise
            _log.warning("%s: the record at byte %d is left out: %s", archive, begin, error)
            begin = next((end for end in ends if end > begin), ends[-1])


def _records_from(archive: Path, begin: int, size: int, asked: dict[str, tuple[str, str]]) -> Iterator[Archived]:
    """Every record from a place on; those that are no answers have no status."""
    with archive.open("rb") as file:
        file.seek(begin)
        records = Records(file)
        for record in records:
            answer = _archived(record) if record.rec_type in ("response", "revisit") else None
            if record.rec_type == "request" and record.http_headers is not None:
                asked_for = record.rec_headers.get_header("WARC-Concurrent-To", "")
                asked[asked_for] = (record.http_headers.protocol.upper(), _digest_of_posted(record))
            offset, length = records.place()
            yield (answer or _NO_ANSWER)._replace(offset=offset, length=length)
            if offset + length >= size:
                # What follows was cut off, and warcio does not expect that.
                return


def _digest_of_posted(record: Any) -> str:
    try:
        body = content_of(record, _MOST_POSTED_BYTES)
    except TooLarge:
        # No request of a replay is as large; it is not found then.
        return "too large"
    return digest_of(body) if body else ""


def _archived(record: Any) -> Archived | None:
    status = record.http_headers.get_statuscode() if record.http_headers else ""
    if not (status.isascii() and status.isdecimal() and len(status) == _STATUS_DIGITS):
        return None
    said = record.rec_headers.get_header
    body = None
    if record.rec_type == "revisit":
        offset = said(BODY_OFFSET, "")
        body = Body(
            said(BODY_FILE, ""),
            int(offset) if offset.isdecimal() and len(offset) < _MOST_OFFSET_DIGITS else -1,
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
