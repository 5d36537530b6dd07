"""Which hosts are the same machine: those whose names lead to the same IP address share the pace."""

from __future__ import annotations

import asyncio
import socket

from rdfcrawl.engine.address import place_of


class Machines:
    """The machines behind hosts, looked up once each for as long as the run lasts."""

    def __init__(self) -> None:
        self._known: dict[str, asyncio.Task[str]] = {}

    async def machine_of(self, host: str) -> str:
        """The machine behind a host (with or without a port): its IP address, or the host itself if it has none."""
        asked = self._known.get(host)
        if asked is None:
            asked = self._known[host] = asyncio.create_task(_address(host))
        # Others wait for the same answer: one that gives up must not take it from them.
        return await asyncio.shield(asked)


async def _address(host: str) -> str:
    place = place_of(f"http://{host}/")
    if place.is_ip or not place.hostname:
        return place.hostname or host
    try:
        found = await asyncio.get_running_loop().getaddrinfo(place.hostname, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return host
    # A name with several addresses gets them in another order each time.
    return min(str(address[0]) for *_, address in found)
