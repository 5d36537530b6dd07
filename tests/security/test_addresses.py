"""No page leads the crawler into a network where the model is not: by plain HTTP, by a redirect, or in the browser."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.fetch.browser.fetcher import BrowserFetcher
from rdfcrawl.engine.fetch.browser.proxy import GuardedProxy
from rdfcrawl.engine.fetch.guard import AddressGuard, NetworkAccess, is_public
from rdfcrawl.engine.fetch.http.fetcher import HttpFetcher
from rdfcrawl.engine.fetch.session import Fetched, Fetcher, FetchFailed, Request
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import LinksPage
from tests.crawling import unloaded_store
from tests.serving import serving
from tests.thing_site import MODEL

PAGE = LinksPage(iri="page://list", path="//a", target="page://list")
PUBLIC = "93.184.216.34"


@dataclass(slots=True)
class Site:
    """A server on this machine, under the two names that it has: an address and ``localhost``."""

    home: str = ""
    elsewhere: str = ""
    robots: str | None = None
    asked: list[str] = field(default_factory=list)
    seen_headers: list[dict[str, str]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        self.asked.append(f"{request.host.partition(':')[0]}{request.path}")
        self.seen_headers.append(dict(request.headers))
        if target := (self.robots if request.path == "/robots.txt" else request.query.get("to")):
            return web.Response(status=302, headers={"Location": target})
        text = f"<p>here<script>fetch('{self.elsewhere}/stolen').catch(() => 0)</script>"
        return web.Response(text=text, content_type="text/html")


@asynccontextmanager
async def running_site() -> AsyncIterator[Site]:
    """A server that redirects wherever it is told to."""
    running = Site()
    async with serving(running.answer) as running.home:
        running.elsewhere = running.home.replace("127.0.0.1", "localhost")
        yield running


@pytest_asyncio.fixture
async def site() -> AsyncIterator[Site]:
    """One for each test."""
    async with running_site() as running:
        yield running


async def fetch(fetcher: Fetcher, address: str) -> Fetched:
    try:
        return await fetch_only(fetcher, address)
    finally:
        await fetcher.close()


async def fetch_only(fetcher: Fetcher, address: str) -> Fetched:
    (fetched,) = [fetched async for fetched in fetcher.open(Request(address, PAGE))]
    return fetched


def http(guard: AddressGuard) -> HttpFetcher:
    return HttpFetcher(user_agent="rdfcrawl/test", access=NetworkAccess(guard))


@pytest.mark.parametrize(
    "ip",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1%eth0",
        "fc00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "2002:7f00:1::",
        "64:ff9b::10.0.0.1",
        "64:ff9b:1::10.0.0.1",
        "::127.0.0.1",
        "::ffff:0:127.0.0.1",
        "2001:0:53aa:64c:0:0:80ff:fffe",
        "fec0::1",
    ],
)
def test_private_loopback_and_link_local_addresses_are_not_public(ip: str) -> None:
    """In any disguise that IPv6 has for them."""
    assert not is_public(ip)


@pytest.mark.parametrize("ip", ["::ffff:93.184.216.34", "64:ff9b::5db8:d822", "2002:5db8:d822::1"])
def test_translated_addresses_are_not_public_whatever_they_stand_for(ip: str) -> None:
    """Where they lead is decided by a gateway, which may stand in the private network."""
    assert not is_public(ip)


@pytest.mark.parametrize("ip", [PUBLIC, "2606:4700::1111"])
def test_public_addresses_are(ip: str) -> None:
    """Both kinds."""
    assert is_public(ip)


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://site.example/", "gopher://site.example/", "http://"])
def test_only_web_addresses_are_admitted(address: str) -> None:
    """Whatever a page calls a link."""
    with pytest.raises(FetchFailed, match="not an http address") as failed:
        AddressGuard().check(address)
    assert failed.value.kind is ProblemKind.REFUSED


def test_a_name_that_turns_private_is_refused() -> None:
    """A section that was public at first cannot lead inside by resolving to a private address later."""
    guard = AddressGuard(["https://shop.example/list"])
    assert guard.admitted("shop.example", [PUBLIC]) == [PUBLIC]
    with pytest.raises(FetchFailed, match="private network"):
        guard.admitted("shop.example", ["10.0.0.1"])


def test_a_name_with_a_private_address_among_public_ones_keeps_the_public_ones() -> None:
    """Only those are connected to."""
    assert AddressGuard().admitted("shop.example", ["10.0.0.1", PUBLIC]) == [PUBLIC]


def test_a_section_in_a_private_network_is_at_home_there() -> None:
    """The model names it; its neighbours it does not name."""
    guard = AddressGuard(["http://intranet.example./"])
    assert guard.admitted("Intranet.example", ["10.0.0.1"]) == ["10.0.0.1"]
    with pytest.raises(FetchFailed, match="--allow-private"):
        guard.admitted("payroll.example", ["10.0.0.2"])


async def test_a_section_on_this_machine_is_read(site: Site) -> None:
    """It is there that the model is."""
    fetched = await fetch(http(AddressGuard([site.home])), f"{site.home}/a")
    assert fetched.status == 200


@pytest.mark.parametrize(
    "spelling",
    [
        "localhost",
        "0x7f000001",
        "2130706433",
        "127.1",
        "0177.0.0.1",
        "127。0。0。1",
        "[::1]",
        "[::ffff:7f00:1]",
        "user@127.1",
    ],
)
async def test_a_private_host_is_not_even_connected_to(site: Site, spelling: str) -> None:
    """However its address is written."""
    address = site.home.replace("127.0.0.1", spelling)
    with pytest.raises(FetchFailed, match="private network") as failed:
        await fetch(http(AddressGuard(["https://shop.example/"])), f"{address}/secret")
    assert not failed.value.transient
    assert site.asked == []


@pytest.mark.parametrize("spelling", ["0x7f000001", "2130706433", "127.1", "127。0。0。1"])
def test_the_guard_itself_recognises_numbers(spelling: str) -> None:
    """No library below has to."""
    with pytest.raises(FetchFailed, match="private network"):
        AddressGuard(["https://shop.example/"]).check(f"http://{spelling}/")


async def test_a_section_whose_host_is_a_number_is_read(site: Site) -> None:
    """It is at home where the number leads."""
    home = site.home.replace("127.0.0.1", "2130706433")
    fetched = await fetch(http(AddressGuard([home])), f"{home}/a")
    assert fetched.address == f"{site.home}/a"


@pytest.mark.parametrize(
    "link", ["http://a..b/", "http://" + "a" * 64 + ".example/", "http://a%3Ab:x@{}/", "http://€:x@{}/"]
)
async def test_a_host_or_user_that_no_request_can_name_is_a_problem_of_its_page(site: Site, link: str) -> None:
    """What the libraries below raise for them is no reason to end a run."""
    address = link.format(site.home.removeprefix("http://"))
    with pytest.raises(FetchFailed, match="not an http address") as failed:
        await fetch(http(AddressGuard([site.home])), address)
    assert not failed.value.transient


async def test_a_redirect_into_a_private_network_is_not_followed(site: Site) -> None:
    """Each step is checked like a link."""
    with pytest.raises(FetchFailed, match="private network"):
        await fetch(http(AddressGuard([site.home])), f"{site.home}/a?to={site.elsewhere}/secret")
    assert site.asked == ["127.0.0.1/a"]


async def test_private_networks_can_be_allowed(site: Site) -> None:
    """By whoever runs the crawler, not by the model."""
    guard = AddressGuard([site.home], allow_private=True)
    fetched = await fetch(http(guard), f"{site.home}/a?to={site.elsewhere}/b")
    assert fetched.address == f"{site.elsewhere}/b"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_site() -> AsyncIterator[Site]:
    """One for all tests in the browser, of which each asks for pages of its own."""
    async with running_site() as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(shared_site: Site) -> AsyncIterator[BrowserFetcher]:
    """The browser of a run whose section is on this machine."""
    fetcher = BrowserFetcher(access=NetworkAccess(AddressGuard([shared_site.home])))
    yield fetcher
    await fetcher.close()


class TestInTheBrowser:
    """Chromium is led nowhere else either."""

    @pytest.mark.asyncio(loop_scope="module")
    async def test_no_redirect_is_followed_into_a_private_network(
        self, shared_site: Site, browser: BrowserFetcher
    ) -> None:
        """The reason is the same as over HTTP."""
        shared_site.asked.clear()
        with pytest.raises(FetchFailed, match="private network") as failed:
            await fetch_only(browser, f"{shared_site.home}/b?to={shared_site.elsewhere}/secret")
        assert failed.value.kind is ProblemKind.REFUSED
        assert shared_site.asked == ["127.0.0.1/b"]

    @pytest.mark.asyncio(loop_scope="module")
    async def test_a_section_on_this_machine_is_read_but_its_scripts_reach_nothing_else(
        self, shared_site: Site, browser: BrowserFetcher
    ) -> None:
        """Chromium resolves no name itself; what it asks for is checked where it is connected to."""
        shared_site.asked.clear()
        fetched = await fetch_only(browser, f"{shared_site.home}/a")
        assert b"here" in fetched.body
        assert set(shared_site.asked) <= {"127.0.0.1/a", "127.0.0.1/favicon.ico"}

    @pytest.mark.asyncio(loop_scope="module")
    async def test_a_place_that_is_refused_is_not_the_reason_of_another(
        self, shared_site: Site, browser: BrowserFetcher
    ) -> None:
        """A script of the first page asks for a private address; the second page is only not there."""
        with closing(socket.create_server(("127.0.0.1", 0))) as probe:
            closed = probe.getsockname()[1]
        await fetch_only(browser, f"{shared_site.home}/c")
        with pytest.raises(FetchFailed) as failed:
            await fetch_only(browser, f"http://127.0.0.1:{closed}/b")
        with pytest.raises(FetchFailed) as refused:
            await fetch_only(browser, f"{shared_site.elsewhere}/d")
        assert failed.value.kind is ProblemKind.UNREACHABLE
        assert failed.value.transient
        assert f"127.0.0.1:{closed}" in failed.value.reason
        assert refused.value.kind is ProblemKind.REFUSED
        assert "localhost" in refused.value.reason


@pytest.mark.parametrize(
    "hello", [b"\x04\x01", b"GET / HTTP/1.1\r\n\r\n", b"\x05\x01\x00\x05\x02\x00\x01\x7f\x00\x00\x01\x00\x50", b"\x05"]
)
async def test_the_way_out_speaks_nothing_but_socks(hello: bytes) -> None:
    """Whatever else comes gets no connection."""
    proxy = GuardedProxy(AddressGuard(), 1.0)
    reader, writer = await asyncio.open_connection("127.0.0.1", await proxy.start())
    writer.write(hello)
    writer.write_eof()
    answer = await reader.read()
    assert not answer.startswith(b"\x05\x00\x05\x00")
    writer.close()
    await proxy.close()


async def test_a_robots_txt_that_leads_into_a_private_network_is_not_read(site: Site, tmp_path: Path) -> None:
    """It is checked like any page, and until it is known nothing is allowed."""
    model = tmp_path / "model.ttl"
    model.write_text(MODEL.format(site=site.home, extra=""))
    site.robots = f"{site.elsewhere}/rules"
    options = RunOptions(engine=Engine.HTTP, record=False)
    report = await run_model(load_model(model), unloaded_store(tmp_path / "store"), options)
    assert report.record.counts.problems == {"refused": 1}
    assert site.asked == ["127.0.0.1/robots.txt"]


FORMS = [
    "2130706434",
    "127.2",
    "0177.0.0.2",
    "127.0.2",
    "0x7f.2",
    "127.000.000.002",
    "127。0。0。2",
    "[::ffff:127.0.0.2]",
    "[::ffff:7f00:2]",
    "[64:ff9b::7f00:2]",
    "[2002:7f00:2::]",
    "127.0.0.2",
    "user@127.2",
]


@pytest.mark.parametrize("form", FORMS)
def test_an_ip_address_is_recognised_however_it_is_spelt(form: str) -> None:
    """The section is at another address of the same network."""
    with pytest.raises(FetchFailed, match="private network"):
        AddressGuard(["http://127.0.0.1/"]).check(f"http://{form}/")


@pytest.mark.parametrize("form", ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]"])
async def test_what_is_connected_to_is_checked_again(site: Site, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that no resolver is asked about, and that was not recognised before, is refused by its socket."""
    guard = AddressGuard(["http://section.example/"])
    monkeypatch.setattr(guard, "check", lambda address: None)
    port = site.home.rpartition(":")[2]
    with pytest.raises(FetchFailed) as failed:
        await fetch(http(guard), f"http://{form}:{port}/")
    assert failed.value.kind is ProblemKind.REFUSED
    assert not site.asked


async def test_several_addresses_of_one_name_are_all_checked(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the library races them."""
    guard = AddressGuard(["http://section.example/"])

    async def believed(host: str, found: list[str]) -> list[str]:
        return found

    monkeypatch.setattr(guard, "resolved", believed)
    with pytest.raises(FetchFailed) as failed:
        await fetch(http(guard), f"{site.elsewhere}/")
    assert failed.value.kind is ProblemKind.REFUSED
    assert not site.asked
