"""A site that is crawled again: what has not changed is neither sent nor read again, and the graph is the same."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import web
from warcio.archiveiterator import ArchiveIterator

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.run.run import RunOptions, RunReport, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.folder import Store
from tests.book_site import BookSite
from tests.crawling import read_run, unloaded_store
from tests.sampling import sampled
from tests.serving import serving

OPTIONS = RunOptions(engine=Engine.HTTP, record=False)


@dataclass(slots=True)
class Answering:
    """Stands before a shop and answers 304 where the client has the page; ``edited`` pages are changed."""

    site: BookSite
    tags: bool = True
    edited: dict[str, tuple[str, str]] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    whole: int = 0
    unchanged: int = 0

    async def handle(self, request: web.Request) -> web.Response:
        if request.path in self.broken:
            return web.Response(status=400)
        answer = await BookSite.handle(self.site, request)
        if answer.status != 200 or not answer.text:
            return answer
        if request.path in self.edited:
            answer.text = answer.text.replace(*self.edited[request.path])
        tag = f'"{hashlib.sha1(answer.text.encode()).hexdigest()}"'
        if self.tags and request.headers.get("If-None-Match") == tag:
            self.unchanged += 1
            return web.Response(status=304, headers={"ETag": tag})
        self.whole += 1
        if self.tags:
            answer.headers["ETag"] = tag
        return answer


@dataclass(slots=True)
class Shop:
    """A shop behind its answers, and a store that it is crawled into."""

    answering: Answering
    store: Store
    folder: Path

    async def crawl(self, store: Store | None = None, options: RunOptions = OPTIONS) -> RunReport:
        path = self.folder / "model.ttl"
        path.write_text(self.answering.site.model, encoding="utf-8")
        self.answering.whole = self.answering.unchanged = 0
        return await run_model(load_model(path), store or self.store, options)

    async def triples_of_a_new_crawl(self) -> frozenset[str]:
        store = unloaded_store(self.folder / "other")
        return read_run(store, (await self.crawl(store)).record).triples


def triples(shop: Shop, report: RunReport) -> frozenset[str]:
    return read_run(shop.store, report.record).triples


# Whether a page is the same is found out in two ways; what follows from it does not depend on which.
in_one_way = pytest.mark.parametrize("shop", sampled([True, False], [True]), ids=["304", "same body"], indirect=True)


@pytest_asyncio.fixture(params=[True, False], ids=["304", "same body"])
async def shop(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Shop]:
    """A shop whose server knows 304, or sends everything again."""
    site = BookSite(24)
    answering = Answering(site, tags=request.param)
    async with serving(answering.handle) as site.address:
        yield Shop(answering, unloaded_store(tmp_path / "store"), tmp_path)


async def test_an_unchanged_site_gives_the_same_graph_without_being_read(shop: Shop) -> None:
    """The report says how many pages that were; the server sends none of them again if it knows how to."""
    first = await shop.crawl()
    second = await shop.crawl()
    pages = shop.answering.site.pages
    assert (first.unchanged, second.unchanged) == (0, pages)
    assert triples(shop, first) == triples(shop, second)
    sent = 0 if shop.answering.tags else pages
    assert (shop.answering.whole, shop.answering.unchanged) == (sent, pages - sent)


@in_one_way
async def test_only_what_has_changed_is_read(shop: Shop) -> None:
    """The graph is that of a crawl which knew nothing; a new book, a new price and a list that has become shorter."""
    await shop.crawl()
    shop.answering.site.books = 22
    shop.answering.edited["/book/7"] = ("Book 7", "Book Seven")
    second = await shop.crawl()
    # Two lists of up to twenty books, of which the last one is shorter now.
    assert second.unchanged == shop.answering.site.pages - 2
    assert triples(shop, second) == await shop.triples_of_a_new_crawl()
    assert any("Book Seven" in triple for triple in triples(shop, second))


@in_one_way
async def test_problems_are_taken_over_like_triples(shop: Shop) -> None:
    """A page that lacks something lacks it also when it is not read again."""
    shop.answering.edited["/book/7"] = ("price", "prize")
    first = await shop.crawl()
    second = await shop.crawl()
    assert second.unchanged == shop.answering.site.pages
    assert first.record.counts.problems == second.record.counts.problems == {"missing": 1}


@in_one_way
async def test_another_model_reads_everything_itself(shop: Shop) -> None:
    """What one model has extracted says nothing about another."""
    await shop.crawl()
    path = shop.folder / "other.ttl"
    path.write_text(
        shop.answering.site.model.replace(":pattern", ':language "en" ; :pattern').replace(":type xsd:decimal ;", ""),
        encoding="utf-8",
    )
    report = await run_model(load_model(path), shop.store, OPTIONS)
    assert report.unchanged == 0


@in_one_way
async def test_fresh_reads_everything_anew(shop: Shop) -> None:
    """For whoever does not trust it."""
    await shop.crawl()
    again = await shop.crawl(options=RunOptions(engine=Engine.HTTP, record=False, fresh=True))
    assert again.unchanged == 0
    assert shop.answering.unchanged == 0


async def test_the_archive_of_an_unchanged_site_can_be_replayed(shop: Shop) -> None:
    """It refers to the bodies that the archive before it has, also where the server sent none."""
    recorded = RunOptions(engine=Engine.HTTP)
    first = await shop.crawl(options=recorded)
    second = await shop.crawl(options=recorded)
    assert second.unchanged == shop.answering.site.pages
    assert shop.answering.whole == (0 if shop.answering.tags else shop.answering.site.pages)
    replayed = await shop.crawl(options=RunOptions(engine=Engine.HTTP, replay=f"run:{second.record.id}"))
    assert triples(shop, replayed) == triples(shop, first)


async def test_the_archive_has_one_record_for_each_page_that_the_server_calls_unchanged(shop: Shop) -> None:
    """What was asked is what the first archive says; to repeat it every night would only take room."""
    recorded = RunOptions(engine=Engine.HTTP)
    await shop.crawl(options=recorded)
    second = await shop.crawl(options=recorded)
    with (shop.store.archive / f"{second.record.id}.warc.gz").open("rb") as file:
        types = Counter(record.rec_type for record in ArchiveIterator(file))
    pages = shop.answering.site.pages
    # robots.txt was asked for as well.
    assert types["response"] + types["revisit"] == pages + 1
    assert types["request"] == (1 if shop.answering.tags else pages + 1)


@in_one_way
async def test_pages_that_are_no_longer_linked_are_forgotten(shop: Shop) -> None:
    """But not those that failed only this time."""
    await shop.crawl()
    shop.answering.site.books = 22
    shop.answering.broken.add("/book/7")
    await shop.crawl()
    shop.answering.broken.clear()
    shop.answering.site.books = 24
    third = await shop.crawl()
    # The two books that are back, and the list that shows them again.
    assert third.unchanged == shop.answering.site.pages - 3
