"""Runs as files: the whole graph, and the RDF Patch that leads to it from what was known before."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from starlette.concurrency import iterate_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from rdfcrawl.errors import DamagedFile
from rdfcrawl.publish.data.snapshot import Snapshot, ended_at
from rdfcrawl.publish.web.resources import run_asked
from rdfcrawl.publish.web.site import http_date, not_found, site_of
from rdfcrawl.store.contents import has_graph
from rdfcrawl.store.current import Observed, current_part, current_runs, observed
from rdfcrawl.store.integrity import ensure_whole
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.record import RunFile, RunRecord
from rdfcrawl.versioning.blocks import Blocks, State, join_blocks, lines_of, merge_blocks
from rdfcrawl.versioning.compare import observed_state
from rdfcrawl.versioning.diff import diff
from rdfcrawl.versioning.formats import to_patch


def dump(request: Request) -> Response:
    """``/run/ID/dump.nq.gz``: the run's graph, as it is kept."""
    with site_of(request).snapshots.using() as snapshot:
        record = run_asked(request, snapshot)
        path = snapshot.files.graph(record.id)
    if not has_graph(snapshot.files, record):
        raise not_found(f"run {record.id} has no graph: it has not ended, or it was pruned")
    _ensure_whole(snapshot, record)
    return FileResponse(path, media_type="application/gzip", filename=f"run-{record.id}.nq.gz")


def patch(request: Request) -> Response:
    """``/run/ID/patch``: the RDF Patch from what was known of the run's sections to what the run has found."""
    with site_of(request).snapshots.using() as snapshot:
        record = run_asked(request, snapshot)
        if record not in snapshot.complete or not has_graph(snapshot.files, record):
            raise not_found(f"run {record.id} has no graph: it has not ended, or it was pruned")
        _ensure_whole(snapshot, record)
        before = _known_before(snapshot, record)
    lines = to_patch(diff(before, observed_state(snapshot.files, record.id)()))
    body = join_blocks(f"{line}\n".encode() for line in lines)
    headers = {"Last-Modified": http_date(ended_at(record))}
    return StreamingResponse(iterate_in_threadpool(body), headers=headers, media_type="text/rdf-patch")


def _known_before(snapshot: Snapshot, record: RunRecord) -> Blocks:
    """The sorted triples of the latest earlier runs of the same sections."""
    files = snapshot.files
    covered = {section.address for section in record.sections}
    earlier = [known for known in snapshot.before(record) if files.graph(known.id).exists()]
    parts: list[Blocks] = []
    newer: list[Observed] = []
    known_runs = current_runs(earlier)
    for found in known_runs:
        sections = [address for address in found.sections if address in covered]
        whole = {section.address for section in snapshot.by_id[found.run].sections}
        state = observed_state(files, found.run)
        lines = partial(_lines, state)
        _ensure_whole(snapshot, snapshot.by_id[found.run])
        if sections:
            part = partial(current_part, lines, sections, tuple(newer))
            parts.append(state() if set(sections) == whole else join_blocks(part()))
        if found is not known_runs[-1]:
            newer.append(observed(found, lines()))
    return merge_blocks(parts)


def _ensure_whole(snapshot: Snapshot, record: RunRecord) -> None:
    """Answer rather with an error than with half of a file."""
    path = snapshot.files.graph(record.id)
    # A file that was looked at need not be looked at again, unless somebody has touched it.
    state = (path.stat().st_size, path.stat().st_mtime_ns) if path.exists() else None
    try:
        snapshot.keep(("whole", record.id, state), lambda: ensure_whole(snapshot.files, record, (RunFile.GRAPH,)))
    except DamagedFile as damage:
        say_once(str(damage))
        raise HTTPException(500, f"the file of run {record.id} is damaged; it was logged") from damage


def _lines(state: State) -> Iterator[bytes]:
    return lines_of(state())
