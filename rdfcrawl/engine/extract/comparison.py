"""Whether two objects of a document are the same, by what they say and not by name, and in what they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rdfcrawl.engine.extract.found import FoundObject, Lack
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.metamodel.cardinality import SHOWN_VALUES, conflict_reason

Content = tuple[Any, ...]
"""Everything that an object says, in a form that can be compared."""


class ContentDifference(NamedTuple):
    """In what two objects differ, and the property, if it is one."""

    what: str
    property: str | None = None


def content_of(found: FoundObject) -> Content:
    """What an object says: its values, the objects nested in it and its links. Neither order nor repetition counts."""
    nested = frozenset((below.item.predicate, content_of(below)) for below in found.objects if below.is_written)
    links = frozenset((link.target, link.key) for link in found.links)
    return found.address, found.item.type_triple, frozenset(found.values), nested, links


def difference(first: FoundObject, second: FoundObject) -> ContentDifference:
    """In what two objects with different contents differ, in one word."""
    values = frozenset(first.values) ^ frozenset(second.values)
    predicates = {value.partition(" ")[0] for value in values}
    for prop in (*second.item.properties, *first.item.properties):
        if prop.predicate in predicates:
            return ContentDifference(prop.property.iri, prop.property.iri)
    if first.item.type_triple != second.item.type_triple:
        return ContentDifference("their rdf:type")
    nested = {below.item.predicate: below.item.item.iri for below in (*second.objects, *first.objects)}
    for predicate, name in nested.items():
        if _nested(first, predicate) != _nested(second, predicate):
            return ContentDifference(f"their nested {name}")
    return ContentDifference("their links")


def conflicts(bearers: Sequence[FoundObject]) -> Iterator[tuple[FoundObject, Lack]]:
    """The properties of which elements with one name give several values though one is allowed.

    With each comes the first element that contradicts an earlier one.
    """
    single = frozenset[str]().union(*(bearer.item.single for bearer in bearers))
    given: dict[str, dict[str, FoundObject]] = {}
    for bearer in bearers:
        for value in bearer.values:
            predicate, _, term = value.partition(" ")
            if predicate in single:
                given.setdefault(predicate, {}).setdefault(term, bearer)
    for predicate, terms in given.items():
        if len(terms) > 1:
            contradicting = list(terms.values())[1]
            prop = next(prop for prop in contradicting.item.properties if prop.predicate == predicate).property
            reason = conflict_reason(list(terms)[:SHOWN_VALUES], len(terms))
            yield contradicting, Lack(ProblemKind.CONFLICT, reason, prop.iri, prop.path)


def _nested(found: FoundObject, predicate: str) -> frozenset[Content]:
    return frozenset(
        content_of(below) for below in found.objects if below.item.predicate == predicate and below.is_written
    )
