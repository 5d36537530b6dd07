"""Pages over plain HTTP, from a real server."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import brotli  # type: ignore[import-untyped]
import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer, unused_port

from rdfcrawl.engine.fetch.answers import retry_after
from rdfcrawl.engine.fetch.http.fetcher import HttpFetcher
from rdfcrawl.engine.fetch.session import Exchange, Fetched, FetchFailed, Request
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.metamodel.model import LinksPage

PAGE = LinksPage(iri="page://list", path="//a", target="page://list")
BODY = "<p>Müsli</p>".encode()

PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "gzip, br": lambda body: brotli.compress(gzip.compress(body)),
    "utf-8": bytes,
}

Get = Callable[..., Awaitable[Fetched]]


class Site:
    """What the server was asked, and the event that lets its slow answers go."""

    def __init__(self) -> None:
        self.requests: list[web.Request] = []
        self.go_on = asyncio.Event()


@pytest_asyncio.fixture
async def site() -> Site:
    """What the server notes."""
    return Site()


@pytest_asyncio.fixture
async def server(site: Site) -> AsyncIterator[TestServer]:
    """A server on the loopback interface."""

    async def hello(request: web.Request) -> web.Response:
        site.requests.append(request)
        return web.Response(body=BODY, content_type="text/html", charset="utf-8")

    async def redirect(request: web.Request) -> web.Response:
        response = web.Response(status=302, headers={"Location": request.query.get("to", request.path)})
        response.set_cookie("seen", "yes")
        return response

    async def status(request: web.Request) -> web.Response:
        return web.Response(status=int(request.match_info["status"]), headers=dict(request.query))

    async def packed(request: web.Request) -> web.Response:
        kind = request.match_info["kind"]
        content = PACKED[kind](BODY)
        cut = len(content) - int(request.query.get("cut", "0"))
        headers = {"Content-Encoding": kind, "Content-Type": "text/html"}
        return web.Response(body=content[:cut], headers=headers, status=int(request.query.get("status", "200")))

    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        try:
            while True:
                await response.write(b"x" * 65536)
        except ConnectionError:
            return response

    async def slow(request: web.Request) -> web.Response:
        await site.go_on.wait()
        return web.Response()

    async def broken(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b"<p>")
        assert request.transport is not None
        request.transport.close()
        return response

    app = web.Application()
    app.add_routes(
        [
            web.get("/redirect", redirect),
            web.get("/round", redirect),
            web.get("/status/{status}", status),
            web.get("/packed/{kind}", packed),
            web.get("/endless", endless),
            web.get("/slow", slow),
            web.get("/broken", broken),
            web.get("/{path:.*}", hello),
        ]
    )
    running = TestServer(app)
    async with running:
        yield running
        site.go_on.set()


@pytest_asyncio.fixture
async def get(server: TestServer) -> AsyncIterator[Get]:
    """Fetches a path from the server; all fetches of a test are those of one run."""
    fetchers: dict[RunLimits, HttpFetcher] = {}

    async def fetch(path: str, limits: RunLimits | None = None) -> Fetched:
        chosen = limits or RunLimits()
        fetcher = fetchers.setdefault(chosen, HttpFetcher(user_agent="rdfcrawl/test", limits=chosen))
        address = path if "://" in path else f"http://127.0.0.1:{server.port}{path}"
        (fetched,) = [fetched async for fetched in fetcher.open(Request(address, PAGE))]
        return fetched

    yield fetch
    for fetcher in fetchers.values():
        await fetcher.close()


async def test_a_page_comes_with_its_address_and_its_type(get: Get, server: TestServer, site: Site) -> None:
    """Body, status and header names in lower case; the crawler says who it is."""
    fetched = await get("/a?x=1")
    assert (fetched.address, fetched.status) == (f"http://127.0.0.1:{server.port}/a?x=1", 200)
    assert fetched.content_type == "text/html; charset=utf-8"
    assert fetched.body == BODY
    assert not fetched.rendered
    assert site.requests[0].headers["User-Agent"] == "rdfcrawl/test"


@pytest.mark.parametrize("path", ["/a%20b/%C3%BC", "/a%2Fb", "/a?q=%2B%26+x&r=a,b", "/x@y;z='1'", "/%7Ea"])
async def test_addresses_are_asked_for_as_the_link_said(get: Get, site: Site, path: str) -> None:
    """No escape is added, removed or changed."""
    fetched = await get(path)
    assert site.requests[0].raw_path == path
    assert fetched.address.endswith(path)


async def test_fragments_are_not_sent_and_do_not_come_back(get: Get, site: Site) -> None:
    """The final address is that of the document."""
    fetched = await get("/a#part")
    assert site.requests[0].raw_path == "/a"
    assert fetched.address.endswith("/a")


async def test_redirects_are_followed_to_the_final_address(get: Get, server: TestServer) -> None:
    """The address that came back is the last one, without fragment."""
    fetched = await get("/redirect?to=/final%23part")
    assert fetched.address == f"http://127.0.0.1:{server.port}/final"


async def test_cookies_live_as_long_as_the_run(get: Get, site: Site) -> None:
    """What one page sets, later pages send."""
    await get("/before")
    await get("/redirect?to=/after")
    await get("/later")
    assert [request.cookies.get("seen") for request in site.requests] == [None, "yes", "yes"]


async def test_connections_are_kept(get: Get, site: Site) -> None:
    """Several pages come over one connection."""
    for path in ("/a", "/b", "/c"):
        await get(path)
    assert len({request.transport for request in site.requests}) == 1


@pytest.mark.parametrize("kind", PACKED)
async def test_compressed_answers_are_unpacked(get: Get, kind: str) -> None:
    """The body is the page, however it travelled."""
    assert (await get(f"/packed/{kind}")).body == BODY


@pytest.mark.parametrize("kind", ["gzip", "deflate", "br"])
async def test_a_compressed_answer_that_is_cut_off_is_no_page(get: Get, kind: str) -> None:
    """Also if its announced length is that of the part that came; what is missing would count as removed."""
    with pytest.raises(FetchFailed, match="cut off") as failed:
        await get(f"/packed/{kind}?cut=12")
    assert failed.value.kind is ProblemKind.UNREACHABLE
    assert failed.value.transient


async def test_of_an_error_the_status_is_enough(get: Get) -> None:
    """Its page may be cut off."""
    with pytest.raises(FetchFailed) as failed:
        await get("/packed/gzip?cut=12&status=404")
    assert failed.value.kind is ProblemKind.GONE


@pytest.mark.parametrize("status", [404, 410])
async def test_a_page_that_is_not_there_is_gone(get: Get, status: int) -> None:
    """For certain, so that trying again would be in vain."""
    with pytest.raises(FetchFailed) as failed:
        await get(f"/status/{status}")
    assert failed.value.kind is ProblemKind.GONE
    assert not failed.value.transient


@pytest.mark.parametrize(
    ("status", "transient"), [(401, False), (403, False), (408, True), (429, True), (500, True), (503, True)]
)
async def test_errors_are_worth_another_try_or_not(get: Get, status: int, transient: bool) -> None:
    """What the server cannot do now it may do later; what it refuses it will refuse again."""
    with pytest.raises(FetchFailed, match=str(status)) as failed:
        await get(f"/status/{status}")
    assert failed.value.kind is ProblemKind.UNREACHABLE
    assert failed.value.transient is transient


@pytest.mark.parametrize("part", ["bytes 0-9/20", "bytes 5-19/20", "bytes 0-9/*"])
async def test_a_part_that_nobody_asked_for_is_no_page(get: Get, part: str) -> None:
    """What it leaves out would count as removed."""
    with pytest.raises(FetchFailed, match="206, with only a part of the page") as failed:
        await get(f"/status/206?Content-Range={part}")
    assert failed.value.kind is ProblemKind.UNREACHABLE
    assert failed.value.transient


@pytest.mark.parametrize("part", ["bytes 0-19/20", "", "whatever", f"bytes 0-{'9' * 5000}/20"])
async def test_some_caches_send_a_whole_page_as_a_part(get: Get, part: str) -> None:
    """It is read."""
    assert (await get(f"/status/206?Content-Range={part}")).status == 206


async def test_the_server_says_when_to_come_back(get: Get) -> None:
    """Its wish travels with the failure."""
    with pytest.raises(FetchFailed) as failed:
        await get("/status/503?Retry-After=7")
    assert failed.value.retry_after == 7.0


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("12", 12.0),
        (" 0 ", 0.0),
        ("-1", None),
        ("soon", None),
        ("²", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 -0000", 0.0),
    ],
)
def test_retry_after_is_read_in_both_its_forms(header: str | None, seconds: float | None) -> None:
    """Seconds or a date; a date that is over means now, and anything else nothing."""
    assert retry_after(header) == seconds


def test_retry_after_counts_to_a_date() -> None:
    """A date that is to come is that far away."""
    seconds = retry_after(format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True))
    assert seconds is not None
    assert 0 < seconds <= 3600


async def test_a_body_that_is_too_large_is_not_read_to_its_end(get: Get) -> None:
    """A limit is a problem of the page, and not one that would go away."""
    with pytest.raises(FetchFailed, match="larger than 100,000 bytes") as failed:
        await get("/endless", RunLimits(body_bytes=100_000))
    assert failed.value.kind is ProblemKind.LIMIT
    assert not failed.value.transient


async def test_an_answer_that_does_not_come_in_time_is_given_up(get: Get) -> None:
    """Another try may help."""
    with pytest.raises(FetchFailed, match=r"no complete answer within 0\.05 seconds") as failed:
        await get("/slow", RunLimits(response_seconds=0.05))
    assert failed.value.transient


async def test_an_answer_that_breaks_off_is_no_page(get: Get) -> None:
    """Half a page is never taken for a whole one."""
    with pytest.raises(FetchFailed, match="broke off") as failed:
        await get("/broken")
    assert failed.value.transient


async def test_a_server_that_is_not_there_is_named(get: Get) -> None:
    """Host and port stand in the reason."""
    port = unused_port()
    with pytest.raises(FetchFailed, match=rf"no connection to 127\.0\.0\.1:{port}") as failed:
        await get(f"http://127.0.0.1:{port}/")
    assert failed.value.transient


async def test_redirects_in_circles_end(get: Get) -> None:
    """They are followed a limited number of times."""
    with pytest.raises(FetchFailed, match="more than 3 redirects") as failed:
        await get("/round", RunLimits(redirects=3))
    assert not failed.value.transient


@pytest.mark.parametrize("target", ["mailto:a@site.example", "http://", "http://[/"])
async def test_redirects_to_nowhere_are_problems(get: Get, target: str) -> None:
    """A redirect that leads to no web address ends there."""
    with pytest.raises(FetchFailed, match="not an http address") as failed:
        await get(f"/redirect?to={target}")
    assert not failed.value.transient


async def test_every_step_is_recorded(server: TestServer) -> None:
    """Redirects and the final answer, with the headers as they came, in the order in which they happened."""
    recorded: list[Exchange] = []

    class List:
        def record(self, exchange: Exchange) -> None:
            recorded.append(exchange)

    fetcher = HttpFetcher(user_agent="rdfcrawl/test", recorder=List())
    site = f"http://127.0.0.1:{server.port}"
    address = f"{site}/redirect?to=/final"
    assert [fetched.address async for fetched in fetcher.open(Request(address, PAGE))] == [f"{site}/final"]
    await fetcher.close()
    assert [(exchange.status, exchange.address) for exchange in recorded] == [(302, address), (200, f"{site}/final")]
    assert recorded[1].body == BODY
