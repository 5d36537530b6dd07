"""Plain HTTP first, and the browser where that does not return what a page must have."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from rdfcrawl.engine.choice import Choice, Engine
from rdfcrawl.engine.crawl.forms import FOR_A_BROWSER
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.extract.extraction import Extraction
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.errors import BrowserMissing
from rdfcrawl.metamodel.model import Page


class Extracted(Protocol):
    """Any result of reading a page that has an extraction."""

    @property
    def extraction(self) -> Extraction:
        """What the page says."""
        ...


_Reading = TypeVar("_Reading", bound=Extracted)


def reason_for_browser(plain: Extraction) -> str | None:
    """Why a page that was read over plain HTTP should be read in the browser; ``None`` if it need not be."""
    if plain.next_clicks:
        return "its next button has no address"
    if plain.is_bare:
        return "plain HTTP returns none of its mandatory content"
    return None


class Escalation:
    """Decides page by page which engine reads it, and lets ``choice`` learn from the result."""

    def __init__(self, choice: Choice, notice: Callable[[str], None]) -> None:
        self._choice = choice
        self._notice = notice
        self._browser_missing = False

    def first_engine(self, page: Page) -> Engine:
        """The engine to try first, by what the model demands and what was learnt about such pages."""
        return self._choice.engine_for(page)

    async def read(
        self, page: Page, address: str, engine: Engine, reading: Callable[[Engine], Awaitable[_Reading]]
    ) -> tuple[Engine, _Reading]:
        """Read a page with that engine, and again in the browser if need be; returns the richer result.

        What ``reading`` raises over HTTP is passed on. A page that the browser cannot read stays as it was.
        """
        try:
            plain = await reading(engine)
        except FetchFailed as failure:
            if engine is not Engine.HTTP or failure.kind not in FOR_A_BROWSER:
                raise
            return Engine.BROWSER, await self._instead(page, address, failure, reading)
        if engine is not Engine.HTTP:
            return engine, plain
        reason = reason_for_browser(plain.extraction)
        if reason is None:
            self._choice.plain_was_enough(page)
        elif not self._browser_missing and self._choice.may_try_browser(page):
            try:
                rendered = await reading(Engine.BROWSER)
            except (FetchFailed, DocumentError):
                return engine, plain
            except BrowserMissing as error:
                self._browser_missing = True
                self._notice(f"{address}: {reason}; a browser might help. {error}")
                return engine, plain
            if plain.extraction.next_clicks or not rendered.extraction.is_bare:
                self._choice.browser_helped(page, reason)
                return Engine.BROWSER, rendered
            self._choice.browser_did_not_help(page)
        return engine, plain

    async def _instead(
        self, page: Page, address: str, failure: FetchFailed, reading: Callable[[Engine], Awaitable[_Reading]]
    ) -> _Reading:
        """Read in the browser what plain HTTP cannot read at all; raises ``failure`` where that is impossible."""
        if self._browser_missing or not self._choice.may_try_browser(page):
            raise failure
        try:
            rendered = await reading(Engine.BROWSER)
        except BrowserMissing as error:
            self._browser_missing = True
            self._notice(f"{address}: {failure.reason}; a browser might help. {error}")
            raise failure from error
        self._choice.browser_helped(page, failure.reason)
        return rendered
