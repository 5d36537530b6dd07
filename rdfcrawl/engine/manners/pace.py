"""How often a host is asked, how many requests it gets at once, and when it is left alone."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from ipaddress import ip_address
from typing import Final, TypeVar

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.address import place_of
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.frontier.hosts import HostAside, HostNeed, HostStanding, ShortMemory
from rdfcrawl.engine.frontier.protocol import HostMemory
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.errors import RdfcrawlError

T = TypeVar("T")

PUBLIC_DELAY: Final = 0.25
PUBLIC_CONCURRENCY: Final = 4
LOCAL_CONCURRENCY: Final = 16

_SHARE_SECONDS: Final = 1.0
"""How often workers on several machines share out anew how many requests at once each may have at a host."""
_TOLD_BEFORE: Final = 0.25
"""So much of the delay before its turn a worker hears what others have learnt: at its turn there is no time for it."""
_MOST_LATE: Final = 0.05
_MOST_MISSED: Final = 5
"""A turn that begins later than by this part of the delay is missed, so often in a row: another one is reserved.

Otherwise a worker that was held up would be followed too closely by one that was not.
"""


@dataclass(frozen=True, slots=True)
class Manners:
    """The rules of a run: least seconds between two requests by host, and how many at once everywhere.

    A host that fails ``patience`` times in a row is left alone for ``aside_seconds``, then for twice as long, and so
    on; after ``asides`` such pauses without any success it is given up for the run.
    """

    delays: Mapping[str, float]
    concurrency: int | None = None
    offline: bool = False
    longest_delay: float = 30.0
    longest_pause: float = 300.0
    patience: int = 8
    aside_seconds: float = 15.0
    asides: int = 4

    def delay(self, host: str) -> float:
        """The least time between two requests to the host."""
        if self.offline:
            return 0.0
        return self.delays.get(host, 0.0 if is_loopback(host) else PUBLIC_DELAY)

    def slots(self, host: str) -> int:
        """How many requests the host gets at once, at most."""
        if self.concurrency is not None:
            return self.concurrency
        return LOCAL_CONCURRENCY if self.offline or is_loopback(host) else PUBLIC_CONCURRENCY


def after_success(standing: HostStanding, most: int) -> HostStanding:
    """Let a host that answers have slightly more requests at once, up to ``most``; the same if it has all of them."""
    if standing.bound == most and not (standing.failures or standing.asides or standing.until):
        return standing
    return HostStanding(min(float(most), standing.bound + 1 / standing.bound))


def after_strain(standing: HostStanding, manners: Manners, now: float, retry_after: float | None) -> HostStanding:
    """Halve the requests at once for a host in trouble; leave it alone if it says so or keeps failing."""
    easier = replace(standing, bound=max(1.0, standing.bound / 2))
    if retry_after is not None:
        wished = now + retry_after if retry_after <= manners.longest_pause else 0.0
        return replace(easier, until=max(standing.until, wished))
    failures = standing.failures + 1
    if failures < manners.patience or standing.until > now:
        return replace(easier, failures=failures)
    pause = min(manners.longest_pause, manners.aside_seconds * 2**standing.asides) * random.uniform(0.75, 1.25)
    # One more failure after the pause is enough for the next one.
    return replace(easier, failures=manners.patience - 1, asides=standing.asides + 1, until=now + pause)


class Turn:
    """A turn at a host, held for one request; a class, because a generator would cost more than all the rest.

    ``host`` is whose turn it is. A redirect leads on: the turn is given back before another one is waited for, so that
    hosts that lead to each other do not wait for each other.
    """

    __slots__ = ("_gates", "_is_held", "_is_over", "host")

    def __init__(self, gates: HostGates, host: str) -> None:
        self._gates = gates
        self._is_held = False
        self._is_over = False
        self.host = host

    async def __aenter__(self) -> Turn:
        await self.take(self.host)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._is_over = True
        self.give_back()

    async def take(self, host: str) -> None:
        """Wait for a turn at a host, and hold it, unless the visit has ended meanwhile."""
        self.host = host
        await self._gates.enter(host)
        if self._is_over:
            self._gates.leave(host)
            raise FetchFailed(ProblemKind.UNREACHABLE, "the visit was over before there was a turn")
        self._is_held = True

    def give_back(self) -> None:
        """End the turn, if one is held."""
        if self._is_held:
            self._is_held = False
            self._gates.leave(self.host)


class HostGates:
    """Lets requests through, host by host, as the rules allow and the hosts can bear."""

    def __init__(
        self,
        manners: Manners,
        memory: HostMemory | None = None,
        machine_of: Callable[[str], Awaitable[str]] | None = None,
        usable: int | None = None,
    ) -> None:
        """``machine_of`` names the machine behind a host: hosts on one machine share the pace.

        ``usable`` is how many requests at once this process can use; the others are for workers on other machines.
        """
        self._usable = usable
        self._manners = manners
        self._machine_of = machine_of
        self._memory = memory or ShortMemory()
        self._standings: dict[str, HostStanding] = {}
        self._delays: dict[str, float] = {}
        # A replay can be asked by any number of workers at once.
        self._is_shared = self._memory.is_shared and not manners.offline
        self._shares: dict[str, int] = {}
        self._idle: set[str] = set()
        self._busy: Counter[str] = Counter()
        self._lines: defaultdict[str, deque[asyncio.Future[None]]] = defaultdict(deque)
        self._next_at: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._began: dict[str, float] = {}
        self._least_wait = math.inf

    async def recall(self) -> None:
        """Restore what an earlier start of the run has learnt about the hosts."""
        self._standings.update(await self._memory.standings())

    @property
    def is_offline(self) -> bool:
        """Whether nobody is asked: a replay answers."""
        return self._manners.offline

    def slots(self, host: str) -> int:
        """How many requests the host gets at once at the moment; of several workers each has its share."""
        bound = int(self._standing(host).bound)
        return min(bound, self._shares.get(host, 0)) if self._is_shared else bound

    async def keep_sharing(self) -> None:
        """Share the requests at once with workers on other machines, and hear what they have learnt, for ever."""
        while True:
            await asyncio.sleep(_SHARE_SECONDS)
            used = {host for host in self._shares if self._busy[host] or self._lines[host]}
            unused = self._shares.keys() - used
            # A host that was only between two pages keeps its share.
            unneeded, self._idle = unused & self._idle, unused - self._idle
            for host in unneeded:
                del self._shares[host]
            waiting = {host for host, line in self._lines.items() if line}
            # What is wrong with the queue is for those to say who claim and commit.
            with suppress(RdfcrawlError):
                await self._share_out(used | waiting, unneeded)

    async def _share_out(self, hosts: Collection[str], unneeded: Collection[str] = ()) -> None:
        needs = {host: HostNeed(int(self._standing(host).bound), self._busy[host], self._usable) for host in hosts}
        news = await self._answer(self._memory.share_out(needs, unneeded))
        self._standings.update(news.standings)
        self._shares.update(news.shares)
        for host in needs:
            self._let_in(host)

    def slow_down(self, host: str, delay: float) -> None:
        """Respect the time between two requests that a host asks for, up to a limit."""
        self._delays[host] = min(delay, self._manners.longest_delay)

    def aside_until(self, host: str) -> float:
        """Until when the host is left alone, in seconds since 1970."""
        return self._standing(host).until

    def turn(self, host: str) -> Turn:
        """Wait for a turn at the host and hold it; raises ``HostAside``, or ``FetchFailed`` for a host given up."""
        return Turn(self, host)

    async def enter(self, host: str) -> None:
        """Wait for a turn, first come first served; ``leave`` ends it."""
        line = self._lines[host]
        if self._is_shared and host not in self._shares:
            self._shares[host] = 0
            await self._share_out([host])
        if not line and self._busy[host] < self.slots(host):
            self._busy[host] += 1
        else:
            await self._wait_in(line, host)
        try:
            self._refuse_aside(host)
            if delay := max(self._manners.delay(host), self._delays.get(host, 0.0)):
                await self._await_turn(host, delay)
        except BaseException:
            self.leave(host)
            raise

    async def _await_turn(self, host: str, delay: float) -> None:
        """Wait until at least the delay has passed since the request before.

        One request of this process at a time is next: whoever begins late holds up those that come after it.
        """
        machine = host if self._machine_of is None else await self._machine_of(host)
        clock = asyncio.get_running_loop().time
        async with self._next_at[machine]:
            for _ in range(_MOST_MISSED):
                asked = clock()
                seconds = await self._answer(self._memory.reserve(machine, delay))
                begin = clock() + seconds
                # Of the time that the answer took, as much as always is nobody's fault; more of it makes the turn late.
                reserved = asked + self._least_wait + seconds
                if self._is_shared:
                    await asyncio.sleep(begin - clock() - _TOLD_BEFORE * delay)
                    # Others may have been told meanwhile to leave the host alone.
                    self._standings.update((await self._memory.share_out({})).standings)
                else:
                    begin = max(begin, self._began.get(machine, begin - delay) + delay)
                await asyncio.sleep(begin - clock())
                self._refuse_aside(host)
                if not self._is_shared or clock() - reserved <= _MOST_LATE * delay:
                    break
            self._began[machine] = clock()

    async def _answer(self, question: Awaitable[T]) -> T:
        """What the memory answers, and a note of how long an answer takes at least."""
        clock = asyncio.get_running_loop().time
        asked = clock()
        answer = await question
        self._least_wait = min(self._least_wait, clock() - asked)
        return answer

    def leave(self, host: str) -> None:
        """End a turn."""
        self._busy[host] -= 1
        self._let_in(host)

    async def answered(self, host: str) -> None:
        """Note that the host has answered properly."""
        standing = self._standing(host)
        if (now := after_success(standing, self._manners.slots(host))) is not standing:
            await self._note(host, now)
            self._let_in(host)

    async def failed(self, host: str, failure: FetchFailed) -> None:
        """Note a failure; it says itself whether the whole host is in trouble."""
        if failure.strained and not self._manners.offline:
            await self._note(host, after_strain(self._standing(host), self._manners, time.time(), failure.retry_after))

    async def _wait_in(self, line: deque[asyncio.Future[None]], host: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        line.append(turn)
        # The requests before it in the queue may all have been cancelled by now.
        self._let_in(host)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self.leave(host)
            raise

    def _let_in(self, host: str) -> None:
        """Admit those that have waited longest, as many as there is room for."""
        line = self._lines[host]
        while line and self._busy[host] < self.slots(host):
            turn = line.popleft()
            if not turn.done():
                self._busy[host] += 1
                turn.set_result(None)

    def _refuse_aside(self, host: str) -> None:
        standing = self._standing(host)
        if standing.until <= time.time():
            return
        if standing.asides > self._manners.asides:
            reason = "the host kept failing; it is not asked again in this run"
            raise FetchFailed(ProblemKind.UNREACHABLE, reason)
        raise HostAside(host, standing.until)

    def _standing(self, host: str) -> HostStanding:
        if host not in self._standings:
            self._standings[host] = HostStanding(float(self._manners.slots(host)))
        return self._standings[host]

    async def _note(self, host: str, standing: HostStanding) -> None:
        before = self._standing(host)
        worth_keeping = (standing.until, standing.asides) != (before.until, before.asides)
        if self._is_shared:
            worth_keeping |= standing.bound < before.bound or standing.failures != before.failures
        self._standings[host] = standing
        if worth_keeping:
            await self._memory.note(host, standing)


@lru_cache(maxsize=1024)
def is_loopback(host: str) -> bool:
    """Whether the host (with or without a port) is this machine."""
    place = place_of(f"http://{host}/")
    if place.is_ip:
        return ip_address(place.hostname).is_loopback
    return place.hostname == "localhost" or place.hostname.endswith(".localhost")
