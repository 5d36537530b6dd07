"""``rdfcrawl export --format names`` and ``qlever-text``: what a run has recognised, as files of other programs."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from rdfcrawl.cli.console import err
from rdfcrawl.engine.inspect.texts import page_texts
from rdfcrawl.errors import UsageError
from rdfcrawl.publish.data.people import People, run_with_names
from rdfcrawl.recognise.qlever import QLeverFiles, tag
from rdfcrawl.store.export.formats import ExportFormat
from rdfcrawl.store.files.whole import written_whole
from rdfcrawl.store.folder import Store
from rdfcrawl.store.index import Index
from rdfcrawl.store.runs.record import RunRecord


def export_names(store: Store, run: str, form: ExportFormat, output: Path | None) -> None:
    """Write the names of a run; ``current`` is the last run that has any."""
    if run == "all":
        raise UsageError(f"{form} writes the names of one run; --run names it")
    local = store.local()
    record = run_with_names(local.runs, None if run == "current" else run)
    assert isinstance(local.data, Index)
    with local.read(local.data) as reader:
        people = People(reader.store, record.id)
        if form is ExportFormat.NAMES:
            _write_pages(people, output)
        else:
            _write_qlever(local, record, people, output)


def _write_pages(people: People, output: Path | None) -> None:
    if output is None:
        for line in _lines(people):
            sys.stdout.write(line)
        return
    with written_whole(output) as file:
        for line in _lines(people):
            file.write(line.encode())


def _lines(people: People) -> Iterator[str]:
    """A line for each name: its tag, and its pages with tf.idf and bm25, best first."""
    for form, pages in people.names():
        scored = (f"{page.address} ({page.tf_idf:g},{page.bm25:g})" for page in pages)
        yield f"{tag(form.name)}\t{' '.join(scored)}\n"


def _write_qlever(store: Store, record: RunRecord, people: People, output: Path | None) -> None:
    if output is None:
        raise UsageError("qlever-text writes three files; name a folder for them with -o")
    output.mkdir(parents=True, exist_ok=True)
    addresses = sorted({page.address for _, pages in people.names() for page in pages})
    with ExitStack() as stack:
        words, docs, triples = (
            stack.enter_context(written_whole(output / name)) for name in ("words.tsv", "docs.tsv", "names.nt")
        )
        files = QLeverFiles(words, docs, triples)
        asyncio.run(_fill(files, store, record, addresses))
    err.print(f"{output}: {files.records:,} sentences of {files.pages:,} pages in words.tsv, docs.tsv and names.nt")


async def _fill(files: QLeverFiles, store: Store, record: RunRecord, addresses: list[str]) -> None:
    async for page in page_texts(store, record, addresses, lambda text: err.print(text)):
        files.add(page)
