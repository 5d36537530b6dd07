"""The visible texts of a run's pages, read from its archive."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable

from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.fetch.warc.source import WarcSource
from rdfcrawl.engine.inspect.archived import read_archived
from rdfcrawl.engine.inspect.explain import kept_pages
from rdfcrawl.engine.run.archives import open_replay
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.engine.workers.visible import VisiblePage
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.model import Page
from rdfcrawl.store.folder import Store
from rdfcrawl.store.runs.record import RunRecord


def archived_pages(store: Store, record: RunRecord) -> list[str]:
    """The addresses of the HTML pages in the archive of a run, in their order."""
    source = open_replay(kept_pages(store, record), store).source
    if not isinstance(source, WarcSource):
        raise UsageError(f"run {record.id} was read from a folder, which has its pages; it has no archive")
    found = {one.answer.address for one in source.found() if "html" in one.answer.content_type.lower()}
    return sorted(found)


def visible_texts(
    store: Store, record: RunRecord, addresses: Iterable[str], notice: Callable[[str], None]
) -> AsyncIterator[tuple[str, VisiblePage]]:
    """What each page shows, as the run has seen it; pages that are not in the archive are named and left out."""
    return read_archived(store, record, addresses, _visible, notice)


async def _visible(pool: WorkerPool, page: Page, document: Fetched) -> VisiblePage:
    return await pool.visible_text(page.iri, document)
