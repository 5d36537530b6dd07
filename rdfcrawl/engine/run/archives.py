"""Which archive belongs to which run: what ``--replay`` names, and what a new archive may refer to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rdfcrawl.engine.fetch.fetchers import Replay, archive_replay, folder_replay
from rdfcrawl.engine.fetch.warc.recorder import WarcRecorder
from rdfcrawl.errors import UsageError
from rdfcrawl.store.current import current_runs
from rdfcrawl.store.folder import Store
from rdfcrawl.store.runs.record import REPLAYED_RUN, RunRecord
from rdfcrawl.version import VERSION

_SUFFIX: Final = ".warc.gz"


def archive_path(store: Store, run: int) -> Path:
    """The file of a run's archive."""
    return store.archive / f"{run}{_SUFFIX}"


def open_replay(given: str, store: Store | None) -> Replay:
    """What ``--replay`` names: a folder ``host/path``, a WARC file, or a run of the store as ``run:ID``."""
    path = Path(given)
    if given.startswith(REPLAYED_RUN):
        return _run_replay(given.removeprefix(REPLAYED_RUN), store)
    if path.is_dir():
        return folder_replay(given, path)
    if path.is_file():
        is_own = store is not None and path.resolve().parent == store.archive.resolve()
        run = path.name.removesuffix(_SUFFIX)
        return _run_replay(run, store) if is_own and run.isdecimal() else archive_replay(given, path)
    raise UsageError(f"there is nothing to replay at {given}: a folder host/path, a WARC file or run:ID is expected")


def open_recorder(store: Store, record: RunRecord) -> WarcRecorder:
    """The archive of a run; for what has not changed it refers to the archives of the runs that it follows."""
    about = {
        "software": f"rdfcrawl/{VERSION}",
        "format": "WARC File Format 1.1",
        "isPartOf": record.iri,
        "description": f"what was fetched for the model {record.model.digest}",
    }
    return WarcRecorder(archive_path(store, record.id), about=about, earlier=_followed(store, record))


def needed_archives(store: Store, record: RunRecord, recorder: WarcRecorder | None) -> tuple[str, ...]:
    """The other runs' archives without which a run cannot be replayed or explained.

    While a run is under way, that is every archive that it may come to refer to.
    """
    if record.observed != record.id:
        source = store.runs.read_record(record.observed)
        return tuple(sorted({archive_path(store, source.id).name, *source.needed_archives}))
    if recorder is None:
        return ()
    return tuple(sorted(recorder.referred if recorder.closed else recorder.referred | recorder.referable))


def _followed(store: Store, record: RunRecord) -> Iterator[Path]:
    """The archives of the latest runs of the same sections."""
    covered = {section.address for section in record.sections}
    earlier = {before.id: before for before in store.runs.records() if before.id < record.id}
    for current in current_runs(list(earlier.values())):
        archive = archive_path(store, earlier[current.run].observed)
        if covered.intersection(current.sections) and archive.exists():
            yield archive


def _run_replay(name: str, store: Store | None) -> Replay:
    if store is None:
        raise UsageError(f"run:{name} names a run of a store; name the store as well")
    run = store.runs.resolve(name).observed
    archive = archive_path(store, run)
    if not archive.exists():
        raise UsageError(f"run {run} has no archive {archive}: it was not recorded, or its archive was pruned")
    return archive_replay(f"{REPLAYED_RUN}{run}", archive)
