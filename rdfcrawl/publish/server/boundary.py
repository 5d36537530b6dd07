"""What every answer carries, and what happens to a request that cannot be answered."""

from __future__ import annotations

import logging
import re
from ipaddress import ip_address
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rdfcrawl.errors import StoreBusy
from rdfcrawl.publish.catalogue.near import name_in, near_objects
from rdfcrawl.publish.data.objects import class_of
from rdfcrawl.publish.web.presentation import Showing
from rdfcrawl.publish.web.site import STRICT_POLICY, Site, render, site_of, wants_page

_SAFE_HEADERS = {
    "Content-Security-Policy": STRICT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
_EXPOSED = {"Access-Control-Expose-Headers": "Link, ETag, Last-Modified, Memento-Datetime, Location"}
_PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Accept, Accept-Datetime, Content-Type, If-None-Match, If-Modified-Since",
    "Access-Control-Max-Age": "86400",
}
_PORT = re.compile(r":[0-9]*$")
_FAILED = "something went wrong here; it was logged"
_BUSY = "the store is being written; try again in a moment"
_NEAR = 6
_LONGEST_ASKED = 2_000
_LOGGED = 300
"""How many characters of a path or a message the log shows."""

_log = logging.getLogger(__name__)


class SafeHeaders:
    """Gives every answer the headers that make hostile content harmless, and answers preflight requests.

    With ``any_host``, answers name the server as the client did, and caches are told so. Scripts of other websites may
    read the answers only where ``origins`` names them, or ``*`` for all.
    """

    def __init__(self, app: ASGIApp, any_host: bool, origins: frozenset[str] = frozenset()) -> None:
        self._app = app
        self._any_host = any_host
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _SAFE_HEADERS.items():
                    headers.setdefault(name, value)
                for name, value in admitted.items():
                    headers[name] = value
                if self._origins - {"*"}:
                    headers.add_vary_header("Origin")
                if self._any_host:
                    headers.add_vary_header("Host")
            await send(message)

        admitted = self._admitted(scope) if scope["type"] == "http" else {}

        if scope["type"] == "http" and scope["method"] == "OPTIONS":
            allowed = _PREFLIGHT_HEADERS if admitted else {}
            await Response(status_code=204, headers=allowed)(scope, receive, send_safely)
        else:
            await self._app(scope, receive, send_safely)

    def _admitted(self, scope: Scope) -> dict[str, str]:
        """The headers that let a script of the website that asks read the answer."""
        if "*" in self._origins:
            return {"Access-Control-Allow-Origin": "*", **_EXPOSED}
        origin = Headers(scope=scope).get("origin", "")
        return {"Access-Control-Allow-Origin": origin, **_EXPOSED} if origin in self._origins else {}


class OwnHosts:
    """Sends browsers that use a foreign name for a server on loopback to the server's own address.

    A website can let its own name lead to this machine, and its scripts would then count as the server's own. To them
    the address that they are sent to is another website's, which they cannot read. Programs, which no website commands,
    are answered under any name.
    """

    def __init__(self, app: ASGIApp, known: frozenset[str]) -> None:
        self._app = app
        self._known = known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        if self._is_own(headers.get("host", "")) or not _may_be_browser(headers):
            await self._app(scope, receive, send)
            return
        host, port = scope["server"]
        own = f"[{host}]" if ":" in host else host
        query = f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else ""
        target = f"http://{own}:{port}{quote(scope['path'])}{query}"
        await RedirectResponse(target, 307)(scope, receive, send)

    def _is_own(self, host: str) -> bool:
        name = _PORT.sub("", host).strip("[]").rstrip(".").lower()
        return not name or name in self._known or name.endswith(".localhost") or is_ip_address(name)


class Boundary:
    """Turns any failure of a request into an answer without details of this machine, and a line in the log."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except ClientDisconnect:
            # There is nobody left to answer.
            return
        except Exception as error:
            request = Request(scope, receive)
            _log.error(
                "%s %s failed: %s", request.method, _shown(scope["path"]), _shown(f"{type(error).__name__}: {error}")
            )
            _log.debug("how it failed", exc_info=error)
            # Of an answer that has begun, the server breaks off the rest, so that nobody takes it for the whole.
            if not begun:
                await _failure(request, error)(scope, receive, send)


def error_answer(request: Request, error: Exception) -> Response:
    """What is wrong with a request, as a page or as plain text."""
    assert isinstance(error, HTTPException)
    headers = {"Vary": "Accept", **(error.headers or {})}
    return _page(request, error.status_code, error.detail, headers)


def _failure(request: Request, error: Exception) -> Response:
    status, message, headers = (500, _FAILED, {})
    if isinstance(error, StoreBusy):
        status, message, headers = (503, _BUSY, {"Retry-After": "5"})
    try:
        return _page(request, status, message, headers)
    except Exception:
        # What has failed may be what the page needs as well.
        return PlainTextResponse(f"{message}\n", status, headers)


def _page(request: Request, status: int, message: str, headers: dict[str, str]) -> Response:
    if not wants_page(request) or request.method not in ("GET", "HEAD"):
        return PlainTextResponse(f"{message}\n", status, headers)
    site = site_of(request)
    with site.snapshots.using() as snapshot:
        missed = _asked_for(request, site) if status == 404 else ""
        near = near_objects(snapshot, missed, _NEAR) if missed else []
        showing = Showing(snapshot, site.addresses)
        context = {
            "status": status,
            "message": message,
            "name": name_in(missed),
            "near": [(showing.object(iri), class_of(snapshot, iri)) for iri in near],
        }
        return render(request, "error.html", snapshot, context, status=status, headers=headers)


def _asked_for(request: Request, site: Site) -> str:
    """The IRI that a request names, or that its path would be."""
    asked = request.query_params.get("iri") or f"{site.root(request)}{request.url.path}"
    return asked[:_LONGEST_ASKED]


def _may_be_browser(headers: Headers) -> bool:
    """Whether a browser may have sent a request: each sends something of this, and no script can keep it from that.

    All take compressed answers, and scripts cannot say otherwise, except by asking for a range.
    """
    said = any(name in headers for name in ("range", "origin", "referer", "cookie", "sec-fetch-site"))
    return said or "gzip" in headers.get("accept-encoding", "") or "mozilla" in headers.get("user-agent", "").lower()


def is_ip_address(name: str) -> bool:
    """Whether a host is named by its address, which nobody else can give a meaning to."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _shown(text: str) -> str:
    """The text as one line, of limited length."""
    return ascii(text[:_LOGGED])[1:-1]
