"""What models say about pages in the browser: the order of clicks, CSS, paths that a browser does not know."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from tests.crawling import Crawled, crawl
from tests.serving import serving

_MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix p: <property://> .
<model:> :section <{start}> .
<{start}> :page page:list .
page:list :type type:objects ; :item item:row {terms} .
item:row :path "css:#list > li" ; :property p:name ; :key p:name .
p:name :path "." .
"""
_CLICKS = """<ul id=list><li id=log>clicked </li></ul>
<button id=a>a</button><button id=m>m</button><button id=z>z</button>
<script>for (const one of document.querySelectorAll('button'))
one.onclick = () => { log.textContent += one.id; one.remove(); document.body.dataset.ready = 1 }</script>"""
_PARTS = """<ul id=list><li>part 1</li></ul><button class="go on">Go on</button>
<script>let part = 1; document.querySelector('button').onclick = (event) => {
list.innerHTML = `<li>part ${++part}</li>`; if (part > 2) event.target.remove() }</script>"""
_MORE = """<ul id=list><li>part 1</li></ul><button class="go on">More</button>
<script>let part = 1; document.querySelector('button').onclick = (event) => {
list.innerHTML += `<li>part ${++part}</li>`; if (part > 2) event.target.remove() }</script>"""


async def read(page: str, terms: str, folder: Path) -> Crawled:
    """What a page gives in the browser with some terms."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=page, content_type="text/html")

    async with serving(answer) as address:
        path = folder / "model.ttl"
        path.write_text(_MODEL.format(start=f"{address}/", terms=terms))
        return await crawl(path, folder / "store", engine=Engine.BROWSER)


def names(crawled: Crawled) -> list[str]:
    """The values that were found."""
    return sorted(line.split('"')[1] for line in crawled.triples if "<property://name>" in line)


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ("""; :click ( "//button[@id='z']" "css:#a" "css:button#m" )""", "clicked zam"),
        (
            """; :click [ :path "css:#m" ; :order 3 ] ,
                [ :path "css:#a" ; :order 2 ] , [ :path "css:#z" ; :order 1 ]""",
            "clicked zam",
        ),
        ("""; :click ( "css:#m" "css:button:contains('a')" ) ; :waitFor "css:body[data-ready]" """, "clicked ma"),
    ],
)
async def test_clicks_are_done_in_the_order_in_which_they_are_written(
    terms: str, expected: str, tmp_path: Path
) -> None:
    """As a list or with numbers, by XPath or by CSS, whatever the alphabet says."""
    crawled = await read(_CLICKS, terms, tmp_path)
    assert names(crawled) == [expected]
    assert crawled.problems == ()


@pytest.mark.parametrize(("page", "term"), [(_PARTS, ":next"), (_MORE, ":more")])
async def test_buttons_are_found_by_css(page: str, term: str, tmp_path: Path) -> None:
    """A next button without an address, and one that loads more."""
    crawled = await read(page, f'; {term} "css:button.go.on"', tmp_path)
    assert names(crawled) == ["part 1", "part 2", "part 3"]
    assert crawled.problems == ()


async def test_a_next_button_that_the_browser_cannot_find_is_reported(tmp_path: Path) -> None:
    """Its path uses a function that browsers do not have; the list is incomplete, and that is said."""
    crawled = await read(_PARTS, """; :next "//button[matches(., '^Go')]" """, tmp_path)
    assert names(crawled) == ["part 1"]
    (problem,) = crawled.problems
    assert problem["kind"] == "incomplete"
    assert "write it in XPath 1.0 or CSS" in problem["reason"]
