"""Runs as files: the whole graph, and the RDF Patch from what was known before the run to what is known after it."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.concurrency import iterate_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from rdfcrawl.errors import DamagedFile
from rdfcrawl.publish.data.snapshot import Snapshot, changed_at
from rdfcrawl.publish.web.resources import run_asked
from rdfcrawl.publish.web.site import http_date, is_known, not_found, site_of
from rdfcrawl.store.files.whole import fingerprint
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.runs.integrity import KNOWN_STATE, ensure_whole
from rdfcrawl.store.runs.record import RunFile, RunRecord
from rdfcrawl.store.state import state_after, state_before
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
    etag, changed = f'"{fingerprint(path)}"', changed_at(record)
    headers = {"ETag": etag, "Last-Modified": http_date(changed)}
    if is_known(request, etag, changed):
        return Response(status_code=304, headers=headers)
    return FileResponse(path, headers=headers, media_type="application/gzip", filename=f"run-{record.id}.nq.gz")


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
