"""The rendered document: what is hidden, shadow roots, awkward markup, and documents that are not rendered."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from aiohttp import web
from browser_site import Site, documents, links, thing
from lxml import html

from rdfcrawl.engine.document.tree import address_of, parse
from rdfcrawl.engine.fetch.browser.fetcher import BrowserFetcher
from rdfcrawl.engine.fetch.session import Request
from rdfcrawl.metamodel.model import Page

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def rendered(site: Site, browser: BrowserFetcher, name: str, page: Page | None = None) -> html.HtmlElement:
    """The parsed document of a test page."""
    (found,) = await documents(browser, site.address(f"/pages/{name}"), page or thing())
    assert found.rendered
    assert found.headers["content-type"] == "text/html; charset=utf-8"
    return html.document_fromstring(found.body.decode())


async def test_what_style_sheets_hide_is_marked_at_its_top(site: Site, browser: BrowserFetcher) -> None:
    """A mark covers all that is below it; a mark that the page brings itself is not believed."""
    root = await rendered(site, browser, "hidden")
    assert root.xpath("//*[@data-rdfcrawl-hidden]/@id") == ["none", "faded", "locked", "collapsed"]
    assert root.xpath("string(//p[@id='none'])") == "none inner"


async def test_text_that_is_shown_inside_an_invisible_element_stays(site: Site, browser: BrowserFetcher) -> None:
    """Then the element's own texts are left out instead of marked."""
    root = await rendered(site, browser, "hidden")
    assert root.xpath("string(//p[@id='mixed'])").strip() == "found"


async def test_content_for_browsers_without_scripts_is_left_out(site: Site, browser: BrowserFetcher) -> None:
    """The elements keep their places."""
    root = await rendered(site, browser, "hidden")
    assert len(root.xpath("//noscript")) == 1
    assert not root.xpath("//*[@id='unscripted']")


@pytest.mark.parametrize(
    ("charset", "word", "sent"),
    [
        ("utf-8", "Größe", "Gr%C3%B6%C3%9Fe"),
        ("iso-8859-1", "Größe€", "Gr%F6%DFe%80"),
        ("iso-8859-15", "ö你", "%F6%26%2320320%3B"),
        ("windows-1251", "Цена", "%D6%E5%ED%E0"),
        ("shift_jis", "アク", "%83A%83N"),
        ("cp949", "가뷁", "%B0%A1%94%EE"),
        ("gb2312", "价格", "%BC%DB%B8%F1"),
    ],
)
async def test_queries_of_links_are_in_the_characters_of_their_page(
    site: Site, browser: BrowserFetcher, charset: str, word: str, sent: str
) -> None:
    """Servers that write such pages expect that; paths and other schemes are in UTF-8. Chromium is asked as well."""
    links_to = [f"find?q={word}&a='b'#{word}", f"/{word}?q={word}", f"mailto:a@b.example?subject={word}"]
    elements = "".join(f'<a href="{link}">x</a>' for link in links_to) + f'<iframe src="/frame?{word}"></iframe>'
    body = f"<!doctype html><main>{elements}</main>".encode(charset, "xmlcharrefreplace")

    # What browsers call so is larger than what Python calls so.
    content_type = f"text/html; charset={charset.replace('cp949', 'euc-kr')}"

    async def page(request: web.Request) -> web.Response:
        return web.Response(body=body, headers={"Content-Type": content_type})

    site.answers["/old"] = page
    address = site.address("/old")
    (shown,) = await documents(browser, address, thing())
    read = [
        parse(body, address, content_type),
        parse(shown.body, address, "text/html;charset=utf-8"),
    ]
    plain, drawn = ([address_of(link, one.base) for link in one.root.iter("a", "iframe")] for one in read)
    assert plain == drawn
    assert [plain[0], plain[3]] == [
        site.address(f"/find?q={sent}&a=%27b%27#{quote(word)}"),
        site.address(f"/frame?{sent}"),
    ]


