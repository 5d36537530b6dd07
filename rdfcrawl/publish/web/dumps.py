"""Runs as files: the whole graph, and the RDF Patch that leads to it from what was known before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from heapq import merge

from starlette.concurrency import iterate_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from rdfcrawl.errors import DamagedFile
from rdfcrawl.publish.data.snapshot import Snapshot, ended_at
from rdfcrawl.publish.web.resources import run_asked
from rdfcrawl.publish.web.site import http_date, not_found, site_of
from rdfcrawl.store.current import Observed, current_part, current_runs, observed
from rdfcrawl.store.integrity import ensure_whole
from rdfcrawl.store.lines import read_lines
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.record import RunFile, RunRecord
from rdfcrawl.store.runs import RunFiles

_LINES_AT_ONCE = 2000


def dump(request: Request) -> Response:
    """``/run/ID/dump.nq.gz``: the run's graph, as it is kept."""
    with site_of(request).snapshots.using() as snapshot:
        record = run_asked(request, snapshot)
        path = snapshot.files.graph(record.id)
    if not snapshot.files.has_graph(record):
        raise not_found(f"run {record.id} has no graph: it has not ended, or it was pruned")
    _ensure_whole(snapshot, record)
    return FileResponse(path, media_type="application/gzip", filename=f"run-{record.id}.nq.gz")


def patch(request: Request) -> Response:
    """``/run/ID/patch``: the RDF Patch from what was known of the run's sections to what the run has found."""
    with site_of(request).snapshots.using() as snapshot:
        record = run_asked(request, snapshot)
        if record not in snapshot.complete or not snapshot.files.has_graph(record):
            raise not_found(f"run {record.id} has no graph: it has not ended, or it was pruned")
        _ensure_whole(snapshot, record)
        before = _known_before(snapshot, record)
    lines = patch_lines(before, _lines(snapshot.files, record.id))
    headers = {"Last-Modified": http_date(ended_at(record))}
    return StreamingResponse(iterate_in_threadpool(_in_batches(lines)), headers=headers, media_type="text/rdf-patch")


def patch_lines(before: Iterable[bytes], after: Iterable[bytes]) -> Iterator[bytes]:
    """The patch between two sorted streams of triples."""
    yield b"TX ."
    tagged = merge(((line, b"D") for line in before), ((line, b"A") for line in after))
    held: tuple[bytes, bytes] | None = None
    for line, side in tagged:
        if held is not None and held[0] == line:
            # The same line twice on one side is one triple that two runs have said.
            held = held if held[1] == side else (line, b"=")
            continue
        if held is not None and held[1] != b"=":
            yield held[1] + b" " + held[0]
        held = (line, side)
    if held is not None and held[1] != b"=":
        yield held[1] + b" " + held[0]
    yield b"TC ."


def _known_before(snapshot: Snapshot, record: RunRecord) -> Iterable[bytes]:
    """The sorted triples of the latest earlier runs of the same sections."""
    files = snapshot.files
    covered = {section.address for section in record.sections}
    earlier = [known for known in snapshot.before(record) if files.graph(known.id).exists()]
    parts: list[Iterable[bytes]] = []
    newer: list[Observed] = []
    known_runs = current_runs(earlier)
    for found in known_runs:
        sections = [address for address in found.sections if address in covered]
        whole = {section.address for section in snapshot.by_id[found.run].sections}
        lines: Callable[[], Iterable[bytes]] = partial(_lines, files, found.run)
        _ensure_whole(snapshot, snapshot.by_id[found.run])
        if sections:
            parts.append(lines() if set(sections) == whole else current_part(lines, sections, tuple(newer)))
        if found is not known_runs[-1]:
            newer.append(observed(found, lines()))
    return merge(*parts)


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


def _lines(files: RunFiles, run: int) -> Iterator[bytes]:
    """The triples of a run, without the name of its graph."""
    ending = f" <run://{run}> .".encode()
    for line in read_lines(files.graph(run)):
        yield line.removesuffix(ending) + b" ."


def _in_batches(lines: Iterable[bytes]) -> Iterator[bytes]:
    batch: list[bytes] = []
    for line in lines:
        batch.append(line)
        if len(batch) == _LINES_AT_ONCE:
            yield b"\n".join(batch) + b"\n"
            batch.clear()
    yield b"\n".join([*batch, b""])
