"""What a host's robots.txt allows, as RFC 9309 reads it: fetched once per run and origin."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from protego import Protego

from rdfcrawl.engine.address import host_of, origin_of
from rdfcrawl.engine.fetch.answers import retry_after
from rdfcrawl.engine.fetch.http.following import Following, RequestBounds
from rdfcrawl.engine.fetch.session import FailureCause, Fetched, FetchFailed
from rdfcrawl.engine.frontier.protocol import HostMemory
from rdfcrawl.engine.manners.pace import HostGates
from rdfcrawl.engine.problem import ProblemKind

if TYPE_CHECKING:
    from rdfcrawl.engine.fetch.http.fetcher import HttpFetcher

AGENT: Final = "rdfcrawl"
"""The name by which a robots.txt can address this crawler."""

BOUNDS: Final = RequestBounds(redirects=5, body_bytes=500 * 1024, cut=True)

_TOO_MANY_REQUESTS: Final = 429
_TRIED_AGAIN_AFTER: Final = 1.0


class Robots:
    """The rules of all origins of a run; what an earlier start of the run has fetched is not fetched again."""

    def __init__(
        self, http: HttpFetcher, gates: HostGates, memory: HostMemory | None = None, exempt: Collection[str] = ()
    ) -> None:
        """``exempt`` are the addresses of logins: a person asks for these, with a name and a password."""
        self._exempt = {address.partition("?")[0] for address in exempt}
        self._http = http
        self._gates = gates
        self._memory = memory
        self._rules: dict[str, Any] = {}
        self._asking: dict[str, asyncio.Lock] = {}
        self._failed: dict[str, tuple[float, FetchFailed]] = {}

    async def recall(self) -> None:
        """Restore what an earlier start of the run has fetched."""
        if self._memory is not None:
            for origin, text in (await self._memory.robots()).items():
                self._learn(origin, text)

    async def check(self, address: str) -> None:
        """Raise ``FetchFailed`` where the address must not be fetched, or where it cannot be found out now."""
        if address.partition("?")[0] in self._exempt:
            return
        origin = origin_of(address)
        if origin not in self._rules:
            await self._ask(origin)
        if not self._rules[origin].can_fetch(address, AGENT):
            reason = f"{origin}/robots.txt does not allow it; --ignore-robots would"
            raise FetchFailed(ProblemKind.REFUSED, reason, cause=FailureCause.DISALLOWED)

    async def _ask(self, origin: str) -> None:
        """Obtain the robots.txt of an origin, once, however many pages wait for it."""
        async with self._asking.setdefault(origin, asyncio.Lock()):
            if origin in self._rules:
                return
            now = asyncio.get_running_loop().time()
            again_at, failure = self._failed.get(origin, (0.0, None))
            if failure is not None and now < again_at:
                raise failure.with_traceback(None)
            if self._memory is not None and (known := await self._memory.await_robots(origin)) is not None:
                self._learn(origin, known)
                return
            try:
                text = await self._text(origin)
            except FetchFailed as failed:
                if self._memory is not None:
                    await self._memory.robots_failed(origin)
                failed.host = failed.host or host_of(origin)
                pause = _TRIED_AGAIN_AFTER if failed.retry_after is None else failed.retry_after
                self._failed[origin] = now + pause, failed
                raise
            if self._memory is not None:
                await self._memory.note_robots(origin, text)
            self._learn(origin, text)

    def _learn(self, origin: str, text: str) -> None:
        rules = self._rules[origin] = Protego.parse(text)
        if (delay := rules.crawl_delay(AGENT)) is not None:
            self._gates.slow_down(host_of(origin), delay)

    async def _text(self, origin: str) -> str:
        async with self._gates.turn(host_of(origin)) as turn:

            async def led_to(address: str) -> None:
                turn.give_back()
                await turn.take(host_of(address))

            try:
                fetched = await self._http.get(f"{origin}/robots.txt", BOUNDS, Following(led_to), home=origin)
            except FetchFailed as failed:
                failed.host = turn.host
                # More redirects than the RFC requires to follow: as if there were no such file.
                if failed.kind is ProblemKind.LIMIT:
                    return ""
                raise
        return rules_of(fetched, origin)


def rules_of(fetched: Fetched, origin: str) -> str:
    """The rules in an answer, or none if there is no such file; raises ``FetchFailed`` where that is unknown."""
    if fetched.status >= 500 or fetched.status == _TOO_MANY_REQUESTS:
        raise FetchFailed(
            ProblemKind.REFUSED,
            f"{origin}/robots.txt cannot be fetched (the server answered {fetched.status}); nothing is allowed there",
            transient=True,
            retry_after=retry_after(fetched.headers.get("retry-after")),
        )
    return fetched.body.decode("utf-8-sig", "replace") if 200 <= fetched.status < 300 else ""