async def test_open_shadow_roots_stand_in_their_hosts(site: Site, browser: BrowserFetcher) -> None:
    """Slots give way to what is assigned to them, or to their own content."""
    root = await rendered(site, browser, "shadow")
    assert root.xpath("//my-card/h2/span/text()") == ["Ada"]
    assert root.xpath("//my-card/my-frame/div/em/text()") == ["rest"]
    assert root.xpath("//my-card/footer/text()") == ["no role"]
    assert root.xpath("//my-card/p[@data-rdfcrawl-hidden]/text()") == ["secret"]
    assert not root.xpath("//my-card//i | //slot")


async def test_awkward_pages_are_written_as_they_are(site: Site, browser: BrowserFetcher) -> None:
    """Neither names of form fields nor scripts that replace the language's own parts get in the way."""
    root = await rendered(site, browser, "awkward")
    assert root.xpath("string(//form[@id='clobbered']/p)") == "in the form"
    assert root.xpath("string(//*[@id='text'])") == "a < b &amp; c\N{NO-BREAK SPACE}d x"
    assert root.xpath("string(//*[@id='text']/a/@title)") == '"quoted" & <more>'
    assert root.xpath("string(//*[@id='data'])") == '{"name": "a < b && c"}'
    assert root.xpath("string(//pre)").lstrip("\n") == "two lines above"
    assert len(root.xpath("//body/comment()")) == 1
    assert not root.xpath("//body/text()[contains(., 'b')]")


async def test_a_page_without_scripts_has_the_tree_of_its_source(site: Site, browser: BrowserFetcher) -> None:
    """Rendering adds and loses nothing."""
    source = "<p>one<p>two<table><tr><td>3<td>4</table><ul><li>5<li><b>6<i>7</b>8</i></ul><dl><dt>9<dd>10</dl>"

    async def answer(request: web.Request) -> web.Response:
        return web.Response(text=source, content_type="text/html")

    site.answers["/plain"] = answer
    (found,) = await documents(browser, site.address("/plain"), thing())
    before = parse(source.encode(), found.address, "text/html; charset=utf-8")
    after = parse(found.body, found.address, found.content_type)
    assert html.tostring(after.root) == html.tostring(before.root)


async def test_the_final_address_is_where_scripts_and_redirects_lead(site: Site, browser: BrowserFetcher) -> None:
    """Without fragment."""

    async def answer(request: web.Request) -> web.Response:
        raise web.HTTPFound("/pages/moved#part")

    site.answers["/old"] = answer
    (found,) = await documents(browser, site.address("/old"), links())
    assert found.address == site.address("/pages/next?parts=1&from=moved")
    assert found.status == 200


async def test_character_sets_become_utf_8(site: Site, browser: BrowserFetcher) -> None:
    """Whatever the page says about itself."""

    async def answer(request: web.Request) -> web.Response:
        body = '<meta charset="iso-8859-1"><p>Grüße'.encode("iso-8859-1")
        return web.Response(body=body, content_type="text/html", charset="iso-8859-1")

    site.answers["/latin"] = answer
    (found,) = await documents(browser, site.address("/latin"), thing())
    assert "<p>Grüße</p>" in found.body.decode()


async def test_a_feed_comes_as_it_was_sent(site: Site, browser: BrowserFetcher) -> None:
    """A browser would show it, not render it."""
    feed = '<?xml version="1.0"?><rss><channel><title>Größe</title></channel></rss>'

    async def answer(request: web.Request) -> web.Response:
        return web.Response(body=feed.encode(), content_type="application/rss+xml")

    site.answers["/feed"] = answer
    (found,) = await documents(browser, site.address("/feed"), thing())
    assert not found.rendered
    assert found.body.decode() == feed
    assert found.content_type == "application/rss+xml"


async def test_a_picture_shows_what_was_matched(site: Site, browser: BrowserFetcher, tmp_path: Path) -> None:
    """Each XPath has its frames, also the ones that match nothing."""
    picture, bare = tmp_path / "page.png", tmp_path / "bare.png"
    request = Request(site.address("/pages/next"), links())
    framed = await browser.screenshot(request, picture, [("//ul/li", "entry"), ("//ul/li/a", "link"), ("//h6", "none")])
    assert framed == [3, 3, 0]
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert await browser.screenshot(request, bare, [("//h6", "none")]) == [0]
    assert picture.read_bytes() != bare.read_bytes()
