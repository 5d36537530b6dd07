"""What passes between browser and network: replayed, recorded, or not loaded at all."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio
from aiohttp import web
from browser_site import Site, documents, links, thing
from lxml import html

from rdfcrawl.engine.fetch.browser.fetcher import BrowserFetcher
from rdfcrawl.engine.fetch.browser.gate import is_tracker
from rdfcrawl.engine.fetch.session import Exchange, Fetched, FetchFailed
from rdfcrawl.engine.problem import ProblemKind

pytestmark = pytest.mark.asyncio(loop_scope="session")

HTML = ("Content-Type", "text/html; charset=utf-8")
APPLICATION = """<!doctype html>
<div id="list"></div>
<script src="https://static.example/app.js"></script>
<script>
  const list = document.getElementById("list");
  const add = (text) => list.insertAdjacentHTML("beforeend", `<a href="/entry">${text}</a>`);
  const asked = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"page":1}' };
  (async () => {
    add(await (await fetch("/moved")).text());
    add(await (await fetch("https://api.example/search", asked)).text());
    add((await fetch("/missing")).status);
    await new Promise((done) => {
      new Worker("/worker.js").onmessage = (message) => { add(message.data); done(); };
    });
    add((await fetch(OUTSIDE, { mode: "no-cors" })).type);
  })();
</script>"""


class Archive:
    """Exchanges in memory: a source and a recorder in one."""

    def __init__(self, *exchanges: Exchange) -> None:
        self.exchanges = list(exchanges)
        self.asked: list[tuple[str, str, bytes | None]] = []

    async def answer(self, address: str, method: str = "GET", body: bytes | None = None) -> Exchange | None:
        self.asked.append((method, address, body))
        return next((one for one in self.exchanges if (one.address, one.method) == (address, method)), None)

    def record(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)


def answer(address: str, body: str | bytes = b"", *headers: tuple[str, str], status: int = 200) -> Exchange:
    content = body.encode() if isinstance(body, str) else body
    return Exchange(address, "GET", {}, status, "", headers, content)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def replay() -> AsyncIterator[tuple[BrowserFetcher, Archive]]:
    """A browser that lives on an archive alone."""
    archive = Archive()
    fetcher = BrowserFetcher(source=archive)
    yield fetcher, archive
    await fetcher.close()


def entries(found: Fetched) -> list[str]:
    """The texts of the list that a page made."""
    return [link.text_content() for link in html.document_fromstring(found.body.decode()).xpath("//div[@id='list']/a")]


async def test_replay_answers_scripts_workers_posts_and_redirects_without_any_network(
    site: Site, replay: tuple[BrowserFetcher, Archive]
) -> None:
    """At the original addresses; what the archive lacks is not fetched, not even from loopback."""
    page = APPLICATION.replace("OUTSIDE", f"'{site.base}/leak'")
    fetcher, archive = replay
    archive.exchanges = [
        answer("http://old.example/", "", ("Location", "https://site.example/start?a=b"), status=301),
        answer("https://site.example/start?a=b", gzip.compress(page.encode()), HTML, ("Content-Encoding", "gzip")),
        answer("https://static.example/app.js", "add('from a script')", ("Content-Type", "text/javascript")),
        answer("https://site.example/moved", "", ("Location", "/target"), status=302),
        answer("https://site.example/target", "from a redirect", ("Content-Type", "text/plain")),
        replace(answer("https://api.example/search", "from a post"), method="POST"),
        answer("https://site.example/worker.js", "fetch('/target').then(() => postMessage('from a worker'))"),
    ]
    (found,) = await documents(fetcher, "http://old.example/", links(wait_for="//div[@id='list']/a[5]"))
    assert found.address == "https://site.example/start?a=b"
    assert entries(found) == ["from a redirect", "from a post", "404", "from a worker", "opaque"]
    assert ("POST", "https://api.example/search", b'{"page":1}') in archive.asked
    assert ("GET", f"{site.base}/leak", None) in archive.asked
    assert "/leak" not in site.asked


async def test_replay_that_lacks_the_page_says_so(replay: tuple[BrowserFetcher, Archive]) -> None:
    """Over HTTP it says the same."""
    with pytest.raises(FetchFailed, match="the replay has no answer for this address") as failed:
        await documents(replay[0], "http://other.example/", thing())
    assert failed.value.kind is ProblemKind.GONE


async def test_what_was_recorded_replays_to_the_same_document(
    site: Site, replay: tuple[BrowserFetcher, Archive]
) -> None:
    """Everything the page fetched is in the archive, bodies decoded, and the document knows its record."""
    text = "<div id=list></div><script src=/asset/add.js></script><img src=/asset/picture.png>"

    async def page(request: web.Request) -> web.Response:
        response = web.Response(text=text, content_type="text/html")
        response.enable_compression(web.ContentCoding.gzip)
        return response

    async def script(request: web.Request) -> web.Response:
        code = (
            "fetch('/asset/data').then((a) => a.text()).then((t) => { document.getElementById('list').innerHTML = t; })"
        )
        return web.Response(text=code, content_type="text/javascript")

    async def data(request: web.Request) -> web.Response:
        return web.Response(text="<a href=/entry>größer</a>", content_type="text/html")

    async def moved(request: web.Request) -> web.Response:
        raise web.HTTPFound("/recorded")

    site.answers |= {"/recorded": page, "/asset/add.js": script, "/asset/data": data, "/to-record": moved}
    archive = Archive()
    fetcher = BrowserFetcher(recorder=archive)
    try:
        (seen,) = await documents(fetcher, site.address("/to-record"), links())
    finally:
        await fetcher.close()
    assert [(one.address.removeprefix(site.base), one.status) for one in archive.exchanges] == [
        ("/to-record", 302),
        ("/recorded", 200),
        ("/asset/add.js", 200),
        ("/asset/data", 200),
    ]
    assert archive.exchanges[1].body.decode() == text
    site.asked.clear()
    replay[1].exchanges = archive.exchanges
    (again,) = await documents(replay[0], site.address("/to-record"), links())
    assert entries(again) == ["größer"]
    assert (again.address, again.body) == (seen.address, seen.body)
    assert site.asked == []


async def test_pictures_fonts_and_films_are_not_loaded_unless_the_model_says_so(
    site: Site, browser: BrowserFetcher
) -> None:
    """Scripts always are."""
    site.asked.clear()
    await documents(browser, site.address("/pages/pictures"), thing())
    assert [path for path in site.asked if path.startswith("/asset/")] == ["/asset/script.js"]
    await documents(browser, site.address("/pages/pictures?again"), thing(load=("image",)))
    assert "/asset/picture.png" in site.asked
    assert "/asset/font.woff2" not in site.asked


async def test_trackers_are_known_by_their_host() -> None:
    """With everything below it, and nothing that only looks like it."""
    assert is_tracker("https://www.google-analytics.com/collect?x=1")
    assert is_tracker("https://doubleclick.net/")
    assert not is_tracker("https://notdoubleclick.net/")
    assert not is_tracker("https://example.org/doubleclick.net")
