"""Pages in a real Chromium: scripts run, buttons are clicked, and what is hidden is marked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Final

from playwright.async_api import Error as PlaywrightError

from rdfcrawl.engine.address import BadAddress, place_of, resolve
from rdfcrawl.engine.fetch.answers import decoded_headers, refuse_errors
from rdfcrawl.engine.fetch.browser.chromium import CUT_OFF, Chromium, through_proxy
from rdfcrawl.engine.fetch.browser.forms import EXPECTED_MS, send_form, shows
from rdfcrawl.engine.fetch.browser.gate import PAGES, Gate, TabVisit
from rdfcrawl.engine.fetch.browser.interactions import BrowserLimits, ListExtent, parts, prepare, settle
from rdfcrawl.engine.fetch.browser.proxy import GuardedProxy
from rdfcrawl.engine.fetch.browser.tab import DocumentAnswer, Tab, TabLost
from rdfcrawl.engine.fetch.guard import NetworkAccess
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed, Recorder, Request, Source
from rdfcrawl.engine.fetch.session_cookies import StoredCookie, for_browser, from_browser
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.errors import quoted
from rdfcrawl.metamodel.forms import Login

_FIRST_TABS: Final = 2
_TEXTS: Final = ("text/", "application/json", "application/ld+json", "application/xml")


class BrowserFetcher:
    """Fetches with one browser for the whole run, started when the first page needs it.

    With a ``source`` every request is answered from there and none reaches a network; ``missing`` is the kind
    of problem that a missing page is. Tabs are reused: a new one for each page would double the time, and all pages of
    a run share cookies and cache anyway.
    """

    def __init__(
        self,
        *,
        source: Source | None = None,
        missing: ProblemKind = ProblemKind.GONE,
        recorder: Recorder | None = None,
        user_agent: str | None = None,
        concurrency: int = 4,
        limits: BrowserLimits | None = None,
        notice: Callable[[str], None] | None = None,
        access: NetworkAccess | None = None,
    ) -> None:
        self._limits = limits or BrowserLimits()
        credentials = access.credentials if access else None
        self._gate = Gate(source, recorder, credentials, self._limits.body_bytes)
        self._cut_off = source is not None
        self._missing = missing
        self._user_agent = user_agent
        self._access = access or NetworkAccess()
        self._proxy: GuardedProxy | None = None
        self._notice = notice
        self._noticed: set[str] = set()
        # A new tab costs as much as a few pages: two are enough until pages have been read, then one more with each.
        self._places = asyncio.Semaphore(min(_FIRST_TABS, concurrency))
        self._more_places = max(0, concurrency - _FIRST_TABS)
        self._launching = asyncio.Lock()
        self._chromium: Chromium | None = None
        self._idle: list[Tab] = []
        self.cookies: tuple[StoredCookie, ...] = ()
        """The cookies of sessions, which every page may send to its host."""
        self._has_cookies: tuple[StoredCookie, ...] = ()

    async def open(self, request: Request) -> AsyncIterator[Fetched]:
        """The documents at the address: one, or one for each part that the next button loads."""
        given = 0
        for attempt in range(1, self._limits.attempts + 1):
            try:
                # How often a page is drawn matters only while a list is scrolled.
                in_window = request.page.scroll is not None
                async with self._tab(in_window=in_window) as tab, aclosing(self._visit(tab, request)) as documents:
                    number = 0
                    async for fetched in documents:
                        number += 1
                        # Parts that were yielded before the tab was lost are not yielded again.
                        if number > given:
                            given = number
                            yield fetched
                return
            except TabLost as lost:
                if attempt == self._limits.attempts:
                    reason = f"the browser was lost {attempt} times on this page: {lost}"
                    raise FetchFailed(ProblemKind.UNREACHABLE, reason, transient=True) from lost

    async def log_in(self, login: Login, fills: Sequence[tuple[str, str]], home: str) -> tuple[list[StoredCookie], str]:
        """Fill in and send the form of a login; returns the cookies for the section's origin, and where it led.

        Nothing of it is recorded. Raises ``FetchFailed``.
        """
        try:
            async with self._tab(in_window=False) as tab:
                self._gate.admit(tab.frame, TabVisit(home=home, is_private=True))
                answer = await tab.go(login.address, self._limits.navigation_seconds)
                refuse_errors(answer.status, answer.headers)
                await settle(tab, login.submit, self._limits.wait_ms, expected_ms=EXPECTED_MS)
                await send_form(tab, fills, login.submit, self._limits)
                if not await shows(tab, login.success, self._limits.wait_ms):
                    reason = f"{login.success} is not there afterwards; are the values right?"
                    raise FetchFailed(ProblemKind.LOGIN, reason)
                cookies = await tab.page.context.cookies()
                return from_browser(cookies, place_of(home).hostname), tab.address
        except (TabLost, PlaywrightError) as error:
            raise FetchFailed(ProblemKind.UNREACHABLE, f"the browser was lost: {error}", transient=True) from error

    async def screenshot(self, request: Request, path: Path, marks: Sequence[tuple[str, str]]) -> list[int]:
        """Save a picture of the whole page with what each XPath selects framed and labelled; returns the counts."""
        try:
            async with self._tab(in_window=True) as tab:
                await self._go(tab, request, frozenset((*request.page.load, "image", "font")))
                await prepare(tab, request.page, self._limits, ListExtent(self._limits.list_pages))
                framed: list[int] = await tab.call("mark", list(marks))
                await tab.page.screenshot(path=path, full_page=True, animations="disabled")
                return framed
        except (TabLost, PlaywrightError) as error:
            raise FetchFailed(ProblemKind.UNREACHABLE, f"no picture could be taken: {error}", transient=True) from error

    async def close(self) -> None:
        """End the browser and everything that belongs to it."""
        async with self._launching:
            chromium, self._chromium = self._chromium, None
            self._idle.clear()
            await self._gate.close()
            if chromium is not None:
                await asyncio.shield(asyncio.ensure_future(chromium.close()))
            if self._proxy is not None:
                await self._proxy.close()

    async def _visit(self, tab: Tab, request: Request) -> AsyncGenerator[Fetched]:
        visit, answer = await self._go(tab, request, frozenset(request.page.load))
        if answer.mime_type not in PAGES:
            yield _as_sent(tab, visit, answer)
            return
        extent = ListExtent(self._limits.list_pages)
        if request.fills and request.page.submit:
            await settle(tab, request.page.submit, self._limits.wait_ms, expected_ms=EXPECTED_MS)
            await send_form(tab, request.fills, request.page.submit, self._limits)
            self._refuse_failed(visit)
            # What the form returns may be data, which is not rendered.
            answer = tab.answer or answer
            if answer.mime_type not in PAGES:
                yield _as_sent(tab, visit, answer)
                return
        state, notes = await prepare(tab, request.page, self._limits, extent)
        self._refuse_failed(visit)
        notes += _about_bodies(tab, visit, self._limits.body_bytes)
        # A script may have moved on to another page.
        answer = tab.answer or answer
        refuse_errors(answer.status, answer.headers)
        headers = dict(decoded_headers(answer.headers.items()))
        headers["content-type"] = "text/html; charset=utf-8"
        async with aclosing(parts(tab, request.page, self._limits, state, notes, extent)) as documents:
            async for address, document, remarks in documents:
                body = document.encode("utf-8", "replace")
                self._refuse_failed(visit)
                yield Fetched(_web_address(address), answer.status, headers, body, True, remarks)

    async def _go(self, tab: Tab, request: Request, load: frozenset[str]) -> tuple[TabVisit, DocumentAnswer]:
        visit = TabVisit(load, request.home, led_to=request.led_to, most_documents=self._limits.documents + 1)
        self._gate.admit(tab.frame, visit)
        try:
            answer = await tab.go(request.address, self._limits.navigation_seconds)
        except FetchFailed as failure:
            self._refuse_failed(visit)
            if tab.has_large_answer:
                reason = f"the page has an answer that is larger than {self._limits.body_bytes:,} bytes"
                raise FetchFailed(ProblemKind.LIMIT, reason) from failure
            raise self._failed(failure, tab.wanted or request.address) from failure
        self._refuse_failed(visit)
        if tab.has_large_answer and not visit.too_large:
            visit.too_large.append(request.address)
        if visit.unanswered:
            raise FetchFailed(self._missing, "the replay has no answer for this address")
        refuse_errors(answer.status, answer.headers)
        return visit, answer

    @asynccontextmanager
    async def _tab(self, *, in_window: bool) -> AsyncIterator[Tab]:
        async with self._places:
            chromium = await self._running()
            tab = self._take_idle(in_window) or await self._new_tab(chromium, in_window)
            try:
                yield tab
            except (FetchFailed, GeneratorExit):
                raise
            except BaseException:
                tab.broken = True
                raise
            finally:
                await self._give_back(chromium, tab)
                if self._more_places:
                    self._more_places -= 1
                    self._places.release()

    async def _give_back(self, chromium: Chromium, tab: Tab) -> None:
        if not tab.broken:
            await tab.blank()
        if chromium is self._chromium and not tab.broken and tab.uses < self._limits.tab_uses:
            self._idle.append(tab)
            return
        self._gate.forget(tab.frame)
        if not await tab.close():
            await self._retire(chromium)

    def _take_idle(self, in_window: bool) -> Tab | None:
        """The tab that was used last; one in its own window, if it must be."""
        for index in reversed(range(len(self._idle))):
            if self._idle[index].in_window or not in_window:
                return self._idle.pop(index)
        return None

    async def _new_tab(self, chromium: Chromium, in_window: bool) -> Tab:
        try:
            limits = self._limits
            return await Tab.new(chromium, limits.reply_seconds, limits.body_bytes, in_window=in_window)
        except TabLost:
            await self._retire(chromium)
            raise

    async def _retire(self, chromium: Chromium) -> None:
        """Give up a browser that no longer opens or closes its tabs; the next page starts another."""
        if chromium is self._chromium:
            self._chromium = None
            self._idle.clear()
            await chromium.close()

    async def _running(self) -> Chromium:
        async with self._launching:
            if self._chromium is not None and not self._chromium.alive:
                await self._retire(self._chromium)
            if self._chromium is None:
                self._chromium = await Chromium.launch(
                    user_agent=self._user_agent,
                    notice=self._say_once,
                    arguments=await self._network_arguments(),
                    insecure=self._access.insecure,
                )
                await self._gate.guard(self._chromium.network)
                self._has_cookies = ()
            if self.cookies != self._has_cookies:
                await self._chromium.context.add_cookies([for_browser(cookie) for cookie in self.cookies])
                self._has_cookies = self.cookies
            return self._chromium

    async def _network_arguments(self) -> tuple[str, ...]:
        """The arguments that decide what the browser can reach."""
        if self._cut_off:
            return CUT_OFF
        if self._access.guard is None:
            return ()
        if self._proxy is not None:
            await self._proxy.close()
        self._proxy = GuardedProxy(self._access.guard, self._limits.navigation_seconds)
        return through_proxy(await self._proxy.start())

    def _refuse_failed(self, visit: TabVisit) -> None:
        """Raise what went wrong at the gate: a document that may not be loaded, or one that is too large."""
        if visit.failure is not None:
            raise visit.failure.with_traceback(None)

    def _failed(self, failure: FetchFailed, address: str) -> FetchFailed:
        """Why the proxy did not connect to an address, which the browser only knows as a failed connection."""
        if self._proxy is None or "SOCKS" not in failure.reason:
            return failure
        return self._proxy.why_not(address) or failure

    def _say_once(self, text: str) -> None:
        if self._notice is not None and text not in self._noticed:
            self._noticed.add(text)
            self._notice(text)


def _web_address(address: str) -> str:
    """The address of a document in its one spelling; scripts can make a tab show what has none."""
    try:
        found = resolve(address, address).partition("#")[0]
    except BadAddress as error:
        raise FetchFailed(ProblemKind.UNREADABLE, f"a script has led to what has no address: {error}") from error
    if not found.startswith(("http://", "https://")):
        raise FetchFailed(ProblemKind.UNREADABLE, f"a script has led to {quoted(found)}, which is not an http address")
    return address if found == f"{address}/" else found


def _about_bodies(tab: Tab, visit: TabVisit, most_bytes: int) -> Iterator[tuple[ProblemKind, str]]:
    """What the page lacks because it was too large."""
    addresses = visit.too_large or (["what the page loads"] if tab.has_large_answer else [])
    for address in addresses:
        yield ProblemKind.LIMIT, f"{address} has more than {most_bytes:,} bytes and was not loaded"


def _as_sent(tab: Tab, visit: TabVisit, answer: DocumentAnswer) -> Fetched:
    """A feed, a sitemap, a plain text: nothing in it is rendered, and the extractor reads it as it is."""
    readable = answer.mime_type.startswith(_TEXTS) or answer.mime_type.endswith(("+xml", "+json"))
    if not readable or visit.raw is None:
        raise FetchFailed(ProblemKind.UNREADABLE, f"the address returns {answer.mime_type}, not a page")
    headers = dict(decoded_headers(answer.headers.items()))
    if visit.content_type is not None:
        headers["content-type"] = visit.content_type
    return Fetched(_web_address(tab.address), answer.status, headers, visit.raw)
