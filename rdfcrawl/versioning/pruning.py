"""Runs are pruned: their graphs and archives go, their records and changes stay."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from rdfcrawl.store.folder import Store
from rdfcrawl.store.record import RunRecord
from rdfcrawl.versioning.recording import record_missing


def files_of(store: Store, run: int) -> Iterator[Path]:
    """What pruning a run removes."""
    for path in (store.runs.graph(run), store.runs.carried(run)):
        if path.exists():
            yield path
    if store.archive.is_dir():
        yield from sorted(path for path in store.archive.iterdir() if path.name.split(".")[0] == str(run))


def prune(store: Store, records: Iterable[RunRecord]) -> None:
    """Remove these runs' graphs and archives, and bring the triple stores up to date."""
    # Changes that were never written could not be found out afterwards.
    record_missing(store.runs)
    for record in records:
        noted = {**record.notes, "pruned": datetime.now(UTC).isoformat(timespec="seconds")}
        store.runs.write_record(replace(record, notes=noted))
        for path in files_of(store, record.id):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
    store.refresh()
