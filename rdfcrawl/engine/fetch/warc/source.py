"""Archives that answer in place of the network: what a run has recorded, or any other program's WARC files."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.address import BadAddress, resolve
from rdfcrawl.engine.fetch.answers import decoded_headers, readable, readable_headers
from rdfcrawl.engine.fetch.session import Exchange, FetchFailed
from rdfcrawl.engine.fetch.warc.index import Archived, contents, digest_of
from rdfcrawl.engine.fetch.warc.reading import BadRecord, TooLarge, UnreadableBody, content_of, record_at
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.errors import UsageError

_PASSING: Final = re.compile(
    r"(?<=[?&])(?:_|_?t|ts|time|timestamp|cb|nocache|cachebuster|rnd|rand|random)=(?:1\d{9}|1\d{12}|0?\.\d+)(?:&|$)",
    re.IGNORECASE,
)
"""Parameters that scripts make up for each request, to get past caches: the hour, a random number."""

_LONGEST_NAME: Final = 255
_log = logging.getLogger(__name__)
_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """An answer and the archive that it is in."""

    archive: Path
    answer: Archived


class WarcSource:
    """Answers from archives. Of several answers to one request the last one counts, failures only if all failed."""

    def __init__(self, *archives: Path, body_bytes: int = RunLimits().body_bytes) -> None:
        """Read what the archives hold; later archives take precedence. Larger bodies than that are not read."""
        self.body_bytes = body_bytes
        self._exact: dict[_Key, FoundAnswer] = {}
        self._lasting: dict[_Key, FoundAnswer] = {}
        for archive in archives:
            if not archive.is_file():
                raise UsageError(f"there is no archive {archive}")
            for answer in contents(archive).answers:
                self._add(FoundAnswer(archive, answer))

    def find(self, address: str, method: str = "GET", body: bytes | None = None) -> FoundAnswer | None:
        """The record that answers a request."""
        posted = digest_of(body) if body else ""
        asked = _spelled(address)
        return self._exact.get((method, asked, posted)) or self._lasting.get((method, _lasting(asked), posted))

    def found(self) -> Iterator[FoundAnswer]:
        """Every answer that counts."""
        return iter(self._exact.values())

    async def answer(self, address: str, method: str = "GET", body: bytes | None = None) -> Exchange | None:
        """What the address returned when it was recorded, or ``None``; raises ``FetchFailed``."""
        found = self.find(address, method, body)
        return self.read(found) if found else None

    def read(self, found: FoundAnswer) -> Exchange | None:
        """The recorded answer with its body, decoded; ``None`` if the body is in an archive that is gone.

        Raises ``FetchFailed`` where the archive is damaged, or the body larger than it may be.
        """
        try:
            return self._read(found)
        except TooLarge as error:
            raise FetchFailed(ProblemKind.LIMIT, str(error)) from error
        except (BadRecord, OSError) as error:
            wrong = "cannot be read" if isinstance(error, UnreadableBody) else "is damaged"
            reason = f"the archive {found.archive.name} {wrong} at byte {found.answer.offset:,}: {error}"
            raise FetchFailed(ProblemKind.UNREADABLE, reason) from error

    def _read(self, found: FoundAnswer) -> Exchange | None:
        with record_at(found.archive, found.answer.offset) as record:
            headers = record.http_headers
            if headers is None:
                raise BadRecord("the record has no HTTP headers")
            body = None if record.rec_type == "revisit" else content_of(record, self.body_bytes)
            if body is not None and not _is_as_recorded(found.answer, headers.headers, body):
                raise BadRecord("the body is not what was recorded")
        if body is None and (body := self._referred_body(found)) is None:
            return None
        return Exchange(
            address=found.answer.address,
            method=found.answer.method,
            request_headers={},
            status=found.answer.status,
            reason=readable(headers.statusline.partition(" ")[2]),
            headers=readable_headers(decoded_headers(headers.headers)),
            body=body,
        )

    def _referred_body(self, found: FoundAnswer) -> bytes | None:
        """The body that another record holds: in this archive, or in another one of the same folder."""
        held = found.answer.body
        archive = _beside(found.archive, held.file) if held is not None else None
        if held is not None and archive is not None:
            with record_at(archive, held.offset) as holder:
                if holder.rec_headers.get_header("WARC-Record-ID") != held.record:
                    raise BadRecord(f"{held.file} has another record at byte {held.offset:,} than is meant")
                return content_of(holder, self.body_bytes)
        where = f"the archive {held.file[:_LONGEST_NAME]}" if held else "an archive"
        _log.warning("the body of %s is in %s, which is missing", found.answer.address, where)
        return None

    def _add(self, found: FoundAnswer) -> None:
        answer = found.answer
        address = _spelled(answer.address)
        _put(self._exact, (answer.method, address, answer.posted), found)
        _put(self._lasting, (answer.method, _lasting(address), answer.posted), found)


def _is_as_recorded(answer: Archived, headers: Sequence[tuple[str, str]], body: bytes) -> bool:
    """Whether a body has its digest, as far as that can be told: other programs take it of what was transferred."""
    was_encoded = len(decoded_headers(headers)) < sum(name.lower() != "content-length" for name, _ in headers)
    return was_encoded or not answer.digest.startswith("sha1:") or answer.digest == digest_of(body)


def _beside(archive: Path, name: str) -> Path | None:
    """The archive of that name in the same folder; a name that leads anywhere else names nothing."""
    is_name = 0 < len(name) <= _LONGEST_NAME and name not in (".", "..") and not any(char in name for char in "/\\\0")
    return path if is_name and (path := archive.parent / name).is_file() else None


def _put(index: dict[_Key, FoundAnswer], key: _Key, found: FoundAnswer) -> None:
    before = index.get(key)
    if before is None or found.answer.status < 400 or before.answer.status >= 400:
        index[key] = found


def _spelled(address: str) -> str:
    """The address as the crawl would spell it, without fragment: browsers and libraries differ in details."""
    try:
        return resolve(address, address).partition("#")[0]
    except BadAddress:
        return address.partition("#")[0]


def _lasting(address: str) -> str:
    """The address without what a script makes up for each request."""
    return _PASSING.sub("", address).rstrip("?&")
