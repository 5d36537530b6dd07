"""Secrets that a model names: sent by its own pages to their own origin, to nobody else, and written down nowhere."""

from __future__ import annotations

import gzip
import zlib
from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import web
from yarl import URL

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.progress import Silent
from rdfcrawl.engine.fetch.browser.fetcher import BrowserFetcher
from rdfcrawl.engine.fetch.guard import AddressGuard, NetworkAccess
from rdfcrawl.engine.fetch.http.cookies import SiteCookies
from rdfcrawl.engine.fetch.http.fetcher import HttpFetcher
from rdfcrawl.engine.fetch.http.following import RequestBounds
from rdfcrawl.engine.fetch.session import Fetcher, Request
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.engine.secrets import credentials_of
from rdfcrawl.errors import ModelError, UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import LinksPage, Section
from tests.commands import Command
from tests.crawling import unloaded_store
from tests.sampling import sampled
from tests.serving import serving
from tests.thing_site import thing_site

TERMS = '; :header "X-Token: env:RDFCRAWL_SECRET_TOKEN" ; :cookie "session=env:RDFCRAWL_SECRET_SESSION" '
TOKEN, SESSION = "token-5f3c9a", "session-81b2de"


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of whoever runs the model."""
    monkeypatch.setenv("RDFCRAWL_SECRET_TOKEN", TOKEN)
    monkeypatch.setenv("RDFCRAWL_SECRET_SESSION", SESSION)


def written(folder: Path) -> bytes:
    """Everything that is in the files of a folder, unpacked."""
    contents = []
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            contents.append(content)
            if path.suffix == ".gz":
                contents.append(gzip.decompress(content))
    return b"".join(contents)


@pytest.mark.parametrize("engine", [Engine.HTTP, Engine.BROWSER])
async def test_secrets_go_to_their_origin_only_and_stay_in_no_file(tmp_path: Path, engine: Engine) -> None:
    """Every page of the section's origin gets them, robots.txt included; a redirect to another name of it does not."""
    async with thing_site(2) as site:
        elsewhere = site.address.replace("127.0.0.1", "localhost")
        site.answers["/thing/1"] = [web.Response(status=302, headers={"Location": f"{elsewhere}/thing/0"})]
        store = unloaded_store(tmp_path / "store")
        options = RunOptions(engine=engine, allow_private=True)
        await run_model(site.model(tmp_path, TERMS), store, options, observer=Silent())
        assert {asked.path for asked in site.log} >= {"/robots.txt", "/list", "/thing/0", "/thing/1"}
    for asked in site.log:
        is_own = asked.headers["Host"].startswith("127.0.0.1")
        assert asked.headers.get("X-Token") == (TOKEN if is_own else None), asked
        assert (SESSION in asked.headers.get("Cookie", "")) is is_own, asked
    kept = written(store.folder)
    assert b"/thing/0" in kept
    assert b"RDFCRAWL_SECRET_TOKEN" in kept
    assert TOKEN.encode() not in kept
    assert SESSION.encode() not in kept


@dataclass(slots=True)
class Sites:
    """A shop that has a section with a secret, and a site of strangers; each keeps a log of who sent what."""

    shop: str = ""
    evil: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    seen: dict[str, list[str | None]] = field(default_factory=lambda: defaultdict(list))

    async def answer(self, request: web.Request) -> web.Response:
        """A page as it is given, with {shop} and {evil} in place; one that is an address is a redirect there."""
        site = "shop" if f"http://{request.host}" == self.shop else "evil"
        self.seen[f"{site}{request.path}"].append(request.headers.get("X-Token"))
        text = self.pages.get(f"{site}{request.path}", DONE).replace("{shop}", self.shop).replace("{evil}", self.evil)
        if text.startswith("http"):
            return web.Response(status=307, headers={"Location": text})
        return web.Response(text=f"<!DOCTYPE html><body>{text}", content_type="text/html")

    def access(self) -> NetworkAccess:
        """What a run of the shop's section may do."""
        return NetworkAccess(AddressGuard(allow_private=True), {self.shop: {"X-Token": TOKEN}})


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def both_sites() -> AsyncIterator[Sites]:
    """Both of them, on ports of this machine."""
    running = Sites()
    async with serving(running.answer) as running.shop, serving(running.answer) as running.evil:
        yield running


