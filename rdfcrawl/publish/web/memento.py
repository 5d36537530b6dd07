"""Time (RFC 7089): every run is a memento of the data set, and of each object that it saw.

Originals name their TimeGate and do not negotiate themselves (the RFC's pattern 2.1): the address of a thing answers
with a 303, and clients take an address that promises to vary by ``Accept-Datetime`` for a TimeGate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rdfcrawl.publish.data.objects import is_seen, node_of
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.publish.web.negotiation import Format
from rdfcrawl.publish.web.site import Site, http_date, link_header, not_found, parse_http_date, send, site_of
from rdfcrawl.store.runs.record import RunRecord

LINK_FORMAT = Format("link", "application/link-format")
Links = list[tuple[str, str]]
_OWN_PATH = re.compile(r"^/(?:timegate|timemap/link)/")
_MERGED_SLASHES = re.compile(r"^(https?):/(?!/)")


def timegate(request: Request) -> Response:
    """``/timegate?iri=…`` or ``/timegate/ADDRESS``: to the memento nearest before ``Accept-Datetime``.

    ``/timegate`` alone is that of the data set.
    """
    site, iri = site_of(request), _asked(request)
    with site.snapshots.using() as snapshot:
        runs = _mementos(snapshot, iri)
        ways = memento_links(site, request, iri)
        # Whoever got the date wrong needs to know, too, of what and by what this varies.
        chosen = _at(runs, _wanted_moment(request, {"Vary": "Accept-Datetime", "Link": link_header(ways)}))
        links = [*ways, *_neighbours(site, request, runs, chosen, iri)]
    headers = {"Vary": "Accept-Datetime", "Link": link_header(links)}
    return RedirectResponse(site.root(request) + _address(site, chosen, iri), 302, headers)


def timemap(request: Request) -> Response:
    """``/timemap?iri=…``, ``/timemap/link/ADDRESS``, or ``/timemap`` for the data set: all mementos as links."""
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
        links += [_memento(site, request, record, _place(record, runs), iri) for record in runs]
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


def memento_headers(
    request: Request, snapshot: Snapshot, record: RunRecord, iri: str = "", more: Links | None = None
) -> dict[str, str]:
    """What makes an answer a memento: its date, its original, and the mementos around it."""
    site = site_of(request)
    links = [
        *memento_links(site, request, iri),
        *_neighbours(site, request, _mementos(snapshot, iri), record, iri),
        *(more or ()),
    ]
    return {"Memento-Datetime": http_date(record.seen_at), "Link": link_header(links)}


def _mementos(snapshot: Snapshot, iri: str) -> Sequence[RunRecord]:
    runs: Sequence[RunRecord] = snapshot.complete
    if iri:
        runs = [record for record in snapshot.complete if is_seen(snapshot, iri, record)]
    if not runs:
        raise not_found(f"no run has seen {iri}" if iri else "there are no runs yet")
    return runs


def _at(runs: Sequence[RunRecord], wanted: datetime | None) -> RunRecord:
    # A memento says its date in whole seconds, and who asks for that date means this memento.
    earlier = [record for record in runs if wanted is None or record.seen_at.replace(microsecond=0) <= wanted]
    return earlier[-1] if earlier else runs[0]


def _wanted_moment(request: Request, headers: dict[str, str]) -> datetime | None:
    text = request.headers.get("accept-datetime")
    if text is None or not text.strip():
        # A header without a value says nothing; RFC 7089 then means the latest.
        return None
    found = parse_http_date(text)
    if found is None:
        right = http_date(datetime.now(UTC))
        raise HTTPException(
            400, f"Accept-Datetime {text[:80]!r} is not a date; it must be written like {right}", headers
        )
    return found


def _asked(request: Request) -> str:
    """The object that a request names in a parameter or, as archives do, by its address at the end of the path."""
    iri = request.query_params.get("iri", "")
    if "address" in request.path_params:
        iri = _named_in_path(request)
    if iri and node_of(iri) is None:
        raise HTTPException(400, f"{iri[:200]!r} is not an absolute IRI")
    return iri


def _named_in_path(request: Request) -> str:
    """What follows in the path as it was sent; an address of ours that stands for an object means that object."""
    raw: bytes = request.scope["raw_path"]
    sent, query = _OWN_PATH.sub("", raw.decode("ascii", "replace")), request.url.query
    # Some web servers in front make one slash of two.
    address = _MERGED_SLASHES.sub(r"\1://", sent + (f"?{query}" if query else ""))
    root = site_of(request).root(request)
    if address.startswith(f"{root}/resource?"):
        return parse_qs(address.partition("?")[2]).get("iri", [""])[0]
    return "" if address.rstrip("/") in ("", root) else address


def _original(site: Site, request: Request, iri: str) -> str:
    return site.root(request) + (site.addresses.resource(iri) if iri else "/")


def _address(site: Site, record: RunRecord, iri: str) -> str:
    return site.addresses.in_run(record.id, iri) if iri else site.addresses.run(record.id)


def _neighbours(site: Site, request: Request, runs: Sequence[RunRecord], chosen: RunRecord, iri: str) -> Links:
    """The mementos that one can go to from one of them: the first and the last, those before and after it, itself."""
    ends = runs[:1] if len(runs) == 1 else (runs[0], runs[-1])
    links = [_memento(site, request, record, _place(record, runs), iri) for record in ends]
    if chosen not in runs:
        return links
    place = runs.index(chosen)
    if chosen not in ends:
        links.append(_memento(site, request, chosen, (), iri))
    around = [("prev", record) for record in runs[max(place - 1, 0) : place]]
    around += [("next", record) for record in runs[place + 1 : place + 2]]
    return links + [_memento(site, request, record, (name,), iri) for name, record in around]


def _place(record: RunRecord, runs: Sequence[RunRecord]) -> list[str]:
    return [name for name, end in (("first", runs[0]), ("last", runs[-1])) if end is record]


def _memento(site: Site, request: Request, record: RunRecord, place: Sequence[str], iri: str) -> tuple[str, str]:
    relation = " ".join([*place, "memento"])
    return (
        site.root(request) + _address(site, record, iri),
        f'rel="{relation}"; datetime="{http_date(record.seen_at)}"',
    )
