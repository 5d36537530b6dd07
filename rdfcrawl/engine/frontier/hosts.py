"""The standing of the hosts of a run, and the turns in which they are asked."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import field
from typing import NamedTuple

from rdfcrawl.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class HostStanding:
    """The standing of a host: requests at once, failures in a row, how often and until when it is left alone."""

    bound: float
    failures: int = 0
    asides: int = 0
    until: float = 0.0


class HostNeed(NamedTuple):
    """How many requests a host gets at once at ``most``, how many of this worker's are under way, what it can use."""

    most: int
    busy: int
    usable: int | None = None


@dataclass(frozen=True, slots=True)
class HostNews:
    """How many of the requests at once are this worker's, by host, and what others have noted since the last time."""

    shares: Mapping[str, int]
    standings: Mapping[str, HostStanding] = field(default_factory=dict)


class HostAside(Exception):
    """A host is left alone until a moment (in seconds since 1970); pages that need it wait until then."""

    def __init__(self, host: str, until: float) -> None:
        super().__init__(host, until)
        self.host = host
        self.until = until


class ShortMemory:
    """A memory of hosts that lasts as long as the process; longer-lasting ones take their turns from it."""

    is_shared = False

    def __init__(self) -> None:
        self._next: dict[str, float] = {}

    async def robots(self) -> dict[str, str]:
        """Return nothing: no earlier start of the run has left anything."""
        return {}

    async def note_robots(self, origin: str, rules: str) -> None:
        """Do nothing: no later start of the run needs it."""

    async def await_robots(self, origin: str) -> str | None:
        """Return nothing: nobody else fetches it."""

    async def robots_failed(self, origin: str) -> None:
        """Do nothing: nobody else fetches it."""

    async def standings(self) -> dict[str, HostStanding]:
        """Return nothing: no earlier start of the run has left anything."""
        return {}

    async def note(self, host: str, standing: HostStanding) -> None:
        """Do nothing: no later start of the run needs it."""

    async def public_hosts(self) -> frozenset[str]:
        """Return nothing: no earlier run has left anything."""
        return frozenset()

    async def note_public(self, host: str) -> None:
        """Do nothing: no later run needs it."""

    async def reserve(self, machine: str, delay: float) -> float:
        """Reserve the next turn at a machine, ``delay`` seconds after the one before; returns how long until then."""
        now = asyncio.get_running_loop().time()
        begin = max(now, self._next.get(machine, 0.0))
        self._next[machine] = begin + delay
        return begin - now

    async def share_out(self, needs: Mapping[str, HostNeed], unneeded: Collection[str] = ()) -> HostNews:
        """Keep everything: nobody else asks the hosts."""
        return HostNews({host: need.most for host, need in needs.items()})
