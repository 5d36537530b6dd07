"""The seam between the crawl and what fetches pages: HTTP, a browser, a replay."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import field
from enum import StrEnum
from typing import NamedTuple, Protocol, runtime_checkable

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.metamodel.model import Page


@dataclass(frozen=True, slots=True)
class Known:
    """A page as it was when it was last fetched: enough to ask for it only if it has changed since.

    ``address`` is the final one, ``digest`` names its body in the archives.
    """

    address: str
    etag: str | None
    modified: str | None
    content_type: str | None
    digest: str

    @property
    def conditions(self) -> dict[str, str]:
        """The headers of the conditional request."""
        asked = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        # A validator that no header can hold is of no use.
        return {name: value for name, value in asked.items() if value and value.isascii() and value.isprintable()}


@dataclass(frozen=True, slots=True)
class Glance:
    """How to ask an address what it is: redirects are not followed, and a body is read only if its type is ``wanted``.

    A body of more than ``most_bytes`` is left unread. Without ``with_body`` none is read.
    """

    wanted: Callable[[str | None], bool]
    most_bytes: int
    with_body: bool = True


@dataclass(frozen=True, slots=True)
class Submission:
    """A form as it is sent; ``body`` is that of a POST."""

    address: str
    method: str = "GET"
    body: bytes | None = None
    content_type: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A page to be fetched: where, what the model says must be done with it, and what it was like the last time.

    ``home`` is the origin of the section that it is fetched for, whose secrets it may carry. ``led_to`` is asked before
    anything is fetched from another address that a redirect or a script leads to; it raises where that must not be.
    ``room`` is waited for before a large body is held. With a ``glance`` there is one answer, whatever it is; only
    plain HTTP and replays can do that. With a ``submission`` the page is what the form returns; ``fills`` are the paths
    and values of the fields that a browser fills in itself.
    """

    address: str
    page: Page
    known: Known | None = None
    home: str | None = None
    led_to: Callable[[str], Awaitable[None]] | None = None
    room: Callable[[], Awaitable[None]] | None = None
    glance: Glance | None = None
    submission: Submission | None = None
    fills: tuple[tuple[str, str], ...] = ()

    def asking(self, led_to: Callable[[str], Awaitable[None]]) -> Request:
        """The same request, which asks on its way; written out, because ``replace`` takes four times as long."""
        about = self.room, self.glance, self.submission, self.fills
        return Request(self.address, self.page, self.known, self.home, led_to, *about)


@dataclass(frozen=True, slots=True)
class Fetched:
    """The result of a fetch: a body at its final address. ``rendered`` bodies are a browser's document as UTF-8 HTML.

    ``digest`` names the body in the archives, where it was recorded. It ``is_whole`` unless its body was left unread.
    """

    address: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    rendered: bool = False
    notes: tuple[tuple[ProblemKind, str], ...] = field(default=())
    digest: str = ""
    is_whole: bool = True

    @property
    def content_type(self) -> str | None:
        """The Content-Type header, if there is one."""
        return self.headers.get("content-type")


class FailureCause(StrEnum):
    """Why a page could not be fetched, where that is known."""

    DISALLOWED = "disallowed"
    """robots.txt forbids it."""
    UNRESOLVED = "unresolved"
    """The host has no IP address."""
    TIMEOUT = "timeout"
    """There was no complete answer in time."""


class FetchFailed(Exception):
    """A page could not be fetched; the crawl turns this into a problem and continues.

    ``transient`` says whether trying again may help, ``retry_after`` what the server said about when, ``strained``
    that the host as a whole seems to be in trouble, not only this page. ``host`` is that host, where it need not be
    the one of the page; ``status`` is what the server answered, if it did.
    """

    def __init__(
        self,
        kind: ProblemKind,
        reason: str,
        *,
        transient: bool = False,
        retry_after: float | None = None,
        strained: bool = False,
        host: str | None = None,
        cause: FailureCause | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(reason)
        self.host = host
        self.kind = kind
        self.reason = reason
        self.transient = transient
        self.retry_after = retry_after
        self.strained = strained
        self.cause = cause
        self.status = status


class Fetcher(Protocol):
    """Fetches pages. One fetcher serves a whole run and is closed at its end."""

    def open(self, request: Request) -> AsyncIterator[Fetched]:
        """The documents of one page session, one after the other.

        Over HTTP there is exactly one. A browser yields one for each part of a list that a click on the next
        button loads at the same address. Headers have lower-case names. Raises ``FetchFailed``.
        """
        ...

    async def close(self) -> None:
        """Release connections, files and processes."""
        ...


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer, for the archive; the body is decoded. ``digest`` is its digest, where known."""

    address: str
    method: str
    request_headers: Mapping[str, str]
    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    request_body: bytes | None = None
    digest: str = ""


class Body(NamedTuple):
    """The record of an archive that holds a body which others refer to."""

    file: str
    offset: int
    record: str
    address: str
    moment: str


class Recorder(Protocol):
    """Keeps what was fetched."""

    def record(self, exchange: Exchange) -> None:
        """Keep an exchange."""
        ...


@runtime_checkable
class ReferringRecorder(Recorder, Protocol):
    """A recorder that can refer to bodies which it has; any other one needs every page whole."""

    def held(self, digest: str) -> Body | None:
        """Where the body of that digest is kept, so that it can be referred to."""
        ...

    def record_unchanged(self, exchange: Exchange, digest: str, body: Body) -> None:
        """Keep an exchange whose body is one that is held already."""
        ...


class Source(Protocol):
    """Answers in place of the network: a folder or an archive. ``body_bytes`` is the size of the largest body."""

    body_bytes: int

    async def answer(self, address: str, method: str = "GET", body: bytes | None = None) -> Exchange | None:
        """What the address returned when it was recorded, or ``None``."""
        ...
