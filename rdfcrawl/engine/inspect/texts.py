"""The texts of a run's pages with the names on them: the archived pages are read again, one by one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import aclosing

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.extract.plan import ModelPlan, PagePlan, build_plan
from rdfcrawl.engine.extract.recognised import RecognisedText
from rdfcrawl.engine.fetch.fetchers import Fetchers
from rdfcrawl.engine.fetch.guard import NetworkAccess
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed, Request
from rdfcrawl.engine.inspect.explain import kept_pages
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.run.archives import open_replay
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.recognise.qlever import PageText
from rdfcrawl.store.folder import Store
from rdfcrawl.store.runs.record import RunRecord


async def page_texts(
    store: Store, record: RunRecord, addresses: Iterable[str], notice: Callable[[str], None]
) -> AsyncIterator[PageText]:
    """The text of each page as the run has seen it; pages that are not in the archive are named and left out."""
    plan = build_plan(load_model(store.runs.model(record.id)))
    possible = _plans_with_names(plan)
    async with (
        aclosing(WorkerPool.started(RunLimits(), plan.model)) as pool,
        Fetchers(access=NetworkAccess(), replay=open_replay(kept_pages(store, record), store), notice=notice) as means,
    ):
        for address in addresses:
            try:
                documents = [one async for one in means[Engine.HTTP].open(Request(address, possible[0].page))]
                yield await _text(pool, possible, address, documents)
            except (FetchFailed, DocumentError) as failure:
                notice(f"{address}: {failure}; it is left out")


async def _text(pool: WorkerPool, possible: list[PagePlan], address: str, documents: list[Fetched]) -> PageText:
    """What one page shows; where several kinds of page may be meant, the names of all of them."""
    lines: list[str] = []
    names: dict[tuple[str, str], None] = {}
    for document in documents:
        read = [await pool.text(plan.page, document) for plan in possible]
        lines += read[0].lines
        names |= dict.fromkeys(name for text in read for name in text.names)
    return PageText(address, tuple(lines), tuple(names))


def _plans_with_names(plan: ModelPlan) -> list[PagePlan]:
    return [page for page in plan.pages.values() if _has_names(page)]


def _has_names(page: PagePlan) -> bool:
    properties = page.item.properties if page.item is not None else ()
    own = any(isinstance(one.source, RecognisedText) and one.source.finds_people for one in properties)
    return own or any(_has_names(sub) for sub in page.subs)
