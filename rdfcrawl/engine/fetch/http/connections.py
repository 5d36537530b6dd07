"""The connections of a run: each to an address that the guard admits, and no more of them than the system allows.

The library bounds the connections that are in use. Those that are kept for the next request to their host come on top,
and a crawl of many hosts would collect them without end. So after as many connections as may be open at once, a new
set of them is begun, and the old one is closed with the last request that uses it.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from functools import cached_property
from types import TracebackType
from typing import Any

import aiohttp
from yarl import URL

from rdfcrawl.engine.fetch.guard import NetworkAccess
from rdfcrawl.engine.fetch.http.cookies import SiteCookies
from rdfcrawl.engine.fetch.http.resolver import GuardedResolver
from rdfcrawl.engine.fetch.session import FetchFailed, Submission
from rdfcrawl.engine.limits import RunLimits, connections_at_once
from rdfcrawl.engine.problem import ProblemKind


class _ConnectionSet:
    """A client with connections of its own; ``opened`` counts them, ``users`` the requests that are under way."""

    def __init__(
        self, headers: Mapping[str, str], cookies: SiteCookies, access: NetworkAccess, limits: RunLimits
    ) -> None:
        self.opened = 0
        self.users = 0
        self._guard = access.guard
        connector = aiohttp.TCPConnector(
            limit=connections_at_once(limits),
            ttl_dns_cache=300,
            resolver=GuardedResolver(access.guard) if access.guard is not None else None,
            ssl=not access.insecure,
            socket_factory=self._socket,
        )
        self.client = aiohttp.ClientSession(
            headers=headers,
            connector=connector,
            cookie_jar=cookies,
            # The library takes a compressed body that is cut off for a whole one.
            auto_decompress=False,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=limits.connect_seconds),
        )

    def _socket(self, about: tuple[Any, ...]) -> socket.socket:
        """A socket for a connection to the very address that it will have; raises ``FetchFailed``."""
        family, kind, protocol, _, (ip, *_) = about
        if self._guard is not None:
            self._guard.check_connection(ip)
        self.opened += 1
        return socket.socket(family, kind, protocol)


async def _sent(
    client: aiohttp.ClientSession, address: str, headers: Mapping[str, str], form: Submission | None
) -> aiohttp.ClientResponse:
    try:
        if form is not None and form.method == "POST":
            told = {**headers, "Content-Type": form.content_type or "application/x-www-form-urlencoded"}
            return await client.post(URL(address, encoded=True), data=form.body, allow_redirects=False, headers=told)
        return await client.get(URL(address, encoded=True), allow_redirects=False, headers=headers)
    except aiohttp.ClientConnectorCertificateError:
        raise
    except (ValueError, aiohttp.NonHttpUrlClientError) as error:
        # A host name that cannot exist, or a user name that a header cannot hold.
        raise FetchFailed(ProblemKind.UNREACHABLE, f"not an http address: {error}") from error


class Connections:
    """Asks for single addresses; redirects are whoever asks's own business."""

    def __init__(self, headers: Mapping[str, str], access: NetworkAccess, limits: RunLimits) -> None:
        self._headers = headers
        self._access = access
        self._limits = limits
        self._most = connections_at_once(limits)
        self._current: _ConnectionSet | None = None

    @cached_property
    def cookies(self) -> SiteCookies:
        """The cookies of the run, which need a running loop."""
        return SiteCookies()

    def asked(self, address: str, headers: Mapping[str, str], form: Submission | None = None) -> Asking:
        """The answer of an address, or to a form that is sent there, to be read while it is held."""
        return Asking(self, address, headers, form)

    async def close(self) -> None:
        """Close all connections."""
        current, self._current = self._current, None
        if current is not None:
            await current.client.close()

    async def take(self) -> _ConnectionSet:
        """Connections for one more request; ``give_back`` follows."""
        used = await self._usable()
        used.users += 1
        return used

    async def give_back(self, used: _ConnectionSet) -> None:
        """End a request; connections that are no longer used by any are closed with the last one."""
        used.users -= 1
        if used is not self._current and not used.users:
            await used.client.close()

    async def _usable(self) -> _ConnectionSet:
        full = self._current
        if full is not None and full.opened < self._most:
            return full
        fresh = self._current = _ConnectionSet(self._headers, self.cookies, self._access, self._limits)
        if full is not None and not full.users:
            await full.client.close()
        return fresh


class Asking:
    """A request and its answer while it is held; a class, because a generator would cost more than all the rest."""

    __slots__ = ("_about", "_connections", "_response", "_used")

    def __init__(
        self, connections: Connections, address: str, headers: Mapping[str, str], form: Submission | None
    ) -> None:
        self._connections = connections
        self._about = address, headers, form

    async def __aenter__(self) -> aiohttp.ClientResponse:
        self._used = await self._connections.take()
        try:
            self._response = await _sent(self._used.client, *self._about)
        except BaseException:
            await self._connections.give_back(self._used)
            raise
        return self._response

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            await self._response.__aexit__(kind, error, traceback)
        finally:
            await self._connections.give_back(self._used)
