"""``/picture``: a picture that a run has kept, from this server and as nothing but a picture."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

import pyoxigraph as ox
from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.publish.data.objects import node_of
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.publish.kept.raster import raster_type
from rdfcrawl.publish.web.site import Site, is_known, not_found, number, site_of
from rdfcrawl.store.runs.record import RunRecord

_MOST_LOOKED_FOR: Final = 12
_NO_PICTURE: Final = "there is no such picture"
_HEADERS: Final = {
    "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "max-age=86400",
}


def picture(request: Request) -> Response:
    """``/picture?run=ID&address=IRI``: only pictures that are values of published objects."""
    site = site_of(request)
    address = request.query_params.get("address", "")
    with site.snapshots.using() as snapshot:
        record = snapshot.by_id.get(number(request.query_params.get("run"), -1))
        if record is None or not _is_value(snapshot, record, address):
            raise not_found(_NO_PICTURE)
    kept = _kept(site, record, address)
    if kept is None:
        raise not_found(_NO_PICTURE)
    body, kind = kept
    etag = f'"{hashlib.sha1(body, usedforsecurity=False).hexdigest()}"'
    headers = {**_HEADERS, "ETag": etag}
    if is_known(request, etag, None):
        return Response(status_code=304, headers=headers)
    return Response(body, 200, headers, media_type=kind)


def pictures_of(site: Site, runs: Sequence[RunRecord], addresses: Iterable[str]) -> dict[str, str]:
    """The addresses of pictures on this server, of those that the runs have kept, if the publisher wants them seen."""
    if site.pictures is None:
        return {}
    found: dict[str, str] = {}
    for address in islice(addresses, _MOST_LOOKED_FOR):
        record = next((record for record in runs if _kept(site, record, address)), None)
        if record is not None:
            found[address] = site.addresses.picture(record.id, address)
    return found


def _kept(site: Site, record: RunRecord, address: str) -> tuple[bytes, str] | None:
    """What a run has kept from an address, and which kind of picture it is."""
    body = site.pictures.read(record.observed, address) if site.pictures else None
    kind = raster_type(body) if body else None
    return (body, kind) if body and kind else None


def _is_value(snapshot: Snapshot, record: RunRecord, address: str) -> bool:
    node = node_of(address)
    found = snapshot.data.store.quads_for_pattern(None, None, node, ox.NamedNode(record.iri)) if node else iter(())
    return next(iter(found), None) is not None
