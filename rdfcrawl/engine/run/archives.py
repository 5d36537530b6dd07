"""Which archive belongs to which run: what ``--replay`` names, and what a new archive may refer to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from rdfcrawl.engine.fetch.fetchers import Replay, archive_replay, folder_replay
from rdfcrawl.engine.fetch.warc.index import contents, index_path
from rdfcrawl.engine.fetch.warc.recorder import WarcRecorder
from rdfcrawl.errors import UsageError
from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.store.current import current_runs
from rdfcrawl.store.folder import Store
from rdfcrawl.store.runs.record import REPLAYED_RUN, RunRecord
from rdfcrawl.version import VERSION

_SUFFIX: Final = ".warc.gz"


def archive_path(store: Store, run: int) -> Path:
    """The file of a run's archive."""
    return store.archive / f"{run}{_SUFFIX}"


def archive_paths(store: Store, run: int) -> list[Path]:
    """The archives of a run that there are: of the process that led it, and of its workers on other machines."""
    mine = archive_path(store, run)
    others = sorted(store.archive.glob(f"{run}.*{_SUFFIX}"))
    return [path for path in (*others, mine) if path.exists()]


def worker_archive(folder: Path, run: int, worker: str) -> Path:
    """The file of a worker's part of a run's archive."""
    return folder / f"{run}.{worker}{_SUFFIX}"


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
    path = archive_path(store, record.id)
    return WarcRecorder(path, about=_about(record.id, record.model.digest), earlier=followed_archives(store, record))


def open_worker_recorder(folder: Path, run: int, worker: str, digest: str, earlier: Iterable[str]) -> WarcRecorder:
    """A worker's part of the archive of a run; ``earlier`` names the archives of that folder that it may refer to."""
    known = [folder / name for name in earlier if (folder / name).is_file()]
    return WarcRecorder(worker_archive(folder, run, worker), about=_about(run, digest), earlier=known)


def cut_worker_archives(store: Store, run: int, valid: Mapping[str, int]) -> list[str]:
    """Cut the archives of workers to what was acknowledged; returns the workers whose archives are not there."""
    missing = []
    for worker, size in valid.items():
        path = worker_archive(store.archive, run, worker)
        if not path.is_file() or path.stat().st_size < size:
            missing.append(worker)
        elif path.stat().st_size > size:
            os.truncate(path, size)
            index_path(path).unlink(missing_ok=True)
    return missing


def _about(run: int, digest: str) -> dict[str, str]:
    return {
        "software": f"rdfcrawl/{VERSION}",
        "format": "WARC File Format 1.1",
        "isPartOf": run_iri(run),
        "description": f"what was fetched for the model {digest}",
    }


def needed_archives(store: Store, record: RunRecord, recorder: WarcRecorder | None) -> tuple[str, ...]:
    """The other runs' archives without which a run cannot be replayed or explained.

    While a run is under way, that is every archive that it may come to refer to.
    """
    if record.observed != record.id:
        source = store.runs.read_record(record.observed)
        own = {path.name for path in archive_paths(store, source.id)} or {archive_path(store, source.id).name}
        return tuple(sorted({*own, *source.needed_archives}))
    own = {path.name for path in archive_paths(store, record.id)}
    needed = _referred_by_workers(store, record.id)
    if recorder is not None:
        needed |= recorder.referred if recorder.closed else recorder.referred | recorder.referable
    return tuple(sorted(needed - own))


def _referred_by_workers(store: Store, run: int) -> set[str]:
    """The archives without which those of the workers of a run cannot be read."""
    parts = [path for path in archive_paths(store, run) if path != archive_path(store, run)]
    return {answer.body.file for path in parts for answer in contents(path).answers if answer.body is not None}


def followed_archives(store: Store, record: RunRecord) -> Iterator[Path]:
    """The archives of the latest runs of the same sections."""
    covered = {section.address for section in record.sections}
    earlier = {before.id: before for before in store.runs.records() if before.id < record.id}
    for current in current_runs(list(earlier.values())):
        if covered.intersection(current.sections):
            yield from archive_paths(store, earlier[current.run].observed)


def _run_replay(name: str, store: Store | None) -> Replay:
    if store is None:
        raise UsageError(f"run:{name} names a run of a store; name the store as well")
    run = store.runs.resolve(name).observed
    archives = archive_paths(store, run)
    if not archives:
        archive = archive_path(store, run)
        raise UsageError(f"run {run} has no archive {archive}: it was not recorded, or its archive was pruned")
    return archive_replay(f"{REPLAYED_RUN}{run}", *archives)
