"""Who is served next: places for so many at once, given to the client that has used them least.

A client that sends a hundred requests, or a few that take long, waits for its own, and not everybody else with it.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rdfcrawl.dataclass import dataclass

PAGES_AT_ONCE = 6
"""Pages are made by one interpreter; more at once would only share its time."""
_WAITING = 2000
_WAITING_EACH = 200
_BUSY = "too many requests are waiting; try again in a moment"
RETRY_AFTER = {"Retry-After": "5"}
_LEAST_SECONDS = 0.01
"""What a turn costs at least, so that many short ones count as well."""
_REMEMBERED = 10_000


class Overcrowded(Exception):
    """More wait already than may wait, in all or of this client."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place that a client has, since when, and what the client had used by then."""

    client: str
    since: float
    share: float


class Lane:
    """Places for ``at_once``, for which at most ``waiting`` wait, of one client ``each``.

    The next place goes to the client that has had places for the shortest time, counted from where the others were
    when it came: who was away has saved nothing up, and who comes back owes no more than the others have had since.
    Nobody has all the places at once, if there are several.
    """

    def __init__(self, at_once: int, waiting: int, each: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._free = at_once
        self._most_held = max(1, at_once - 1)
        self._most = waiting
        self._each = each
        self._clock = clock
        self._waiting: dict[str, deque[asyncio.Future[Place]]] = {}
        self._held: Counter[str] = Counter()
        self._used: dict[str, float] = {}
        self._reached = 0.0

    @asynccontextmanager
    async def place(self, client: str) -> AsyncIterator[None]:
        """Wait for a place and have it; raises ``Overcrowded``."""
        place = await self.enter(client)
        try:
            yield
        finally:
            self.leave(place)

    async def enter(self, client: str) -> Place:
        """Wait for a place, which is to be left again; raises ``Overcrowded``."""
        if self._free and self._may_have_one(client):
            return self._take(client)
        if len(self._waiting.get(client, ())) >= self._each or sum(map(len, self._waiting.values())) >= self._most:
            raise Overcrowded
        turn: asyncio.Future[Place] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave(turn.result())
            raise

    def leave(self, place: Place) -> None:
        """Count what the client has used, and give the place to whoever is next."""
        taken = max(_LEAST_SECONDS, self._clock() - place.since)
        self._used[place.client] = max(place.share, self._used.get(place.client, 0.0)) + taken
        self._free += 1
        self._held[place.client] -= 1
        if not self._held[place.client]:
            del self._held[place.client]
        while self._free and (waiting := [client for client in self._waiting if self._may_have_one(client)]):
            # Of those who have used as much, the one that has waited longer: they stand in the order of their coming.
            client = min(waiting, key=self._share)
            turns = self._waiting.pop(client)
            turn = turns.popleft()
            if turns:
                self._waiting[client] = turns
            # Who no longer waits has been cancelled.
            if not turn.done():
                turn.set_result(self._take(client))
        self._forget()

    def _take(self, client: str) -> Place:
        self._free -= 1
        self._held[client] += 1
        self._reached = self._share(client)
        return Place(client, self._clock(), self._reached)

    def _share(self, client: str) -> float:
        """What a client has used, if it is more than those had when they came who were served last."""
        return max(self._reached, self._used.get(client, 0.0))

    def _may_have_one(self, client: str) -> bool:
        return self._held[client] < self._most_held

    def _forget(self) -> None:
        """Forget what makes no difference, and everything when there are so many clients that nobody is greedy."""
        if not self._held:
            self._used.clear()
        elif len(self._used) > _REMEMBERED:
            later = {client: used for client, used in self._used.items() if used > self._reached}
            self._used = later if len(later) <= _REMEMBERED // 2 else {}


class FairTurns:
    """Lets clients take turns; queries and explanations, which wait for each other elsewhere, are not held up."""

    def __init__(self, app: ASGIApp, at_once: int = PAGES_AT_ONCE) -> None:
        self._app = app
        self._lane = Lane(at_once, _WAITING, _WAITING_EACH)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request when it is its client's turn."""
        if scope["type"] != "http" or scope["path"].startswith(("/sparql", "/why", "/static/", "/robots.txt")):
            await self._app(scope, receive, send)
            return
        try:
            place = await self._lane.enter(client_of(HTTPConnection(scope)))
        except Overcrowded:
            await PlainTextResponse(f"{_BUSY}\n", 503, RETRY_AFTER)(scope, receive, send)
            return
        has_place = True

        async def leave_when_made(message: Message) -> None:
            nonlocal has_place
            if has_place:
                # What is still to be sent takes its client's time, and no longer ours.
                has_place = False
                self._lane.leave(place)
            await send(message)

        try:
            await self._app(scope, receive, leave_when_made)
        finally:
            if has_place:
                self._lane.leave(place)


def client_of(connection: HTTPConnection) -> str:
    """Who asks: the address of the client, as far as it is known."""
    return connection.client.host if connection.client is not None else ""
