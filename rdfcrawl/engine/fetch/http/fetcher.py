"""Pages over plain HTTP: redirects, cookies within a run, compression, keep-alive."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

import aiohttp

from rdfcrawl.engine.address import BadAddress, origin_of, resolve
from rdfcrawl.engine.fetch.answers import (
    NOT_MODIFIED,
    REDIRECTS,
    UNREAD_LENGTH,
    header_of,
    readable,
    readable_headers,
    refuse_errors,
    without_secrets,
)
from rdfcrawl.engine.fetch.codings import ACCEPTED, BodyDecoder, BodyTooLarge, UndecodableBody
from rdfcrawl.engine.fetch.guard import NetworkAccess
from rdfcrawl.engine.fetch.http.connections import Connections
from rdfcrawl.engine.fetch.http.cookies import put_cookies, stored_cookies
from rdfcrawl.engine.fetch.http.following import Following, RequestBounds
from rdfcrawl.engine.fetch.large_bodies import LARGE_BYTES
from rdfcrawl.engine.fetch.session import (
    Body,
    Exchange,
    FailureCause,
    Fetched,
    FetchFailed,
    Known,
    Recorder,
    ReferringRecorder,
    Request,
)
from rdfcrawl.engine.fetch.session_cookies import StoredCookie
from rdfcrawl.engine.fetch.warc.index import digest_of
from rdfcrawl.engine.limits import OUT_OF_ROOM, RunLimits
from rdfcrawl.engine.problem import ProblemKind

_ACCEPT: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_KEEPING_METHOD: Final = (307, 308)
_CHUNK: Final = 1 << 16
_FIRST_NO_PAGE: Final = 300


class _TooLarge(FetchFailed):
    """A body is larger than it may be."""

    def __init__(self, most_bytes: int) -> None:
        super().__init__(ProblemKind.LIMIT, f"the body is larger than {most_bytes:,} bytes")


_ALONE: Final = Following()


class Before(NamedTuple):
    """A page as it was, and where its body is archived, if it is."""

    known: Known
    body: Body | None


class HttpFetcher:
    """Fetches with one connection pool for the whole run."""

    def __init__(
        self,
        *,
        user_agent: str,
        limits: RunLimits | None = None,
        recorder: Recorder | None = None,
        access: NetworkAccess | None = None,
    ) -> None:
        self._limits = limits or RunLimits()
        self.bounds = RequestBounds(self._limits.redirects, self._limits.body_bytes)
        self._recorder = recorder
        self._referring = recorder if isinstance(recorder, ReferringRecorder) else None
        self._access = access or NetworkAccess()
        headers = {"User-Agent": user_agent, "Accept": _ACCEPT, "Accept-Encoding": ACCEPTED}
        self._connections = Connections(headers, self._access, self._limits)

    async def open(self, request: Request) -> AsyncIterator[Fetched]:
        """The one document at the address, after redirects."""
        sent = request.submission
        following = Following(request.led_to, request.room, sent)
        before, address, bounds = self._before(request.known), sent.address if sent else request.address, self.bounds
        if (glance := request.glance) is not None:
            bounds = RequestBounds(0, glance.most_bytes, glance=glance)
        fetched = await self.get(address, bounds, following, before=before, home=request.home)
        refuse_errors(fetched.status, fetched.headers)
        yield fetched

    async def get(
        self,
        address: str,
        bounds: RequestBounds,
        following: Following = _ALONE,
        *,
        before: Before | None = None,
        home: str | None = None,
    ) -> Fetched:
        """The final answer of the address, errors included; raises ``FetchFailed`` when there is none.

        Requests carry the secrets of the origin ``home`` until a redirect leaves it: what comes back from another
        origin was chosen there.
        """
        address = _spelled(address)
        for step in range(bounds.redirects + 1):
            if self._access.guard is not None:
                self._access.guard.check(address)
            if step and following.led_to is not None:
                await following.led_to(address)
            if origin_of(address) != home:
                home = None
            secret = self._access.credentials.get(home, {}) if home is not None else {}
            then = before if before is not None and before.known.address == address else None
            try:
                async with asyncio.timeout(self._limits.response_seconds) as deadline:
                    found = await self._answer(address, bounds, following, secret, then, deadline)
            except (aiohttp.ClientError, OSError, UndecodableBody) as error:
                raise self._failure(error) from error
            if isinstance(found, Fetched):
                return found
            left, (status, target) = origin_of(address), found
            address = _redirected(target, address)
            if status not in _KEEPING_METHOD or origin_of(address) != left:
                # As in browsers, what follows is asked for; nor does a form follow to another origin.
                following = replace(following, sent=None)
        raise FetchFailed(ProblemKind.LIMIT, f"more than {bounds.redirects} redirects, last to {address}")

    def cookies(self, host: str) -> list[StoredCookie]:
        """The cookies that would be sent to a host."""
        return stored_cookies(self._connections.cookies, host)

    def add_cookies(self, cookies: Iterable[StoredCookie]) -> None:
        """Send these cookies, too."""
        put_cookies(self._connections.cookies, cookies)

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.close()

    def _before(self, known: Known | None) -> Before | None:
        """What is known about a page, unless an archive would then lack its body."""
        if known is None:
            return None
        if self._recorder is None:
            return Before(known, None)
        body = self._referring.held(known.digest) if self._referring is not None else None
        return None if body is None else Before(known, body)

    async def _answer(
        self,
        address: str,
        bounds: RequestBounds,
        following: Following,
        secret: Mapping[str, str],
        before: Before | None,
        deadline: asyncio.Timeout,
    ) -> Fetched | tuple[int, str]:
        """What one address answers to a request with ``secret`` headers: the document, or how it redirects where."""
        asked = secret if before is None else {**secret, **before.known.conditions}
        async with self._connections.asked(address, asked, following.sent) as response:
            if response.status == NOT_MODIFIED:
                return self._unchanged(response, before)
            headers = readable_headers(response.headers.items())
            if (glance := bounds.glance) is not None:
                is_wanted = response.status < _FIRST_NO_PAGE and glance.wanted(header_of(headers, "content-type"))
                body = None
                if is_wanted and glance.with_body and (response.content_length or 0) <= glance.most_bytes:
                    with contextlib.suppress(_TooLarge):
                        body = await self._read(response, bounds, following, deadline)
                return self._glanced(response, headers, body, secret, is_recorded=glance.with_body or not is_wanted)
            target = header_of(headers, "location") if response.status in REDIRECTS else None
            body = b"" if target is not None else await self._read(response, bounds, following, deadline)
            digest = ""
            if self._recorder is not None and following.recorded:
                digest = digest_of(body)
                exchange = _exchange(response, headers, body, digest, secret)
                if following.sent is not None:
                    exchange = replace(exchange, request_body=following.sent.body)
                self._recorder.record(exchange)
            if target is not None:
                return response.status, target
            named = {name.lower(): value for name, value in headers}
            return Fetched(str(response.url), response.status, named, body, digest=digest)

    def _glanced(
        self,
        response: aiohttp.ClientResponse,
        headers: tuple[tuple[str, str], ...],
        body: bytes | None,
        secret: Mapping[str, str],
        *,
        is_recorded: bool,
    ) -> Fetched:
        """The answer of one request, its body only if it was read; what a browser reads next is not recorded now."""
        if body is None:
            # The rest of the body would have to be received before the connection could be used again.
            response.close()
        named = {name.lower(): value for name, value in headers}
        digest = digest_of(body or b"")
        if self._recorder is not None and is_recorded:
            kept = headers if body is not None else (*headers, *_unread_length(named))
            self._recorder.record(_exchange(response, kept, body or b"", digest, secret))
        return Fetched(str(response.url), response.status, named, body or b"", digest=digest, is_whole=body is not None)

    def _failure(self, error: Exception) -> FetchFailed:
        """What a fault of the transport means; no room left on the disk is none, and raised as it is."""
        if isinstance(error, OSError) and error.errno in OUT_OF_ROOM:
            raise error
        if isinstance(error, aiohttp.ClientConnectorCertificateError):
            return FetchFailed(ProblemKind.UNREACHABLE, _in_words(error))
        cause, reason = None, _in_words(error)
        if isinstance(error, TimeoutError):
            cause = FailureCause.TIMEOUT
            reason = f"no complete answer within {self._limits.response_seconds:g} seconds"
        elif isinstance(error, aiohttp.ClientConnectorDNSError):
            cause = FailureCause.UNRESOLVED
        return FetchFailed(ProblemKind.UNREACHABLE, reason, transient=True, strained=True, cause=cause)

    def _unchanged(self, response: aiohttp.ClientResponse, before: Before | None) -> Fetched:
        """The answer that a page has not changed; it is archived as the page that it stands for."""
        if before is None:
            raise FetchFailed(ProblemKind.UNREACHABLE, "the server answered 304 to a request without conditions")
        known, body = before
        if self._referring is not None and body is not None:
            said = readable_headers(response.headers.items())
            headers = [header for header in said if header[0].lower() != "content-type"]
            if known.content_type:
                headers.append(("Content-Type", known.content_type))
            standing = Exchange(known.address, response.method, {}, 200, "OK", tuple(headers), b"")
            self._referring.record_unchanged(standing, known.digest, body)
        return Fetched(known.address, NOT_MODIFIED, {}, b"")

    async def _read(
        self, response: aiohttp.ClientResponse, bounds: RequestBounds, following: Following, deadline: asyncio.Timeout
    ) -> bytes:
        chunks: list[bytes] = []
        size = 0
        has_room = following.room is None
        decoder = BodyDecoder(",".join(response.headers.getall("Content-Encoding", ())), bounds.body_bytes)
        try:
            async for sent in response.content.iter_chunked(_CHUNK):
                for chunk in decoder.feed(sent):
                    chunks.append(chunk)
                    size += len(chunk)
                    if size > bounds.body_bytes:
                        raise BodyTooLarge
                    if size > LARGE_BYTES and not has_room:
                        has_room = True
                        await _waited_for(following.room, deadline)
            # The page of an error does not matter, only its status.
            if response.ok:
                decoder.finish()
        except BodyTooLarge:
            response.close()
            if not bounds.cut:
                raise _TooLarge(bounds.body_bytes) from None
        return b"".join(chunks)[: bounds.body_bytes]


async def _waited_for(room: Callable[[], Awaitable[None]] | None, deadline: asyncio.Timeout) -> None:
    """Wait for room; that is not the server's time."""
    loop, when = asyncio.get_running_loop(), deadline.when()
    if room is None or when is None:
        return
    left = when - loop.time()
    deadline.reschedule(None)
    await room()
    deadline.reschedule(loop.time() + left)


