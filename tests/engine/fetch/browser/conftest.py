"""The site and the browsers that all tests share."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from browser_site import Site

from rdfcrawl.engine.fetch.browser.fetcher import BrowserFetcher
from rdfcrawl.engine.fetch.browser.interactions import BrowserLimits


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def site() -> AsyncIterator[Site]:
    async for served in Site().serve():
        yield served


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[BrowserFetcher]:
    fetcher = BrowserFetcher(concurrency=2, limits=BrowserLimits(list_pages=8, navigation_seconds=10))
    yield fetcher
    await fetcher.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def impatient_browser() -> AsyncIterator[BrowserFetcher]:
    """One that gives up soon, for pages that will not come."""
    limits = BrowserLimits(navigation_seconds=2, reply_seconds=1, wait_ms=500, attempts=1)
    fetcher = BrowserFetcher(limits=limits)
    yield fetcher
    await fetcher.close()
