"""The page of a class: its objects ordered, filtered and paged, with facets and histograms to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.publish.catalogue.catalogue import PAGE_SIZE, Catalogue, ChosenObjects
from rdfcrawl.publish.catalogue.wishes import Wish
from rdfcrawl.publish.data.classes import objects_linking, objects_within
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
    with site.snapshots.using() as snapshot, chosen_of(request, snapshot) as (shown, wish, choice):
        found, choices = choice.page(), Catalogue.of(snapshot).choices(choice)
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
            "with_options": TableLinks(shown, wish),
            "query": query_of(shown, wish, snapshot.schema.prefixes),
        }
        return render(request, "class.html", snapshot, context, modified=snapshot.modified)


@contextmanager
def chosen_of(request: Request, snapshot: Snapshot) -> Iterator[tuple[ObjectClass, Wish, ChosenObjects]]:
    """The class that a request names, what it wants to see of it, and the objects that are meant."""
    shown = snapshot.schema.classes.get(request.query_params.get("item", ""))
    if shown is None:
        raise not_found("there is no such class; the start page lists all of them")
    wish = wish_of(request.query_params, shown)
    inside = objects_within(snapshot, wish.within, shown.predicate) if wish.within else None
    if wish.link:
        leading = objects_linking(snapshot, *wish.link)
        inside = leading if inside is None else list(set(inside) & set(leading))
    with Catalogue.of(snapshot).choosing(shown, wish, inside) as choice:
        yield shown, wish, choice


def _parents(showing: Showing, objects: Sequence[str]) -> list[list[Shown]]:
    """The objects that each object is in; there is seldom more than one, and a table has room for few."""
    return [
        [showing.object(parent) for parent, _ in incoming(showing.snapshot, iri, _PARENTS_AT_MOST)] for iri in objects
    ]
