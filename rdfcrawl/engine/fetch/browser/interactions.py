"""What a model asks to be done with a page in the browser: wait, click, scroll, load more, continue to the next part.

Every wait ends as soon as the list has changed and is still: no mutation of the document for a moment and no
request pending. The bounds are for pages that never get there.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from typing import Any, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.fetch.browser.tab import Tab
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.limits import RunLimits, list_ends
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.expressions.selectors import xpath_of
from rdfcrawl.metamodel.model import Page

Note = tuple[ProblemKind, str]

_QUIET_MS: Final = 100
_CALM_MS: Final = 500
_RENDERING_MS: Final = 250
_EXPECTED_MS: Final = 1_000


@dataclass(frozen=True, slots=True)
class BrowserLimits:
    """How long and how often; reaching one is a problem of the page, not the end of the run."""

    navigation_seconds: float = 30.0
    reply_seconds: float = 10.0
    wait_ms: int = 10_000
    list_pages: int = RunLimits().list_pages
    attempts: int = 3
    tab_uses: int = 200
    body_bytes: int = RunLimits().body_bytes
    documents: int = RunLimits().redirects


@dataclass(frozen=True, slots=True)
class State:
    """A list as it was when it had stopped changing: its elements if it has any, else the whole document."""

    list: bool
    size: int
    print: str
    changed: bool
    pending: bool


@dataclass(slots=True)
class ListExtent:
    """How far a list was loaded: its parts so far, however they came, and how many it may have."""

    most: int
    parts: int = 1

    @property
    def is_full(self) -> bool:
        """Whether no other part may be loaded."""
        return self.parts >= self.most

    @property
    def note(self) -> Note:
        """The message about a list that has more."""
        return ProblemKind.LIMIT, list_ends(self.most)


async def settle(tab: Tab, path: str, bound_ms: int, *, before: State | None = None, expected_ms: int = 0) -> State:
    """Wait until the list is still and, if ``before`` is given, no longer what it was.

    A request that was sent in time has the whole bound to be answered, and what it loads a moment to be shown.
    """
    begin = time.monotonic()
    bound = bound_ms / 1000
    deadline, last = begin + bound, begin + 2 * bound
    while True:
        left = max(0.0, deadline - time.monotonic())
        seen = await tab.call("watch", _question(path, before, expected_ms, left), seconds=left)
        since = tab.pending_since()
        if since is None:
            return _state(seen, pending=False)
        deadline = min(last, max(deadline, since + bound))
        if not await tab.rest(deadline - time.monotonic()):
            return _state(seen, pending=True)
        deadline = max(deadline, time.monotonic() + _RENDERING_MS / 1000)


def _question(path: str, before: State | None, expected_ms: int, left: float) -> dict[str, object]:
    return {
        "path": path and xpath_of(path),
        "before": None if before is None else {"print": before.print, "list": before.list},
        "expected": expected_ms,
        "quiet": _QUIET_MS,
        "calm": _CALM_MS,
        "bound": round(left * 1000),
    }


def _state(seen: dict[str, Any], *, pending: bool) -> State:
    return State(seen["list"], seen["size"], seen["print"], seen["changed"], pending)


async def prepare(tab: Tab, page: Page, limits: BrowserLimits, extent: ListExtent) -> tuple[State, list[Note]]:
    """Bring a page that has just been loaded to where its first document can be read."""
    notes: list[Note] = []
    path, bound = page.list_path, page.wait or limits.wait_ms
    state = await _arrive(tab, page, limits, notes)
    if path != page.root_path:
        state = await settle(tab, path, bound)
    if page.scroll is not None:
        state = await _scroll(tab, page, path, limits, state, notes, extent)
    if page.more is not None:
        state = await _load_more(tab, page.more, path, bound, state, notes, extent)
    return state, notes


async def _arrive(tab: Tab, page: Page, limits: BrowserLimits, notes: list[Note]) -> State:
    """Wait for the page, and click what is in its way as soon as it appears."""
    bound = page.wait or limits.wait_ms
    root = page.root_path
    clicks = list(page.clicks)
    state = await settle(tab, root, bound, expected_ms=0 if clicks or page.wait_for else page.wait or _EXPECTED_MS)
    await _click_present(tab, root, bound, clicks)
    while page.wait_for is not None:
        found = await tab.call(
            "appearing", [xpath_of(path) for path in (page.wait_for, *clicks)], bound, seconds=bound / 1000
        )
        if found is None:
            notes.append((ProblemKind.UNREADABLE, f"{page.wait_for} did not appear within {bound} ms"))
        if not found:
            break
        await _click_present(tab, root, bound, clicks)
    if page.clicks or page.wait_for:
        await _click_present(tab, root, bound, clicks)
        state = await settle(tab, root, bound, expected_ms=page.wait or _EXPECTED_MS)
    return state


async def _click_present(tab: Tab, path: str, bound: int, clicks: list[str]) -> None:
    """Click those that are present, in their order; each is clicked once."""
    for target in tuple(clicks):
        if await tab.call("click", xpath_of(target)):
            clicks.remove(target)
            await settle(tab, path, bound)


async def _scroll(
    tab: Tab, page: Page, path: str, limits: BrowserLimits, state: State, notes: list[Note], extent: ListExtent
) -> State:
    bound = _with_slack(page.scroll or 0)
    while not extent.is_full:
        await tab.call("scrollToEnd", path and xpath_of(path), seconds=limits.navigation_seconds)
        after = await settle(tab, path, bound, before=state)
        # Without a list only growth counts: a clock or a carousel changes for ever.
        if not after.changed or (not after.list and after.size <= state.size):
            return after
        if after.list and after.size <= state.size and state.list:
            notes.append((ProblemKind.INCOMPLETE, "the list replaces its entries while it is scrolled"))
            return after
        state = after
        extent.parts += 1
    # Only another load could tell whether this was the end.
    notes.append(extent.note)
    return state


async def _load_more(
    tab: Tab, more: str, path: str, bound: int, state: State, notes: list[Note], extent: ListExtent
) -> State:
    button = xpath_of(more)
    while await tab.call("canClick", button):
        if extent.is_full:
            notes.append(extent.note)
            return state
        if not await tab.call("click", button):
            return state
        after = await settle(tab, path, _with_slack(bound), before=state)
        if not after.changed:
            if await tab.call("button", button) != "off":
                notes.append(_nothing_new(more, after, bound))
            return after
        state = after
        extent.parts += 1
    return state


async def parts(
    tab: Tab, page: Page, limits: BrowserLimits, state: State, notes: list[Note], extent: ListExtent
) -> AsyncGenerator[tuple[str, str, tuple[Note, ...]]]:
    """The documents of a list and their addresses, one for each click on a next button that has no address itself.

    A document is yielded only when it is known whether another one follows, because it carries the reason if none does.
    """
    path, bound = page.list_path, page.wait or limits.wait_ms
    seen, button = {state.print}, xpath_of(page.next) if page.next else ""
    while True:
        address = tab.address
        document = await _serialised(tab, limits)
        if page.next is None or await tab.call("button", button) != "click":
            yield address, document, tuple(notes)
            return
        if extent.is_full:
            yield address, document, tuple(dict.fromkeys((*notes, extent.note)))
            return
        if not await tab.call("click", button):
            yield address, document, tuple(notes)
            return
        after = await settle(tab, path, _with_slack(bound), before=state)
        if not after.changed:
            if await tab.call("button", button) == "click":
                notes.append(_nothing_new(page.next, after, bound))
            yield address, document, tuple(notes)
            return
        if after.print in seen:
            yield (
                address,
                document,
                (*notes, (ProblemKind.LOOP, "the next button led back to a part that was already read")),
            )
            return
        yield address, document, tuple(notes)
        seen.add(after.print)
        notes, state = [], after
        extent.parts += 1


async def _serialised(tab: Tab, limits: BrowserLimits) -> str:
    document: str | None = await tab.call("serialise", limits.body_bytes, seconds=limits.navigation_seconds)
    if document is None:
        reason = f"the document in the browser is larger than {limits.body_bytes:,} bytes"
        raise FetchFailed(ProblemKind.LIMIT, reason)
    return document


def _nothing_new(button: str, after: State, bound: int) -> Note:
    if after.pending:
        return ProblemKind.INCOMPLETE, f"what a click on {button} loads did not arrive within {bound} ms"
    return ProblemKind.LOOP, f"a click on {button} loaded nothing new within {bound} ms"


def _with_slack(bound_ms: int) -> int:
    """The bound with time for a loader that uses all of it to start and to show what it loaded."""
    return bound_ms + bound_ms // 20 + _RENDERING_MS
