"""Everything a browser asks the network for passes here: refused, answered from a source, or recorded."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import field, replace
from http import HTTPStatus
from typing import Any, Final

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.address import origin_of, place_of
from rdfcrawl.engine.fetch.answers import decoded_headers, header_of, readable, readable_headers, without_secrets
from rdfcrawl.engine.fetch.browser.bodies import TakenBody, body_of, decoded_body
from rdfcrawl.engine.fetch.browser.data_answers import is_data, shown_as_text
from rdfcrawl.engine.fetch.codings import BodyTooLarge
from rdfcrawl.engine.fetch.session import Exchange, FetchFailed, Recorder, Source
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.problem import ProblemKind

KINDS: Final = {"Image": "image", "Font": "font", "Media": "media"}
"""What is not loaded unless the model's ``:load`` names it, by the browser's name for it."""

TRACKERS: Final = frozenset(
    """
    2mdn.net adform.net adition.com adnxs.com adsrvr.org amazon-adsystem.com bat.bing.com bluekai.com chartbeat.com
    clarity.ms connect.facebook.net criteo.com criteo.net demdex.net doubleclick.net emetriq.de etracker.com
    etracker.de everesttech.net google-analytics.com googleadservices.com googlesyndication.com googletagmanager.com
    googletagservices.com hotjar.com id5-sync.com ioam.de krxd.net meetrics.net mixpanel.com mouseflow.com newrelic.com
    nr-data.net omtrdc.net outbrain.com plausible.io pubmatic.com quantserve.com rubiconproject.com
    scorecardresearch.com segment.io smartadserver.com snap.licdn.com static.ads-twitter.com taboola.com teads.tv
    theadex.com tiqcdn.com webtrekk.net xiti.com yieldlab.net
    """.split()  # noqa: SIM905
)
"""Hosts, with their subdomains, that track or advertise and serve no content."""

PAGES: Final = frozenset(("text/html", "application/xhtml+xml"))
"""The media types that a browser renders."""

_MOST_NOTED: Final = 10
_LONGEST_NOTED: Final = 500
_STREAMS: Final = frozenset(("EventSource", "WebSocket"))


@dataclass(slots=True)
class TabVisit:
    """What the gate knows of the page that a tab shows: what it may load, and whether it was answered.

    ``home`` is the origin whose secrets it may send, for as long as the tab has not been elsewhere; ``strayed`` are
    the requests that have been there. ``raw`` is the body of an answer that is not HTML, ``content_type`` its type: a
    browser shows such documents in its own form, or saves them. What a tab does that ``is_private`` is not recorded.
    ``led_to`` is asked before the tab goes on to another document; ``failure`` is why it could not,
    or what else went wrong. ``too_large`` are the addresses whose bodies were not loaded.
    """

    load: frozenset[str] = frozenset()
    home: str | None = None
    arrived: bool = False
    strayed: set[str] = field(default_factory=set)
    raw: bytes | None = None
    content_type: str | None = None
    is_private: bool = False
    unanswered: bool = False
    led_to: Callable[[str], Awaitable[None]] | None = None
    most_documents: int = 1
    documents: int = 0
    failure: Exception | None = None
    too_large: list[str] = field(default_factory=list)
    moving: asyncio.Lock = field(default_factory=asyncio.Lock)


class Gate:
    """Stands between one browser and the network."""

    def __init__(
        self,
        source: Source | None,
        recorder: Recorder | None,
        credentials: Mapping[str, Mapping[str, str]] | None = None,
        body_bytes: int = RunLimits().body_bytes,
    ) -> None:
        """``credentials`` are headers for one origin each; its own pages send them, and no others."""
        self._body_bytes = body_bytes
        self._source = source
        self._recorder = recorder
        self._credentials = credentials or {}
        self._visits: dict[str, TabVisit] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def guard(self, network: CDPSession) -> None:
        """Begin to intercept the requests of a browser, but only those that have to be looked at."""
        network.on("Fetch.requestPaused", lambda event: self._spawn(network, event))
        await network.send("Fetch.enable", {"patterns": self._patterns()})

    def admit(self, frame: str, visit: TabVisit) -> TabVisit:
        """Note that a tab, named by its main frame, begins a new page."""
        self._visits[frame] = visit
        return visit

    def forget(self, frame: str) -> None:
        """Forget a tab that is closed."""
        self._visits.pop(frame, None)

    async def close(self) -> None:
        """Drop what is still being answered."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _patterns(self) -> list[dict[str, str]]:
        if self._source is not None:
            return [{"urlPattern": "*"}]
        patterns = [{"resourceType": kind} for kind in (*KINDS, "Ping", "CSPViolationReport")]
        patterns += [{"urlPattern": f"*://{prefix}{host}/*"} for host in sorted(TRACKERS) for prefix in ("", "*.")]
        patterns.append({"urlPattern": "*/favicon.ico", "resourceType": "Other"})
        # Every step of every request is followed where there are secrets, to know which of them have left their origin.
        patterns.append({"urlPattern": "*"} if self._credentials else {"urlPattern": "*", "resourceType": "Document"})
        answers = {"urlPattern": "*", "requestStage": "Response"}
        patterns.append(answers if self._recorder is not None else {**answers, "resourceType": "Document"})
        return patterns

    def _spawn(self, network: CDPSession, event: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._decide(network, event))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _decide(self, network: CDPSession, event: dict[str, Any]) -> None:
        request = {"requestId": event["requestId"]}
        self._follow(event)
        try:
            if "responseStatusCode" in event or "responseErrorReason" in event:
                await self._pass_on(network, event)
            elif self._refuses(event):
                await network.send("Fetch.failRequest", {**request, "errorReason": "BlockedByClient"})
            elif not await self._may_go_on(event):
                await network.send("Fetch.failRequest", {**request, "errorReason": "Aborted"})
            elif self._source is not None:
                await network.send("Fetch.fulfillRequest", {**request, **await self._answer(self._source, event)})
            else:
                await network.send("Fetch.continueRequest", {**request, **self._with_credentials(event)})
        except PlaywrightError:
            # The page no longer waits for it: it went elsewhere, or its tab is gone.
            return
        except BodyTooLarge:
            await self._give_up(network, event, self._too_large(event))
        except Exception as error:
            await self._give_up(network, event, error)

    async def _give_up(self, network: CDPSession, event: dict[str, Any], error: Exception) -> None:
        """End a request over which something went wrong here; a page whose document it is has the same trouble."""
        if (visit := self._main(event)) is not None:
            visit.failure = error
        with suppress(PlaywrightError):
            await network.send("Fetch.failRequest", {"requestId": event["requestId"], "errorReason": "Failed"})

    async def _may_go_on(self, event: dict[str, Any]) -> bool:
        """Whether a tab may load this document: the one that it was sent to, or one that it was led to."""
        if (visit := self._main(event)) is None:
            return True
        visit.documents += 1
        if visit.documents == 1 or visit.led_to is None:
            return True
        async with visit.moving:
            try:
                if visit.documents > visit.most_documents:
                    reason = f"the page led on to another document more than {visit.most_documents:,} times"
                    raise FetchFailed(ProblemKind.LIMIT, reason)
                await visit.led_to(event["request"]["url"].partition("#")[0])
            except Exception as error:
                visit.failure = error
                return False
        return True

    async def _pass_on(self, network: CDPSession, event: dict[str, Any]) -> None:
        """Let an answer go on to the page, after it was read if it is needed here."""
        request = {"requestId": event["requestId"]}
        try:
            exchange, is_taken = await self._read(network, event)
        except TimeoutError:
            # It has no end, and what was taken of it cannot be put back.
            await network.send("Fetch.failRequest", {**request, "errorReason": "TimedOut"})
            return
        if exchange is not None:
            self._keep(event, exchange)
        is_shown = exchange is not None and self._main(event) is not None and is_data(exchange.headers)
        if exchange is None or not (is_taken or is_shown):
            await network.send("Fetch.continueRequest", request)
            return
        headers = [{"name": name, "value": value} for name, value in decoded_headers(exchange.headers)]
        head = shown_as_text(exchange) if is_shown else {"responseCode": exchange.status, "responseHeaders": headers}
        if not is_taken:
            await network.send("Fetch.continueResponse", {**request, **head})
            return
        body = base64.b64encode(exchange.body).decode()
        await network.send("Fetch.fulfillRequest", {**request, **head, "body": body})

    def _too_large(self, event: dict[str, Any]) -> FetchFailed:
        """What is said of a page whose document is too large; of one that loads such a thing, a note is kept."""
        visit = self._visits.get(event.get("frameId", ""))
        if visit is not None and self._main(event) is None and len(visit.too_large) < _MOST_NOTED:
            visit.too_large.append(event["request"]["url"][:_LONGEST_NOTED])
        return FetchFailed(ProblemKind.LIMIT, f"the body is larger than {self._body_bytes:,} bytes")

    def _follow(self, event: dict[str, Any]) -> None:
        """Note when a tab, or one of its requests, leaves its section's origin."""
        visit = self._visits.get(event.get("frameId", ""))
        if visit is None or visit.home is None:
            return
        is_document = event["resourceType"] == "Document"
        if origin_of(event["request"]["url"]) != visit.home:
            if is_document:
                visit.home = None
            else:
                visit.strayed.add(event.get("networkId", ""))
        elif is_document and "responseStatusCode" in event:
            visit.arrived = True

    def _with_credentials(self, event: dict[str, Any]) -> dict[str, Any]:
        """The headers of a request with the secrets that it may carry; Chromium does not send them to another origin.

        It may if the tab's own document makes it, and neither the tab nor the request has been anywhere but at its
        section's origin since the crawler began the page. Frames, windows and workers get none: they may be anybody's.
        """
        request = event["request"]
        visit = self._visits.get(event.get("frameId", ""))
        if visit is None or visit.home is None or not _is_within(event, visit, visit.home):
            return {}
        own = self._credentials.get(visit.home, {})
        # Names are compared as HTTP does, so that a page cannot add a second one of them.
        headers = {**without_secrets(request["headers"], own), **own}
        return {"headers": [{"name": name, "value": value} for name, value in headers.items()]}

    def _refuses(self, event: dict[str, Any]) -> bool:
        visit = self._visits.get(event.get("frameId", ""))
        if visit is not None and event["resourceType"] == "Document":
            return False
        load = visit.load if visit is not None else frozenset()
        if "tracker" not in load and is_tracker(event["request"]["url"]):
            return True
        kind = KINDS.get(event["resourceType"])
        if kind is not None:
            return kind not in load
        return event["resourceType"] in ("Ping", "CSPViolationReport") or event["request"]["url"].endswith(
            "/favicon.ico"
        )

    async def _answer(self, source: Source, event: dict[str, Any]) -> dict[str, Any]:
        request = event["request"]
        body = posted(request)
        exchange = await source.answer(request["url"].partition("#")[0], request["method"], body)
        if exchange is not None:
            self._keep(event, replace(exchange, request_body=body))
        elif visit := self._main(event):
            visit.unanswered = True
        answer = fulfilment(exchange, request, self._body_bytes)
        if exchange is not None and self._main(event) and is_data(exchange.headers):
            return answer | shown_as_text(exchange)
        return answer

    async def _read(self, network: CDPSession, event: dict[str, Any]) -> tuple[Exchange | None, bool]:
        """The answer that is on its way to a page, if it is needed, and whether it was taken from the page.

        Raises ``BodyTooLarge``, and ``TimeoutError`` if it has no end.
        """
        headers = readable_headers((header["name"], header["value"]) for header in event.get("responseHeaders", ()))
        wanted = self._recorder is not None or (self._main(event) and not _is_html(headers))
        if not wanted or "responseStatusCode" not in event or event["resourceType"] in _STREAMS:
            return None, False
        taken = TakenBody(b"", is_taken=False)
        if not 300 <= event["responseStatusCode"] < 400:
            taken = await body_of(network, event["requestId"], headers, self._body_bytes)
        if header_of(headers, "content-encoding") is not None:
            # Chromium hands over decoded bodies.
            headers = tuple(decoded_headers(headers))
        request = event["request"]
        exchange = Exchange(
            address=request["url"].partition("#")[0],
            method=request["method"],
            request_headers=without_secrets(request["headers"], self._credentials.get(origin_of(request["url"]), ())),
            status=event["responseStatusCode"],
            reason=readable(event.get("responseStatusText") or _phrase(event["responseStatusCode"])),
            headers=headers,
            body=taken.content,
            request_body=posted(request),
        )
        return exchange, taken.is_taken

    def _keep(self, event: dict[str, Any], exchange: Exchange) -> None:
        visited = self._visits.get(event.get("frameId", ""))
        if self._recorder is not None and not (visited is not None and visited.is_private):
            self._recorder.record(exchange)
        if visit := self._main(event):
            visit.content_type = header_of(exchange.headers, "content-type")
            visit.raw = None if _is_html(exchange.headers) else decoded_body(exchange, self._body_bytes)

    def _main(self, event: dict[str, Any]) -> TabVisit | None:
        """The visit whose document this request asks for, if it does."""
        return self._visits.get(event.get("frameId", "")) if event["resourceType"] == "Document" else None


