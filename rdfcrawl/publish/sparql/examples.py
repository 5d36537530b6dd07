"""Queries to begin with, made from the models and from what a store holds: each of them has an answer there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Final

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.catalogue.catalogue import Catalogue
from rdfcrawl.publish.catalogue.chosen import ChosenObjects
from rdfcrawl.publish.catalogue.keeping import catalogue_soon
from rdfcrawl.publish.catalogue.wishes import Wish
from rdfcrawl.publish.data.changes import counts, previous_run
from rdfcrawl.publish.data.classes import an_object
from rdfcrawl.publish.data.objects import text_of
from rdfcrawl.publish.data.schema import ObjectClass, PropertyColumn, Schema
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.publish.web.addresses import Addresses
from rdfcrawl.publish.web.presentation import Showing
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import changes_iri, record_iri
from rdfcrawl.rdf.names import notation
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.versioning.changes import ChangeKind

_LISTS, _COUNTS, _INSIDE = 3, 2, 2
_COLUMNS: Final = 5
_LOOKED_AT: Final = 200
_TITLE: Final = 40


@dataclass(frozen=True, slots=True)
class Example:
    """A query to begin with."""

    title: str
    query: str


def examples(snapshot: Snapshot, changes: bool = False) -> list[Example]:
    """What a store suggests to ask its data, or its changes."""
    if changes:
        return snapshot.keep(("examples", changes), lambda: [*_of_changes(snapshot)])
    catalogue = catalogue_soon(snapshot)
    # Without the tables, which are being prepared, there are fewer of them for a while.
    return snapshot.keep(("examples", changes, catalogue is not None), lambda: [*_of_data(snapshot, catalogue)])


def declared(prefixes: Mapping[str, str], names: Iterable[str]) -> str:
    """The lines that declare the known ones among the names."""
    lines = [f"PREFIX {name}: <{prefixes[name]}>\n" for name in names if name in prefixes]
    return "".join(lines) + ("\n" if lines else "")


def _of_data(snapshot: Snapshot, catalogue: Catalogue | None) -> Iterator[Example]:
    schema = snapshot.schema
    ordered = sorted(schema.classes.values(), key=lambda shown: (not shown.top, shown.name))
    classes = [shown for shown in ordered if an_object(snapshot, shown.predicate)]
    suggested = [
        *(Example(f"All {shown.name} objects", _of_class(schema, shown)) for shown in classes[:_LISTS]),
        *(islice(_by_value(snapshot.schema, catalogue, classes), _COUNTS) if catalogue else ()),
        *islice(_inside(snapshot, classes), _INSIDE),
        *_over_time(snapshot, classes),
        *_changed(snapshot),
        *_history(snapshot, classes),
    ]
    for found in suggested:
        yield replace(found, query=declared(schema.prefixes, _used(found.query)) + found.query)


def _of_changes(snapshot: Snapshot) -> Iterator[Example]:
    record = _with_changes(snapshot)
    if record is None:
        return
    each = [
        "SELECT ?run ?change (COUNT(*) AS ?count) WHERE {",
        "  GRAPH ?run { ?subject ?change ?object . }",
        "}",
        "GROUP BY ?run ?change",
        "ORDER BY ?run ?change",
    ]
    yield Example("How many changes each run has brought", "\n".join(each))
    last = f"SELECT ?subject ?change ?object WHERE {{\n  GRAPH <{record.iri}> {{ ?subject ?change ?object . }}\n}}\n"
    yield Example("What the last run with changes has changed", f"{last}LIMIT 100")


def _used(example: str) -> list[str]:
    """The prefixes of a query that was made here: every name stands alone, and an IRI in brackets."""
    words = (word for word in example.split() if ":" in word and not word.startswith(("<", '"')))
    return list(dict.fromkeys(word.partition(":")[0] for word in words))


def _of_class(schema: Schema, shown: ObjectClass) -> str:
    lines = [f"  ?parent {notation(shown.predicate, schema.prefixes)} ?{_variable(shown.name)} ."]
    names = _variables(shown)
    for column in shown.columns[:_COLUMNS]:
        triple = f"?{_variable(shown.name)} {notation(column.predicate, schema.prefixes)} ?{names[column.predicate]} ."
        lines.append(f"  OPTIONAL {{ {triple} }}")
    chosen = " ".join(f"?{names[column.predicate]}" for column in shown.columns[:_COLUMNS])
    head = f"SELECT DISTINCT ?{_variable(shown.name)} {chosen} WHERE {{"
    return "\n".join([head, *lines, "}", "LIMIT 100"])


def _by_value(schema: Schema, catalogue: Catalogue, classes: Iterable[ObjectClass]) -> Iterator[Example]:
    """How often each value of a column of few values occurs, one for each class that has such a column."""
    for shown in classes:
        column = _of_few_values(catalogue, shown)
        if column:
            yield Example(f"{shown.name} objects by {column.name}", _counted(schema, shown, column))


def _of_few_values(catalogue: Catalogue, shown: ObjectClass) -> PropertyColumn | None:
    found = ChosenObjects(catalogue, shown, Wish()).choices().facets
    facets = [facet for facet in found if len(facet.values) > 1 and not facet.column.is_label]
    return min(facets, key=lambda facet: len(facet.values)).column if facets else None


def _counted(schema: Schema, shown: ObjectClass, column: PropertyColumn) -> str:
    name, value = _variable(shown.name), _variables(shown)[column.predicate]
    return "\n".join(
        [
            f"SELECT ?{value} (COUNT(DISTINCT ?{name}) AS ?count) WHERE {{",
            f"  ?parent {notation(shown.predicate, schema.prefixes)} ?{name} .",
            f"  ?{name} {notation(column.predicate, schema.prefixes)} ?{value} .",
            "}",
            f"GROUP BY ?{value}",
            f"ORDER BY DESC(?count) ?{value}",
        ]
    )


def _inside(snapshot: Snapshot, classes: Iterable[ObjectClass]) -> Iterator[Example]:
    """How many objects of one class are in each object of another."""
    schema = snapshot.schema
    for shown in classes:
        for nested in shown.nested:
            inner = schema.classes.get(nested)
            if inner and shown.key and _has_named_parents(snapshot, inner, shown.key):
                title = f"How many {inner.name} objects per {shown.name}"
                yield Example(title, _per_class(schema, shown, shown.key, inner))


def _has_named_parents(snapshot: Snapshot, inner: ObjectClass, label: PropertyColumn) -> bool:
    store, name = snapshot.data.store, ox.NamedNode(label.predicate)
    return any(
        next(iter(store.quads_for_pattern(quad.subject, name, None, graph)), None) is not None
        for graph in snapshot.graphs
        for quad in islice(store.quads_for_pattern(None, ox.NamedNode(inner.predicate), None, graph), _LOOKED_AT)
    )


def _per_class(schema: Schema, shown: ObjectClass, label: PropertyColumn, inner: ObjectClass) -> str:
    outer, nested = _variable(shown.name), _variable(inner.name)
    return "\n".join(
        [
            f"SELECT ?label (COUNT(DISTINCT ?{nested}) AS ?count) WHERE {{",
            f"  ?{outer} {notation(inner.predicate, schema.prefixes)} ?{nested} ;",
            f"    {notation(label.predicate, schema.prefixes)} ?label .",
            "}",
            f"GROUP BY ?{outer} ?label",
            "ORDER BY DESC(?count) ?label",
            "LIMIT 100",
        ]
    )


def _over_time(snapshot: Snapshot, classes: Iterable[ObjectClass]) -> Iterator[Example]:
    """How the number of objects of a class has developed."""
    began = ox.NamedNode(terms.PROV + "startedAtTime")
    shown = next(iter(classes), None)
    records = (ox.NamedNode(record_iri(record.id)) for record in snapshot.complete)
    known = (graph for graph in records if [*snapshot.data.store.quads_for_pattern(graph, began, None, graph)])
    if shown is None or len(list(islice(known, 2))) < 2:
        return
    lines = [
        f"SELECT ?began (COUNT(DISTINCT ?{_variable(shown.name)}) AS ?count) WHERE {{",
        "  GRAPH ?record { ?record prov:generated ?run ; prov:startedAtTime ?began . }",
        f"  GRAPH ?run {{ ?parent {notation(shown.predicate, snapshot.schema.prefixes)} ?{_variable(shown.name)} . }}",
        "}",
        "GROUP BY ?run ?began",
        "ORDER BY ?began",
    ]
    yield Example(f"How many {shown.name} objects in each run", "\n".join(lines))


def _changed(snapshot: Snapshot) -> Iterator[Example]:
    """What the last run with changes has changed, with the values before and after where it is a property."""
    record = _with_changes(snapshot, values=True) or _with_changes(snapshot)
    old = previous_run(snapshot, record) if record else None
    if record is None or old is None:
        return
    lines = [
        "SELECT ?subject ?change ?object ?before ?after WHERE {",
        f"  GRAPH <{changes_iri(record.id)}> {{ ?subject ?change ?object . }}",
        f"  OPTIONAL {{ GRAPH <{old.iri}> {{ ?subject ?object ?before . }} }}",
        f"  OPTIONAL {{ GRAPH <{record.iri}> {{ ?subject ?object ?after . }} }}",
        "}",
        "LIMIT 100",
    ]
    yield Example("What changed between two runs", "\n".join(lines))


def _history(snapshot: Snapshot, classes: Iterable[ObjectClass]) -> Iterator[Example]:
    """What every run said of an object: of one that has changed, if there is any."""
    record = _with_changes(snapshot, values=True)
    found = _changed_object(snapshot, record) if record else None
    found = found or next((iri for shown in classes if (iri := an_object(snapshot, shown.predicate))), None)
    if (
        found is None
        or next(iter(snapshot.data.store.quads_for_pattern(ox.NamedNode(found), None, None)), None) is None
    ):
        return
    lines = [
        "SELECT ?property ?run ?value WHERE {",
        f"  GRAPH ?run {{ <{found}> ?property ?value . }}",
        '  FILTER(STRSTARTS(STR(?run), "run:"))',
        "}",
        "ORDER BY ?property ?run",
    ]
    title = Showing(snapshot, Addresses()).title(found)
    yield Example(f"History of {title if len(title) <= _TITLE else title[: _TITLE - 1] + '…'}", "\n".join(lines))


def _with_changes(snapshot: Snapshot, values: bool = False) -> RunRecord | None:
    """The newest run that has changed something, or values of something, and whose changes can be asked for."""
    counted, held = counts(snapshot), snapshot.data.held.graphs
    for record in reversed(snapshot.complete):
        found = counted.get(record.id)
        changed = found and (found.values.get(ChangeKind.CHANGED) if values else found.total)
        if changed and changes_iri(record.id) in held:
            return record
    return None


def _changed_object(snapshot: Snapshot, record: RunRecord) -> str | None:
    pattern = (None, ox.NamedNode(terms.METAMODEL + ChangeKind.CHANGED), None, ox.NamedNode(changes_iri(record.id)))
    quads = snapshot.data.store.quads_for_pattern(*pattern)
    subjects = (text_of(quad.subject) for quad in quads)
    return next((iri for iri in subjects if iri != terms.MODEL), None)


def _variables(shown: ObjectClass) -> dict[str, str]:
    taken = {_variable(shown.name), "parent", "count"}
    found = {}
    for column in shown.columns:
        name = _variable(column.name)
        while name in taken:
            name += "_"
        taken.add(name)
        found[column.predicate] = name
    return found


def _variable(name: str) -> str:
    kept = "".join(character if character.isalnum() and character.isascii() else "_" for character in name)
    return kept.strip("_") or "object"
