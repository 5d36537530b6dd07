"""What models say about pages in the browser: the order of clicks, CSS, paths that a browser does not know."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from tests.crawling import Crawled, read_run, unloaded_store
from tests.serving import serving

_PREFIXES = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix p: <property://> .
item:row :path "css:#list > li" ; :property p:name ; :key p:name .
p:name :path "." .
"""
_SECTION = """
<model:> :section <{start}> .
<{start}> :page page:{name} .
page:{name} :type type:objects ; :item item:row {terms} .
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
_ENDLESS = """<ul id=list><li>part 1</li></ul><button>More</button>
<script>let part = 1; document.querySelector('button').onclick = () => {
list.innerHTML += `<li>part ${++part}</li>` }</script>"""
_CASES = {
    "list": (_CLICKS, """; :click ( "//button[@id='z']" "css:#a" "css:button#m" )"""),
    "numbers": (
        _CLICKS,
        """; :click [ :path "css:#m" ; :order 3 ] ,
            [ :path "css:#a" ; :order 2 ] , [ :path "css:#z" ; :order 1 ]""",
    ),
    "contains": (
        _CLICKS,
        """; :click ( "css:#m" "css:button:contains('a')" ) ; :waitFor "css:body[data-ready]" """,
    ),
    "next": (_PARTS, '; :next "css:button.go.on"'),
    "more": (_MORE, '; :more "css:button.go.on"'),
    "endless": (_ENDLESS, '; :more "//button"'),
    "unknown": (_PARTS, """; :next "//button[matches(., '^Go')]" """),
}
"""Each a section of its own: the page, and what the model says about it."""


@dataclass(frozen=True, slots=True)
class Sections:
    """What one run has read of all sections; starting a browser takes longer than reading them."""

    crawled: Crawled
    address: str

    def names(self, case: str) -> list[str]:
        """The values that were found in a section."""
        start = f"<{self.address}/{case}> <item://row> "
        rows = {line.removeprefix(start) for line in self.crawled.triples if line.startswith(start)}
        named = (line.split(" <property://name> ") for line in self.crawled.triples if " <property://name> " in line)
        return sorted(name.strip('"') for row, name in named if row in rows)

    def problems(self, case: str) -> list[dict[str, str]]:
        """What was reported of a section."""
        return [problem for problem in self.crawled.problems if problem["address"] == f"{self.address}/{case}"]


@pytest.fixture(scope="module")
def sections(tmp_path_factory: pytest.TempPathFactory) -> Sections:
    async def answer(request: web.Request) -> web.Response:
        found = _CASES.get(request.path.strip("/"))
        return web.Response(text=found[0], content_type="text/html") if found else web.Response(status=404)

    async def read() -> Sections:
        folder = tmp_path_factory.mktemp("language")
        async with serving(answer) as address:
            parts = (
                _SECTION.format(start=f"{address}/{name}", name=name, terms=terms)
                for name, (_, terms) in _CASES.items()
            )
            (folder / "model.ttl").write_text("".join((_PREFIXES, *parts)), encoding="utf-8")
            store = unloaded_store(folder / "store")
            options = RunOptions(engine=Engine.BROWSER, limits=RunLimits(list_pages=3))
            report = await run_model(load_model(folder / "model.ttl"), store, options)
            return Sections(read_run(store, report.record), address)

    return asyncio.run(read())


@pytest.mark.parametrize(
    ("case", "expected"), [("list", "clicked zam"), ("numbers", "clicked zam"), ("contains", "clicked ma")]
)
def test_clicks_are_done_in_the_order_in_which_they_are_written(case: str, expected: str, sections: Sections) -> None:
    """As a list or with numbers, by XPath or by CSS, whatever the alphabet says."""
    assert sections.names(case) == [expected]
    assert sections.problems(case) == []


@pytest.mark.parametrize("case", ["next", "more"])
def test_buttons_are_found_by_css(case: str, sections: Sections) -> None:
    """A next button without an address, and one that loads more."""
    assert sections.names(case) == ["part 1", "part 2", "part 3"]
    assert sections.problems(case) == []


def test_a_list_has_no_more_parts_than_pages_are_allowed(sections: Sections) -> None:
    """It ends at the same place and with the same words as over HTTP."""
    assert sections.names("endless") == ["part 1", "part 2", "part 3"]
    (problem,) = sections.problems("endless")
    assert (problem["kind"], problem["reason"]) == ("limit", "the list has more than 3 pages; it ends here")
    assert (f"{sections.address}/endless", "item://row") in sections.crawled.unread.lists


def test_a_next_button_that_the_browser_cannot_find_is_reported(sections: Sections) -> None:
    """Its path uses a function that browsers do not have; the list is incomplete, and that is said."""
    assert sections.names("unknown") == ["part 1"]
    (problem,) = sections.problems("unknown")
    assert problem["kind"] == "incomplete"
    assert "write it in XPath 1.0 or CSS" in problem["reason"]
