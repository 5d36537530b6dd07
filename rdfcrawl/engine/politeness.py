"""How often and how much at once a host is asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

PUBLIC_DELAY: Final = 0.25
PUBLIC_CONCURRENCY: Final = 4
LOCAL_CONCURRENCY: Final = 16


@dataclass(frozen=True, slots=True)
class Manners:
    """The rules of a run: least seconds between two requests by host, and how many at once everywhere."""

    delays: Mapping[str, float]
    concurrency: int | None = None
    offline: bool = False

    def delay(self, host: str) -> float:
        """The least time between two requests to the host."""
        if self.offline:
            return 0.0
        return self.delays.get(host, 0.0 if is_loopback(host) else PUBLIC_DELAY)

    def slots(self, host: str) -> int:
        """How many requests the host gets at once."""
        if self.concurrency is not None:
            return self.concurrency
        return LOCAL_CONCURRENCY if self.offline or is_loopback(host) else PUBLIC_CONCURRENCY


class HostGates:
    """Lets requests through, host by host, as the manners allow."""

    def __init__(self, manners: Manners) -> None:
        self._manners = manners
        self._gates: dict[str, asyncio.Semaphore] = {}
        self._next: dict[str, float] = {}

    def slots(self, host: str) -> int:
        """How many requests the host gets at once."""
        return self._manners.slots(host)

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait for one's turn at the host and hold it."""
        gate = self._gates.get(host)
        if gate is None:
            gate = self._gates[host] = asyncio.Semaphore(self._manners.slots(host))
        async with gate:
            if delay := self._manners.delay(host):
                now = asyncio.get_running_loop().time()
                begin = max(now, self._next.get(host, 0.0))
                self._next[host] = begin + delay
                await asyncio.sleep(begin - now)
            yield


def is_loopback(host: str) -> bool:
    """Whether the host (with or without a port) is this machine."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    name = name.strip("[]")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
