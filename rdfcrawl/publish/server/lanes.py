"""Who is served next: places for so many at once, given to those who wait in turn, client by client.

A client that sends a hundred requests waits for its own, and not everybody else with it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAGES_AT_ONCE = 6
"""Pages are made by one interpreter; more at once would only share its time."""
_WAITING = 2000
_WAITING_EACH = 200
_BUSY = "too many requests are waiting; try again in a moment"
RETRY_AFTER = {"Retry-After": "5"}


class Overcrowded(Exception):
    """More wait already than may wait, in all or of this client."""


class Lane:
    """Places for ``at_once``, for which at most ``waiting`` wait, of one client ``each``."""

    def __init__(self, at_once: int, waiting: int, each: int) -> None:
        self._free = at_once
        self._most = waiting
        self._each = each
        self._count = 0
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def place(self, client: str) -> AsyncIterator[None]:
        """Wait for a place and have it; raises ``Overcrowded``."""
        await self.enter(client)
        try:
            yield
        finally:
            self.leave()

    async def enter(self, client: str) -> None:
        """Wait for a place, which is to be left again; raises ``Overcrowded``."""
        if self._free:
            self._free -= 1
            return
        if self._count >= self._most or len(self._waiting.get(client, ())) >= self._each:
            raise Overcrowded
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(turn)
        self._count += 1
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        """Give the place to the next client that waits."""
        while self._waiting:
            client, turns = self._waiting.popitem(last=False)
            turn = turns.popleft()
            self._count -= 1
            if turns:
                self._waiting[client] = turns
            # Who no longer waits has been cancelled.
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class FairTurns:
    """Lets clients take turns; queries, which wait for each other elsewhere, and files are not held up."""

    def __init__(self, app: ASGIApp, at_once: int = PAGES_AT_ONCE) -> None:
        self._app = app
        self._lane = Lane(at_once, _WAITING, _WAITING_EACH)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request when it is its client's turn."""
        if scope["type"] != "http" or scope["path"].startswith(("/sparql", "/static/", "/robots.txt")):
            await self._app(scope, receive, send)
            return
        try:
            await self._lane.enter(client_of(HTTPConnection(scope)))
        except Overcrowded:
            await PlainTextResponse(f"{_BUSY}\n", 503, RETRY_AFTER)(scope, receive, send)
            return
        has_place = True

        async def leave_when_made(message: Message) -> None:
            nonlocal has_place
            if has_place:
                # What is still to be sent takes its client's time, and no longer ours.
                has_place = False
                self._lane.leave()
            await send(message)

        try:
            await self._app(scope, receive, leave_when_made)
        finally:
            if has_place:
                self._lane.leave()


def client_of(connection: HTTPConnection) -> str:
    """Who asks: the address of the client, as far as it is known."""
    return connection.client.host if connection.client is not None else ""
