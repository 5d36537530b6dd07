"""What the status and the headers of an answer mean for the crawl; the same for every fetcher."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from rdfcrawl.engine.fetch.session import Exchange, FetchFailed
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.rdf.characters import writable

_GONE: Final = (404, 410)
_WORTH_REPEATING: Final = (408, 425, 429)
_STRAINED: Final = (429, 502, 503, 504)

_PART: Final = 206
_CONTENT_RANGE: Final = re.compile(r"bytes +(\d{1,18})-(\d{1,18})/(\d{1,18}|\*)", re.IGNORECASE)

NOT_MODIFIED: Final = 304
_LONGEST_WAIT: Final = 10 * 365 * 24 * 3600.0
"""Servers may name any number; nobody waits that long, and sums of moments stay finite."""

REDIRECTS: Final = (301, 302, 303, 307, 308)
"""The answers that send the client elsewhere."""

UNREAD_LENGTH: Final = "x-archive-orig-content-length"
"""The header by which an archive keeps the length of a body that was not read."""

_ABOUT_TRANSFER: Final = frozenset(("content-encoding", "content-length", "transfer-encoding"))


def header_of(headers: Iterable[tuple[str, str]], name: str) -> str | None:
    """The first value of a header, whose name is given in lower case."""
    return next((value for known, value in headers if known.lower() == name), None)


def decoded_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers that apply to a decoded body: all but those about how it was transferred."""
    return [header for header in headers if header[0].lower() not in _ABOUT_TRANSFER]


def readable_headers(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Headers as they can be kept, compared and written, whatever bytes the server has sent."""
    return tuple(
        [(name, value if value.isascii() and value.isprintable() else readable(value)) for name, value in headers]
    )


def readable(value: str) -> str:
    """A header's value on one line; bytes that were not UTF-8 are read as old servers meant them."""
    try:
        sent = value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        text = value
    else:
        try:
            text = sent.decode()
        except UnicodeDecodeError:
            text = sent.decode("latin-1")
    # What ends a line may be a byte of another encoding, so lines are joined when the text is known.
    return writable(" ".join(text.splitlines()))


def without_secrets(headers: Mapping[str, str], secret: Iterable[str]) -> dict[str, str]:
    """The headers of a request without those that only its server should know, for the archive."""
    hidden = {name.lower() for name in secret}
    return {name: value for name, value in headers.items() if name.lower() not in hidden}


def refuse_errors(status: int, headers: Mapping[str, str]) -> None:
    """Raise ``FetchFailed`` for an answer that is not a page."""
    if status in _GONE:
        raise FetchFailed(ProblemKind.GONE, f"the server answered {status}: there is no such page", status=status)
    if status >= 500 or status in _WORTH_REPEATING:
        raise FetchFailed(
            ProblemKind.UNREACHABLE,
            f"the server answered {status}",
            transient=True,
            retry_after=retry_after(headers.get("retry-after")),
            strained=status in _STRAINED,
            status=status,
        )
    if status >= 400:
        raise FetchFailed(ProblemKind.UNREACHABLE, f"the server answered {status}", status=status)
    if status == _PART and _is_cut(headers.get("content-range", "")):
        reason = f"the server answered {status}, with only a part of the page"
        raise FetchFailed(ProblemKind.UNREACHABLE, reason, transient=True, status=status)


def _is_cut(content_range: str) -> bool:
    """Whether less than the whole was sent, for which nobody has asked; some caches send all of it in one part."""
    found = _CONTENT_RANGE.match(content_range.strip())
    return found is not None and (int(found[1]) > 0 or found[3] != str(int(found[2]) + 1))


def retry_after(header: str | None) -> float | None:
    """Seconds to wait, from a Retry-After header in either of its forms."""
    if not header:
        return None
    try:
        if header.strip().isdecimal():
            return min(float(header), _LONGEST_WAIT)
        moment = parsedate_to_datetime(header)
        # The zone "-0000" yields a time without one; HTTP dates are always in UTC.
        wished = (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError):
        return None
    return min(max(0.0, wished), _LONGEST_WAIT)


def redirect_target(exchange: Exchange) -> str | None:
    """Where an answer sends the client, unresolved, or ``None`` if it is not a redirect."""
    return header_of(exchange.headers, "location") if exchange.status in REDIRECTS else None
