"""How many large bodies are held at once: a page is several times as large in memory as on its way here."""

from __future__ import annotations

import asyncio
from typing import Final

LARGE_BYTES: Final = 1024 * 1024
"""Bodies up to this size are held without asking: the number of connections is bounded."""
_AT_ONCE: Final = 2


class LargeBodies:
    """The places for large bodies, over all pages of a run."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(_AT_ONCE)

    def visit(self) -> BodyPlace:
        """The place of one page, taken only if its body turns out to be large."""
        return BodyPlace(self._places)


class BodyPlace:
    """A place that is taken when it is needed, and given back when the page is read."""

    __slots__ = ("_is_taken", "_places")

    def __init__(self, places: asyncio.Semaphore) -> None:
        self._places = places
        self._is_taken = False

    async def take(self) -> None:
        """Wait until another large body may be held."""
        if not self._is_taken:
            await self._places.acquire()
            self._is_taken = True

    async def __aenter__(self) -> BodyPlace:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._is_taken:
            self._is_taken = False
            self._places.release()
