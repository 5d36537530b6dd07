"""One pace for a host, however many workers ask it: told from the log of the server."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest
from aiohttp import web

from tests.machines.fleet import fleet, leader
from tests.serving import serving

PAGES = 6
DELAY = 0.8
"""Long enough for a machine that has a lot to do: a tenth of it is what may go wrong on the way to the server."""
MODEL = """
@prefix : <predicate://> . @prefix type: <type://> .
<model:> :section <{start}> .
<{start}> :page <page://list> ; :delay {delay} .
<page://list> :type type:links ; :path "//a" ; :target <page://thing> .
<page://thing> :type type:object ; :item <item://thing> .
<item://thing> :path "//main" ; :property <property://name> .
<property://name> :path ".//h1" .
"""


class LoggedSite:
    """A site that notes when it was asked for what, and how many requests were under way at once."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.log: list[tuple[float, str]] = []
        self.most_at_once = 0
        self.seconds = seconds
        self.busy_answers = 0
        self._under_way = 0

    async def answer(self, request: web.Request) -> web.Response:
        self.log.append((asyncio.get_running_loop().time(), request.path))
        self._under_way += 1
        self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            await asyncio.sleep(self.seconds)
            return self._page(request.path)
        finally:
            self._under_way -= 1

    def _page(self, path: str) -> web.Response:
        if path == "/robots.txt":
            return web.Response(text="User-agent: *\nAllow: /")
        if path == "/busy/3" and not self.busy_answers:
            self.busy_answers += 1
            return web.Response(status=429, headers={"Retry-After": "2"})
        links = "".join(f'<a href="{path}/{n}">thing</a>' for n in range(PAGES)) if path.count("/") == 1 else ""
        return web.Response(text=f"<main><h1>{path}</h1>{links}</main>", content_type="text/html")

    def gaps(self) -> list[float]:
        times = [moment for moment, _ in self.log]
        return [later - earlier for earlier, later in pairwise(times)]


async def test_requests_lie_a_delay_apart(queue_address: str, tmp_path: Path) -> None:
    """With four workers no gap is under nine tenths of it, there are no more requests a second than one worker may
    make, and robots.txt is fetched once."""
    site = LoggedSite()
    model = tmp_path / "model.ttl"
    async with serving(site.answer) as address:
        model.write_text(MODEL.format(start=f"{address}/things", delay=int(DELAY * 1000)))
        async with fleet(queue_address, 4):
            command = leader(queue_address, model, tmp_path / "store", "--no-crawl")
            assert await command.ended() == 0, command.said
    paths = [path for _, path in site.log]
    assert sorted(paths) == sorted({"/robots.txt", "/things", *(f"/things/{n}" for n in range(PAGES))})
    gaps = site.gaps()
    assert min(gaps) >= 0.9 * DELAY
    assert sum(gaps) / len(gaps) >= 0.97 * DELAY


async def test_a_host_gets_no_more_requests_at_once_than_it_may(queue_address: str, tmp_path: Path) -> None:
    """All workers together, not each of them."""
    site = LoggedSite(seconds=0.1)
    model = tmp_path / "model.ttl"
    async with serving(site.answer) as address:
        model.write_text(MODEL.format(start=f"{address}/things", delay=0))
        async with fleet(queue_address, 3):
            command = leader(queue_address, model, tmp_path / "store", "--no-crawl", "--concurrency", "4")
            assert await command.ended() == 0, command.said
    assert 2 <= site.most_at_once <= 4


@pytest.mark.exhaustive
async def test_a_host_that_asks_for_a_pause_gets_it_from_everybody(queue_address: str, tmp_path: Path) -> None:
    """What one worker is told counts for the others' next turns."""
    site = LoggedSite()
    model = tmp_path / "model.ttl"
    async with serving(site.answer) as address:
        model.write_text(MODEL.format(start=f"{address}/busy", delay=int(DELAY * 1000)))
        async with fleet(queue_address, 3):
            command = leader(queue_address, model, tmp_path / "store", "--no-crawl")
            assert await command.ended() == 0, command.said
    told = next(moment for moment, path in site.log if path == "/busy/3")
    during = [path for moment, path in site.log if told < moment < told + 1.9]
    assert len(during) <= 1
