"""The server: which address is answered by whom, and what every answer carries."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rdfcrawl.errors import RdfcrawlError, UsageError
from rdfcrawl.publish.data import classes
from rdfcrawl.publish.data.objects import node_of
from rdfcrawl.publish.data.snapshot import Snapshots
from rdfcrawl.publish.sparql import protocol as sparql
from rdfcrawl.publish.web import dataset, dumps, feeds, ldes, memento, pages
from rdfcrawl.publish.web import resources as linked
from rdfcrawl.publish.web.addresses import Addresses
from rdfcrawl.publish.web.site import HERE, STRICT_POLICY, Site, render, site_of, wants_page
from rdfcrawl.store.folder import Store
from rdfcrawl.store.query.answer import MIB, QueryLimits

FOLLOW_SECONDS = 1.0
DEFAULT_LIMITS = QueryLimits(seconds=30.0, rows=100_000, memory=1024 * MIB)
_log = logging.getLogger(__name__)

_SAFE_HEADERS = {
    "Content-Security-Policy": STRICT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Link, ETag, Last-Modified, Memento-Datetime, Location",
}
_PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Methods": "GET, HEAD, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Accept, Accept-Datetime, Content-Type, If-None-Match, If-Modified-Since",
    "Access-Control-Max-Age": "86400",
}


def create_app(
    store: Store, *, base: str | None = None, limits: QueryLimits = DEFAULT_LIMITS, title: str = "rdfcrawl"
) -> Starlette:
    """The application that publishes a store. ``base`` is the start of the IRIs that the server is the home of."""
    if base is not None and (node_of(base) is None or not base.startswith(("http://", "https://"))):
        raise UsageError(f"--base {base} is no address: it must be like http://data.example.org/")
    site = Site(Snapshots(store, classes.prepare), Addresses(base), limits, title)
    app = Starlette(
        routes=_routes(),
        middleware=[Middleware(SafeHeaders), Middleware(GZipMiddleware, minimum_size=1000)],
        exception_handlers={HTTPException: _error, RdfcrawlError: _trouble, Exception: _failure},
        lifespan=_lifespan,
    )
    app.state.site = site
    return app


def _routes() -> list[Route | Mount]:
    return [
        Route("/", pages.home),
        Route("/.well-known/void", dataset.well_known),
        Route("/robots.txt", _robots),
        Route("/sparql", sparql.sparql, methods=["GET", "POST"]),
        Route("/sparql/changes", sparql.sparql, methods=["GET", "POST"]),
        Route("/resource", linked.resource),
        Route("/page", linked.page),
        Route("/data", linked.data),
        Route("/data.{suffix}", linked.data),
        Route("/value", linked.value),
        Route("/class", pages.class_table),
        Route("/search", pages.search_page),
        Route("/diff", pages.diff_page),
        Route("/model/{run:int}", pages.model_text),
        Route("/run/{run:int}", pages.run_page),
        Route("/run/{run:int}/resource", linked.in_run),
        Route("/run/{run:int}/dump.nq.gz", dumps.dump),
        Route("/run/{run:int}/patch", dumps.patch),
        Route("/timegate", memento.timegate),
        Route("/timemap", memento.timemap),
        Route("/feed.atom", feeds.feed),
        Route("/ldes", ldes.stream),
        Route("/ldes/{run:int}", ldes.fragment),
        Mount("/static", StaticFiles(directory=HERE / "static")),
        Route("/{path:path}", linked.own),
    ]


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    site: Site = app.state.site
    app.state.queue = sparql.Queue()
    following = asyncio.create_task(_follow(site))
    try:
        yield
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following
        site.snapshots.close()


async def _follow(site: Site) -> None:
    """Take up finished runs; trouble with that is no trouble for the readers of what is there."""
    while True:
        await asyncio.sleep(FOLLOW_SECONDS)
        try:
            if await asyncio.to_thread(site.snapshots.follow):
                _log.info("took up a new state of the store")
        except (RdfcrawlError, OSError) as error:
            _log.warning("the store could not be read again: %s", error)


class SafeHeaders:
    """Gives every answer the headers that make hostile content harmless, and answers preflight requests."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _SAFE_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if scope["type"] == "http" and scope["method"] == "OPTIONS":
            await Response(status_code=204, headers=_PREFLIGHT_HEADERS)(scope, receive, send_safely)
        else:
            await self._app(scope, receive, send_safely)


def _robots(_: Request) -> Response:
    return PlainTextResponse("User-agent: *\nDisallow: /sparql\nDisallow: /diff\nDisallow: /run/\n")


def _error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = {"Vary": "Accept", **(error.headers or {})}
    return _error_page(request, error.status_code, error.detail, headers)


def _trouble(request: Request, error: Exception) -> Response:
    return _error_page(request, 500, str(error), {})


def _failure(request: Request, error: Exception) -> Response:
    _log.error("%s failed", request.url.path, exc_info=error)
    return PlainTextResponse("something went wrong here; it was logged\n", 500)


def _error_page(request: Request, status: int, message: str, headers: dict[str, str]) -> Response:
    if not wants_page(request) or request.method not in ("GET", "HEAD"):
        return PlainTextResponse(f"{message}\n", status, headers)
    with site_of(request).snapshots.using() as snapshot:
        context = {"status": status, "message": message}
        return render(request, "error.html", snapshot, context, status=status, headers=headers)
