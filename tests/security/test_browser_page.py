"""A page in the browser: what it loads, where it goes and how long it takes have the same bounds as over HTTP."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator

import brotli  # type: ignore[import-untyped]
import pytest
import pytest_asyncio
from aiohttp import web

from rdfcrawl.engine.fetch.browser.bodies import decoded_body, is_surely_small
from rdfcrawl.engine.fetch.browser.fetcher import BrowserFetcher
from rdfcrawl.engine.fetch.browser.interactions import BrowserLimits
from rdfcrawl.engine.fetch.codings import BodyTooLarge
from rdfcrawl.engine.fetch.session import Exchange, Fetched, FetchFailed, Request
from rdfcrawl.engine.fetch.warc.recorder import WarcRecorder
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.metamodel.model import LinksPage
from tests.sampling import sampled
from tests.serving import serving

PAGE = LinksPage(iri="page://list", path="//a", target="page://list")
MOST = 1_000_000
LIMITS = BrowserLimits(navigation_seconds=8.0, body_bytes=MOST, documents=3)
WAYS = ["recorded", "not recorded"]
HERE = "<main><h1>here</h1></main>"
PAGES = {
    "/large": HERE + "<p>aaaaaaaaa</p>" * 100_000,
    "/loads": HERE + "<script>fetch('/endless').then(r => r.text()).catch(() => document.title = 'refused')</script>",
    "/grows": HERE + "<script>document.body.append('x'.repeat(3e6))</script>",
    "/reloads": HERE + "<script>setInterval(() => location.reload(), 10)</script>",
    "/strays": HERE + "<script>location = 'data:text/html,<main>'</script>",
    "/renames": HERE + "<script>history.pushState(0, '', '/' + 'a'.repeat(50000))</script>",
    "/moves": HERE + "<script>location = '/moved'</script>",
    "/moved": HERE,
    "/fine": HERE,
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site() -> AsyncIterator[str]:
    """A server of bad pages."""

    async def answered(request: web.Request) -> web.StreamResponse:
        if request.path == "/endless":
            response = web.StreamResponse(headers={"Content-Type": "text/plain"})
            await response.prepare(request)
            while True:
                await response.write(b"a" * 100_000)
        if request.path == "/redirects":
            return web.Response(status=302, headers={"Location": "/moved"})
        return web.Response(text=PAGES[request.path], content_type="text/html")

    async with serving(answered) as address:
        yield address


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=WAYS)
async def browser(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[BrowserFetcher]:
    """With an archive, bodies pass through the crawl; without one, they only come to the browser."""
    archive = tmp_path_factory.mktemp("archive") / "run.warc.gz"
    fetcher = BrowserFetcher(
        limits=LIMITS, recorder=WarcRecorder(archive, about={}) if request.param == WAYS[0] else None
    )
    yield fetcher
    await fetcher.close()


async def fetched(browser: BrowserFetcher, request: Request) -> list[Fetched]:
    return [document async for document in browser.open(request)]


async def failure(browser: BrowserFetcher, request: Request) -> FetchFailed:
    with pytest.raises(FetchFailed) as failed:
        await fetched(browser, request)
    return failed.value


only_recorded = pytest.mark.parametrize("browser", sampled(WAYS, WAYS[:1]), ids=WAYS, indirect=True)
"""For what has nothing to do with the way of the bodies."""


class TestSizes:
    @pytest.mark.asyncio(loop_scope="module")
    async def test_a_page_that_is_too_large_is_a_problem(self, site: str, browser: BrowserFetcher) -> None:
        """Its bytes are counted as they come out of the transfer, or as the browser shows it."""
        failed = await failure(browser, Request(f"{site}/large", PAGE))
        assert failed.kind is ProblemKind.LIMIT
        assert "larger than 1,000,000 bytes" in failed.reason

    @pytest.mark.asyncio(loop_scope="module")
    async def test_what_a_script_loads_without_end_is_not_loaded(self, site: str, browser: BrowserFetcher) -> None:
        """The page is read, and says so; neither the browser nor the crawl holds it."""
        (document,) = await fetched(browser, Request(f"{site}/loads", PAGE))
        assert b"here" in document.body
        assert [kind for kind, _ in document.notes] == [ProblemKind.LIMIT]

    @only_recorded
    @pytest.mark.asyncio(loop_scope="module")
    async def test_a_document_that_scripts_make_too_large_is_a_problem(
        self, site: str, browser: BrowserFetcher
    ) -> None:
        """It does not leave the browser."""
        failed = await failure(browser, Request(f"{site}/grows", PAGE))
        assert failed.kind is ProblemKind.LIMIT
        assert failed.reason == "the document in the browser is larger than 1,000,000 bytes"

    @pytest.mark.parametrize(
        ("length", "coding", "is_small"),
        [
            ("1000", None, True),
            ("1000001", None, False),
            ("9" * 5000, None, False),
            ("-1", None, False),
            (None, None, False),
            ("900", "gzip", True),
            ("1000", "gzip", False),
            ("10", "br", False),
            ("10", "gzip, gzip", False),
        ],
    )
    def test_only_what_cannot_be_large_is_asked_for_as_a_whole(
        self, length: str | None, coding: str | None, is_small: bool
    ) -> None:
        """A header says how many bytes are transferred, not how many they become."""
        said = [("Content-Length", length), ("Content-Encoding", coding)]
        assert is_surely_small([(name, value) for name, value in said if value is not None], MOST) is is_small

    @pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
    def test_replayed_bodies_are_counted_after_decompression(self, coding: str) -> None:
        """In whatever coding a folder has them."""
        packed = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress}[coding]
        for size in (MOST, MOST + 1):
            exchange = Exchange("http://h/", "GET", {}, 200, "", (("Content-Encoding", coding),), packed(bytes(size)))
            if size == MOST:
                assert decoded_body(exchange, MOST) == bytes(size)
            else:
                with pytest.raises(BodyTooLarge):
                    decoded_body(exchange, MOST)


class TestWhereAPageLeads:
    @only_recorded
    @pytest.mark.asyncio(loop_scope="module")
    async def test_a_page_that_reloads_itself_for_ever_is_a_problem(self, site: str, browser: BrowserFetcher) -> None:
        """Each new document is one that it was led to, and there are only so many."""

        async def anywhere(_: str) -> None:
            await asyncio.sleep(0)

        failed = await failure(browser, Request(f"{site}/reloads", PAGE, led_to=anywhere))
        assert failed.kind is ProblemKind.LIMIT

    @only_recorded
    @pytest.mark.asyncio(loop_scope="module")
    async def test_a_page_that_turns_into_something_without_an_address_is_a_problem(
        self, site: str, browser: BrowserFetcher
    ) -> None:
        """Its objects would have no names."""
        failed = await failure(browser, Request(f"{site}/renames", PAGE))
        assert failed.kind is ProblemKind.UNREADABLE

    @only_recorded
    @pytest.mark.parametrize("path", ["/moves", "/redirects"])
    @pytest.mark.asyncio(loop_scope="module")
    async def test_redirects_and_scripts_ask_before_they_lead_on(
        self, site: str, browser: BrowserFetcher, path: str
    ) -> None:
        """The host that they lead to has its pace and its robots.txt."""
        asked: list[str] = []

        async def noted(address: str) -> None:
            asked.append(address)

        (document,) = await fetched(browser, Request(f"{site}{path}", PAGE, led_to=noted))
        assert asked == [f"{site}/moved"]
        assert document.address == f"{site}/moved"

    @only_recorded
    @pytest.mark.asyncio(loop_scope="module")
    async def test_where_they_must_not_lead_nothing_is_fetched(self, site: str, browser: BrowserFetcher) -> None:
        """What was refused is what is said of the page."""

        async def refused(address: str) -> None:
            raise FetchFailed(ProblemKind.REFUSED, f"not {address}")

        failed = await failure(browser, Request(f"{site}/redirects", PAGE, led_to=refused))
        assert (failed.kind, failed.reason) == (ProblemKind.REFUSED, f"not {site}/moved")
