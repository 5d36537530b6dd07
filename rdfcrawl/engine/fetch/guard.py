"""Which addresses may be connected to: the public web, and the private network that the model itself names.

A page can link or redirect anywhere, and a name can resolve to anything, so what counts is the IP address of the
connection itself. Before one is opened, the guard checks the addresses that the name has just resolved to.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.address import place_of
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.problem import ProblemKind

_NOT_PUBLIC: Final = tuple(
    map(
        IPv6Network,
        (
            "::/96",  # IPv4-compatible, with the loopback and the unspecified address
            "::ffff:0:0/96",  # IPv4-mapped
            "::ffff:0:0:0/96",  # IPv4-translated
            "64:ff9b::/96",  # NAT64
            "64:ff9b:1::/48",  # NAT64 of a private network
            "2001::/32",  # Teredo
            "2002::/16",  # 6to4
            "fec0::/10",  # site-local
        ),
    )
)
"""Where a gateway or the system itself decides which address is meant, and what Python takes for global."""


class AddressGuard:
    """Knows where the sections of a run are, and lets nothing else into a private network.

    A section's host that was public once, in this run or in an earlier one, stays outside private networks: a name
    that then resolves to a private address is an attack, or at least not what the model was written for.
    """

    def __init__(
        self,
        homes: Iterable[str] = (),
        *,
        allow_private: bool = False,
        public_homes: Iterable[str] = (),
        note_public: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        """``homes`` are the addresses of the sections, ``public_homes`` the hosts that are known to be public.

        ``note_public`` is told of every other one.
        """
        self._homes = {_name(place_of(address).hostname) for address in homes}
        self._allow_private = allow_private
        self._public_homes = set(public_homes)
        self._note_public = note_public
        self._admitted_private: set[str] = set()

    def check(self, address: str) -> None:
        """Refuse an address that can be refused without the network; raises ``FetchFailed``."""
        place = place_of(address)
        if place.scheme not in ("http", "https") or not place.hostname:
            raise FetchFailed(ProblemKind.REFUSED, f"{address} is not an http address")
        if place.is_ip:
            self.admitted(place.hostname, [place.hostname])

    async def resolved(self, host: str, found: Sequence[str]) -> list[str]:
        """As ``admitted``, for what a name has resolved to; that a section is public is kept for later runs."""
        name, was_public = _name(host), _name(host) in self._public_homes
        admitted = self.admitted(host, found)
        if name in self._public_homes and not was_public and self._note_public is not None:
            await self._note_public(name)
        return admitted

    def admitted(self, host: str, found: Sequence[str]) -> list[str]:
        """Those of a host's IP addresses that may be connected to; raises ``FetchFailed`` if there are none."""
        name = _name(host)
        public = [ip for ip in found if is_public(ip)]
        if name in self._homes and public:
            self._public_homes.add(name)
        if self._allow_private or (name in self._homes and name not in self._public_homes):
            self._admitted_private.update(found)
            return list(found)
        if not public:
            where = f"{host} is in a private network ({found[0] if found else 'no address'})"
            if name in self._public_homes:
                raise FetchFailed(
                    ProblemKind.REFUSED,
                    f"{where}, but was in the public internet before; if that is meant, --allow-private permits it",
                )
            reason = f"{where}, where the model has no section; --allow-private permits it"
            raise FetchFailed(ProblemKind.REFUSED, reason)
        return public

    def check_connection(self, ip: str) -> None:
        """Refuse to connect to an IP address that is neither public nor admitted, however it was come by."""
        if not self._allow_private and ip not in self._admitted_private and not is_public(ip):
            reason = f"{ip} is in a private network, and no name of a section has led there"
            raise FetchFailed(ProblemKind.REFUSED, reason)


@dataclass(frozen=True, slots=True)
class NetworkAccess:
    """What a run may reach, and how it identifies itself there: ``credentials`` are headers for one origin each."""

    guard: AddressGuard | None = None
    credentials: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    insecure: bool = False


@lru_cache(maxsize=1024)
def is_public(ip: str) -> bool:
    """Whether an IP address is one of the public internet; one that is translated to another address is not."""
    address = ip_address(ip.partition("%")[0])
    if isinstance(address, IPv6Address) and any(address in network for network in _NOT_PUBLIC):
        return False
    return address.is_global and not address.is_multicast


def _name(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()
