"""The page of an object: its values, the objects inside it, what leads to it, where it comes from, its history."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pyoxigraph as ox
from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.data.changes import sort_terms
from rdfcrawl.publish.data.histories import Life, ObjectEvent, life
from rdfcrawl.publish.data.objects import (
    ObjectFacts,
    ObjectStanding,
    Term,
    class_of,
    facts,
    observed_in,
    read_from,
)
from rdfcrawl.publish.data.objects import standing as standing_of
from rdfcrawl.publish.data.schema import natural_order
from rdfcrawl.publish.data.snapshot import Snapshot, changed_at
from rdfcrawl.publish.kept.picture import pictures_of
from rdfcrawl.publish.objects.linking import LinkingHere, linking_here
from rdfcrawl.publish.objects.rows import ObjectTable, rows, visible_columns
from rdfcrawl.publish.web.addresses import short_address, web_link
from rdfcrawl.publish.web.negotiation import RDF_FORMATS
from rdfcrawl.publish.web.presentation import IN_TABLE, UNFOLDED, Showing, Shown, ShownChange
from rdfcrawl.publish.web.site import Site, render, site_of
from rdfcrawl.rdf import terms
from rdfcrawl.store.runs.record import RunRecord

_VERSIONS_AT_MOST = 40
_UNFOLDED_IN_ALL = 200_000
"""So many characters of long values are part of a page; links lead to the others."""


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
    linking = linking_here(showing, iri) if record is None else LinkingHere()
    history = request.query_params.get("tab") == "history" or gone
    context = {
        "iri": iri,
        "link": web_link(iri),
        "title": showing.title(iri, record.id if record else None),
        "object_class": class_of(snapshot, iri),
        "values": _values(showing, iri, known, snapshot.items, record.id if record else None),
        "more": known.more,
        "pictures": pictures_of(site, runs, _other_addresses(known, snapshot.items)),
        "tables": [*_inside(showing, iri, known, graphs), *linking.tables],
        "leading_here": linking.others,
        "runs": runs,
        "sources": [(page, short_address(page), web_link(page)) for page in read_from(snapshot, iri, record)],
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


def _other_addresses(known: ObjectFacts, items: frozenset[str]) -> Iterator[str]:
    """The addresses among the values, which do not lead to objects."""
    values = (value for predicate, values in known.values.items() if predicate not in items for value in values)
    return (value.value for value in values if isinstance(value, ox.NamedNode))


def _values(
    showing: Showing, iri: str, known: ObjectFacts, items: frozenset[str], run: int | None
) -> list[tuple[str, str, list[Shown]]]:
    """Names of properties, their IRIs and their values; the label first, then in the order of the model."""
    order = {predicate: place for place, predicate in enumerate(showing.snapshot.schema.predicates)}
    found = []
    room = _UNFOLDED_IN_ALL
    for predicate in sorted(known.values, key=lambda name: (order.get(name, len(order)), name)):
        if predicate in items and all(isinstance(value, ox.NamedNode) for value in known.values[predicate]):
            continue
        shown = []
        for number, value in enumerate(sort_terms(known.values[predicate])):
            address = showing.addresses.value(iri, predicate, number) if run is None else None
            is_read = predicate in showing.snapshot.properties
            why = showing.addresses.why(iri, predicate, number, run) if is_read else None
            shown.append(replace(showing.term(value, whole=address, unfolded=min(UNFOLDED, room)), why=why))
            room -= len(shown[-1].full or "")
        name = "type" if predicate == terms.RDF_TYPE else showing.predicate(predicate)
        found.append((name, predicate, shown))
    return found


def _inside(showing: Showing, iri: str, known: ObjectFacts, graphs: Sequence[ox.NamedNode]) -> list[ObjectTable]:
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
        shown_rows = rows(showing, objects, shown, graphs)
        found.append(ObjectTable(shown, visible_columns(shown), shown_rows, len(objects), more, address))
    return found


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
