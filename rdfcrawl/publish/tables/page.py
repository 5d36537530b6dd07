"""The page of a class: its objects ordered, filtered and paged, with facets and histograms to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.publish.catalogue.catalogue import PAGE_SIZE, Catalogue
from rdfcrawl.publish.catalogue.chosen import ChosenObjects
from rdfcrawl.publish.catalogue.keeping import catalogue_soon
from rdfcrawl.publish.catalogue.wishes import Wish
from rdfcrawl.publish.data.classes import objects_linking, objects_within, with_value
from rdfcrawl.publish.data.objects import incoming, node_of
from rdfcrawl.publish.data.schema import ObjectClass
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.publish.objects.rows import rows, visible_columns
from rdfcrawl.publish.tables.as_query import query_of
from rdfcrawl.publish.tables.links import TableLinks, wish_of
from rdfcrawl.publish.web.presentation import Showing, Shown
from rdfcrawl.publish.web.site import not_found, render, site_of

_PARENTS_AT_MOST: Final = 3


def class_table(request: Request) -> Response:
    """``/class?item=…``: the objects of a class."""
    site = site_of(request)
    with site.snapshots.using() as snapshot:
        shown = class_asked(request, snapshot)
        catalogue = catalogue_soon(snapshot)
        if catalogue is None:
            return _later(request, snapshot, shown)
        wish = wish_of(request.query_params, shown)
        choice = chosen(snapshot, catalogue, shown, wish)
        found, choices = choice.page(), choice.choices()
        showing = Showing(snapshot, site.addresses)
        context = {
            "shown": shown,
            "columns": visible_columns(shown),
            "rows": rows(showing, found.objects, shown, snapshot.graphs),
            "parents": () if shown.top or wish.within else _parents(showing, found.objects),
            "listing": found,
            "facets": choices.facets,
            "histograms": choices.histograms,
            "first": (found.page - 1) * PAGE_SIZE + 1,
            "wish": wish,
            "ranges": {one.predicate: one for one in wish.ranges},
            "within": showing.object(wish.within) if node_of(wish.within) else None,
            "link": (showing.predicate(wish.link[0]), showing.iri(wish.link[1])) if wish.link else None,
            "has_parquet": find_spec("pyarrow") is not None,
            "with_options": TableLinks(shown, wish),
            "query": query_of(shown, wish, snapshot.schema.prefixes),
        }
        return render(request, "class.html", snapshot, context, modified=snapshot.modified)


def class_asked(request: Request, snapshot: Snapshot) -> ObjectClass:
    """The class that a request names."""
    shown = snapshot.schema.classes.get(request.query_params.get("item", ""))
    if shown is None:
        raise not_found("there is no such class; the start page lists all of them")
    return shown


def chosen(snapshot: Snapshot, catalogue: Catalogue, shown: ObjectClass, wish: Wish) -> ChosenObjects:
    """The objects that are meant."""
    among = []
    if wish.within and catalogue.inside(catalogue.of_class(shown.predicate), wish.within) is None:
        among.append(objects_within(snapshot, wish.within, shown.predicate))
    if wish.link:
        among.append(objects_linking(snapshot, *wish.link))
    return ChosenObjects(catalogue, shown, wish, among, partial(with_value, snapshot))


def _later(request: Request, snapshot: Snapshot, shown: ObjectClass) -> Response:
    """What is said while the tables are being prepared."""
    headers = {"Retry-After": "3", "Refresh": "3"}
    context = {"shown": shown, "percent": round(100 * request.app.state.preparation.share)}
    return render(request, "class_later.html", snapshot, context, status=503, headers=headers)


def _parents(showing: Showing, objects: Sequence[str]) -> list[list[Shown]]:
    """The objects that each object is in; there is seldom more than one, and a table has room for few."""
    return [
        [showing.object(parent) for parent, _ in incoming(showing.snapshot, iri, _PARENTS_AT_MOST)] for iri in objects
    ]
