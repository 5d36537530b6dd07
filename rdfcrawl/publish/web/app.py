"""The server: which address is answered by whom, and what every answer carries."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from rdfcrawl.errors import RdfcrawlError, UsageError
from rdfcrawl.publish.catalogue.keeping import prepare
from rdfcrawl.publish.catalogue.preparing import Preparation, Say
from rdfcrawl.publish.data.objects import node_of
from rdfcrawl.publish.data.snapshot import Snapshots
from rdfcrawl.publish.kept.picture import picture
from rdfcrawl.publish.kept.raster import PictureSource
from rdfcrawl.publish.people import pages as people
from rdfcrawl.publish.runs import pages as runs
from rdfcrawl.publish.runs.problems import problems_page
from rdfcrawl.publish.server.boundary import Boundary, OwnHosts, SafeHeaders, error_answer
from rdfcrawl.publish.server.lanes import FairTurns
from rdfcrawl.publish.sparql import protocol as sparql
from rdfcrawl.publish.sparql.saved import SavedQueries
from rdfcrawl.publish.sparql.saved_page import saved_query
from rdfcrawl.publish.surveys.desk import SurveyDesk
from rdfcrawl.publish.surveys.map_page import map_page
from rdfcrawl.publish.surveys.page import survey_page
from rdfcrawl.publish.tables.downloads import class_csv, class_json, class_parquet
from rdfcrawl.publish.tables.page import class_table
from rdfcrawl.publish.web import dataset, dumps, feeds, ldes, memento, pages
from rdfcrawl.publish.web import resources as linked
from rdfcrawl.publish.web.addresses import Addresses
from rdfcrawl.publish.web.site import HERE, UNTITLED, Site
from rdfcrawl.publish.why import page as why
from rdfcrawl.publish.why.telling import Teller
from rdfcrawl.store.folder import Store
from rdfcrawl.store.query.answer import MIB, QueryLimits

FOLLOW_SECONDS = 1.0
DEFAULT_LIMITS = QueryLimits(seconds=30.0, rows=100_000, memory=1024 * MIB)
_ORIGIN = re.compile(r"https?://[^/?#\s@]+")
_log = logging.getLogger(__name__)


class RunNumber(Convertor[int]):
    """The number of a run in a path; Python refuses to read numbers of thousands of digits."""

    regex = "[0-9]{1,15}"

    def convert(self, value: str) -> int:
        """From the path."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Into a path."""
        return str(value)


register_url_convertor("run", RunNumber())


def create_app(
    store: Store,
    *,
    base: str | None = None,
    limits: QueryLimits = DEFAULT_LIMITS,
    title: str = UNTITLED,
    origins: Collection[str] = (),
    loopback: bool = False,
    pictures: PictureSource | None = None,
    say: Say = lambda _: None,
) -> Starlette:
    """The application that publishes a store. ``base`` is the start of the IRIs that the server is the home of.

    ``origins`` are the websites whose scripts may read it. On ``loopback`` it answers under its own names only. With
    ``pictures``, those that objects name are shown. What takes long is told to ``say``.
    """
    if base is not None and (node_of(base) is None or not base.startswith(("http://", "https://"))):
        raise UsageError(f"--base {base} is not an address; it must be like http://data.example.org/")
    name = " ".join(title.split()) or UNTITLED
    site = Site(Snapshots(store, prepare), Addresses(base), limits, name, SavedQueries(store.folder), pictures)
    app = Starlette(
        routes=_routes(),
        middleware=[
            Middleware(SafeHeaders, any_host=site.addresses.root is None, origins=_checked(origins)),
            *([Middleware(OwnHosts, known=_own_names(base))] if loopback else []),
            Middleware(Boundary),
            Middleware(FairTurns),
            Middleware(GZipMiddleware, minimum_size=1000),
        ],
        exception_handlers={HTTPException: error_answer},
        lifespan=_lifespan,
    )
    app.state.site = site
    app.state.surveys = SurveyDesk()
    app.state.preparation = Preparation(site.snapshots, say)
    app.state.teller = Teller(store.folder)
    return app


def _checked(origins: Collection[str]) -> frozenset[str]:
    for origin in origins:
        if origin != "*" and not _ORIGIN.fullmatch(origin):
            raise UsageError(f"--allow-origin {origin} is not an origin: it must be like https://app.example.org, or *")
    return frozenset(origins)


def _own_names(base: str | None) -> frozenset[str]:
    return frozenset({"localhost", urlsplit(base or "").hostname or "localhost"})


def _routes() -> list[Route | Mount]:
    return [
        Route("/", pages.home),
        Route("/.well-known/void", dataset.well_known),
        Route("/current.nt.gz", dumps.current),
        Route("/robots.txt", _robots),
        Route("/sparql", sparql.sparql, methods=["GET", "POST"]),
        Route("/sparql/changes", sparql.sparql, methods=["GET", "POST"]),
        Route("/query/{name}", saved_query),
        Route("/resource", linked.resource),
        Route("/page", linked.page),
        Route("/data", linked.data),
        Route("/data.{suffix}", linked.data),
        Route("/value", linked.value),
        Route("/picture", picture),
        Route("/why", why.why),
        Route("/why/page", why.framed),
        Route("/class", class_table),
        Route("/class.csv", class_csv),
        Route("/class.json", class_json),
        Route("/class.parquet", class_parquet),
        Route("/search", pages.search_page),
        Route("/people", people.index),
        Route("/person", people.person),
        Route("/diff", runs.diff_page),
        Route("/model/{run:run}", runs.model_text),
        Route("/run/{run:run}", runs.run_page),
        Route("/run/{run:run}/problems", problems_page),
        Route("/run/{run:run}/survey", survey_page),
        Route("/run/{run:run}/sitemap", map_page),
        Route("/run/{run:run}/resource", linked.in_run),
        Route("/run/{run:run}/dump.nq.gz", dumps.dump),
        Route("/run/{run:run}/patch", dumps.patch),
        Route("/timegate", memento.timegate),
        Route("/timegate/{address:path}", memento.timegate),
        Route("/timemap", memento.timemap),
        Route("/timemap/link/{address:path}", memento.timemap),
        Route("/feed.atom", feeds.feed),
        Route("/ldes", ldes.stream),
        Route("/ldes/{run:run}", ldes.fragment),
        Mount("/static", StaticFiles(directory=HERE / "static")),
        Route("/{path:path}", linked.own),
    ]


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    site: Site = app.state.site
    app.state.queue = sparql.Queue()
    app.state.preparation.start()
    following = asyncio.create_task(_follow(site))
    try:
        yield
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following
        app.state.queue.close()
        app.state.surveys.close()
        await asyncio.to_thread(app.state.preparation.stop)
        site.snapshots.close()


async def _follow(site: Site) -> None:
    """Pick up finished runs; a failure there does not affect readers of the current state."""
    while True:
        await asyncio.sleep(FOLLOW_SECONDS)
        try:
            if await asyncio.to_thread(site.snapshots.follow):
                _log.info("now serving a new state of the store")
        except (RdfcrawlError, OSError) as error:
            _log.warning("the store could not be read again: %s", error)


def _robots(_: Request) -> Response:
    closed = ("/sparql", "/query/", "/diff", "/current.nt.gz", "/run/", "/why")
    return PlainTextResponse("User-agent: *\n" + "".join(f"Disallow: {path}\n" for path in closed))
