"""Which addresses may be connected to: the public web, and the private network that the model itself names.

A page can link or redirect anywhere, and a name can resolve to anything, so what counts is the IP address of the
connection itself. Before one is opened, the guard checks the addresses that the name has just resolved to.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from rdfcrawl.engine.address import place_of
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.problem import ProblemKind

_NAT64: Final = IPv6Network("64:ff9b::/96")


class AddressGuard:
    """Knows where the sections of a run are, and lets nothing else into a private network."""

    def __init__(self, homes: Iterable[str] = (), *, allow_private: bool = False) -> None:
        """``homes`` are the addresses of the sections."""
        self._homes = {_name(place_of(address).hostname) for address in homes}
        self._allow_private = allow_private
        self._public_homes: set[str] = set()

    def check(self, address: str) -> None:
        """Refuse an address that can be refused without the network; raises ``FetchFailed``."""
        place = place_of(address)
        if place.scheme not in ("http", "https") or not place.hostname:
            raise FetchFailed(ProblemKind.REFUSED, f"{address} is not an http address")
        if place.is_ip:
            self.admitted(place.hostname, [place.hostname])

    def admitted(self, host: str, found: Sequence[str]) -> list[str]:
        """Those of a host's IP addresses that may be connected to; raises ``FetchFailed`` if there are none."""
        name = _name(host)
        public = [ip for ip in found if is_public(ip)]
        if self._allow_private or (name in self._homes and name not in self._public_homes and not public):
            return list(found)
        if name in self._homes and public:
            # A name that was public once and then resolves to a private address is an attack, not a section's host.
            self._public_homes.add(name)
        if not public:
            raise FetchFailed(
                ProblemKind.REFUSED,
                f"{host} is in a private network ({found[0] if found else 'no address'}), where the "
                "model has no section; --allow-private permits it",
            )
        return public


@dataclass(frozen=True, slots=True)
class NetworkAccess:
    """What a run may reach, and how it identifies itself there: ``credentials`` are headers for one origin each."""

    guard: AddressGuard | None = None
    credentials: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    insecure: bool = False


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
        admitted = set(self._guard.admitted(host, [result["host"] for result in found]))
        return [result for result in found if result["host"] in admitted]

    async def close(self) -> None:
        """Close the underlying resolver."""
        await self._resolver.close()


@lru_cache(maxsize=1024)
def is_public(ip: str) -> bool:
    """Whether an IP address is one of the public internet, also when it is wrapped in another one."""
    address = _unwrapped(ip_address(ip.partition("%")[0]))
    return address.is_global and not address.is_multicast


def _unwrapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _name(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()
