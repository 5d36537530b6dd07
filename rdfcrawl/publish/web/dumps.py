"""Data as files: the current state, the graph of a run, and the RDF Patch from what was known before it."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from starlette.concurrency import iterate_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from rdfcrawl.errors import DamagedFile
from rdfcrawl.publish.data.snapshot import Snapshot, changed_at
from rdfcrawl.publish.web.resources import run_asked
from rdfcrawl.publish.web.site import http_date, is_known, not_found, site_of
from rdfcrawl.store.files.whole import fingerprint, packed_whole
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.runs.integrity import KNOWN_STATE, ensure_whole
from rdfcrawl.store.runs.record import RunFile, RunRecord
from rdfcrawl.store.state import KnownState, state_after, state_before, state_of
from rdfcrawl.versioning.blocks import join_blocks, state_blocks
from rdfcrawl.versioning.diff import diff
from rdfcrawl.versioning.formats import to_patch


def dump(request: Request) -> Response:
    """``/run/ID/dump.nq.gz``: the run's graph, as it is kept."""
    with site_of(request).snapshots.using() as snapshot:
        record = run_asked(request, snapshot)
        path = snapshot.files.graph(record.id)
    if not snapshot.files.has_graph(record):
        raise not_found(f"run {record.id} has no graph: it has not ended, or it was pruned")
    _ensure_whole(snapshot, record, (RunFile.GRAPH,))
    headers = _validators(fingerprint(path), changed_at(record))
    if is_known(request, headers["ETag"], changed_at(record)):
        return Response(status_code=304, headers=headers)
    return FileResponse(path, headers=headers, media_type="application/gzip", filename=f"run-{record.id}.nq.gz")


class CurrentDump:
    """The current state as a file of sorted N-Triples; it goes when neither the snapshot nor an answer needs it."""

    def __init__(self, state: KnownState) -> None:
        folder = Path(tempfile.mkdtemp(prefix="rdfcrawl-dump-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.path = folder / "current.nt.gz"
        with packed_whole(self.path) as file:
            file.writelines(state_blocks(state)())


class CurrentDumpResponse(FileResponse):
    """An answer that keeps its file until it is sent."""

    def __init__(self, dump: CurrentDump, headers: dict[str, str]) -> None:
        super().__init__(dump.path, headers=headers, media_type="application/gzip", filename=dump.path.name)
        self.dump = dump


def current(request: Request) -> Response:
    """``/current.nt.gz``: the current state, which is made into a file when it is first asked for."""
    with site_of(request).snapshots.using() as snapshot:
        state = state_of(snapshot.files, snapshot.complete)
        files = [path for part in state.parts for path in part.files]
        parts = " ".join(f"{path.name} {fingerprint(path)}" for path in files)
        headers = _validators(hashlib.sha1(parts.encode(), usedforsecurity=False).hexdigest(), snapshot.modified)
        if is_known(request, headers["ETag"], snapshot.modified):
            return Response(status_code=304, headers=headers)
        for part in state.parts:
            _ensure_whole(snapshot, snapshot.by_id[part.run], KNOWN_STATE)
        return CurrentDumpResponse(snapshot.keep("current dump", lambda: CurrentDump(state)), headers)


def patch(request: Request) -> Response:
    """``/run/ID/patch``: the RDF Patch from what was known of the run's sections before it to what is known after it.

    What the run could not see is known after it as before, so the patches of all runs of a section, one after the
    other, lead to its current state.
    """
    with site_of(request).snapshots.using() as snapshot:
        record = run_asked(request, snapshot)
        if record not in snapshot.complete or not snapshot.files.has_graph(record):
            raise not_found(f"run {record.id} has no graph: it has not ended, or it was pruned")
        files = snapshot.files
        before = state_before(files, record, (run for run in snapshot.complete if files.graph(run.id).exists()))
        after = state_after(files, record)
        for part in (*before.parts, *after.parts):
            _ensure_whole(snapshot, snapshot.by_id[part.run], KNOWN_STATE)
    lines = to_patch(diff(state_blocks(before)(), state_blocks(after)()))
    body = join_blocks(f"{line}\n".encode() for line in lines)
    headers = {"Last-Modified": http_date(changed_at(record))}
    return StreamingResponse(iterate_in_threadpool(body), headers=headers, media_type="text/rdf-patch")


def _validators(tag: str, changed: datetime) -> dict[str, str]:
    return {"ETag": f'"{tag}"', "Last-Modified": http_date(changed)}


def _ensure_whole(snapshot: Snapshot, record: RunRecord, files: Sequence[RunFile]) -> None:
    """Make sure that files of a run are intact: an error is a better answer than half a file."""
    paths = [snapshot.files.path(record.id, file) for file in files]
    # A file that was looked at need not be looked at again, unless somebody has touched it.
    states = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in paths if path.exists()]
    try:
        snapshot.keep(("whole", record.id, *states), lambda: ensure_whole(snapshot.files, record, files))
    except DamagedFile as damage:
        say_once(str(damage))
        raise HTTPException(500, f"the file of run {record.id} is damaged; it was logged") from damage
