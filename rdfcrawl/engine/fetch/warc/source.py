"""Archives that answer in place of the network: what a run has recorded, or any other program's WARC files."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from warcio.archiveiterator import ArchiveIterator

from rdfcrawl.engine.address import BadAddress, resolve
from rdfcrawl.engine.fetch.answers import decoded_headers
from rdfcrawl.engine.fetch.session import Exchange
from rdfcrawl.engine.fetch.warc.index import Archived, contents, digest_of
from rdfcrawl.errors import UsageError

_PASSING: Final = re.compile(
    r"(?<=[?&])(?:_|_?t|ts|time|timestamp|cb|nocache|cachebuster|rnd|rand|random)=(?:1\d{9}|1\d{12}|0?\.\d+)(?:&|$)",
    re.IGNORECASE,
)
"""Parameters that scripts make up for each request, to get past caches: the hour, a random number."""

_log = logging.getLogger(__name__)
_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """An answer and the archive that it is in."""

    archive: Path
    answer: Archived


class WarcSource:
    """Answers from archives. Of several answers to one request the last one counts, failures only if all failed."""

    def __init__(self, *archives: Path) -> None:
        """Read what the archives hold; later archives take precedence."""
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
        """What the address returned when it was recorded, or ``None``."""
        found = self.find(address, method, body)
        return self.read(found) if found else None

    def read(self, found: FoundAnswer) -> Exchange | None:
        """The recorded answer with its body, decoded; ``None`` if the body is in an archive that is gone."""
        with _opened(found.archive, found.answer.offset) as record:
            headers = record.http_headers
            body = None if record.rec_type == "revisit" else record.content_stream().read()
        if body is None and (body := _referred_body(found)) is None:
            return None
        return Exchange(
            address=found.answer.address,
            method=found.answer.method,
            request_headers={},
            status=found.answer.status,
            reason=headers.statusline.partition(" ")[2],
            headers=tuple(decoded_headers(headers.headers)),
            body=body,
        )

    def _add(self, found: FoundAnswer) -> None:
        answer = found.answer
        address = _spelled(answer.address)
        _put(self._exact, (answer.method, address, answer.posted), found)
        _put(self._lasting, (answer.method, _lasting(address), answer.posted), found)


def _referred_body(found: FoundAnswer) -> bytes | None:
    held = found.answer.body
    if held is not None and (archive := found.archive.parent / held.file).is_file():
        with _opened(archive, held.offset) as holder:
            if holder.rec_headers.get_header("WARC-Record-ID") == held.record:
                return bytes(holder.content_stream().read())
    where = f"the archive {held.file}" if held else "an archive"
    _log.warning("the body of %s is in %s, which is missing", found.answer.address, where)
    return None


@contextmanager
def _opened(archive: Path, offset: int) -> Iterator[Any]:
    with archive.open("rb") as file:
        file.seek(offset)
        yield next(iter(ArchiveIterator(file)))


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
