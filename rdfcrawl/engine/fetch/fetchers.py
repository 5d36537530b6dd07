"""The fetchers of one run, made from its options and closed at its end."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.fetch.guard import NetworkAccess
from rdfcrawl.engine.fetch.replay.fetcher import ReplayFetcher
from rdfcrawl.engine.fetch.session import Fetcher, Recorder, Source
from rdfcrawl.engine.fetch.session_cookies import StoredCookie
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.version import VERSION

if TYPE_CHECKING:
    from rdfcrawl.engine.fetch.browser.fetcher import BrowserFetcher
    from rdfcrawl.engine.fetch.http.fetcher import HttpFetcher

_TABS: Final = 4
"""How many pages the browser reads at once."""
_AT_ONCE: Final = nullcontext()


@dataclass(frozen=True, slots=True)
class Replay:
    """A source in place of the network, under the name that a run's record keeps.

    A folder stands for a site, and what it lacks is gone. An archive is what was seen of a site, and what it lacks
    may well exist.
    """

    name: str
    source: Source
    missing: ProblemKind
    places: tuple[Path, ...] = ()
    """The folders or files that it is read from."""

    @property
    def is_archive(self) -> bool:
        """Whether the pages are recorded already."""
        from rdfcrawl.engine.fetch.warc.source import WarcSource

        return isinstance(self.source, WarcSource)


class Fetchers:
    """A fetcher for each engine; the browser and the libraries are loaded only when they are needed."""

    def __init__(
        self,
        *,
        notice: Callable[[str], None],
        access: NetworkAccess,
        replay: Replay | None = None,
        recorder: Recorder | None = None,
        user_agent: str | None = None,
        limits: RunLimits | None = None,
    ) -> None:
        self._notice = notice
        self._access = access
        self._replay = replay
        self._recorder = recorder
        self._user_agent = user_agent or user_agent_of()
        self._limits = limits or RunLimits()
        self._by_engine: dict[Engine, Fetcher] = {}
        if replay:
            replay.source.body_bytes = self._limits.body_bytes
            self._by_engine[Engine.HTTP] = ReplayFetcher(replay.source, missing=replay.missing, recorder=recorder)
        self._cookies: list[StoredCookie] = []
        self._tabs: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(_TABS))

    def __getitem__(self, engine: Engine) -> Fetcher:
        if engine is Engine.BROWSER:
            return self.browser
        return self._by_engine.get(engine) or self.http

    def place(self, engine: Engine, host: str) -> AbstractAsyncContextManager[None]:
        """A place among the pages of a host that an engine reads at once, to be taken before a turn at the host.

        Pages that wait for a tab would otherwise hold all the turns, and those over plain HTTP would wait with them.
        """
        return self._tabs[host] if engine is Engine.BROWSER else _AT_ONCE

    @cached_property
    def http(self) -> HttpFetcher:
        """The fetcher that asks the network, which a replay does not do."""
        from rdfcrawl.engine.fetch.http.certificates import loaded_when_used

        with loaded_when_used():
            from rdfcrawl.engine.fetch.http.fetcher import HttpFetcher

        return HttpFetcher(
            user_agent=self._user_agent, limits=self._limits, recorder=self._recorder, access=self._access
        )

    @cached_property
    def browser(self) -> BrowserFetcher:
        """The fetcher that runs a browser."""
        from rdfcrawl.engine.fetch.browser.fetcher import BrowserFetcher
        from rdfcrawl.engine.fetch.browser.interactions import BrowserLimits

        replay = self._replay
        made = self._by_engine[Engine.BROWSER] = BrowserFetcher(
            source=replay.source if replay else None,
            missing=replay.missing if replay else ProblemKind.GONE,
            recorder=self._recorder,
            concurrency=_TABS,
            limits=BrowserLimits(
                navigation_seconds=self._limits.page_seconds,
                list_pages=self._limits.list_pages,
                body_bytes=self._limits.body_bytes,
                documents=self._limits.redirects,
            ),
            notice=self._notice,
            access=self._access,
            user_agent=self._user_agent,
        )
        made.cookies = tuple(self._cookies)
        return made

    def add_cookies(self, cookies: Sequence[StoredCookie]) -> None:
        """Let both engines send these cookies; a browser that is not running yet gets them when it starts."""
        self.http.add_cookies(cookies)
        self._cookies += cookies
        if "browser" in self.__dict__:
            self.browser.cookies = tuple(self._cookies)

    async def __aenter__(self) -> Fetchers:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for fetcher in self._by_engine.values():
            await fetcher.close()
        if "http" in self.__dict__:
            await self.http.close()


def user_agent_of(contact: str | None = None) -> str:
    """How the crawler names itself; the contact is an address or a page of its operator."""
    return f"rdfcrawl/{VERSION} (+{contact})" if contact else f"rdfcrawl/{VERSION}"


def folder_replay(name: str, *folders: Path) -> Replay:
    """Replay from folders ``host/path``."""
    from rdfcrawl.engine.fetch.replay.folder import FolderSource

    return Replay(name, FolderSource(*folders), ProblemKind.GONE, folders)


def archive_replay(name: str, *archives: Path) -> Replay:
    """Replay from WARC files; of several answers to one request the last one counts."""
    from rdfcrawl.engine.fetch.warc.source import WarcSource

    return Replay(name, WarcSource(*archives), ProblemKind.UNREACHABLE, archives)
