"""Pages about people: an index of everybody, and for each person the pages that mention them, best first."""

from __future__ import annotations

from urllib.parse import urlencode

import pyoxigraph as ox
from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.publish.catalogue.catalogue import page_count
from rdfcrawl.publish.catalogue.words import LONGEST_SEARCH
from rdfcrawl.publish.data.people import People, PersonEntry, latest_with_names
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.publish.web.site import not_found, number, render, site_of

PEOPLE_PER_PAGE = 100
PAGES_SHOWN = 500


def index(request: Request) -> Response:
    """``/people``: everybody, those that most pages mention first, or those with some words in their names."""
    asked = request.query_params
    text = asked.get("q", "").strip()[:LONGEST_SEARCH]
    with site_of(request).snapshots.using() as snapshot:
        people = _people(snapshot)
        everyone = _everyone(snapshot, people)
        found = people.called(text) if text else everyone
        page = number(asked.get("page"))
        start = (page - 1) * PEOPLE_PER_PAGE
        context = {
            "run": snapshot.by_id[people.run],
            "text": text,
            "total": len(everyone),
            "found": len(found),
            "people": found[start : start + PEOPLE_PER_PAGE],
            "page": page,
            "pages": page_count(len(found), PEOPLE_PER_PAGE),
            "start": start,
            "query": f"{urlencode({'q': text})}&" if text else "",
        }
        return render(request, "people.html", snapshot, context, modified=snapshot.modified)


def person(request: Request) -> Response:
    """``/person?iri=…``: the forms of a person's name, and the pages that mention them with their scores."""
    with site_of(request).snapshots.using() as snapshot:
        people = _people(snapshot)
        iri = request.query_params.get("iri", "")
        entry = people.person(iri) if iri.startswith("name://person/") and " " not in iri else None
        if entry is None:
            raise not_found("there is no such person; /people lists everybody")
        forms = people.forms(entry.iri)
        about = people.pages_about(forms)
        context = {
            "run": snapshot.by_id[people.run],
            "person": entry,
            "forms": forms,
            "about": about[:PAGES_SHOWN],
            "total": len(about),
            "objects": {page.address for page in about if _is_object(snapshot, page.address)},
        }
        return render(request, "person.html", snapshot, context, modified=snapshot.modified)


def has_people(snapshot: Snapshot) -> bool:
    """Whether any run has recognised names."""
    return latest_with_names(snapshot.files, snapshot.complete) is not None


def _people(snapshot: Snapshot) -> People:
    record = latest_with_names(snapshot.files, snapshot.complete)
    if record is None:
        raise not_found("no run has recognised names")
    return People(snapshot.data.store, record.id)


def _everyone(snapshot: Snapshot, people: People) -> list[PersonEntry]:
    return snapshot.keep(("people", people.run), people.everyone)


def _is_object(snapshot: Snapshot, address: str) -> bool:
    """Whether a page is an object with a page of its own here."""
    node = ox.NamedNode(address)
    return any(next(snapshot.data.store.quads_for_pattern(node, None, None, graph), None) for graph in snapshot.graphs)
