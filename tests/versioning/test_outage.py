"""A server that is down for a third of its pages, crawled for real."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from zlib import crc32

import pytest
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.folder import Store
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.recording import ChangeSummary, record_changes
from tests.book_site import BookSite, book_site
from tests.crawling import unloaded_store
from tests.sampling import sampled


def _down(third: int) -> Callable[[str], Awaitable[None]]:
    async def refuse(address: str) -> None:
        if crc32(address.partition("?ref=")[0].encode()) % 3 == third:
            raise web.HTTPServiceUnavailable(headers={"Retry-After": "0"})

    return refuse


async def _crawled(site: BookSite, store: Store) -> tuple[ChangeSummary, list[str]]:
    model = store.folder / "model.ttl"
    model.write_text(site.model, encoding="utf-8")
    report = await run_model(load_model(model), store, RunOptions(engine=Engine.HTTP, record=False))
    summary = record_changes(store.runs, report.record.id)
    return summary, store.runs.changes(report.record.id).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("third", sampled(range(3), [1]))
async def test_an_outage_removes_nothing_and_the_next_good_crawl_reports_only_what_really_changed(
    third: int, tmp_path: Path
) -> None:
    """Whichever third of the pages is down: lists, books or authors."""
    store = unloaded_store(tmp_path)
    async with book_site(60) as site:
        first, _ = await _crawled(site, store)
        assert first.counts == {ChangeKind.ADDED: 60}
        site.on_request = _down(third)
        outage, _ = await _crawled(site, store)
        assert set(outage.counts) == {ChangeKind.UNOBSERVED}
        site.on_request = None
        site.books = 58
        good, triples = await _crawled(site, store)
        assert good.counts == {ChangeKind.REMOVED: 2}
        assert [triple.split()[:3] for triple in triples] == [
            [f"<{site.start}>", "<predicate://removed>", f"<{site.address}/book/{number}>"] for number in (58, 59)
        ]
