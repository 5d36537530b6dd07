"""The crawl loop against a real server: how often pages are asked for, and what a run says of its gaps."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.extract.extraction import Follow
from rdfcrawl.engine.frontier.entries import NOTHING_VALID, Counted, EntryState, Lead, Outcome, PageResult
from rdfcrawl.engine.frontier.opening import open_queue
from rdfcrawl.engine.run.job import Job
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.errors import Stopped, UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Model
from rdfcrawl.store.runs.record import RunState
from tests.crawling import Crawled, crawl, read_run, unloaded_store
from tests.serving import serving
from tests.visiting import crawl_as_worker

MODEL = """
@prefix :     <predicate://> .
@prefix type: <type://> .
@prefix page: <page://> .
@prefix item: <item://> .
@prefix link: <link://> .
@prefix p:    <property://> .

<model:>  :section <{site}/list> , <{site}/best> .
<{site}/list> :page page:list .
<{site}/best> :page page:list .

page:list  :type type:links ; :path "//li/a" ; :next "//a[@rel='next']" ; :target page:thing .
page:thing :type type:object ; :item item:thing ; :link link:maker .
link:maker :path ".//a" ; :target page:maker ; :optional true .
page:maker :type type:object ; :item item:maker .
item:thing :path "//main" ; :property p:name .
item:maker :path "//main" ; :property p:maker .
p:name     :path ".//h1" .
p:maker    :path ".//h1" .
"""


@dataclass(slots=True)
class Site:
    """The pages of the server, the answers that come before them, and what was asked."""

    address: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    failures: dict[str, list[web.Response]] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    at_once: int = 0
    most_at_once: int = 0
    stop_at: str | None = None
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: web.Request) -> web.Response:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            path = request.raw_path
            if path == "/robots.txt":
                return web.Response(status=404)
            self.asked[path] += 1
            if path == self.stop_at:
                self.stop.set()
            # Others get the chance to ask before this one is answered.
            for _ in range(20):
                await asyncio.sleep(0)
            if failures := self.failures.get(path):
                return failures.pop(0)
            if path not in self.pages:
                return web.Response(status=404)
            return web.Response(text=self.pages[path], content_type="text/html")
        finally:
            self.at_once -= 1

    def model(self, folder: Path) -> Model:
        path = folder / "model.ttl"
        path.write_text(MODEL.format(site=self.address))
        return load_model(path)


@pytest_asyncio.fixture
async def site() -> AsyncIterator[Site]:
    """Two lists that share a thing; two things that share a maker."""
    pages = {
        "/list": '<ul><li><a href="/a">A</a><li><a href="/b">B</a></ul><a rel=next href="/list?page=2">next</a>',
        "/list?page=2": '<ul><li><a href="/c">C</a></ul>',
        "/best": '<ul><li><a href="/b#top">B</a></ul>',
        "/a": '<main><h1>A</h1><a href="/ada">Ada</a></main>',
        "/b": '<main><h1>B</h1><a href="/ada">Ada</a></main>',
        "/c": "<main><h1>C</h1></main>",
        "/ada": "<main><h1>Ada</h1></main>",
    }
    running = Site(pages=pages)
    async with serving(running.answer) as running.address:
        yield running


def values(crawled: Crawled, predicate: str) -> list[str]:
    return sorted(line.split('"')[1] for line in crawled.triples if f" <property://{predicate}> " in line)


def again_at_once(status: int = 503) -> web.Response:
    return web.Response(status=status, headers={"Retry-After": "0"})


async def test_every_page_is_asked_for_once(site: Site, tmp_path: Path) -> None:
    """However many links lead to it; every edge is there all the same."""
    crawled = await crawl(site.model(tmp_path), tmp_path / "store")
    assert site.asked == dict.fromkeys(site.pages, 1)
    edges = {line for line in crawled.triples if "<item://" in line}
    assert edges == {
        f"<{site.address}{parent}> <item://{item}> <{site.address}{child}>"
        for parent, item, child in (
            ("/list", "thing", "/a"),
            ("/list", "thing", "/b"),
            ("/list", "thing", "/c"),
            ("/best", "thing", "/b"),
            ("/a", "maker", "/ada"),
            ("/b", "maker", "/ada"),
        )
    }
    assert crawled.problems == ()


async def test_a_server_that_recovers_is_asked_again(site: Site, tmp_path: Path) -> None:
    """A page that came at the third try is a page like any other."""
    site.failures["/a"] = [again_at_once(503), again_at_once(429)]
    crawled = await crawl(site.model(tmp_path), tmp_path / "store")
    assert site.asked["/a"] == 3
    assert values(crawled, "name") == ["A", "B", "C"]
    assert crawled.problems == ()
    assert sum(crawled.record.counts.pages.values()) == len(site.pages)


async def test_a_server_that_does_not_recover_is_given_up(site: Site, tmp_path: Path) -> None:
    """After three tries the page is a problem; the section is incomplete, and the object unread rather than gone."""
    site.failures["/a"] = [again_at_once() for _ in range(10)]
    crawled = await crawl(site.model(tmp_path), tmp_path / "store")
    assert site.asked["/a"] == 3
    assert values(crawled, "name") == ["B", "C"]
    assert [(problem["kind"], problem["address"]) for problem in crawled.problems] == [
        ("unreachable", f"{site.address}/a")
    ]
    complete = {section.address: section.complete for section in crawled.record.sections}
    assert complete == {f"{site.address}/list": False, f"{site.address}/best": True}
    assert crawled.unread.objects == (f"{site.address}/a",)


async def test_a_run_does_not_wait_for_hours(site: Site, tmp_path: Path) -> None:
    """A server that asks to come back tomorrow is not asked again in this run."""
    site.failures["/a"] = [web.Response(status=503, headers={"Retry-After": "86400"})]
    crawled = await crawl(site.model(tmp_path), tmp_path / "store")
    assert site.asked["/a"] == 1
    assert [problem["kind"] for problem in crawled.problems] == ["unreachable"]


async def test_a_list_that_cannot_be_read_is_unread(site: Site, tmp_path: Path) -> None:
    """What the missing part would have shown is unknown, below its section only."""
    site.failures["/list?page=2"] = [web.Response(status=403)]
    crawled = await crawl(site.model(tmp_path), tmp_path / "store")
    assert values(crawled, "name") == ["A", "B"]
    assert crawled.unread.lists == ((f"{site.address}/list", "item://thing"),)
    assert crawled.unread.objects == ()


async def test_a_page_that_is_gone_leaves_nothing_open(site: Site, tmp_path: Path) -> None:
    """It is a problem, and it was seen: its object is gone, not unread."""
    del site.pages["/c"]
    crawled = await crawl(site.model(tmp_path), tmp_path / "store")
    assert [problem["kind"] for problem in crawled.problems] == ["gone"]
    assert crawled.unread.objects == ()
    assert crawled.unread.lists == ()


async def test_a_stopped_run_goes_on_where_it_was(site: Site, tmp_path: Path) -> None:
    """What was read before is not asked for again, and the graph is that of an undisturbed run."""
    model, options = site.model(tmp_path), RunOptions(engine=Engine.HTTP)
    undisturbed = await crawl(model, tmp_path / "undisturbed")
    site.asked.clear()
    site.stop_at = "/list?page=2"
    store = unloaded_store(tmp_path / "store")
    with pytest.raises(Stopped, match="the same command resumes"):
        await run_model(model, store, options, stop=site.stop)
    assert [record.state for record in store.runs.records()] == [RunState.STOPPED]
    report = await run_model(model, store, options)
    assert report.record.state is RunState.COMPLETE
    assert read_run(store, report.record).triples == undisturbed.triples
    assert site.asked["/list"] == site.asked["/best"] == 1


async def test_a_section_can_be_run_on_its_own(site: Site, tmp_path: Path) -> None:
    """Only what it leads to is read."""
    store = unloaded_store(tmp_path / "store")
    options = RunOptions(sections=(f"{site.address}/best",), engine=Engine.HTTP)
    report = await run_model(site.model(tmp_path), store, options)
    assert set(site.asked) == {"/best", "/b", "/ada"}
    assert [section.address for section in report.record.sections] == [f"{site.address}/best"]


async def test_an_unknown_section_is_refused(site: Site, tmp_path: Path) -> None:
    """The message names those that there are."""
    options = RunOptions(sections=("http://site.example/other",))
    with pytest.raises(UsageError, match=r"no section http://site\.example/other; it has .*/list"):
        await run_model(site.model(tmp_path), unloaded_store(tmp_path / "store"), options)


async def test_concurrency_is_kept(site: Site, tmp_path: Path) -> None:
    """A host never gets more requests at once than were asked for, and as many where there is enough to do."""
    site.pages["/list"] = "<ul>" + "".join(f'<li><a href="/{number}">x</a>' for number in range(30)) + "</ul>"
    site.pages |= {f"/{number}": f"<main><h1>{number}</h1></main>" for number in range(30)}
    options = RunOptions(concurrency=3, engine=Engine.HTTP)
    report = await run_model(site.model(tmp_path), unloaded_store(tmp_path / "store"), options)
    assert report.record.counts.objects["item://thing"] == 31
    assert site.most_at_once == 3


async def test_leads_are_read_level_by_level(site: Site, tmp_path: Path) -> None:
    """When nothing else is left, the highest score first."""
    model, store = site.model(tmp_path), unloaded_store(tmp_path / "store")
    job = Job.of(model, model.sections[:1], store, RunOptions(engine=Engine.HTTP, concurrency=1))
    async with aclosing(await open_queue(store.queue)) as queue:
        run = await queue.begin(job.identity)
        frontier = (await queue.open(run, worker="main", model=model.digest)).frontier
        await frontier.start(job.sections)
        (start,) = await frontier.claim(1)
        to = {path: Follow("page://thing", f"{site.address}{path}", f"{site.address}{path}") for path in site.pages}
        leads = [
            Lead("page://thing", to[path].address, to[path].key, score) for path, score in (("/b", 1.0), ("/c", 2.0))
        ]
        result = PageResult(Outcome(start, follows=[to["/a"]], leads=leads), "http")
        await frontier.commit([result], valid=NOTHING_VALID, counted=Counted())
        await crawl_as_worker(job, run, "main")
        assert await frontier.counts() == {(0, EntryState.DONE): 5}
    assert list(site.asked) == ["/a", "/ada", "/c", "/b"]
