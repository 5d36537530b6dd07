"""Where an object comes from: its page for people and ``explain`` name the same pages, and only such as were read."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.inspect.explain import explain
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.versioning.recording import record_changes
from tests.publish.conftest import asked, serving
from tests.serving import serving as serving_site

PREFIXES = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix thing: <property://thing/> . @prefix link: <link://> .
"""
THINGS = """
<model:> :section <SITE/list> .
<SITE/list> :page page:list .
page:list :type type:objects ; :item item:thing ; :next "//a[@rel='next']" ; :link link:own .
item:thing :path "//li" ; :id "./a" ; :property thing:name .
link:own :path "./a[@class='own']" ; :target page:own ; :optional true .
page:own :type type:object ; :item item:own .
item:own :as <item://thing> ; :path "//main" ; :property thing:size .
thing:name :path "./a" .
thing:size :path ".//b" .
"""
NOTES = """
<model:> :section <SITE/notes> .
<SITE/notes> :page page:notes .
page:notes :type type:objects ; :item item:note .
item:note :path "//p" ; :property <property://note/text> .
<property://note/text> :path "." .
"""
PAGES = {
    "/list": '<li><a href="/thing/1">One</a><li><a class=own href="/thing/2">Two</a>'
    '<a rel=next href="/list?page=2">more</a>',
    "/list?page=2": '<li><a href="/thing/3">Three</a>',
    "/thing/2": "<main><b>large</b></main>",
    "/notes": "<p>Nothing else",
}


@dataclass(frozen=True, slots=True)
class Crawled:
    store: Store
    site: str
    requested: frozenset[str]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """One run of each of two models, that of the things first."""
    folder: Path = tmp_path_factory.mktemp("sources")
    store = open_store(folder / "store")
    requested: set[str] = set()

    async def answer(request: web.Request) -> web.Response:
        requested.add(request.path_qs)
        if request.path_qs not in PAGES:
            return web.Response(status=404)
        return web.Response(text=f"<!doctype html><title>x</title>{PAGES[request.path_qs]}", content_type="text/html")

    async def crawl() -> str:
        async with serving_site(answer) as site:
            for name, text in (("things", THINGS), ("notes", NOTES)):
                model = folder / f"{name}.ttl"
                model.write_text(PREFIXES + text.replace("SITE", site))
                report = await run_model(load_model(model), store, RunOptions(engine=Engine.HTTP))
                await asyncio.to_thread(record_changes, store.runs, report.record.id)
            return site

    site = asyncio.run(crawl())
    store.refresh()
    return Crawled(store, site, frozenset(requested))


@pytest.mark.parametrize(
    ("number", "expected"),
    [(1, ["/list"]), (2, ["/list", "/thing/2"]), (3, ["/list?page=2"])],
    ids=["only in a list", "in a list and on its own page", "on a later page of a list"],
)
def test_the_pages_that_an_object_was_read_from_are_named(crawled: Crawled, number: int, expected: list[str]) -> None:
    """Its own address is among them only if somebody has asked for it."""
    subject = f"{crawled.site}/thing/{number}"
    with serving(crawled.store) as server:
        page = server.get(f"/page?iri={asked(subject)}").text
    named = re.findall(r'<dt>Page</dt><dd><a [^>]*href="([^"]*)" title="\1"', page)
    assert named == [crawled.site + path for path in expected]
    assert {address.removeprefix(crawled.site) for address in named} <= crawled.requested
    told = asyncio.run(explain(crawled.store, subject))
    assert told.address in named
    assert told.values


def test_an_object_is_explained_by_the_latest_run_that_saw_it(crawled: Crawled) -> None:
    """The latest run of the store has another model, and never heard of it."""
    things, notes = crawled.store.runs.records()
    told = asyncio.run(explain(crawled.store, f"{crawled.site}/thing/1", "property://thing/name"))
    assert (told.run, told.item.iri) == (things.id, "item://thing")
    with pytest.raises(UsageError, match="no property property://note/text"):
        asyncio.run(explain(crawled.store, f"{crawled.site}/thing/1", "property://note/text"))
    with pytest.raises(UsageError, match=f"no saved page of run {notes.id} shows"):
        asyncio.run(explain(crawled.store, f"{crawled.site}/thing/1", run="latest"))


def test_a_record_names_pages_only_where_names_do_not(crawled: Crawled) -> None:
    """A note is on the page that its name begins with, and needs no statement."""
    things, notes = (crawled.store.runs.record_graph(record.id).read_text() for record in crawled.store.runs.records())
    assert things.count("<predicate://record/readFrom>") == 4
    assert "readFrom" not in notes
    (line,) = (line for line in things.splitlines() if "/thing/3> <predicate://record/readFrom>" in line)
    assert f"<{crawled.site}/list?page=2>" in line
