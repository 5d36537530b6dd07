"""Time (RFC 7089): every run is a memento of the data set, and of each object that it saw."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rdfcrawl.publish.data.objects import node_of, values_by_run
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.publish.web.negotiation import Format
from rdfcrawl.publish.web.site import Site, http_date, link_header, not_found, parse_http_date, send, site_of
from rdfcrawl.store.runs.record import RunRecord

LINK_FORMAT = Format("link", "application/link-format")
Links = list[tuple[str, str]]


def timegate(request: Request) -> Response:
    """``/timegate?iri=…``, or ``/timegate`` for the data set: to the memento nearest before ``Accept-Datetime``."""
    site, iri = site_of(request), _asked(request)
    with site.snapshots.using() as snapshot:
        runs = _mementos(snapshot, iri)
        chosen = _at(runs, _wanted_moment(request))
        links = [*memento_links(site, request, iri), *_neighbours(site, request, runs, iri)]
    headers = {"Vary": "Accept-Datetime", "Link": link_header(links)}
    return RedirectResponse(site.root(request) + _address(site, chosen, iri), 302, headers)


def timemap(request: Request) -> Response:
    """``/timemap?iri=…``, or ``/timemap`` for the data set: all mementos, in the link format."""
    site, iri = site_of(request), _asked(request)
    root = site.root(request)
    with site.snapshots.using() as snapshot:
        runs = _mementos(snapshot, iri)
        first, last = http_date(runs[0].seen_at), http_date(runs[-1].seen_at)
        own = f'rel="self"; type="{LINK_FORMAT.media}"; from="{first}"; until="{last}"'
        links = [
            (_original(site, request, iri), 'rel="original"'),
            (root + site.addresses.timegate(iri), 'rel="timegate"'),
            (root + site.addresses.timemap(iri), own),
        ]
        links += [_memento(site, request, record, runs, iri) for record in runs]
        modified = snapshot.modified
    return send(request, link_header(links).replace(", <", ",\n<").encode(), LINK_FORMAT, modified=modified)


def memento_links(site: Site, request: Request, iri: str = "") -> Links:
    """Where the history of an object, or of the data set, can be found."""
    root = site.root(request)
    return [
        (_original(site, request, iri), 'rel="original"'),
        (root + site.addresses.timegate(iri), 'rel="timegate"'),
        (root + site.addresses.timemap(iri), f'rel="timemap"; type="{LINK_FORMAT.media}"'),
    ]


def links_in_run(site: Site, request: Request, snapshot: Snapshot, iri: str = "") -> Links:
    """The links of a memento: its original, and the first and last memento."""
    runs = _mementos(snapshot, iri)
    return [*memento_links(site, request, iri), *_neighbours(site, request, runs, iri)]


def _mementos(snapshot: Snapshot, iri: str) -> Sequence[RunRecord]:
    runs: Sequence[RunRecord] = snapshot.complete
    if iri:
        seen = values_by_run(snapshot, iri)
        runs = [record for record in snapshot.complete if record.id in seen]
    if not runs:
        raise not_found(f"no run has seen {iri}" if iri else "there are no runs yet")
    return runs


def _at(runs: Sequence[RunRecord], wanted: datetime | None) -> RunRecord:
    earlier = [record for record in runs if wanted is None or record.seen_at <= wanted]
    return earlier[-1] if earlier else runs[0]


def _wanted_moment(request: Request) -> datetime | None:
    text = request.headers.get("accept-datetime")
    if text is None or not text.strip():
        # A header without a value says nothing; RFC 7089 then means the latest.
        return None
    found = parse_http_date(text)
    if found is None:
        right = http_date(datetime.now(UTC))
        raise HTTPException(400, f"Accept-Datetime {text[:80]!r} is not a date; it must be written like {right}")
    return found


def _asked(request: Request) -> str:
    iri = request.query_params.get("iri", "")
    if iri and node_of(iri) is None:
        raise HTTPException(400, f"{iri[:200]!r} is not an absolute IRI")
    return iri


def _original(site: Site, request: Request, iri: str) -> str:
    return site.root(request) + (site.addresses.resource(iri) if iri else "/")


def _address(site: Site, record: RunRecord, iri: str) -> str:
    return site.addresses.in_run(record.id, iri) if iri else site.addresses.run(record.id)


def _neighbours(site: Site, request: Request, runs: Sequence[RunRecord], iri: str) -> Links:
    ends = runs[:1] if len(runs) == 1 else (runs[0], runs[-1])
    return [_memento(site, request, record, runs, iri) for record in ends]


def _memento(site: Site, request: Request, record: RunRecord, runs: Sequence[RunRecord], iri: str) -> tuple[str, str]:
    place = [name for name, end in (("first", runs[0]), ("last", runs[-1])) if end is record]
    relation = " ".join([*place, "memento"])
    return (
        site.root(request) + _address(site, record, iri),
        f'rel="{relation}"; datetime="{http_date(record.seen_at)}"',
    )
