"""The page of a run, and the comparison of two of them."""

from __future__ import annotations

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from rdfcrawl.publish.catalogue.catalogue import page_count
from rdfcrawl.publish.catalogue.problems import problem_groups
from rdfcrawl.publish.data.changes import between, counts, previous_run, run_changes
from rdfcrawl.publish.data.snapshot import Snapshot, changed_at
from rdfcrawl.publish.runs.grouping import ChangeGroup, grouped
from rdfcrawl.publish.runs.problems import problem_list
from rdfcrawl.publish.web import dataset
from rdfcrawl.publish.web.memento import memento_headers
from rdfcrawl.publish.web.negotiation import GRAPH_FORMATS
from rdfcrawl.publish.web.presentation import Showing
from rdfcrawl.publish.web.resources import run_asked
from rdfcrawl.publish.web.site import not_found, number, render, site_of, wants_data
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.survey.reading import has_survey
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.counts import ChangeCounts
from rdfcrawl.versioning.suspicion.wording import in_words

CHANGES_PER_PAGE: Final = 100
MOST_GROUPED: Final = 5000
"""So many changes of a run are put in order; of more of them, each page by itself."""


def run_page(request: Request) -> Response:
    """``/run/ID``: the report of a run, its problems and its changes."""
    site = site_of(request)
    if wants_data(request):
        return dataset.run_record(request)
    page = number(request.query_params.get("page"))
    with site.snapshots.using() as snapshot:
        record = run_asked(request, snapshot)
        showing = Showing(snapshot, site.addresses)
        changed = counts(snapshot).get(record.id, ChangeCounts())
        problems = problem_groups(snapshot, record)
        context = {
            "record": record,
            "sections": [(section, showing.section(section.address)) for section in record.sections],
            "counts": changed,
            "kinds": list(ChangeKind),
            "groups": _changes(showing, record, changed.total, page),
            "page": page,
            "pages": page_count(changed.total, CHANGES_PER_PAGE),
            "previous": previous_run(snapshot, record),
            "suspicions": [
                (in_words(suspicion, record.model.prefixes, published=True), not suspicion.is_open)
                for suspicion in record.suspicions
            ],
            "problems": [(group, problem_list(record.id, group)) for group in problems],
            "problem_count": sum(group.count for group in problems),
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
        old = _run(snapshot, asked.get("from")) or (previous_run(snapshot, new) if new else None)
        if old and new and old.order > new.order:
            old, new = new, old
        common = old and new and _sections(old) & _sections(new)
        changes = between(snapshot, old, new) if old and new and common else []
        page = number(asked.get("page"))
        showing = Showing(snapshot, site.addresses)
        context = {
            "old": old,
            "new": new,
            "common": common,
            "groups": grouped(showing, changes, (page - 1) * CHANGES_PER_PAGE, page * CHANGES_PER_PAGE),
            "total": len(changes),
            "page": page,
            "pages": page_count(len(changes), CHANGES_PER_PAGE),
            "runs": list(reversed(snapshot.complete)),
        }
        return render(request, "diff.html", snapshot, context, modified=snapshot.modified)


def model_text(request: Request) -> Response:
    """``/model/ID``: the model that a run used."""
    with site_of(request).snapshots.using() as snapshot:
        path = snapshot.files.model(run_asked(request, snapshot).id)
        if not path.exists():
            raise not_found("the model of this run is not kept")
        return PlainTextResponse(path.read_text(encoding="utf-8"), media_type="text/turtle")


def _changes(showing: Showing, record: RunRecord, total: int, page: int) -> list[ChangeGroup]:
    """A page of the changes of a run."""
    start = (page - 1) * CHANGES_PER_PAGE
    if total <= MOST_GROUPED:
        return grouped(showing, list(run_changes(showing.snapshot, record.id)), start, start + CHANGES_PER_PAGE)
    part = list(run_changes(showing.snapshot, record.id, start, CHANGES_PER_PAGE))
    return grouped(showing, part, 0, CHANGES_PER_PAGE)


def _sections(record: RunRecord) -> set[str]:
    return {section.address for section in record.sections}


def _run(snapshot: Snapshot, name: str | None) -> RunRecord | None:
    if not name:
        return None
    record = snapshot.by_id.get(number(name.removeprefix("run://"), -1))
    if record is None:
        raise HTTPException(404, f"there is no run {name[:40]}")
    return record
