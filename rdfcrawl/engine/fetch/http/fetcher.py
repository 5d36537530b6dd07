"""Pages over plain HTTP: redirects, cookies within a run, compression, keep-alive."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import aiohttp
from yarl import URL

from rdfcrawl.engine.address import BadAddress, origin_of, resolve
from rdfcrawl.engine.fetch.answers import NOT_MODIFIED, REDIRECTS, refuse_errors, without_secrets
from rdfcrawl.engine.fetch.guard import GuardedResolver, NetworkAccess
from rdfcrawl.engine.fetch.http.cookies import SiteCookies
from rdfcrawl.engine.fetch.session import (
    Body,
    Exchange,
    Fetched,
    FetchFailed,
    Known,
    Recorder,
    ReferringRecorder,
    Request,
    Submission,
)
from rdfcrawl.engine.fetch.session_cookies import StoredCookie, put_cookies, stored_cookies
from rdfcrawl.engine.fetch.warc.index import digest_of
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.problem import ProblemKind

_ACCEPT: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_KEEPING_METHOD: Final = (307, 308)
_CHUNK: Final = 1 << 16

Admit = Callable[[str], Awaitable[None]]
"""Asked before a redirect is followed; raises ``FetchFailed`` where it must not be."""


@dataclass(frozen=True, slots=True)
class RequestBounds:
    """How much one request may take; a larger body is ``cut`` at its bound, or else a problem."""

    redirects: int
    body_bytes: int
    cut: bool = False


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
        self._headers = {"User-Agent": user_agent, "Accept": _ACCEPT}
        self._client: aiohttp.ClientSession | None = None
        self.admit: Admit | None = None

    async def open(self, request: Request) -> AsyncIterator[Fetched]:
        """The one document at the address, after redirects."""
        before = self._before(request.known)
        sent = request.submission
        fetched = await self.get(
            sent.address if sent else request.address, self.bounds, before=before, home=request.home, sent=sent
        )
        refuse_errors(fetched.status, fetched.headers)
        yield fetched

    async def get(
        self,
        address: str,
        bounds: RequestBounds,
        *,
        admit: bool = True,
        before: Before | None = None,
        home: str | None = None,
        sent: Submission | None = None,
        record: bool = True,
    ) -> Fetched:
        """The final answer of the address, errors included; raises ``FetchFailed`` when there is none.

        Requests carry the secrets of the origin ``home`` until a redirect leaves it: what comes back from another
        origin was chosen there. ``sent`` is a form; without ``record`` nothing of it is archived.
        """
        seconds = self._limits.response_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._follow(address, bounds, admit, before, home, sent, record)
        except TimeoutError as error:
            reason = f"no complete answer within {seconds:g} seconds"
            raise FetchFailed(ProblemKind.UNREACHABLE, reason, transient=True, strained=True) from error
        except aiohttp.ClientConnectorCertificateError as error:
            raise FetchFailed(ProblemKind.UNREACHABLE, _in_words(error)) from error
        except (aiohttp.ClientError, OSError) as error:
            raise FetchFailed(ProblemKind.UNREACHABLE, _in_words(error), transient=True, strained=True) from error

    def cookies(self, host: str) -> list[StoredCookie]:
        """The cookies that would be sent to a host."""
        return [] if self._client is None else stored_cookies(self._client.cookie_jar, host)

    def add_cookies(self, cookies: Iterable[StoredCookie]) -> None:
        """Send these cookies, too."""
        put_cookies(self._session().cookie_jar, cookies)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()

    def _before(self, known: Known | None) -> Before | None:
        """What is known about a page, unless an archive would then lack its body."""
        if known is None:
            return None
        if self._recorder is None:
            return Before(known, None)
        body = self._referring.held(known.digest) if self._referring is not None else None
        return None if body is None else Before(known, body)

    async def _follow(
        self,
        address: str,
        bounds: RequestBounds,
        admit: bool,
        before: Before | None,
        home: str | None,
        sent: Submission | None,
        record: bool,
    ) -> Fetched:
        """Follow redirects, each of them checked like a link."""
        address = _spelled(address)
        for step in range(bounds.redirects + 1):
            if self._access.guard is not None:
                self._access.guard.check(address)
            if step and admit and self.admit is not None:
                await self.admit(address)
            if origin_of(address) != home:
                home = None
            own = self._access.credentials.get(home, {}) if home is not None else {}
            then = before if before is not None and before.known.address == address else None
            asked = own if then is None else {**own, **then.known.conditions}
            async with await self._ask(address, asked, sent) as response:
                if response.status == NOT_MODIFIED:
                    return self._unchanged(response, then)
                target = response.headers.get("Location") if response.status in REDIRECTS else None
                body = b"" if target is not None else await self._read(response, bounds)
                digest = ""
                if self._recorder is not None and record:
                    digest = digest_of(body)
                    self._recorder.record(_exchange(response, body, digest, own, sent))
                if target is None:
                    headers = {name.lower(): value for name, value in response.headers.items()}
                    return Fetched(str(response.url), response.status, headers, body, digest=digest)
                if response.status not in _KEEPING_METHOD or origin_of(_redirected(target, address)) != origin_of(
                    address
                ):
                    # As in browsers, what follows is asked for; nor does a form follow to another origin.
                    sent = None
            address = _redirected(target, address)
        raise FetchFailed(ProblemKind.LIMIT, f"more than {bounds.redirects} redirects, last to {address}")

    async def _ask(self, address: str, headers: Mapping[str, str], sent: Submission | None) -> aiohttp.ClientResponse:
        try:
            if sent is not None and sent.method == "POST":
                told = {**headers, "Content-Type": sent.content_type or "application/x-www-form-urlencoded"}
                return await self._session().post(
                    URL(address, encoded=True), data=sent.body, allow_redirects=False, headers=told
                )
            return await self._session().get(URL(address, encoded=True), allow_redirects=False, headers=headers)
        except aiohttp.ClientConnectorCertificateError:
            raise
        except (ValueError, aiohttp.NonHttpUrlClientError) as error:
            # A host name that cannot exist, or a user name that a header cannot hold.
            raise FetchFailed(ProblemKind.UNREACHABLE, f"not an http address: {error}") from error

    def _unchanged(self, response: aiohttp.ClientResponse, before: Before | None) -> Fetched:
        """The answer that a page has not changed; it is archived as the page that it stands for."""
        if before is None:
            raise FetchFailed(ProblemKind.UNREACHABLE, "the server answered 304 to a request without conditions")
        known, body = before
        if self._referring is not None and body is not None:
            headers = [header for header in response.headers.items() if header[0].lower() != "content-type"]
            if known.content_type:
                headers.append(("Content-Type", known.content_type))
            standing = Exchange(known.address, response.method, {}, 200, "OK", tuple(headers), b"")
            self._referring.record_unchanged(standing, known.digest, body)
        return Fetched(known.address, NOT_MODIFIED, {}, b"")

    async def _read(self, response: aiohttp.ClientResponse, bounds: RequestBounds) -> bytes:
        chunks: list[bytes] = []
        size = 0
        async for chunk in response.content.iter_chunked(_CHUNK):
            chunks.append(chunk)
            size += len(chunk)
            if size > bounds.body_bytes:
                response.close()
                if bounds.cut:
                    break
                raise FetchFailed(ProblemKind.LIMIT, f"the body is larger than {bounds.body_bytes:,} bytes")
        return b"".join(chunks)[: bounds.body_bytes]

    def _session(self) -> aiohttp.ClientSession:
        if self._client is None:
            guard = self._access.guard
            connector = aiohttp.TCPConnector(
                limit=0,
                ttl_dns_cache=300,
                resolver=GuardedResolver(guard) if guard is not None else None,
                ssl=not self._access.insecure,
            )
            self._client = aiohttp.ClientSession(
                headers=self._headers,
                connector=connector,
                cookie_jar=SiteCookies(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._limits.connect_seconds),
            )
        return self._client


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
    response: aiohttp.ClientResponse, body: bytes, digest: str, secret: Mapping[str, str], sent: Submission | None
) -> Exchange:
    asked: Mapping[str, str] = response.request_info.headers
    return Exchange(
        address=str(response.url),
        method=response.method,
        request_headers=without_secrets(asked, secret) if secret else asked,
        status=response.status,
        reason=response.reason or "",
        headers=tuple(response.headers.items()),
        body=body,
        request_body=sent.body if sent is not None and response.method == "POST" else None,
        digest=digest,
    )


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
