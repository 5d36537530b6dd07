"""``/why``: where a value comes from; and the page that it was read from, in a frame that can do nothing."""

from __future__ import annotations

import base64
import hashlib
import shlex
from collections.abc import Sequence
from typing import Final, cast

import pyoxigraph as ox
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.data.changes import sort_terms
from rdfcrawl.publish.data.objects import Term, facts, node_of, observed_in
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.publish.server.lanes import RETRY_AFTER, Overcrowded, client_of
from rdfcrawl.publish.web.addresses import short_address, web_link
from rdfcrawl.publish.web.negotiation import HTML
from rdfcrawl.publish.web.presentation import Showing
from rdfcrawl.publish.web.resources import asked_iri
from rdfcrawl.publish.web.site import STRICT_POLICY, not_found, number, render, send, site_of
from rdfcrawl.publish.why.telling import Teller, Told, ToldValue, Untold
from rdfcrawl.store.runs.record import RunRecord

_BUSY: Final = "too many explanations are waiting; try again in a moment"
_FRAMING: Final = {"Content-Security-Policy": f"{STRICT_POLICY}; frame-src 'self'"}
_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 1rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; } td, th { padding: .15rem .5rem; text-align: start; vertical-align: top; }
.picture { border: 1px dotted gray; padding: 0 .3rem; color: gray; }
#root { outline: 2px dashed #1f8a82; outline-offset: 4px; }
[id^="value-"] { outline: 1px solid #1f8a82; outline-offset: 2px; }
[id^="value-"]:empty { display: inline-block; min-width: 2rem; min-height: 1rem; }
:target { outline: 3px solid #d9820f !important; outline-offset: 3px !important; scroll-margin: 5rem; }
"""
_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_FRAMED: Final = {
    "Content-Security-Policy": f"sandbox; default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
}
_DOCUMENT: Final = '<!doctype html><html><head><meta charset="utf-8"><style>{}</style></head><body>{}</body></html>'


@dataclass(frozen=True, slots=True)
class ValueAsked:
    """A value that somebody wants to have explained, and the run that has seen it."""

    iri: str
    predicate: str
    term: Term
    record: RunRecord


async def why(request: Request) -> Response:
    """``/why?iri=…&property=…&number=…``: page, element and steps of a value."""
    asked = await run_in_threadpool(_asked, request)
    told = await _explained(request, asked)
    return await run_in_threadpool(_page, request, asked, told)


async def framed(request: Request) -> Response:
    """``/why/page?iri=…&run=…``: the archived page with the elements of an object marked, for the frame of ``/why``."""
    asked = await run_in_threadpool(_asked, request)
    told = await _explained(request, asked)
    if not isinstance(told, Told) or told.html is None:
        raise not_found("there is no page to be shown")
    return send(request, _DOCUMENT.format(_STYLE, told.html).encode(), HTML, headers=_FRAMED)


async def _explained(request: Request, asked: ValueAsked) -> Told | Untold:
    teller = cast(Teller, request.app.state.teller)
    try:
        return await teller.explain(asked.iri, asked.record.id, client_of(request))
    except Overcrowded:
        raise HTTPException(503, _BUSY, RETRY_AFTER) from None


def _asked(request: Request) -> ValueAsked:
    iri, predicate = asked_iri(request), request.query_params.get("property", "")
    if node_of(predicate) is None:
        raise HTTPException(400, "property= must be the IRI of a property")
    with site_of(request).snapshots.using() as snapshot:
        run = request.query_params.get("run")
        record = snapshot.by_id.get(number(run, -1)) if run else None
        if run and record is None:
            raise not_found(f"there is no run {run[:40]}")
        graphs = (ox.NamedNode(record.iri),) if record else snapshot.graphs
        terms = sort_terms(facts(snapshot, iri, graphs).values.get(predicate, ()))
        place = number(request.query_params.get("number", "0"), -1)
        if predicate not in snapshot.properties or not 0 <= place < len(terms):
            raise not_found(f"{iri} has no such value of {predicate}")
        return ValueAsked(iri, predicate, terms[place], record or _seen_in(snapshot, iri, predicate, terms[place]))


def _seen_in(snapshot: Snapshot, iri: str, predicate: str, term: Term) -> RunRecord:
    """The latest of the current runs that says this."""
    about = ox.NamedNode(iri), ox.NamedNode(predicate), term
    records = observed_in(snapshot, iri)
    saying = (one for one in records if ox.Quad(*about, ox.NamedNode(one.iri)) in snapshot.data.store)
    found = next(saying, records[0] if records else None)
    if found is None:
        raise not_found(f"no run has seen {iri}")
    return found


def _page(request: Request, asked: ValueAsked, told: Told | Untold) -> Response:
    site = site_of(request)
    with site.snapshots.using() as snapshot:
        showing = Showing(snapshot, site.addresses)
        values = _values_meant(told.values, asked) if isinstance(told, Told) else ()
        # What leads to another value, or to none, is of no use where scripts have written what is asked for.
        explained = any(_gives(value, asked) for value in values)
        place = number(request.query_params.get("number", "0"), 0)
        context = {
            "object": showing.object(asked.iri),
            "name": showing.predicate(asked.predicate),
            "predicate": asked.predicate,
            "value": showing.term(asked.term),
            "record": asked.record,
            "told": told if isinstance(told, Told) else None,
            "untold": told if isinstance(told, Untold) else None,
            # Whoever copies it runs what is meant, whatever the IRI of a crawled site contains.
            "command": shlex.join(["rdfcrawl", "explain", asked.iri, asked.predicate, "--run", str(asked.record.id)]),
            "values": () if isinstance(told, Told) and told.is_unrendered and not explained else values,
            "explained": explained,
            "page": (short_address(told.address), web_link(told.address)) if isinstance(told, Told) else None,
            "mark": next((value.mark for value in values if value.mark), "root"),
            "framed": site.addresses.why(asked.iri, asked.predicate, place, asked.record.id, page=True),
        }
        return render(request, "why.html", snapshot, context, headers=_FRAMING)


def _values_meant(values: Sequence[ToldValue], asked: ValueAsked) -> Sequence[ToldValue]:
    """What leads to the value; where nothing does any more, all that is told of its property."""
    of_property = [value for value in values if value.predicate == asked.predicate]
    return [value for value in of_property if _gives(value, asked)] or of_property


def _gives(value: ToldValue, asked: ValueAsked) -> bool:
    return (value.triple or "").endswith(f" {asked.term} .")
