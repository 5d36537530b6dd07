"""Linked Data: the address of a thing leads to documents about it, for people and for programs, now and in a run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote

import pyoxigraph as ox
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from rdfcrawl.publish.data.changes import sort_terms
from rdfcrawl.publish.data.objects import ObjectStanding, document_triples, facts, node_of, observed_in, standing
from rdfcrawl.publish.data.snapshot import Snapshot, changed_at
from rdfcrawl.publish.objects.page import render_object
from rdfcrawl.publish.web.addresses import SUFFIXES, web_link, with_letters
from rdfcrawl.publish.web.documents import about_document, serialise
from rdfcrawl.publish.web.memento import memento_headers, memento_links
from rdfcrawl.publish.web.negotiation import DOCUMENT_FORMATS, HTML, RDF_FORMATS, UNNAMED_QUADS, Format
from rdfcrawl.publish.web.site import (
    Site,
    format_named,
    link_header,
    negotiated,
    not_found,
    number,
    send,
    site_of,
)
from rdfcrawl.store.runs.record import RunRecord

_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
REMOVED = "no run that could have seen it has found it since; its history is still here"


def resource(request: Request) -> Response:
    """``/resource?iri=…``: from the thing to a document about it."""
    return _see_document(request, asked_iri(request))


def own(request: Request) -> Response:
    """Any other path: an object whose IRI begins with ``--base``, or a document about it."""
    site = site_of(request)
    if not site.addresses.base:
        raise not_found("there is no such page")
    sent = f"{site.addresses.root}{_path(request)}"
    with site.snapshots.using() as snapshot:
        names = [name for name in (sent, with_letters(sent)) if name.startswith(site.addresses.base)]
        things = [name for name in names if standing(snapshot, name) is not ObjectStanding.UNKNOWN]
        stems = [stem for stem, _, suffix in (name.rpartition(".") for name in names) if suffix in SUFFIXES]
        known = [stem for stem in stems if standing(snapshot, stem) is not ObjectStanding.UNKNOWN]
    if not names:
        raise not_found("there is no such page")
    if stems and not things:
        return _document(request, (known or stems)[0], format_named(sent.rpartition(".")[2], DOCUMENT_FORMATS))
    return _see_document(request, (things or names)[0])


def page(request: Request) -> Response:
    """``/page?iri=…``: an object for people."""
    return _document(request, asked_iri(request), HTML)


def data(request: Request) -> Response:
    """``/data.ttl?iri=…``, ``/data?iri=…&format=ttl`` or ``/data?iri=…``: an object for programs."""
    suffix = request.path_params.get("suffix")
    if suffix:
        return _document(request, asked_iri(request), format_named(suffix, DOCUMENT_FORMATS))
    return _document(request, asked_iri(request), negotiated(request, RDF_FORMATS))


def in_run(request: Request) -> Response:
    """``/run/ID/resource?iri=…``: an object as a run saw it, permanently."""
    site = site_of(request)
    iri = asked_iri(request)
    form = negotiated(request, DOCUMENT_FORMATS)
    with site.snapshots.using() as snapshot:
        record = run_asked(request, snapshot)
        graph = ox.NamedNode(record.iri)
        if not facts(snapshot, iri, (graph,)):
            raise not_found(f"run {record.id} has not seen {iri}")
        headers = memento_headers(request, snapshot, record, iri, _alternates(site, iri, record.id))
        if form is HTML:
            return render_object(request, snapshot, iri, record=record, headers=headers)
        return _send_data(request, snapshot, iri, form, (graph,), [record], headers)


def value(request: Request) -> Response:
    """``/value?iri=…&property=…&number=…``: one value in full, as plain text."""
    site = site_of(request)
    iri, predicate = asked_iri(request), request.query_params.get("property", "")
    if node_of(predicate) is None:
        raise HTTPException(400, "property= must be the IRI of a property")
    with site.snapshots.using() as snapshot:
        values = sort_terms(facts(snapshot, iri).values.get(predicate, ()))
    place = number(request.query_params.get("number", "0"), -1)
    if not 0 <= place < len(values):
        raise not_found(f"{iri} has no such value of {predicate}")
    return PlainTextResponse(values[place].value)


def asked_iri(request: Request) -> str:
    """The IRI that a request names."""
    iri = request.query_params.get("iri", "")
    if not iri:
        raise HTTPException(400, "iri= must name an object")
    if node_of(iri) is None:
        raise HTTPException(400, f"{iri[:200]!r} is not an absolute IRI")
    return iri


def run_asked(request: Request, snapshot: Snapshot) -> RunRecord:
    """The run that the path names, if it has a graph."""
    record = snapshot.by_id.get(request.path_params["run"])
    if record is None:
        raise not_found(f"there is no run {request.path_params['run']}")
    return record


def _see_document(request: Request, iri: str) -> Response:
    site = site_of(request)
    form = negotiated(request, DOCUMENT_FORMATS)
    with site.snapshots.using() as snapshot:
        found = standing(snapshot, iri)
        links = [*memento_links(site, request, iri), *_alternates(site, iri)]
    if found is ObjectStanding.UNKNOWN:
        raise not_found(f"no run has seen {iri}")
    # A suffix asks for N-Quads with the names of the graphs; who has not asked for these is not sent there.
    suffix = "" if form is UNNAMED_QUADS else form.suffix
    target = site.addresses.page(iri) if form is HTML else site.addresses.data(iri, suffix)
    return RedirectResponse(target, 303, {"Vary": "Accept", "Link": link_header(links)})


def _document(request: Request, iri: str, form: Format) -> Response:
    site = site_of(request)
    with site.snapshots.using() as snapshot:
        found = standing(snapshot, iri)
        if found is ObjectStanding.UNKNOWN:
            raise not_found(f"no run has seen {iri}")
        headers = {"Link": link_header([*memento_links(site, request, iri), *_alternates(site, iri)])}
        if form is HTML:
            return render_object(request, snapshot, iri, headers=headers)
        if found is ObjectStanding.REMOVED:
            raise HTTPException(410, f"{iri} is gone: {REMOVED}", headers)
        return _send_data(request, snapshot, iri, form, snapshot.graphs, observed_in(snapshot, iri), headers)


def _send_data(
    request: Request,
    snapshot: Snapshot,
    iri: str,
    form: Format,
    graphs: Sequence[ox.NamedNode],
    runs: Sequence[RunRecord],
    headers: dict[str, str],
) -> Response:
    site = site_of(request)
    modified = last_modified(runs)
    address = site.root(request) + _own_address(request)
    statements = list(document_triples(snapshot, iri, graphs))
    # What has its name from here has been read elsewhere.
    source = None if site.addresses.own_path(iri) else web_link(iri.partition("#")[0])
    statements += about_document(address, iri, [record.iri for record in runs], modified, source)
    body = serialise(statements, form, snapshot.schema.prefixes)
    return send(request, body, form, modified=modified, headers=headers)


def last_modified(runs: Sequence[RunRecord]) -> datetime:
    """When the newest of some runs ended."""
    return max(changed_at(record) for record in runs)


def _path(request: Request) -> str:
    """The path as it was sent, because an IRI with %20 is not one with a space."""
    raw: bytes = request.scope["raw_path"]
    return raw.decode("ascii", "replace")


def _own_address(request: Request) -> str:
    """The path and the query as they were sent, fit for an IRI."""
    query = request.url.query
    sent = _LONE_PERCENT.sub("%25", _path(request) + (f"?{query}" if query else ""))
    return quote(sent, safe="/:?#@!$&'()*+,;=%~")


def _alternates(site: Site, iri: str, run: int | None = None) -> list[tuple[str, str]]:
    return [
        (
            site.addresses.in_run(run, iri, form.suffix) if run else site.addresses.data(iri, form.suffix),
            f'rel="alternate"; type="{form.media}"',
        )
        for form in RDF_FORMATS
    ]
