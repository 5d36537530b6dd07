"""What passes between browser and network: replayed, recorded, or not loaded at all."""

from __future__ import annotations

import gzip
from dataclasses import replace

import pytest
from aiohttp import web
from conftest import Site, documents, links, thing
from lxml import html

from rdfcrawl.engine.fetch.browser import BrowserFetcher
from rdfcrawl.engine.fetch.gate import is_tracker
from rdfcrawl.engine.fetch.session import Exchange, FetchFailed
from rdfcrawl.engine.problem import ProblemKind

pytestmark = pytest.mark.asyncio(loop_scope="module")

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

    def record(self, exchange: Exchange) -> str | None:
        self.exchanges.append(exchange)
        return f"record-{len(self.exchanges)}"


def answer(address: str, body: str | bytes = b"", *headers: tuple[str, str], status: int = 200) -> Exchange:
    content = body.encode() if isinstance(body, str) else body
    return Exchange(address, "GET", {}, status, "", headers, content)


async def replayed(archive: Archive, address: str) -> list[str]:
    """The texts of the list that the replayed page makes."""
    fetcher = BrowserFetcher(source=archive)
    try:
        (found,) = await documents(fetcher, address, links())
    finally:
        await fetcher.close()
    return [link.text_content() for link in html.document_fromstring(found.body.decode()).xpath("//div[@id='list']/a")]


async def test_replay_answers_scripts_workers_posts_and_redirects_without_any_network(site: Site) -> None:
    """At the original addresses; what the archive lacks is not fetched, not even from loopback."""
    page = APPLICATION.replace("OUTSIDE", f"'{site.base}/leak'")
    archive = Archive(
        answer("http://old.example/", "", ("Location", "https://site.example/start?a=b"), status=301),
        answer("https://site.example/start?a=b", gzip.compress(page.encode()), HTML, ("Content-Encoding", "gzip")),
        answer("https://static.example/app.js", "add('from a script')", ("Content-Type", "text/javascript")),
        answer("https://site.example/moved", "", ("Location", "/target"), status=302),
        answer("https://site.example/target", "from a redirect", ("Content-Type", "text/plain")),
        replace(answer("https://api.example/search", "from a post"), method="POST"),
        answer("https://site.example/worker.js", "fetch('/target').then(() => postMessage('from a worker'))"),
    )
    texts = await replayed(archive, "http://old.example/")
    assert texts == ["from a redirect", "from a post", "404", "from a worker", "opaque"]
    assert ("POST", "https://api.example/search", b'{"page":1}') in archive.asked
    assert ("GET", f"{site.base}/leak", None) in archive.asked
    assert "/leak" not in site.asked


async def test_replay_gives_the_final_address_of_a_redirect() -> None:
    """As the network would have."""
    archive = Archive(
        answer("http://old.example/", "", ("Location", "https://new.example/x"), status=308),
        answer("https://new.example/x", "<p>here", HTML),
    )
    fetcher = BrowserFetcher(source=archive)
    try:
        (found,) = await documents(fetcher, "http://old.example/", thing())
        assert found.address == "https://new.example/x"
        with pytest.raises(FetchFailed, match="the replay has no answer for this address") as failed:
            await documents(fetcher, "http://other.example/", thing())
        assert failed.value.kind is ProblemKind.GONE
    finally:
        await fetcher.close()


async def test_what_was_recorded_replays_to_the_same_document(site: Site) -> None:
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
    assert seen.record == "record-2"
    assert await replayed(archive, site.address("/to-record")) == ["größer"]


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
