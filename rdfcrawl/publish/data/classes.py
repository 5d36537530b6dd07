"""The objects of each class, their labels, and the search by label; read as text and kept as long as the snapshot."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyoxigraph as ox

from rdfcrawl.publish.data.objects import node_of, text_of
from rdfcrawl.publish.data.schema import ObjectClass
from rdfcrawl.publish.data.snapshot import Snapshot

SHORTEST_SEARCH = 2
LONGEST_SEARCH = 200
"""Characters of a request that are looked for."""
MOST_COMPARED = 100_000_000
"""Characters of labels that one search looks at, once for each word."""

MOST_OF_TEXT = 10_000
"""How many characters of a value are ordered, filtered and searched."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An object that a search has found."""

    iri: str
    label: str
    object_class: ObjectClass


def objects(snapshot: Snapshot, predicate: str) -> Sequence[str]:
    """The IRIs of all objects that edges of a predicate lead to."""

    def find() -> Sequence[str]:
        query = "SELECT DISTINCT ?o { ?s %s ?o FILTER(isIRI(?o)) }"
        return [row[0] for row in text_rows(snapshot, query, predicate)]

    return snapshot.keep(("objects", predicate), find)


def objects_within(snapshot: Snapshot, parent: str, predicate: str) -> Sequence[str]:
    """The objects that edges of a predicate lead to from an object."""
    subject = node_of(parent)
    if subject is None:
        return ()
    return [
        quad.object.value
        for graph in snapshot.graphs
        for quad in snapshot.data.store.quads_for_pattern(subject, ox.NamedNode(predicate), None, graph)
        if isinstance(quad.object, ox.NamedNode)
    ]


def objects_linking(snapshot: Snapshot, predicate: str, target: str) -> Sequence[str]:
    """The objects from which edges of a predicate lead to an object."""
    node, link = node_of(target), node_of(predicate)
    if node is None or link is None:
        return ()
    quads = (
        quad for graph in snapshot.graphs for quad in snapshot.data.store.quads_for_pattern(None, link, node, graph)
    )
    return list(dict.fromkeys(text_of(quad.subject) for quad in quads))


def texts_of(snapshot: Snapshot, predicate: str) -> Mapping[str, str]:
    """The values of a property as text, by object; several values are joined."""

    def find() -> Mapping[str, str]:
        found: dict[str, str] = {}
        query = f"SELECT ?s (SUBSTR(STR(?o), 1, {MOST_OF_TEXT}) AS ?t) {{ ?s %s ?o }}"
        for subject, text in text_rows(snapshot, query, predicate):
            found[subject] = f"{found[subject]} {text}" if subject in found else text
        return found

    return snapshot.keep(("texts", predicate), find)


def labels(snapshot: Snapshot) -> Mapping[str, str]:
    """The labels of all objects that have one."""

    def find() -> Mapping[str, str]:
        found: dict[str, str] = {}
        for predicate in reversed(snapshot.schema.labels):
            found.update((iri, text) for iri, text in texts_of(snapshot, predicate).items() if text.strip())
        return found

    return snapshot.keep("labels", find)


@dataclass(frozen=True, slots=True)
class Found:
    """What a search has found; ``everywhere`` says whether it could look at all labels."""

    hits: Sequence[Hit] = ()
    everywhere: bool = True


def search(snapshot: Snapshot, text: str, at_most: int, most_compared: int = MOST_COMPARED) -> Found:
    """The objects whose label has all words of the text; those that begin with it come first."""
    text = text[:LONGEST_SEARCH]
    words = text.casefold().split()
    if len("".join(words)) < SHORTEST_SEARCH:
        return Found()
    # A word that is part of another one says nothing more.
    wanted = [word for word in set(words) if not any(word in other for other in set(words) - {word})]
    left = most_compared // len(wanted)
    found = []
    for entry in _searchable(snapshot):
        left -= len(entry[0])
        if left < 0:
            break
        if all(word in entry[0] for word in wanted):
            found.append(entry)
    start = text.casefold().strip()
    found.sort(key=lambda entry: (not entry[0].startswith(start), len(entry[0]), entry[0], entry[1].iri))
    return Found([hit for _, hit in found[:at_most]], left >= 0)


def prepare(snapshot: Snapshot) -> None:
    """Prepare what the first readers of a snapshot would otherwise wait for."""
    _searchable(snapshot)


def _searchable(snapshot: Snapshot) -> Sequence[tuple[str, Hit]]:
    def find() -> Sequence[tuple[str, Hit]]:
        known = labels(snapshot)
        return [
            (known[iri].casefold(), Hit(iri, known[iri], shown))
            for shown in snapshot.schema.classes.values()
            for iri in objects(snapshot, shown.predicate)
            if iri in known
        ]

    return snapshot.keep("searchable", find)


def text_rows(snapshot: Snapshot, query: str, predicate: str) -> Iterable[list[str]]:
    """The answer to a query with a predicate in its place; what is no IRI, and could be more of a query, has none."""
    node = node_of(predicate)
    if not snapshot.graphs or node is None:
        return []
    results = snapshot.data.store.query(query % node, default_graph=list(snapshot.graphs))
    assert isinstance(results, ox.QuerySolutions)
    # Written by the store and read by csv, a hundred thousand rows take a third of the time of as many terms.
    text = results.serialize(format=ox.QueryResultsFormat.CSV)
    assert text is not None
    rows = csv.reader(io.StringIO(text.decode(), newline=""))
    next(rows)
    return rows
