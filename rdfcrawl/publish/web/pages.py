"""Pages for people: the data set, classes, runs, comparisons and the search."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.publish.catalogue.amounts import amounts
from rdfcrawl.publish.catalogue.keeping import catalogue_soon, words_soon
from rdfcrawl.publish.catalogue.words import LONGEST_SEARCH, Found, search_labels
from rdfcrawl.publish.charts.run_chart import charts
from rdfcrawl.publish.data.changes import counts
from rdfcrawl.publish.data.schema import ObjectClass
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.publish.people.pages import has_people
from rdfcrawl.publish.web import dataset
from rdfcrawl.publish.web.memento import memento_links
from rdfcrawl.publish.web.negotiation import GRAPH_FORMATS
from rdfcrawl.publish.web.presentation import Showing
from rdfcrawl.publish.web.site import link_header, render, site_of, wants_data
from rdfcrawl.survey.reading import has_survey
from rdfcrawl.versioning.changes import ChangeKind

RUNS_SHOWN = 40
CHANGES_PER_PAGE = 100
_HITS = 50
_PARENTS_AT_MOST = 3


def home(request: Request) -> Response:
    """``/``: what the data set is, for people or in RDF."""
    site = site_of(request)
    if wants_data(request):
        return dataset.description(request)
    with site.snapshots.using() as snapshot:
        changed = counts(snapshot)
        showing = Showing(snapshot, site.addresses)
        context = {
            "classes": _classes(snapshot),
            "amounts": amounts(snapshot),
            "sections": [
                (section, record, showing.section(section.address))
                for record in snapshot.current
                for section in record.sections
            ],
            "surveys": [record for record in snapshot.current if has_survey(record)],
            "runs": snapshot.records[: -RUNS_SHOWN - 1 : -1],
            "run_count": len(snapshot.records),
            "counts": changed,
            "kinds": list(ChangeKind),
            "charts": charts(snapshot.complete, changed, site.addresses, snapshot.times),
            "saved": [one for one in site.queries.all() if not one.problem],
            "hosts": _hosts(snapshot),
            "has_people": has_people(snapshot),
            "modified": snapshot.modified if snapshot.complete else None,
            "alternates": [(form.media, f"/?format={form.suffix}") for form in GRAPH_FORMATS],
        }
        headers = {"Link": link_header(memento_links(site, request))}
        return render(request, "home.html", snapshot, context, headers=headers)


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


def _hosts(snapshot: Snapshot) -> list[str]:
    """Where the data comes from."""
    found = {urlsplit(section.address).netloc for record in snapshot.current for section in record.sections}
    return sorted(host for host in found if host)


def _classes(snapshot: Snapshot) -> list[ObjectClass]:
    return sorted(snapshot.schema.classes.values(), key=lambda shown: (not shown.top, shown.name))
