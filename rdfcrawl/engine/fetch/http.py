"""Pages over plain HTTP: redirects, cookies within a run, compression, keep-alive."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

import aiohttp
from aiohttp.connector import Connection
from yarl import URL

from rdfcrawl.engine.fetch.answers import refuse_errors
from rdfcrawl.engine.fetch.session import Exchange, Fetched, FetchFailed, Recorder, Request
from rdfcrawl.engine.problem import ProblemKind

_ACCEPT: Final = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
_CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """How long and how much; reaching one is a problem of the page, not the end of the run."""

    connect_seconds: float = 20.0
    response_seconds: float = 60.0
    redirects: int = 10
    body_bytes: int = 32 * 1024 * 1024


class _Response(aiohttp.ClientResponse):
    """An answer that knows which machine gave it; afterwards the connection is somebody else's."""

    peer: str | None = None

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        address = connection.transport.get_extra_info("peername") if connection.transport else None
        self.peer = address[0] if address else None
        return await super().start(connection)


class HttpFetcher:
    """Fetches with one connection pool for the whole run."""

    def __init__(self, *, user_agent: str, limits: HttpLimits | None = None, recorder: Recorder | None = None) -> None:
        self._limits = limits or HttpLimits()
        self._recorder = recorder
        self._headers = {"User-Agent": user_agent, "Accept": _ACCEPT}
        self._client: aiohttp.ClientSession | None = None

    async def open(self, request: Request) -> AsyncIterator[Fetched]:
        """The one document at the address, after redirects."""
        try:
            yield await self._get(request.address)
        except aiohttp.TooManyRedirects as error:
            raise FetchFailed(
                ProblemKind.UNREACHABLE,
                f"more than {self._limits.redirects} redirects, last to {error.request_info.url}",
            ) from error
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
            raise FetchFailed(ProblemKind.UNREACHABLE, f"not an http address: {error}") from error
        except (aiohttp.ClientError, OSError) as error:
            raise FetchFailed(ProblemKind.UNREACHABLE, _in_words(error), transient=True) from error

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()

    async def _get(self, address: str) -> Fetched:
        try:
            async with self._session().get(_url(address), max_redirects=self._limits.redirects) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                body = await self._read(response)
                record = self._record(response, body)
                refuse_errors(response.status, headers)
                return Fetched(str(response.url), response.status, headers, body, record=record)
        except TimeoutError as error:
            seconds = self._limits.response_seconds
            raise FetchFailed(
                ProblemKind.UNREACHABLE, f"no complete answer within {seconds:g} seconds", transient=True
            ) from error

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        chunks: list[bytes] = []
        size = 0
        async for chunk in response.content.iter_chunked(_CHUNK):
            chunks.append(chunk)
            size += len(chunk)
            if size > self._limits.body_bytes:
                response.close()
                raise FetchFailed(ProblemKind.LIMIT, f"the body is larger than {self._limits.body_bytes:,} bytes")
        return b"".join(chunks)

    def _record(self, response: aiohttp.ClientResponse, body: bytes) -> str | None:
        if self._recorder is None:
            return None
        for step in response.history:
            self._recorder.record(_exchange(step, b""))
        return self._recorder.record(_exchange(response, body))

    def _session(self) -> aiohttp.ClientSession:
        if self._client is None:
            self._client = aiohttp.ClientSession(
                headers=self._headers,
                response_class=_Response,
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
                cookie_jar=aiohttp.CookieJar(unsafe=True),
                timeout=aiohttp.ClientTimeout(
                    total=self._limits.response_seconds, sock_connect=self._limits.connect_seconds
                ),
            )
        return self._client


def _url(address: str) -> URL:
    """The address as the link said it; only what no request line may hold is encoded."""
    return URL(address, encoded=address.isascii())


def _exchange(response: aiohttp.ClientResponse, body: bytes) -> Exchange:
    return Exchange(
        address=str(response.url),
        method=response.method,
        request_headers=dict(response.request_info.headers),
        status=response.status,
        reason=response.reason or "",
        headers=tuple(response.headers.items()),
        body=body,
        peer=response.peer if isinstance(response, _Response) else None,
    )


def _in_words(error: BaseException) -> str:
    """An error of the transport as a reader would say it."""
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
