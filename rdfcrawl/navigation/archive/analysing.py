"""The navigation of a survey is recognised: its archive is read, its links are judged, and the result is kept."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import aclosing
from pathlib import Path

from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.inspect.archived import read_archived
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.errors import StoreError
from rdfcrawl.metamodel.model import Page
from rdfcrawl.navigation.analysis import JudgedDocument, NavigationCounts, judged
from rdfcrawl.navigation.archive.tasks import ANCHORS, anchors_answer
from rdfcrawl.navigation.graphs import ensure_igraph
from rdfcrawl.navigation.judging import LinkClass, NavigationRule
from rdfcrawl.navigation.results.writing import SiteResult, result_lines
from rdfcrawl.navigation.site import AnchorsOfPage, LinkedSite
from rdfcrawl.navigation.sitemap import site_map
from rdfcrawl.navigation.systems import SystemsFound
from rdfcrawl.store.files.lines import write_sorted
from rdfcrawl.store.files.whole import NOT_WRITABLE
from rdfcrawl.store.folder import Store
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.survey.reading import HTML, read_links, read_pages

Progress = Callable[[str, int, int], None]
"""Is told what is done, how many pages are done, and how many there are."""


async def analyse(
    store: Store, record: RunRecord, rule: NavigationRule, notice: Callable[[str], None], progress: Progress
) -> None:
    """Recognise the navigation of a survey by a rule, and write the result into the store.

    Raises ``StoreError`` before anything is read if nothing can be written there.
    """
    _ensure_writable(store.runs.folder, record)
    if rule is NavigationRule.EXACT:
        ensure_igraph()
    pages, same = _documents(store, record)
    site = LinkedSite(same)

    async def links(pool: WorkerPool, page: Page, document: Fetched) -> AnchorsOfPage:
        options = {"params": json.dumps(sorted(page.params)), "display": "" if rule is NavigationRule.EXACT else None}
        return await pool.perform(ANCHORS, (document,), options, anchors_answer)

    async with aclosing(read_archived(store, record, pages, links, notice)) as answers:
        async for address, found in answers:
            site.add(address, found)
            progress("reading the archive", len(site.documents), len(pages))
    result = _result(site, rule, record, pages, progress)
    progress("writing the result", len(pages), len(pages))
    _write(store, record, result_lines(record, result, read_links(store.runs, record)))


def _ensure_writable(folder: Path, record: RunRecord) -> None:
    """Raise ``StoreError`` where no file can be made: reading an archive takes minutes."""
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        if error.errno not in NOT_WRITABLE:
            raise
        raise StoreError(
            f"the navigation of run {record.id} is not known yet, and cannot be kept in {folder} ({error.strerror}); "
            "let it be recognised where the store can be written"
        ) from error


def _documents(store: Store, record: RunRecord) -> tuple[list[str], dict[str, str]]:
    """The pages of a survey, and of every other address that has such a page which one it is."""
    pages: list[str] = []
    leads: dict[str, str] = {}
    for page in read_pages(store.runs, record):
        if page.kind == HTML:
            pages.append(page.address)
        elif (target := page.redirects_to or page.duplicate_of) is not None:
            leads[page.address] = target
    return pages, {address: end for address in leads if (end := _end(address, leads)) is not None}


def _end(address: str, leads: Mapping[str, str]) -> str | None:
    passed: set[str] = set()
    while address in leads:
        if address in passed:
            return None
        passed.add(address)
        address = leads[address]
    return address


def _result(
    site: LinkedSite, rule: NavigationRule, record: RunRecord, pages: Iterable[str], progress: Progress
) -> SiteResult:
    """Judge all links; the menus and the tree follow from that."""
    counts, systems = NavigationCounts(), SystemsFound()
    total = len(site.documents)
    documents: dict[int, JudgedDocument] = {}
    for one in judged(site, rule, counts, lambda done: progress("judging links", done, total)):
        documents[one.document.number] = one
        for found, labels in one.navigations:
            systems.add(found, labels)
    menus = {
        number: (*one.references[LinkClass.NAVIGATION], *one.references[LinkClass.OUTSIDER])
        for number, one in documents.items()
    }
    content = {number: one.references[LinkClass.CONTENT] for number, one in documents.items()}
    addresses = {site.number_of(page): page for page in pages}
    starts = [site.number_of(section.address) for section in record.sections]
    tree = site_map(starts, menus, content, addresses)
    return SiteResult(site, rule, counts, documents, systems.systems(site.identities), tree)


def _write(store: Store, record: RunRecord, lines: Iterable[str]) -> None:
    target = store.runs.navigation(record.id)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
        unsorted = Path(folder, "lines.nq")
        with unsorted.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
        write_sorted(unsorted, target)
