"""The page of an object: its values, the objects inside it, what leads to it, where it comes from, its history."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pyoxigraph as ox
from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.publish.data.changes import sort_terms
from rdfcrawl.publish.data.histories import Life, ObjectEvent, life
from rdfcrawl.publish.data.objects import (
    ObjectFacts,
    ObjectStanding,
    Term,
    class_of,
    facts,
    incoming,
    observed_in,
    read_from,
)
from rdfcrawl.publish.data.objects import standing as standing_of
from rdfcrawl.publish.data.schema import ObjectClass, PropertyColumn
from rdfcrawl.publish.data.snapshot import Snapshot, changed_at
from rdfcrawl.publish.web.addresses import web_link
from rdfcrawl.publish.web.negotiation import RDF_FORMATS
from rdfcrawl.publish.web.presentation import IN_TABLE, Showing, Shown, ShownChange
from rdfcrawl.publish.web.site import Site, render, site_of
from rdfcrawl.rdf import terms
from rdfcrawl.store.runs.record import RunRecord

_INCOMING_AT_MOST = 30
_VERSIONS_AT_MOST = 40
_NUMBERS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Row:
    """An object in a table: the object itself and its values, column by column."""

    object: Shown
    cells: Sequence[Sequence[Shown]]


@dataclass(frozen=True, slots=True)
class Inside:
    """The objects of one class inside an object; ``all`` leads to a table of them where not all are shown."""

    shown: ObjectClass
    columns: Sequence[PropertyColumn]
    rows: Sequence[Row]
    all: str | None


@dataclass(frozen=True, slots=True)
class ShownEvent:
    """An event in the history of an object."""

    kind: str
    record: RunRecord
    href: str
    changes: Sequence[ShownChange]


@dataclass(frozen=True, slots=True)
class ObjectVersion:
    """The values that an object had in a run; ``changed`` says which cells differ from the version before."""

    record: RunRecord
    href: str
    cells: Sequence[Sequence[Shown]]
    changed: Sequence[bool]


def render_object(
    request: Request,
    snapshot: Snapshot,
    iri: str,
    *,
    record: RunRecord | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The page of an object, now or as a run saw it."""
    site = site_of(request)
    showing = Showing(snapshot, site.addresses)
    status = standing_of(snapshot, iri)
    gone = record is None and status is ObjectStanding.REMOVED
    graphs = (ox.NamedNode(record.iri),) if record else snapshot.graphs
    known = facts(snapshot, iri, graphs)
    runs = [record] if record else observed_in(snapshot, iri)
    history = request.query_params.get("tab") == "history" or gone
    context = {
        "iri": iri,
        "link": web_link(iri),
        "title": showing.title(iri, record.id if record else None),
        "object_class": class_of(snapshot, iri),
        "values": _values(showing, iri, known, snapshot.items, whole=record is None),
        "inside": _inside(showing, iri, known, graphs),
        "incoming": _incoming(showing, iri) if record is None else [],
        "runs": runs,
        "sources": [(page, web_link(page)) for page in read_from(snapshot, iri, record)],
        "record": record,
        "gone": gone,
        "tab": "history" if history else "values",
        "formats": [(form.title, _data_address(site, iri, form.suffix, record)) for form in RDF_FORMATS],
        "alternates": [(form.media, _data_address(site, iri, form.suffix, record)) for form in RDF_FORMATS],
        **(_history(showing, iri) if history else {"events": (), "versions": (), "version_columns": ()}),
    }
    modified = max((changed_at(run) for run in runs), default=None)
    code = 410 if gone else 200
    return render(request, "object.html", snapshot, context, status=code, modified=modified, headers=headers)


def rows(
    showing: Showing, objects: Sequence[str], shown_class: ObjectClass, graphs: Sequence[ox.NamedNode]
) -> list[Row]:
    """Objects as rows of a table, named by the class's key."""
    key, columns = shown_class.key, visible_columns(shown_class)
    found = []
    for iri in objects:
        known = facts(showing.snapshot, iri, graphs)
        name = known.values.get(key.predicate) if key else None
        shown = showing.term(sort_terms(name)[0], IN_TABLE) if name else showing.object(iri)
        cells = [
            [showing.term(value, IN_TABLE) for value in sort_terms(known.values.get(column.predicate, ()))]
            for column in columns
        ]
        found.append(Row(replace(shown, href=showing.addresses.page(iri), external=False, language=None), cells))
    return found


