"""``rdfcrawl export --format texts``: the visible text of every page, a JSON line each."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from rdfcrawl.cli.console import counted, for_programs, say
from rdfcrawl.engine.inspect.visible_texts import archived_pages, visible_texts
from rdfcrawl.errors import UsageError
from rdfcrawl.store.files.whole import written_whole
from rdfcrawl.store.folder import Store
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.survey.reading import HTML, has_survey, read_pages


def export_texts(store: Store, run: str, output: Path | None) -> None:
    """Write the texts of a run to a file or to standard output."""
    if run == "all":
        raise UsageError("the texts are those of one run; name it with --run")
    record = store.runs.resolve("latest" if run == "current" else run)
    if has_survey(record):
        depths: dict[str, int | None] = {
            page.address: page.depth for page in read_pages(store.runs, record) if page.kind == HTML
        }
    else:
        depths = dict.fromkeys(archived_pages(store, record))
    if output is None:
        with for_programs() as document:
            count = asyncio.run(_write(store, record, depths, document))
    else:
        with written_whole(output) as file:
            count = asyncio.run(_write(store, record, depths, file))
    say(f"{counted(count, 'page')} of run {record.id}", to_err=True)


async def _write(store: Store, record: RunRecord, depths: Mapping[str, int | None], target: IO[bytes]) -> int:
    count = 0
    async for address, page in visible_texts(store, record, depths, lambda text: say(text, to_err=True)):
        said = {
            "address": address,
            "title": page.title or None,
            "language": page.language or None,
            "depth": depths[address],
            "text": page.text,
        }
        target.write(json.dumps(said, ensure_ascii=False).encode() + b"\n")
        count += 1
    return count
