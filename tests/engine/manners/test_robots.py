"""What a robots.txt means for a crawl, told by the server's own log."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.errors import Stopped
from tests.crawling import Crawled, read_run, unloaded_store
from tests.thing_site import ThingSite, page, thing_site


async def crawled(site: ThingSite, folder: Path, **options: object) -> Crawled:
    store = unloaded_store(folder / "store")
    report = await run_model(site.model(folder), store, RunOptions(engine=Engine.HTTP, record=False, **options))  # type: ignore[arg-type]
    return read_run(store, report.record)


def kinds(crawl: Crawled) -> list[tuple[str, str]]:
    return sorted((problem["kind"], problem["address"].rpartition("/")[2]) for problem in crawl.problems)


async def test_pages_that_are_not_allowed_are_not_asked_for(tmp_path: Path) -> None:
    """They are refused, and their objects are unread rather than gone."""
    async with thing_site(3) as site:
        site.robots = "User-agent: *\nDisallow: /thing/1\n"
        found = await crawled(site, tmp_path)
        assert site.asked == {"/robots.txt": 1, "/list": 1, "/thing/0": 1, "/thing/2": 1}
    assert kinds(found) == [("refused", "1")]
    assert "robots.txt does not allow it" in found.problems[0]["reason"]
    assert found.unread.objects == (f"{site.address}/thing/1",)
    assert not found.record.sections[0].complete


async def test_the_group_for_this_crawler_counts_before_that_for_all(tmp_path: Path) -> None:
    """And the longest rule before a shorter one."""
    async with thing_site(2) as site:
        site.robots = "User-agent: *\nDisallow: /\n\nUser-agent: rdfcrawl\nDisallow: /thing\nAllow: /thing/1$\n"
        assert kinds(await crawled(site, tmp_path)) == [("refused", "0")]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
async def test_a_site_without_robots_txt_allows_everything(tmp_path: Path, status: int) -> None:
    """Every 4xx says that there is none."""
    async with thing_site(1) as site:
        site.answers["/robots.txt"] = [web.Response(status=status)]
        assert kinds(await crawled(site, tmp_path)) == []


async def test_a_robots_txt_that_cannot_be_had_forbids_everything(tmp_path: Path) -> None:
    """Nobody knows what it says; no page is asked for, and the start list is unread."""
    async with thing_site(1) as site:
        site.answers["/robots.txt"] = [web.Response(status=503, headers={"Retry-After": "0"}) for _ in range(9)]
        found = await crawled(site, tmp_path)
        assert set(site.asked) == {"/robots.txt"}
    assert kinds(found) == [("refused", "list")]
    assert "answered 503" in found.problems[0]["reason"]
    assert found.unread.lists == ((f"{site.address}/list", "item://thing"),)


async def test_a_robots_txt_that_comes_later_is_heeded(tmp_path: Path) -> None:
    """A server error is no answer for ever."""
    async with thing_site(2) as site:
        site.robots = "User-agent: *\nDisallow: /thing/0"
        site.answers["/robots.txt"] = [web.Response(status=500, headers={"Retry-After": "0"})]
        assert kinds(await crawled(site, tmp_path)) == [("refused", "0")]
        assert site.asked["/robots.txt"] == 2


async def test_redirects_are_followed_to_the_rules(tmp_path: Path) -> None:
    """Five of them; more are as good as no rules."""
    async with thing_site(1) as site:
        site.answers["/robots.txt"] = [web.Response(status=301, headers={"Location": "/rules"})]
        site.answers["/rules"] = [web.Response(text="User-agent: *\nDisallow: /thing/")]
        assert kinds(await crawled(site, tmp_path)) == [("refused", "0")]
    async with thing_site(1) as site:
        again = {"Location": "/robots.txt"}
        site.answers["/robots.txt"] = [web.Response(status=302, headers=again) for _ in range(9)]
        (tmp_path / "circle").mkdir()
        assert kinds(await crawled(site, tmp_path / "circle")) == []
        assert site.asked["/robots.txt"] == 6


async def test_a_robots_txt_beyond_all_measure_is_read_so_far(tmp_path: Path) -> None:
    """500 KiB are read; what stands in them counts."""

    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"User-agent: *\nDisallow: /thing/0\n")
        try:
            while True:
                await response.write(b"# nothing but remarks\n" * 1000)
        except ConnectionError:
            return response

    async with thing_site(2) as site:
        site.answers["/robots.txt"] = [endless]
        assert kinds(await crawled(site, tmp_path)) == [("refused", "0")]


async def test_a_redirect_leads_to_no_page_that_is_not_allowed(tmp_path: Path) -> None:
    """The page behind it is not asked for."""
    async with thing_site(1) as site:
        site.robots = "User-agent: *\nDisallow: /private/"
        site.answers["/thing/0"] = [web.Response(status=302, headers={"Location": "/private/0"})]
        assert kinds(await crawled(site, tmp_path)) == [("refused", "0")]
        assert "/private/0" not in site.asked


async def test_robots_txt_can_be_ignored_and_the_run_says_so(tmp_path: Path) -> None:
    """It is not even asked for."""
    async with thing_site(1) as site:
        site.robots = "User-agent: *\nDisallow: /"
        found = await crawled(site, tmp_path, ignore_robots=True)
        assert set(site.asked) == {"/list", "/thing/0"}
    assert found.problems == ()
    assert "robots" in found.record.notes


async def test_a_run_that_goes_on_does_not_ask_again(tmp_path: Path) -> None:
    """What the first start has read is kept with the queue, and forgotten with it."""
    stop = asyncio.Event()

    async def stopped(request: web.Request) -> web.Response:
        stop.set()
        return page("<main><h1>Thing</h1></main>")

    async with thing_site(4) as site:
        site.robots = "User-agent: *\nDisallow: /thing/3"
        site.answers["/thing/0"] = [stopped]
        store, model = unloaded_store(tmp_path / "store"), site.model(tmp_path)
        options = RunOptions(engine=Engine.HTTP, record=False, concurrency=1)
        with pytest.raises(Stopped):
            await run_model(model, store, options, stop=stop)
        report = await run_model(model, store, options)
        assert report.record.counts.problems == {"refused": 1}
        assert site.asked["/robots.txt"] == 1
        await run_model(model, store, options)
        assert site.asked["/robots.txt"] == 2


async def test_crawl_delay_is_kept_up_to_a_limit(tmp_path: Path) -> None:
    """The server's log shows the pace."""
    async with thing_site(5) as site:
        site.robots = "User-agent: *\nCrawl-delay: 1000"
        before = time.monotonic()
        await crawled(site, tmp_path, limits=RunLimits(crawl_delay_seconds=0.05))
        begun = sorted(asked.begun for asked in site.log if asked.path != "/robots.txt")
        assert len(begun) == 6
        # Whatever delays the server's notes, the n-th request cannot come before n - 1 delays have passed.
        assert all(moment - before > number * 0.049 for number, moment in enumerate(begun))


async def test_the_crawler_says_who_it_is_and_whom_to_ask(tmp_path: Path) -> None:
    """For robots.txt as for pages."""
    async with thing_site(1) as site:
        await crawled(site, tmp_path, contact="https://lab.example/crawler")
        agents = {asked.headers["User-Agent"] for asked in site.log}
    (agent,) = agents
    assert agent.startswith("rdfcrawl/")
    assert agent.endswith(" (+https://lab.example/crawler)")
