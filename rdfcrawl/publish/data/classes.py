"""The objects of a class as tables, and the search by label.

Ordering and filtering need a value of every object. They are read as text, column by column, and kept for as long as
the snapshot is; the rows that a page shows are then read as terms.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import pyoxigraph as ox

from rdfcrawl.publish.data.objects import node_of
from rdfcrawl.publish.data.schema import ObjectClass, PropertyColumn
from rdfcrawl.publish.data.snapshot import Snapshot

PAGE_SIZE = 50
SHORTEST_SEARCH = 2
LONGEST_SEARCH = 200
"""Characters of a request that are looked for."""
MOST_COMPARED = 100_000_000
"""Characters of labels that one search looks at, once for each word."""

_COMPARED = 10_000
"""How many characters of a value ordering and filtering look at."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Which part of a class a reader wants to see; ``column`` names the predicate that ``text`` is looked for in."""

    text: str = ""
    column: str = ""
    sort: str = ""
    descending: bool = False
    within: str = ""
    page: int = 1


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of a table: its IRIs, how many match in all, and how many the class has."""

    objects: Sequence[str]
    found: int
    total: int
    page: int

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return page_count(self.found, PAGE_SIZE)


@dataclass(frozen=True, slots=True)
class Hit:
    """An object that a search has found."""

    iri: str
    label: str
    object_class: ObjectClass


def page_count(found: int, per_page: int) -> int:
    """How many pages so many things take; even without any there is one page, which says so."""
    return max(1, -(-found // per_page))


def listing(snapshot: Snapshot, shown: ObjectClass, wish: Wish) -> Listing:
    """The wanted page of a class's table."""
    every = ordered(snapshot, shown, wish.sort, wish.descending)
    chosen: Sequence[str] = every
    if wish.within:
        inside = _objects_within(snapshot, wish.within, shown.predicate)
        chosen = [iri for iri in chosen if iri in inside]
    if wish.text:
        chosen = _matching(snapshot, shown, chosen, wish)
    page = min(max(1, wish.page), page_count(len(chosen), PAGE_SIZE))
    return Listing(chosen[(page - 1) * PAGE_SIZE : page * PAGE_SIZE], len(chosen), len(every), page)


def ordered(snapshot: Snapshot, shown: ObjectClass, sort: str = "", descending: bool = False) -> Sequence[str]:
    """All objects of a class, ordered by a property, by default their label; those without a value come last."""

    column = next((column for column in shown.columns if column.predicate == sort), shown.key)

    def order() -> Sequence[str]:
        every = objects(snapshot, shown.predicate)
        texts = texts_of(snapshot, column.predicate) if column else {}
        keys = {iri: _sort_key(texts[iri], column) for iri in every if iri in texts}
        present = sorted(keys, key=lambda iri: (keys[iri], iri), reverse=descending)
        return [*present, *sorted(iri for iri in every if iri not in keys)]

    # By the column that there is: what a client may call it has no end.
    return snapshot.keep(("order", shown.predicate, column and column.predicate, descending), order)


def objects(snapshot: Snapshot, predicate: str) -> Sequence[str]:
    """The IRIs of all objects that edges of a predicate lead to."""

    def find() -> Sequence[str]:
        query = "SELECT DISTINCT ?o { ?s %s ?o FILTER(isIRI(?o)) }"
        return [row[0] for row in _rows(snapshot, query, predicate)]

    return snapshot.keep(("objects", predicate), find)


def texts_of(snapshot: Snapshot, predicate: str) -> Mapping[str, str]:
    """The values of a property as text, by object; several values are joined."""

    def find() -> Mapping[str, str]:
        found: dict[str, str] = {}
        query = f"SELECT ?s (SUBSTR(STR(?o), 1, {_COMPARED}) AS ?t) {{ ?s %s ?o }}"
        for subject, text in _rows(snapshot, query, predicate):
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
    for shown in snapshot.schema.classes.values():
        ordered(snapshot, shown)
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


def _matching(snapshot: Snapshot, shown: ObjectClass, chosen: Iterable[str], wish: Wish) -> list[str]:
    known = {column.predicate for column in shown.columns}
    columns = [wish.column] if wish.column in known else sorted(known)
    texts = _searched_texts(snapshot, shown, tuple(columns))
    wanted = wish.text.casefold()
    return [iri for iri in chosen if wanted in texts.get(iri, "")]


def _searched_texts(snapshot: Snapshot, shown: ObjectClass, columns: tuple[str, ...]) -> Mapping[str, str]:
    """What a filter looks at, by object: the values of the columns in lower case, one per line."""

    def find() -> Mapping[str, str]:
        texts = [texts_of(snapshot, predicate) for predicate in columns]
        return {
            iri: "\n".join(text[iri] for text in texts if iri in text).casefold()
            for iri in objects(snapshot, shown.predicate)
        }

    return snapshot.keep(("searched", shown.predicate, columns), find)


def _objects_within(snapshot: Snapshot, parent: str, predicate: str) -> set[str]:
    try:
        subject = ox.NamedNode(parent)
    except ValueError:
        return set()
    return {
        quad.object.value
        for graph in snapshot.graphs
        for quad in snapshot.data.store.quads_for_pattern(subject, ox.NamedNode(predicate), None, graph)
        if isinstance(quad.object, ox.NamedNode)
    }


def _sort_key(text: str, column: PropertyColumn | None) -> tuple[Decimal, str]:
    if column is not None and column.numeric:
        try:
            number = Decimal(text)
            return (number, "") if number.is_finite() else (Decimal(0), text)
        except InvalidOperation:
            return Decimal(0), text
    return Decimal(0), text.casefold()


def _rows(snapshot: Snapshot, query: str, predicate: str) -> Iterable[list[str]]:
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