def _is_within(event: dict[str, Any], visit: TabVisit, home: str) -> bool:
    """Whether a request goes from a document of an origin to that origin, and has not been elsewhere on its way."""
    request = event["request"]
    said = (value for name, value in request["headers"].items() if name.lower() in ("origin", "referer"))
    return (
        origin_of(request["url"]) == home
        and all(origin_of(value) == home for value in said)
        and event.get("networkId", "") not in visit.strayed
        and (visit.arrived or event["resourceType"] == "Document")
    )


def is_tracker(address: str) -> bool:
    """Whether the address belongs to a host that tracks or advertises."""
    labels = place_of(address).hostname.split(".")
    return any(".".join(labels[start:]) in TRACKERS for start in range(len(labels)))


def posted(request: Mapping[str, Any]) -> bytes | None:
    """The body that a page sends with a request."""
    if entries := request.get("postDataEntries"):
        return b"".join(base64.b64decode(entry.get("bytes", "")) for entry in entries)
    text = request.get("postData")
    return text.encode() if isinstance(text, str) else None


def fulfilment(exchange: Exchange | None, request: Mapping[str, Any], most_bytes: int) -> dict[str, Any]:
    """A recorded answer in the browser's terms. Scripts may ask other hosts, as they could then."""
    status, body = (exchange.status, decoded_body(exchange, most_bytes)) if exchange else (404, b"")
    # Chromium takes bodies only decoded.
    headers = decoded_headers(exchange.headers) if exchange else []
    if exchange is None and request["method"] == "OPTIONS":
        status = 204
    asked = {name.lower(): value for name, value in request["headers"].items()}
    if (origin := asked.get("origin")) and header_of(headers, "access-control-allow-origin") is None:
        headers += [("Access-Control-Allow-Origin", origin), ("Access-Control-Allow-Credentials", "true")]
        if request["method"] == "OPTIONS":
            headers += [
                ("Access-Control-Allow-Methods", asked.get("access-control-request-method", "GET")),
                ("Access-Control-Allow-Headers", asked.get("access-control-request-headers", "")),
            ]
    return {
        "responseCode": status,
        "responsePhrase": _phrase(status),
        "responseHeaders": [{"name": name, "value": value} for name, value in headers],
        "body": base64.b64encode(body).decode("ascii"),
    }


def _is_html(headers: Iterable[tuple[str, str]]) -> bool:
    """Whether an answer says that it is a page, or says nothing."""
    said = header_of(headers, "content-type") or ""
    return said.partition(";")[0].strip().lower() in ("", *PAGES)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
