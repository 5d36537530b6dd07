"""What is remembered of the pages of earlier runs, whoever keeps it."""

from __future__ import annotations

from dataclasses import replace

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.extract.extraction import Extraction
from rdfcrawl.engine.extract.packing import packed, to_bytes
from rdfcrawl.engine.fetch.session import Known
from rdfcrawl.engine.frontier.entries import NOTHING_VALID, Counted, Entry, Outcome, PageResult
from rdfcrawl.engine.frontier.protocol import CrawlQueue, OpenRun
from rdfcrawl.engine.frontier.seen import SeenPage
from rdfcrawl.metamodel.model import Section
from tests.engine.frontier.conftest import OpenRunOf

DAY = 24 * 3600
PAGE = SeenPage(
    b"\x00fingerprint", Known("http://a.example/", '"tag"', None, "text/html", "sha1:A"), packed(to_bytes(Extraction()))
)


async def first_entry(run: OpenRun) -> Entry:
    await run.frontier.start([Section("http://a.example/", "page://a")])
    (entry,) = await run.frontier.claim(1)
    return entry


async def commit(run: OpenRun, *results: PageResult) -> None:
    await run.frontier.commit(results, valid=NOTHING_VALID, counted=Counted())


async def test_a_page_comes_back_as_the_run_before_saw_it(open_run: OpenRunOf) -> None:
    """With everything that is needed to ask whether it has changed; by engine and model."""
    first = await open_run("first")
    entry = await first_entry(first)
    assert await first.seen.page(entry, Engine.HTTP) is None
    await commit(first, PageResult(Outcome(entry), Engine.HTTP, seen=PAGE))
    # A page that was only asked for has nothing to remember.
    await commit(first, PageResult(Outcome(replace(entry, key="http://a.example/b"), retry_at=0.0), Engine.HTTP))
    second = await open_run("second")
    assert await second.seen.page(entry, Engine.HTTP) == PAGE
    assert await second.seen.page(entry, Engine.BROWSER) is None
    assert await second.seen.page(replace(entry, key="http://a.example/b"), Engine.HTTP) is None
    assert await second.seen.page(replace(entry, list_address="http://a.example/list"), Engine.HTTP) is None
    other = await open_run("second", model="another")
    assert await other.seen.page(entry, Engine.HTTP) is None


async def test_a_run_of_the_whole_model_forgets_what_it_has_not_met(open_run: OpenRunOf) -> None:
    """A run of some sections does not: others may still lead there."""
    first = await open_run("first")
    entry = await first_entry(first)
    gone = replace(entry, key="http://a.example/gone")
    await commit(first, *(PageResult(Outcome(one), Engine.HTTP, seen=PAGE) for one in (entry, gone)))
    second = await open_run("second")
    await first_entry(second)
    await second.seen.forget_others(whole_model=False)
    assert await second.seen.page(gone, Engine.HTTP) == PAGE
    await second.seen.forget_others(whole_model=True)
    assert await second.seen.page(gone, Engine.HTTP) is None
    assert await second.seen.page(entry, Engine.HTTP) == PAGE


async def test_when_pages_were_last_met_is_noted_now_and_then(queue: CrawlQueue) -> None:
    """Pages that nobody asks for are kept for months; those that every run meets for as long as it does."""
    run = await queue.begin("first")
    for number in range(40):
        opened = await queue.open(run, worker="main", model="model")
        entry = await first_entry(opened)
        gone = replace(entry, key="http://a.example/gone")
        if number == 0:
            await commit(opened, *(PageResult(Outcome(one), Engine.HTTP, seen=PAGE) for one in (entry, gone)))
        else:
            assert await opened.seen.page(entry, Engine.HTTP)
        await opened.seen.forget_others(whole_model=False)
        await opened.frontier.forget()
        run = await queue.begin("next", newest=run + 10 * DAY)
    last = await queue.open(run, worker="main", model="model")
    assert await last.seen.page(entry, Engine.HTTP) == PAGE
    assert await last.seen.page(gone, Engine.HTTP) is None