@pytest.fixture
def sites(both_sites: Sites) -> Sites:
    """Both of them, without pages and with nothing in their logs."""
    both_sites.pages = {}
    both_sites.seen.clear()
    return both_sites


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(both_sites: Sites) -> AsyncIterator[BrowserFetcher]:
    """The browser of a run of the shop's section."""
    fetcher = BrowserFetcher(access=both_sites.access())
    yield fetcher
    await fetcher.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def plain(both_sites: Sites) -> AsyncIterator[HttpFetcher]:
    """The same run over HTTP."""
    fetcher = HttpFetcher(user_agent="rdfcrawl/test", access=both_sites.access())
    yield fetcher
    await fetcher.close()


async def visit(fetcher: Fetcher, address: str, home: str | None) -> None:
    """Read a page for a section that is at ``home``, until it has done what it means to do."""
    page = LinksPage(iri="page://list", path="//*[@id='done']", target="page://list", wait=20_000)
    async for _ in fetcher.open(Request(address, page, home=home)):
        pass


DONE = "<p id=done>done</p>"
SHOW_DONE = "document.body.append(Object.assign(document.createElement('p'), {id: 'done', innerText: 'done'}))"
POST = f"fetch('{{shop}}/delete', {{method: 'POST', mode: 'no-cors', body: 'id=1'}}).finally(() => {SHOW_DONE})"
FORM = "<form method=post action='{shop}/delete'></form><script>document.forms[0].submit()</script>"
WHAT_STRANGERS_SEND = {
    "a script's request": ("{evil}/", {"evil/": f"<script>{POST}</script>"}),
    "a form": ("{evil}/", {"evil/": FORM}),
    "a script that goes there": ("{evil}/", {"evil/": "<script>location = '{shop}/delete'</script>"}),
    "a redirect": ("{evil}/", {"evil/": "{shop}/delete"}),
    "a redirect of a page that the shop has sent on": ("{shop}/", {"shop/": "{evil}/", "evil/": "{shop}/delete"}),
    "a frame in the shop's page": (
        "{shop}/",
        {
            "shop/": f"<iframe src='{{evil}}/'></iframe><script>onmessage = () => {SHOW_DONE}</script>",
            "evil/": f"<script>{POST}.finally(() => parent.postMessage(1, '*'))</script>",
        },
    ),
    "a frame that shows the shop": (
        "{evil}/",
        {"evil/": f'<iframe src="{{shop}}/delete" onload="{SHOW_DONE}"></iframe>'},
    ),
    "a script of the shop's page that is sent back": (
        "{shop}/",
        {
            "shop/": f'<script src="{{evil}}/x.js" onload="{SHOW_DONE}" onerror="{SHOW_DONE}"></script>',
            "evil/x.js": "{shop}/delete",
        },
    ),
    "a page that the shop's own script has gone on to": (
        "{shop}/",
        {"shop/": "<script>location = '{evil}/'</script>", "evil/": f"<script>{POST}</script>"},
    ),
}
_TELLING = {
    "a script's request",
    "a form",
    "a redirect of a page that the shop has sent on",
    "a frame in the shop's page",
    "a script of the shop's page that is sent back",
}
"""A request of each kind; of documents one by a script and one by a redirect."""


@pytest.mark.parametrize("way", sampled(WHAT_STRANGERS_SEND, _TELLING))
@pytest.mark.asyncio(loop_scope="module")
async def test_nothing_that_another_sites_page_sends_carries_a_secret(
    sites: Sites, browser: BrowserFetcher, way: str
) -> None:
    """It arrives, as it would from anybody, and no more; also if the shop's own page has led there."""
    start, sites.pages = WHAT_STRANGERS_SEND[way]
    address = start.replace("{shop}", sites.shop).replace("{evil}", sites.evil)
    await visit(browser, address, sites.shop)
    assert sites.seen["shop/delete"]
    assert set(sites.seen["shop/delete"]) == {None}
    if start.startswith("{shop}"):
        assert sites.seen["shop/"] == [TOKEN]


@pytest.mark.asyncio(loop_scope="module")
async def test_what_the_sections_own_page_asks_its_own_origin_carries_them(
    sites: Sites, browser: BrowserFetcher
) -> None:
    """Pages that load their content by script are behind the same door; so is where they go on to."""
    sites.pages = {
        "shop/": "<script>fetch('/content').then(() => fetch('{evil}/count', {mode: 'no-cors'}))"
        ".finally(() => location = '/more')</script>",
    }
    await visit(browser, f"{sites.shop}/", sites.shop)
    assert sites.seen["shop/"] == sites.seen["shop/content"] == sites.seen["shop/more"] == [TOKEN]
    assert sites.seen["evil/count"] == [None]


@pytest.mark.asyncio(loop_scope="module")
async def test_a_page_of_another_section_carries_none(
    sites: Sites, plain: HttpFetcher, browser: BrowserFetcher
) -> None:
    """Its links may lead to the shop, but whose they are decides; over HTTP and in the browser."""
    for fetcher in (plain, browser):
        for home in (sites.evil, None):
            await visit(fetcher, f"{sites.shop}/delete", home)
    assert sites.seen["shop/delete"] == [None, None, None, None]


