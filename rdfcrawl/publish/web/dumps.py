"""Runs as files: the whole graph, and the RDF Patch from what was known before the run to what is known after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge

from starlette.concurrency import iterate_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from rdfcrawl.errors import DamagedFile
from rdfcrawl.publish.data.snapshot import Snapshot, ended_at
from rdfcrawl.publish.web.resources import run_asked
from rdfcrawl.publish.web.site import http_date, not_found, site_of
from rdfcrawl.store.integrity import KNOWN_STATE, ensure_whole
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.record import RunFile, RunRecord
from rdfcrawl.store.state import state_after, state_before

_LINES_AT_ONCE = 2000


def dump(request: Request) -> Response:
    """``/run/ID/dump.nq.gz``: the run's graph, as it is kept."""
    with site_of(request).snapshots.using() as snapshot:
        record = run_asked(request, snapshot)
        path = snapshot.files.graph(record.id)
    if not snapshot.files.has_graph(record):
        raise not_found(f"run {record.id} has no graph: it has not ended, or it was pruned")
    _ensure_whole(snapshot, record, (RunFile.GRAPH,))
    return FileResponse(path, media_type="application/gzip", filename=f"run-{record.id}.nq.gz")


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
    lines = patch_lines(before.triples(), after.triples())
    headers = {"Last-Modified": http_date(ended_at(record))}
    return StreamingResponse(iterate_in_threadpool(_in_batches(lines)), headers=headers, media_type="text/rdf-patch")


def patch_lines(before: Iterable[bytes], after: Iterable[bytes]) -> Iterator[bytes]:
    """The patch between two sorted streams of triples, each of which has a triple once."""
    yield b"TX ."
    tagged = merge(((line, b"D") for line in before), ((line, b"A") for line in after))
    held: tuple[bytes, bytes] | None = None
    for line, side in tagged:
        if held is not None and held[0] == line:
            held = (line, b"=")
            continue
        if held is not None and held[1] != b"=":
            yield held[1] + b" " + held[0]
        held = (line, side)
    if held is not None and held[1] != b"=":
        yield held[1] + b" " + held[0]
    yield b"TC ."


def _ensure_whole(snapshot: Snapshot, record: RunRecord, files: Sequence[RunFile]) -> None:
    """Make sure that files of a run are whole: an error is a better answer than half of a file."""
    paths = [snapshot.files.path(record.id, file) for file in files]
    # A file that was looked at need not be looked at again, unless somebody has touched it.
    states = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in paths if path.exists()]
    try:
        snapshot.keep(("whole", record.id, *states), lambda: ensure_whole(snapshot.files, record, files))
    except DamagedFile as damage:
        say_once(str(damage))
        raise HTTPException(500, f"the file of run {record.id} is damaged; it was logged") from damage


def _in_batches(lines: Iterable[bytes]) -> Iterator[bytes]:
    batch: list[bytes] = []
    for line in lines:
        batch.append(line)
        if len(batch) == _LINES_AT_ONCE:
            yield b"\n".join(batch) + b"\n"
            batch.clear()
    yield b"\n".join([*batch, b""])
