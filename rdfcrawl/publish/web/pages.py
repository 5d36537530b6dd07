"""Pages for people: the data set, classes, runs, comparisons and the search."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from rdfcrawl.publish.catalogue.catalogue import page_count
from rdfcrawl.publish.catalogue.keeping import catalogue_soon, words_soon
from rdfcrawl.publish.catalogue.words import LONGEST_SEARCH, Found, search_labels
from rdfcrawl.publish.data.changes import between, counts, previous_run, run_changes
from rdfcrawl.publish.data.classes import number_of_objects, object_count
from rdfcrawl.publish.data.current import objects_in, triple_count
from rdfcrawl.publish.data.problems import problem_groups
from rdfcrawl.publish.data.schema import ObjectClass
from rdfcrawl.publish.data.snapshot import Snapshot, changed_at
from rdfcrawl.publish.people.pages import has_people
from rdfcrawl.publish.pictures.run_chart import charts
from rdfcrawl.publish.web import dataset
from rdfcrawl.publish.web.memento import memento_headers, memento_links
from rdfcrawl.publish.web.negotiation import GRAPH_FORMATS, HTML, choose
from rdfcrawl.publish.web.presentation import Showing
from rdfcrawl.publish.web.resources import run_asked
from rdfcrawl.publish.web.site import link_header, not_found, number, render, site_of
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.survey.reading import has_survey
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.counts import ChangeCounts
from rdfcrawl.versioning.suspicion.wording import in_words

RUNS_SHOWN = 40
CHANGES_PER_PAGE = 100
_HITS = 50
_PARENTS_AT_MOST = 3


def home(request: Request) -> Response:
    """``/``: what the data set is, for people or in RDF."""
    site = site_of(request)
    if _wants_data(request):
        return dataset.description(request)
    with site.snapshots.using() as snapshot:
        changed = counts(snapshot)
        context = {
            "classes": [(shown, number_of_objects(snapshot, shown.predicate)) for shown in _classes(snapshot)],
            "sections": [(section, record) for record in snapshot.current for section in record.sections],
            "surveys": [record for record in snapshot.current if has_survey(record)],
            "runs": snapshot.records[: -RUNS_SHOWN - 1 : -1],
            "run_count": len(snapshot.records),
            "counts": changed,
            "kinds": list(ChangeKind),
            "charts": charts(snapshot.complete, changed, site.addresses, snapshot.times),
            "saved": [one for one in site.queries.all() if not one.problem],
            "hosts": _hosts(snapshot),
            "triples": triple_count(snapshot),
            "object_count": object_count(snapshot),
            "in_section": {
                section.address: objects_in(snapshot, section.address)
                for record in snapshot.current
                for section in record.sections
            },
            "has_people": has_people(snapshot),
            "modified": snapshot.modified if snapshot.complete else None,
            "alternates": [(form.media, f"/?format={form.suffix}") for form in GRAPH_FORMATS],
        }
        headers = {"Link": link_header(memento_links(site, request))}
        return render(request, "home.html", snapshot, context, headers=headers)


def run_page(request: Request) -> Response:
    """``/run/ID``: the report of a run, its problems and its changes."""
    site = site_of(request)
    if _wants_data(request):
        return dataset.run_record(request)
    page = number(request.query_params.get("page"))
    with site.snapshots.using() as snapshot:
        record = run_asked(request, snapshot)
        showing = Showing(snapshot, site.addresses)
        changed = counts(snapshot).get(record.id, ChangeCounts())
        part = run_changes(snapshot, record.id, (page - 1) * CHANGES_PER_PAGE, CHANGES_PER_PAGE)
        context = {
            "record": record,
            "counts": changed,
            "kinds": list(ChangeKind),
            "changes": [showing.change(change) for change in part],
            "page": page,
            "pages": page_count(changed.total, CHANGES_PER_PAGE),
            "previous": previous_run(snapshot, record),
            "suspicions": [
                (in_words(suspicion, record.model.prefixes, published=True), not suspicion.is_open)
                for suspicion in record.suspicions
            ],
            "problems": problem_groups(snapshot, record),
            "has_graph": record.iri in snapshot.data.held.graphs,
            "is_survey": has_survey(record) and record in snapshot.complete,
            "alternates": [(form.media, f"/run/{record.id}?format={form.suffix}") for form in GRAPH_FORMATS],
        }
        headers = {"Vary": "Accept"}
        if record in snapshot.complete:
            headers |= memento_headers(request, snapshot, record)
        return render(request, "run.html", snapshot, context, modified=changed_at(record), headers=headers)


def diff_page(request: Request) -> Response:
    """``/diff?from=…&to=…``: what differs between two runs; ``from`` is the run before by default."""
    site = site_of(request)
    asked = request.query_params
    with site.snapshots.using() as snapshot:
        new = _run(snapshot, asked.get("to")) or (snapshot.complete[-1] if snapshot.complete else None)
        if new is None:
            raise not_found("there are no runs yet")
        old = _run(snapshot, asked.get("from")) or previous_run(snapshot, new)
        if old and old.order > new.order:
            old, new = new, old
        common = old and {section.address for section in old.sections} & {section.address for section in new.sections}
        changes = between(snapshot, old, new) if old and common else []
        page = number(asked.get("page"))
        part = changes[(page - 1) * CHANGES_PER_PAGE : page * CHANGES_PER_PAGE]
        context = {
            "old": old,
            "new": new,
            "common": common,
            "changes": [Showing(snapshot, site.addresses).change(change) for change in part],
            "total": len(changes),
            "page": page,
            "pages": page_count(len(changes), CHANGES_PER_PAGE),
            "runs": list(reversed(snapshot.complete)),
        }
        return render(request, "diff.html", snapshot, context, modified=snapshot.modified)


def search_page(request: Request) -> Response:
    """``/search?q=…``: objects by their labels, then by the words of all their texts."""
    site = site_of(request)
    text = request.query_params.get("q", "").strip()[:LONGEST_SEARCH]
    with site.snapshots.using() as snapshot:
        catalogue = catalogue_soon(snapshot) if text else None
        words = words_soon(snapshot) if catalogue else None
        found = search_labels(catalogue, text, _HITS) if catalogue else Found()
        texts = words.search(catalogue, text, _HITS) if catalogue and words else Found()
        showing = Showing(snapshot, site.addresses)
        hits, in_texts = (
            [(showing.object(iri), snapshot.schema.classes[predicate]) for iri, predicate in some]
            for some in (found.hits, (hit for hit in texts.hits if hit not in found.hits))
        )
        context = {
            "text": text,
            "hits": hits,
            "in_texts": in_texts,
            "everywhere": found.everywhere,
            "at_most": _HITS,
            "unprepared": bool(text) and words is None,
        }
        # What is found while the search is being prepared is not all that will be found.
        modified = None if context["unprepared"] else snapshot.modified
        return render(request, "search.html", snapshot, context, modified=modified)


def model_text(request: Request) -> Response:
    """``/model/ID``: the model that a run used."""
    with site_of(request).snapshots.using() as snapshot:
        path = snapshot.files.model(run_asked(request, snapshot).id)
        if not path.exists():
            raise not_found("the model of this run is not kept")
        return PlainTextResponse(path.read_text(encoding="utf-8"), media_type="text/turtle")


def _wants_data(request: Request) -> bool:
    accepted = choose(request.headers.get("accept"), (HTML, *GRAPH_FORMATS))
    return accepted is not HTML or "format" in request.query_params


def _hosts(snapshot: Snapshot) -> list[str]:
    """Where the data comes from."""
    found = {urlsplit(section.address).netloc for record in snapshot.current for section in record.sections}
    return sorted(host for host in found if host)


def _classes(snapshot: Snapshot) -> list[ObjectClass]:
    return sorted(snapshot.schema.classes.values(), key=lambda shown: (not shown.top, shown.name))


def _run(snapshot: Snapshot, name: str | None) -> RunRecord | None:
    if not name:
        return None
    record = snapshot.by_id.get(number(name.removeprefix("run://"), -1))
    if record is None:
        raise HTTPException(404, f"there is no run {name[:40]}")
    return record
