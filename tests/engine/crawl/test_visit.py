"""One visit to one page of a real server: what it brings, what is remembered, and when it is not made."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.visit import Visit, visit
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.frontier.entries import NOTHING_VALID, Counted, Outcome, PageResult
from rdfcrawl.engine.frontier.hosts import HostAside
from rdfcrawl.engine.frontier.opening import open_queue
from rdfcrawl.engine.frontier.protocol import OpenRun
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.metamodel.model import Model
from tests.thing_site import ThingSite, page, thing_site
from tests.visiting import entry_at, opened_means

THING = "page://thing"


@asynccontextmanager
async def run_of(folder: Path, identity: str) -> AsyncIterator[OpenRun]:
    queue = await open_queue(folder / "queue.sqlite")
    yield await queue.open(await queue.begin(identity), worker="main", model="model")
    await queue.aclose()


async def visited(model: Model, address: str, run: OpenRun | None = None) -> Visit:
    async with opened_means(model, seen=run.seen if run else None) as means:
        return await visit(means, entry_at(address, THING), model.page(THING), Engine.HTTP)


def tagged(markup: str) -> web.Response:
    answer = page(markup)
    answer.headers["ETag"] = '"1"'
    return answer


async def second_visit(site: ThingSite, folder: Path, *answers: web.Response) -> tuple[Visit, Visit]:
    """Two runs visit the same page; the second knows what the first has seen."""
    model, address = site.model(folder), f"{site.address}/thing/0"
    site.answers["/thing/0"] = list(answers)
    async with run_of(folder, "first") as run:
        first = await visited(model, address, run)
        result = PageResult(Outcome(entry_at(address, THING)), Engine.HTTP, seen=first.page)
        await run.frontier.commit([result], valid=NOTHING_VALID, counted=Counted())
    async with run_of(folder, "second") as run:
        return first, await visited(model, address, run)


async def test_a_page_is_read_and_nothing_is_kept_without_a_memory(tmp_path: Path) -> None:
    """What it says is all that comes of it."""
    async with thing_site(1) as site:
        read = await visited(site.model(tmp_path), f"{site.address}/thing/0")
    assert [triple.rpartition(" ")[2] for triple in read.extraction.triples] == ['0"']
    assert (read.page, read.unchanged) == (None, False)


async def test_a_server_that_knows_says_that_nothing_has_changed(tmp_path: Path) -> None:
    """It is asked with the tag it gave, and what was extracted then is what the page says."""
    async with thing_site(1) as site:
        first, second = await second_visit(site, tmp_path, tagged("<main><h1>A</h1></main>"), web.Response(status=304))
        asked = [entry for entry in site.log if entry.path == "/thing/0"]
    assert [entry.headers.get("If-None-Match") for entry in asked] == [None, '"1"']
    assert second.unchanged
    assert second.page is None
    assert second.extraction == first.extraction
    assert second.extraction.triples


async def test_the_same_bytes_are_not_read_again(tmp_path: Path) -> None:
    """From a server that sends everything whole."""
    async with thing_site(1) as site:
        first, second = await second_visit(site, tmp_path)
    assert (first.unchanged, second.unchanged) == (False, True)
    assert second.extraction == first.extraction


async def test_a_page_that_has_changed_is_read_and_remembered_anew(tmp_path: Path) -> None:
    """However small the change."""
    async with thing_site(1) as site:
        first, second = await second_visit(
            site, tmp_path, tagged("<main><h1>A</h1></main>"), tagged("<main><h1>B</h1></main>")
        )
    assert not second.unchanged
    assert second.page is not None
    assert first.page is not None
    assert second.page.fingerprint != first.page.fingerprint
    assert second.page.extraction() == second.extraction != first.extraction


async def test_a_page_that_robots_txt_forbids_is_not_asked_for(tmp_path: Path) -> None:
    """Neither by its own address nor by way of another."""
    async with thing_site(2) as site:
        site.robots = "User-agent: *\nDisallow: /thing/0\n"
        site.answers["/thing/1"] = [web.Response(status=302, headers={"Location": "/thing/0"})]
        for path in ("/thing/0", "/thing/1"):
            with pytest.raises(FetchFailed) as failed:
                await visited(site.model(tmp_path), f"{site.address}{path}")
            assert failed.value.kind is ProblemKind.REFUSED
        assert site.asked["/thing/1"] == 1


async def test_a_host_that_is_left_alone_is_not_asked(tmp_path: Path) -> None:
    """The visit says until when; one that fails gives its turn back all the same."""
    async with thing_site(1) as site:
        model = site.model(tmp_path)
        async with opened_means(model) as means:
            entry = entry_at(f"{site.address}/thing/none", THING)
            for _ in range(2 * means.gates.slots(entry.host)):
                with pytest.raises(FetchFailed) as failed:
                    await visit(means, entry, model.page(THING), Engine.HTTP)
                assert failed.value.kind is ProblemKind.GONE
            asked = len(site.log)
            trouble = FetchFailed(ProblemKind.UNREACHABLE, "trouble", retry_after=100.0, strained=True)
            await means.gates.failed(entry.host, trouble)
            with pytest.raises(HostAside) as aside:
                await visit(means, entry, model.page(THING), Engine.HTTP)
        assert aside.value.until == means.gates.aside_until(entry.host)
        assert len(site.log) == asked