def _values(
    showing: Showing, iri: str, known: ObjectFacts, items: frozenset[str], whole: bool
) -> list[tuple[str, str, list[Shown]]]:
    """Names of properties, their IRIs and their values; the label first, then in the order of the model."""
    order = {predicate: place for place, predicate in enumerate(showing.snapshot.schema.predicates)}
    found = []
    for predicate in sorted(known.values, key=lambda name: (order.get(name, len(order)), name)):
        if predicate in items and all(isinstance(value, ox.NamedNode) for value in known.values[predicate]):
            continue
        shown = [
            showing.term(value, whole=showing.addresses.value(iri, predicate, number) if whole else None)
            for number, value in enumerate(sort_terms(known.values[predicate]))
        ]
        name = "type" if predicate == terms.RDF_TYPE else showing.predicate(predicate)
        found.append((name, predicate, shown))
    return found


def _inside(showing: Showing, iri: str, known: ObjectFacts, graphs: Sequence[ox.NamedNode]) -> list[Inside]:
    found = []
    for predicate in known.values:
        shown = showing.snapshot.schema.classes.get(predicate)
        if shown is None:
            continue
        objects = [value.value for value in known.values[predicate] if isinstance(value, ox.NamedNode)]
        titles = {target: natural_order(showing.title(target)) for target in objects}
        objects.sort(key=lambda target: (titles[target], target))
        more = predicate in known.more
        address = showing.addresses.object_class(predicate, within=iri) if more else None
        columns = visible_columns(shown)
        found.append(Inside(shown, columns, rows(showing, objects, shown, graphs), address))
    return found


def visible_columns(shown: ObjectClass) -> list[PropertyColumn]:
    """The columns that a table shows beside the object itself."""
    return [column for column in shown.columns if column != shown.key]


def natural_order(text: str) -> list[tuple[int, str]]:
    """A key that puts season 2 before season 10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _NUMBERS.split(text.casefold())]


def _incoming(showing: Showing, iri: str) -> list[tuple[str, Shown]]:
    found = incoming(showing.snapshot, iri, _INCOMING_AT_MOST)
    return [(showing.predicate(predicate), showing.object(subject)) for subject, predicate in found]


def _history(showing: Showing, iri: str) -> dict[str, object]:
    told = life(showing.snapshot, iri)
    columns = _version_columns(showing, told)
    return {
        "events": [_event(showing, iri, event) for event in reversed(told.events)],
        "versions": _versions(showing, iri, told, columns),
        "version_columns": [showing.predicate(predicate) for predicate in columns],
    }


def _event(showing: Showing, iri: str, event: ObjectEvent) -> ShownEvent:
    seen = event.kind not in ("removed", "not observed", "suspected") or bool(event.changes)
    href = showing.addresses.in_run(event.record.id, iri) if seen else showing.addresses.run(event.record.id)
    return ShownEvent(str(event.kind), event.record, href, [showing.change(change) for change in event.changes])


def _version_columns(showing: Showing, told: Life) -> list[str]:
    """The properties that any run has seen, in the order of the model, but those first whose values have changed."""
    present = {predicate for _, values in told.seen for predicate, _ in values} - showing.snapshot.items
    changed = {predicate for _, values in told.seen for predicate, _ in values.symmetric_difference(told.seen[0][1])}
    known = [predicate for predicate in showing.snapshot.schema.predicates if predicate in present]
    return sorted(known, key=lambda predicate: predicate not in changed)


def _versions(showing: Showing, iri: str, told: Life, columns: Sequence[str]) -> list[ObjectVersion]:
    found: list[ObjectVersion] = []
    before: set[tuple[str, Term]] | None = None
    for record, values in told.seen:
        cells = [sort_terms(value for name, value in values if name == predicate) for predicate in columns]
        changed = [
            before is not None and {value for name, value in before if name == predicate} != set(cell)
            for predicate, cell in zip(columns, cells, strict=True)
        ]
        shown = [[showing.term(value, IN_TABLE) for value in cell] for cell in cells]
        found.append(ObjectVersion(record, showing.addresses.in_run(record.id, iri), shown, changed))
        before = values
    return found[: -_VERSIONS_AT_MOST - 1 : -1]


def _data_address(site: Site, iri: str, suffix: str, record: RunRecord | None) -> str:
    return site.addresses.in_run(record.id, iri, suffix) if record else site.addresses.data(iri, suffix)
