"""How names become addresses over plain HTTP: only those that the guard admits."""

from __future__ import annotations

import socket

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from rdfcrawl.engine.fetch.guard import AddressGuard


class GuardedResolver(AbstractResolver):
    """Resolves names for aiohttp, which connects only to what this returns."""

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard
        self._resolver = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of a host that may be connected to."""
        found = await self._resolver.resolve(host, port, family)
        admitted = set(await self._guard.resolved(host, [result["host"] for result in found]))
        return [result for result in found if result["host"] in admitted]

    async def close(self) -> None:
        """Close the underlying resolver."""
        await self._resolver.close()