def _spelled(address: str) -> str:
    """The one spelling of an address; a bare host stays as the model has it, since its objects are named by it."""
    try:
        found = resolve(address, address)
    except BadAddress as error:
        raise FetchFailed(ProblemKind.UNREACHABLE, f"not an http address: {error}") from error
    return address if found == f"{address}/" else found.partition("#")[0]


def _redirected(target: str, address: str) -> str:
    try:
        found = resolve(target, address)
    except BadAddress as error:
        raise FetchFailed(ProblemKind.UNREACHABLE, f"the redirect does not lead to an http address: {error}") from error
    if not found.startswith(("http://", "https://")):
        raise FetchFailed(ProblemKind.REFUSED, f"the redirect leads to {found}, which is not an http address")
    return found.partition("#")[0]


def _exchange(
    response: aiohttp.ClientResponse,
    headers: tuple[tuple[str, str], ...],
    body: bytes,
    digest: str,
    secret: Mapping[str, str],
) -> Exchange:
    asked: Mapping[str, str] = response.request_info.headers
    return Exchange(
        address=str(response.url),
        method=response.method,
        request_headers=without_secrets(asked, secret) if secret else asked,
        status=response.status,
        reason=readable(response.reason or ""),
        headers=headers,
        body=body,
        digest=digest,
    )


def _unread_length(headers: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """What an archive keeps of the length of a body that was not read."""
    is_known = "content-length" in headers and "content-encoding" not in headers
    return ((UNREAD_LENGTH, headers["content-length"] if is_known else ""),)


def _in_words(error: BaseException) -> str:
    """An error of the transport in the user's terms."""
    match error:
        case aiohttp.ClientConnectorDNSError():
            return f"the host {error.host} is not known"
        case aiohttp.ClientConnectorCertificateError():
            return f"the certificate of {error.host} is not valid: {error.certificate_error}"
        case aiohttp.ClientConnectorError():
            return f"no connection to {error.host}:{error.port}: {error.strerror or error.os_error}"
        case aiohttp.ServerDisconnectedError() | ConnectionResetError():
            return "the server closed the connection before it had answered"
        case aiohttp.ClientPayloadError():
            return f"the answer broke off: {error}"
    return str(error) or type(error).__name__