@pytest.mark.parametrize(
    ("pages", "kept"),
    [
        ({"shop/a": "{shop}/b"}, ["shop/a", "shop/b"]),
        ({"shop/a": "{evil}/b"}, ["shop/a"]),
        ({"shop/a": "{evil}/b", "evil/b": "{shop}/delete"}, ["shop/a"]),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_a_redirect_keeps_them_for_as_long_as_it_stays(
    sites: Sites, plain: HttpFetcher, pages: dict[str, str], kept: list[str]
) -> None:
    """Who comes back from another origin comes with what was chosen there."""
    sites.pages = pages
    await visit(plain, f"{sites.shop}/a", sites.shop)
    assert [place for place, tokens in sites.seen.items() if tokens != [None]] == kept


async def test_a_section_does_not_use_the_secrets_of_another(tmp_path: Path) -> None:
    """A run gives each page those of its own section."""
    async with thing_site(1) as shop, thing_site(0) as evil:
        evil.links = [f"{shop.address}/delete?id=1"]
        other = f"<model:> :section <{evil.address}/list> . <{evil.address}/list> :page page:list ."
        path = tmp_path / "model.ttl"
        path.write_text(shop.turtle(TERMS) + other, encoding="utf-8")
        options = RunOptions(engine=Engine.HTTP, allow_private=True)
        await run_model(load_model(path), unloaded_store(tmp_path / "store"), options, observer=Silent())
    sent = {asked.path: asked.headers.get("X-Token") for asked in shop.log}
    assert sent["/delete?id=1"] is None
    assert sent["/list"] == sent["/thing/0"] == TOKEN


@pytest.mark.parametrize("name", ["AWS_SECRET_ACCESS_KEY", "RDFCRAWL_SPARQL_PASSWORD", "RDFCRAWL_SECRET", "PATH"])
def test_a_model_gets_no_variable_that_is_not_meant_for_models(name: str) -> None:
    """Before anything is asked for; the message says how to allow it."""
    for terms in ({"headers": (f"X: env:{name}",)}, {"cookies": (f"x=env:{name}",)}):
        section = Section("https://evil.example/", "page://a", **terms)
        with pytest.raises(UsageError, match=f"--allow-env {name}") as error:
            credentials_of([section], environment={name: "hunter2"})
        assert "hunter2" not in str(error.value)
        assert credentials_of([section], [name], {name: "hunter2"})


@pytest.mark.parametrize("command", ["run", "try"])
async def test_the_command_line_allows_a_variable_by_name(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And only that one."""
    monkeypatch.setenv("MY_TOKEN", TOKEN)
    async with thing_site(1) as site:
        path = tmp_path / "model.ttl"
        path.write_text(site.turtle('; :header "X-Token: env:MY_TOKEN" '), encoding="utf-8")
        arguments = [command, str(path), "--engine", "http"]
        arguments += [f"{site.address}/list"] if command == "try" else ["--store", str(tmp_path / "store")]
        refused = Command(*arguments, "--allow-env", "OTHER")
        assert await refused.ended() == 2
        assert "--allow-env MY_TOKEN" in refused.said
        assert site.log == []
        allowed = Command(*arguments, "--allow-env", "MY_TOKEN", "--allow-env", "OTHER")
        assert await allowed.ended() == 0, allowed.said
        assert {asked.headers.get("X-Token") for asked in site.log} == {TOKEN}


class TestCookies:
    """Those that sites set stay with the site that has set them."""

    @pytest.mark.parametrize(
        ("setter", "domain", "other", "shared"),
        [
            ("http://www.evil.com/", "com", "http://www.victim.com/", False),
            ("http://www.evil.com/", ".com", "http://www.victim.com/", False),
            ("http://www.evil.com/", "COM", "http://www.victim.com/", False),
            ("http://evil.co.uk/", "co.uk", "http://victim.co.uk/", False),
            ("http://evil.github.io/", "github.io", "http://victim.github.io/", False),
            ("http://a.evil.unheard-of/", "unheard-of", "http://victim.unheard-of/", False),
            ("http://evil.com/", "victim.com", "http://victim.com/", False),
            ("http://evil.xn--55qx5d.cn/", "xn--55qx5d.cn", "http://victim.xn--55qx5d.cn/", False),
            ("http://1.2.3.4/", "3.4", "http://9.2.3.4/", False),
            ("http://github.io/", "github.io", "http://victim.github.io/", False),
            ("http://github.io/", "github.io", "http://github.io/", True),
            ("http://localhost:1/", "localhost", "http://localhost:2/", True),
            ("http://127.0.0.1/", "", "http://127.0.0.1/", True),
            ("http://www.shop.co.uk/", "shop.co.uk", "http://img.shop.co.uk/", True),
        ],
    )
    @pytest.mark.parametrize("by_headers", [True, False])
    async def test_no_cookie_is_for_everything_below_a_public_suffix(
        self, setter: str, domain: str, other: str, shared: bool, by_headers: bool
    ) -> None:
        """Also where the suffix has two parts, belongs to a company, or is in no list."""
        jar = SiteCookies()
        header = f"a=1; Path=/{f'; Domain={domain}' if domain else ''}"
        if by_headers:
            jar.update_cookies_from_headers([header], URL(setter))
        else:
            jar.update_cookies(SimpleCookie(header), URL(setter))
        assert bool(jar.filter_cookies(URL(other))) is shared

    async def test_a_host_cannot_fill_the_memory(self) -> None:
        """Others keep theirs."""
        jar = SiteCookies()
        jar.update_cookies_from_headers(["mine=1"], URL("http://shop.example/"))
        for number in range(5000):
            host = URL(f"http://h{number}.evil.example/" if number % 2 else "http://evil.example/")
            jar.update_cookies(SimpleCookie(f"c{number}={'x' * 50}; Domain=evil.example"), host)
        jar.update_cookies(SimpleCookie(f"long={'x' * 10_000}"), URL("http://shop.example/"))
        assert len(jar) <= 3100
        assert list(jar.filter_cookies(URL("http://shop.example/"))) == ["mine"]

    @pytest.mark.asyncio(loop_scope="module")
    async def test_over_http_a_site_gets_back_what_it_has_set(self, sites: Sites) -> None:
        """The fetcher keeps cookies this way."""
        got = []

        async def answer(request: web.Request) -> web.Response:
            got.append(request.headers.get("Cookie"))
            return web.Response(text="x", headers={"Set-Cookie": "a=1; Domain=127.0.0.1; Path=/"})

        async with serving(answer) as address:
            fetcher = HttpFetcher(user_agent="rdfcrawl/test", access=sites.access())
            bounds = RequestBounds(0, 1000)
            await fetcher.get(f"{address}/", bounds)
            await fetcher.get(f"{address}/", bounds)
            await fetcher.close()
        assert got == [None, "a=1"]


def test_the_origin_is_scheme_host_and_port() -> None:
    """Sections of one origin share what they name."""
    sections = [
        Section("https://shop.example/a", "page://a", headers=("Authorization: env:A",)),
        Section("https://shop.example/b", "page://a", cookies=("x=env:B", "y=env:A")),
        Section("https://shop.example:8443/", "page://a", headers=("Authorization:env:B",)),
    ]
    assert credentials_of(sections, ("A", "B"), {"A": "1", "B": "2"}) == {
        "https://shop.example": {"Authorization": "1", "Cookie": "x=2; y=1"},
        "https://shop.example:8443": {"Authorization": "2"},
    }


@pytest.mark.parametrize(
    ("value", "reason"), [("", "not set"), ("  ", "not set"), ("a\r\nX-Evil: 1", "a header cannot hold")]
)
def test_a_variable_that_cannot_be_sent_is_named_without_its_value(value: str, reason: str) -> None:
    """Before anything is asked for."""
    section = Section("https://shop.example/", "page://a", headers=("Authorization: env:SHOP",))
    with pytest.raises(UsageError, match=reason) as error:
        credentials_of([section], ["SHOP"], {"SHOP": value})
    assert "SHOP" in str(error.value)
    assert "Evil" not in str(error.value)


@pytest.mark.parametrize(
    "term", [':header "Authorization: Bearer abc"', ':header "a b: env:X"', ':cookie "session=abc"']
)
async def test_a_secret_in_the_model_itself_is_an_error(tmp_path: Path, term: str) -> None:
    """Models are shared; the message shows how it is done."""
    async with thing_site(0) as site:
        path = tmp_path / "model.ttl"
        path.write_text(site.turtle(f"; {term} "))
    with pytest.raises(ModelError, match="never the value"):
        load_model(path)


def test_nothing_here_would_pass_by_a_wrong_spelling(tmp_path: Path) -> None:
    """The search through files finds what is in compressed ones."""
    (tmp_path / "a.gz").write_bytes(gzip.compress(TOKEN.encode()))
    (tmp_path / "b").write_bytes(zlib.compress(b"x"))
    assert TOKEN.encode() in written(tmp_path)
