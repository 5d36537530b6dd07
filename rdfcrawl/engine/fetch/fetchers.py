"""The fetchers of one run, made from its options and closed at its end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.fetch.browser import BrowserFetcher
from rdfcrawl.engine.fetch.folder import FolderSource
from rdfcrawl.engine.fetch.http import HttpFetcher
from rdfcrawl.engine.fetch.replay import ReplayFetcher
from rdfcrawl.engine.fetch.session import Fetcher, Source
from rdfcrawl.errors import UsageError
from rdfcrawl.version import VERSION


class Fetchers:
    """A fetcher for each engine; the browser starts only when it is first asked for a page."""

    def __init__(self, *, replay: str | None = None, notice: Callable[[str], None]) -> None:
        source = open_source(replay) if replay else None
        user_agent = f"rdfcrawl/{VERSION}"
        plain: Fetcher = ReplayFetcher(source) if source else HttpFetcher(user_agent=user_agent)
        self.browser = BrowserFetcher(source=source, notice=notice)
        self.by_engine: dict[Engine, Fetcher] = {Engine.HTTP: plain, Engine.BROWSER: self.browser}

    async def __aenter__(self) -> Fetchers:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for fetcher in self.by_engine.values():
            await fetcher.close()


def open_source(replay: str) -> Source:
    """The source that ``--replay`` names."""
    path = Path(replay)
    if path.is_dir():
        return FolderSource(path)
    raise UsageError(f"there is nothing to replay at {replay}: a folder host/path is expected")
