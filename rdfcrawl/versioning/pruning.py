"""Runs are pruned: their graphs and archives go, their records and changes stay."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from rdfcrawl.store.current import current_runs
from rdfcrawl.store.folder import Store
from rdfcrawl.store.integrity import ensure_whole
from rdfcrawl.store.record import PRUNED, RunRecord
from rdfcrawl.versioning.recording import record_missing


def archives_in_use(records: Iterable[RunRecord], going: Iterable[RunRecord]) -> frozenset[str]:
    """The archives that runs which stay cannot be read without."""
    gone = {record.id for record in going}
    return frozenset(name for record in records if record.id not in gone for name in record.needed_archives)


def files_of(store: Store, run: int, in_use: Collection[str] = ()) -> Iterator[Path]:
    """What pruning a run removes; an archive that is in use stays, with its index."""
    for path in (store.runs.graph(run), store.runs.carried(run)):
        if path.exists():
            yield path
    if store.archive.is_dir() and str(run) not in {name.split(".")[0] for name in in_use}:
        yield from sorted(path for path in store.archive.iterdir() if path.name.split(".")[0] == str(run))


def prune(store: Store, records: Iterable[RunRecord]) -> None:
    """Remove these runs' graphs and archives, and bring the triple stores up to date.

    Raises ``DamagedFile``, and removes nothing, if what stays is not whole: then the older runs are what is left.
    """
    # Changes that were never written could not be found out afterwards.
    record_missing(store.runs)
    going = [store.runs.read_record(record.id) for record in records]
    every = {record.id: record for record in store.runs.records()}
    for current in current_runs(list(every.values())):
        ensure_whole(store.runs, every[current.run])
    in_use = archives_in_use(every.values(), going)
    for record in going:
        noted = {**record.notes, PRUNED: datetime.now(UTC).isoformat(timespec="seconds")}
        store.runs.write_record(replace(record, notes=noted))
        for path in files_of(store, record.id, in_use):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
    store.refresh()
