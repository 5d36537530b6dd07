"""One tab: it goes to an address, answers questions about its document, and says when it is lost."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections import Counter
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, Final, TypeVar

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.fetch.answers import readable_headers
from rdfcrawl.engine.fetch.browser.chromium import Chromium
from rdfcrawl.engine.fetch.session import FailureCause, FetchFailed
from rdfcrawl.engine.problem import ProblemKind

Result = TypeVar("Result")

_SCRIPT: Final = (Path(__file__).parent / "page.js").read_text(encoding="utf-8")
_WORLD: Final = "rdfcrawl"
_AWAITED: Final = frozenset(("Document", "Script", "Stylesheet", "XHR", "Fetch"))
_POLLED_AFTER: Final = 3
_CLOSING_SECONDS: Final = 5.0
_ARRIVING_SECONDS: Final = 1.0
_REPLACED: Final = ("context", "navigated", "collected")
_LOST: Final = ("crashed", "has been closed", "Connection closed", "Target closed", "Session closed")


class TabLost(Exception):
    """The tab crashed, hangs or was lost with its browser; another one may work."""


class _DocumentReplaced(Exception):
    """The document that was queried is gone; its successor can be queried instead."""


@dataclass(frozen=True, slots=True)
class DocumentAnswer:
    """The answer that a tab got its document from."""

    status: int
    headers: dict[str, str]
    mime_type: str


class Tab:
    """A tab of a browser, used for one page after the other; ``wanted`` is the address of its latest document."""

    def __init__(
        self,
        page: Page,
        session: CDPSession,
        frame: str,
        reply_seconds: float,
        body_bytes: int,
        *,
        in_window: bool = False,
    ) -> None:
        self.page = page
        self.frame = frame
        self.in_window = in_window
        self.uses = 0
        self.broken = False
        self.answer: DocumentAnswer | None = None
        self.wanted = ""
        self._session = session
        self._reply_seconds = reply_seconds
        self._pending: dict[str, tuple[str, float]] = {}
        self._asked: Counter[str] = Counter()
        self._body_bytes = body_bytes
        self._bytes: Counter[str] = Counter()
        self.has_large_answer = False
        self._stopping: asyncio.Future[None] | None = None
        self._at_rest = asyncio.Event()
        self._is_whole = False
        self._cut_off = asyncio.Event()
        self._crashed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._listen()

    @classmethod
    async def new(cls, chromium: Chromium, reply_seconds: float, body_bytes: int, *, in_window: bool) -> Tab:
        """Open a tab and prepare it; it counts as lost when it takes longer than so many seconds to reply.

        What it loads is stopped where one answer has more than ``body_bytes``, after decompression.
        """
        try:
            page, session = await chromium.open_page(in_window=in_window)
            tree = await session.send("Page.getFrameTree")
            tab = cls(page, session, tree["frameTree"]["frame"]["id"], reply_seconds, body_bytes, in_window=in_window)
            await session.send("Page.enable")
            await session.send("Network.enable")
            script = {"source": _SCRIPT, "worldName": _WORLD}
            await session.send("Page.addScriptToEvaluateOnNewDocument", script)
        except PlaywrightError as error:
            raise TabLost(error.message) from error
        return tab

    @property
    def address(self) -> str:
        """Where the tab is, without fragment."""
        return self.page.url.partition("#")[0]

    async def go(self, address: str, seconds: float) -> DocumentAnswer:
        """Load a page up to its last element; raises ``FetchFailed``."""
        self._begin()
        try:
            await self._alive(self._arrive(address, seconds), seconds + self._reply_seconds)
        except PlaywrightTimeout as error:
            self.broken = True
            reason = f"no complete page within {seconds:g} seconds"
            raise FetchFailed(ProblemKind.UNREACHABLE, reason, transient=True, cause=FailureCause.TIMEOUT) from error
        except PlaywrightError as error:
            # An error page without a body: the status says all there is to say.
            if "ERR_HTTP_RESPONSE_CODE_FAILURE" not in error.message or self.answer is None:
                raise _failure(error) from error
        if self.answer is None:
            raise FetchFailed(ProblemKind.UNREADABLE, "the address returned no document")
        return self.answer

    async def _arrive(self, address: str, seconds: float) -> None:
        """Go to an address, unless a script leaves it for what is no page: the browser then reads no further."""
        going = asyncio.ensure_future(self.page.goto(address, wait_until="domcontentloaded", timeout=seconds * 1000))
        cut_off = asyncio.ensure_future(self._cut_off.wait())
        try:
            await asyncio.wait((going, cut_off), return_when=asyncio.FIRST_COMPLETED)
            # If there is no page at all, the reason arrives a moment later.
            await asyncio.wait((going,), timeout=None if self.has_large_answer else _ARRIVING_SECONDS)
            if not going.done():
                self.broken = True
                reason = "a script leaves the page before its end, for a download or for what is no page"
                raise FetchFailed(ProblemKind.UNREADABLE, reason)
            await going
        finally:
            going.cancel()
            cut_off.cancel()

    def _begin(self) -> None:
        self.uses += 1
        self.answer = None
        self._cut_off.clear()
        self.has_large_answer = False
        self.wanted = ""
        self._asked.clear()
        self._bytes.clear()

    async def call(self, function: str, *arguments: object, seconds: float = 0.0) -> Any:
        """Query the document: call a function of page.js that may itself take up to so many seconds."""
        deadline = time.monotonic() + seconds + self._reply_seconds
        expression = f"rdfcrawl.{function}({','.join(json.dumps(argument) for argument in arguments)})"
        while (left := deadline - time.monotonic()) > 0:
            try:
                return await self._alive(self._evaluate(expression), left)
            except _DocumentReplaced:
                with contextlib.suppress(PlaywrightError):
                    await self._alive(self.page.wait_for_load_state("domcontentloaded", timeout=left * 1000), left + 1)
        self.broken = True
        raise FetchFailed(ProblemKind.LIMIT, "the page replaces its document all the time")

    def pending_since(self) -> float | None:
        """When the youngest request was sent whose answer may still change the document; ``None`` if there is none."""
        return max((begin for _, begin in self._pending.values()), default=None)

    async def rest(self, seconds: float) -> bool:
        """Wait until no request is pending; false if there still is one after so many seconds."""
        try:
            await self._alive(
                self._at_rest.wait() if self._pending else asyncio.sleep(0), max(0.0, seconds), hang=False
            )
        except TimeoutError:
            return False
        return True

    async def blank(self) -> None:
        """Leave the page, so that its scripts no longer run."""
        try:
            await self._alive(self.page.goto("about:blank"), _CLOSING_SECONDS)
        except (PlaywrightError, TabLost):
            self.broken = True

    async def close(self) -> bool:
        """Close the tab; false if it cannot be closed."""
        try:
            await asyncio.wait_for(self.page.close(), _CLOSING_SECONDS)
        except (PlaywrightError, TimeoutError):
            return False
        return True

    async def _evaluate(self, expression: str) -> Any:
        try:
            world = await self._session.send(
                "Page.createIsolatedWorld", {"frameId": self.frame, "worldName": _WORLD, "grantUniveralAccess": False}
            )
            asked = {"contextId": world["executionContextId"], "awaitPromise": True, "returnByValue": True}
            reply = await self._session.send("Runtime.evaluate", {"expression": expression, **asked})
            if "rdfcrawl is not defined" in _thrown(reply):
                await self._session.send("Runtime.evaluate", {"expression": _SCRIPT, **asked})
                reply = await self._session.send("Runtime.evaluate", {"expression": expression, **asked})
        except PlaywrightError as error:
            if any(sign in error.message for sign in _LOST):
                raise TabLost(error.message) from error
            if any(sign in error.message.lower() for sign in _REPLACED):
                raise _DocumentReplaced from error
            raise
        if thrown := _thrown(reply):
            raise PlaywrightError(thrown)
        return reply["result"].get("value")

    async def _alive(self, doing: Awaitable[Result], seconds: float, *, hang: bool = True) -> Result:
        """The result, unless the tab dies or, with ``hang``, does not answer in time."""
        task = asyncio.ensure_future(doing)
        try:
            await asyncio.wait((task, self._crashed), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            if not self._crashed.done() and not hang:
                raise TimeoutError
            self.broken = True
            raise TabLost("the tab crashed" if self._crashed.done() else "the tab does not respond")
        except PlaywrightError as error:
            if any(sign in error.message for sign in _LOST):
                self.broken = True
                raise TabLost(error.message) from error
            raise
        finally:
            if not task.done():
                task.cancel()

    def _listen(self) -> None:
        def crashed(_: object) -> None:
            if not self._crashed.done():
                self._crashed.set_result(None)

        self.page.on("crash", crashed)
        self.page.on("close", crashed)
        self.page.on("popup", lambda popup: asyncio.ensure_future(_close_quietly(popup)))
        self._session.on("Network.requestWillBeSent", self._sent)
        self._session.on("Network.responseReceived", self._received)
        self._session.on("Network.dataReceived", self._came)
        self._session.on("Network.loadingFinished", self._finished)
        self._session.on("Network.loadingFailed", self._finished)
        self._session.on("Page.frameNavigated", self._navigated)
        self._session.on("Page.domContentEventFired", self._read)
        self._session.on("Page.frameStoppedLoading", self._stopped)

    def _sent(self, event: dict[str, Any]) -> None:
        if event.get("frameId") != self.frame or event.get("type") not in _AWAITED:
            return
        # The script of a web worker is announced here, but only the worker is told of its end.
        if "." not in event["requestId"] and event["requestId"] != event["loaderId"]:
            return
        request = event["request"]
        if event["type"] == "Document":
            self.wanted = request["url"]
        asked = f"{request['method']} {request['url']}"
        self._asked[asked] += 1
        # A page that repeats a request polls for news; it is not loading the rest of the page.
        if request["method"] == "GET" and self._asked[asked] > _POLLED_AFTER:
            return
        self._pending[event["requestId"]] = (event["loaderId"], time.monotonic())
        self._at_rest.clear()

    def _received(self, event: dict[str, Any]) -> None:
        if event.get("frameId") != self.frame or event["type"] != "Document":
            return
        response = event["response"]
        headers = {name.lower(): value for name, value in readable_headers(response["headers"].items())}
        self.answer = DocumentAnswer(response["status"], headers, response["mimeType"])

    def _came(self, event: dict[str, Any]) -> None:
        """Count what came of an answer; one that has no end would fill the memory of the browser."""
        request = event["requestId"]
        self._bytes[request] += event["dataLength"]
        if self._bytes[request] > self._body_bytes and not self.has_large_answer:
            self.has_large_answer = True
            self._stopping = asyncio.ensure_future(self._stop())

    async def _stop(self) -> None:
        with contextlib.suppress(PlaywrightError):
            await self._session.send("Page.stopLoading")

    def _finished(self, event: dict[str, Any]) -> None:
        self._pending.pop(event["requestId"], None)
        self._bytes.pop(event["requestId"], None)
        if not self._pending:
            self._at_rest.set()

    def _navigated(self, event: dict[str, Any]) -> None:
        frame = event["frame"]
        if frame["id"] != self.frame:
            return
        self._is_whole = False
        self._pending = {name: one for name, one in self._pending.items() if one[0] == frame["loaderId"]}
        if not self._pending:
            self._at_rest.set()

    def _read(self, _: dict[str, Any]) -> None:
        self._is_whole = True

    def _stopped(self, event: dict[str, Any]) -> None:
        if event["frameId"] == self.frame and self.answer is not None and not self._is_whole:
            self._cut_off.set()


def _thrown(reply: dict[str, Any]) -> str:
    details = reply.get("exceptionDetails")
    if not details:
        return ""
    return str(details.get("exception", {}).get("description") or details.get("text"))


def _failure(error: PlaywrightError) -> FetchFailed:
    """Why a page could not be loaded, in the user's terms."""
    message = error.message
    if "Download is starting" in message:
        return FetchFailed(ProblemKind.UNREADABLE, "the address returns a download, not a page")
    code = next((word.rstrip(":") for word in message.split() if word.startswith("net::")), "")
    if code == "net::ERR_ABORTED":
        return FetchFailed(ProblemKind.UNREADABLE, "the address returned no document")
    if code in ("net::ERR_TOO_MANY_REDIRECTS", "net::ERR_INVALID_URL", "net::ERR_UNKNOWN_URL_SCHEME"):
        return FetchFailed(ProblemKind.UNREACHABLE, code.removeprefix("net::"))
    if code.startswith("net::ERR_CERT_"):
        return FetchFailed(ProblemKind.UNREACHABLE, f"the certificate is not valid: {code.removeprefix('net::')}")
    reason = code.removeprefix("net::") or message.partition("\n")[0]
    return FetchFailed(ProblemKind.UNREACHABLE, f"the browser could not load it: {reason}", transient=True)


async def _close_quietly(page: Page) -> None:
    with contextlib.suppress(PlaywrightError):
        await page.close()
