"""How an object is read: its values, its name, what is nested in it and what it links to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rdfcrawl.engine.document.tree import Element, Match
from rdfcrawl.engine.extract.extraction import Trace
from rdfcrawl.engine.extract.links import read_link
from rdfcrawl.engine.extract.naming import KeyValues, name_object
from rdfcrawl.engine.extract.plan import ItemPlan, PagePlan, PropertyPlan
from rdfcrawl.engine.extract.reading import Reading, ReadObject
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.values.pipeline import Misfit
from rdfcrawl.rdf import ntriples


class _Lack(NamedTuple):
    """A value that an object should have and has not."""

    kind: ProblemKind
    prop: PropertyPlan
    reason: str
    raw: str | None = None


def read_object(
    reading: Reading, plan: PagePlan, item: ItemPlan, element: Element, holder: ReadObject | None
) -> ReadObject | None:
    """Read the object at ``element`` and everything nested in it; nothing where it has no value.

    ``holder`` is the object that it is nested in; an object at the top of the page has none.
    """
    outer = reading.document.root if holder is None else holder.element
    values, key_values, lacks = _read_values(reading, item, element, outer)
    subject = name_object(reading, plan, item, element, holder, key_values)
    if reading.traces is not None:
        reading.traces += _traces(reading, subject, item, element, outer)
    if not values and item.properties:
        # One problem says that everything is missing; what was there and did not fit is worth its own.
        _report(reading, subject, [lack for lack in lacks if lack.kind is ProblemKind.MISFIT])
        reading.problem(ProblemKind.NO_VALUES, "the object has no value and is not written", subject=subject)
        return None
    _report(reading, subject, lacks)
    name = ntriples.iri(subject)
    reading.result.triples += [f"{name} {value}" for value in values]
    if item.type_triple:
        reading.result.triples.append(f"{name} {item.type_triple}")
    found = ReadObject(element, subject, name, not lacks)
    for link in plan.links:
        read_link(reading, link, element, outer, subject)
    for sub in plan.subs:
        reading.readers[type(sub.page)].read_nested(reading, sub, found)
    return found


def read_nested_objects(
    reading: Reading, plan: PagePlan, item: ItemPlan, elements: list[Element], holder: ReadObject
) -> None:
    """Read objects that are nested in another, and the edges that lead to them."""
    for element in elements:
        if nested := read_object(reading, plan, item, element, holder):
            reading.result.triples.append(f"{holder.name} {item.predicate} {nested.name}")


def _read_values(
    reading: Reading, item: ItemPlan, element: Element, outer: Element
) -> tuple[list[str], KeyValues, list[_Lack]]:
    """The values of an object with their predicates, the raw values that count for its name, and what it lacks."""
    document = reading.document
    values: list[str] = []
    key_values: KeyValues = []
    lacks: list[_Lack] = []
    for prop in item.properties:
        is_missing = True
        for match in _matches(reading, prop, element, outer):
            for raw, _ in prop.source.values(document, match):
                is_missing = False
                if prop.is_key:
                    key_values.append((prop.property.iri, raw))
                term = prop.pipeline.term(raw, document.base)
                if isinstance(term, Misfit):
                    lacks.append(_Lack(ProblemKind.MISFIT, prop, term.reason, raw))
                else:
                    values.append(f"{prop.predicate} {term}")
        if is_missing and not prop.property.optional:
            reason = f"{prop.source.wanted} is not there; mark the property :optional if it may be missing"
            lacks.append(_Lack(ProblemKind.MISSING, prop, reason))
    return values, key_values, lacks


def _matches(reading: Reading, prop: PropertyPlan, element: Element, outer: Element) -> list[Match]:
    matches = reading.document.select(prop.path, element, outer=outer, root=element)
    return matches if prop.property.multiple else matches[:1]


def _report(reading: Reading, subject: str, lacks: list[_Lack]) -> None:
    for kind, prop, reason, raw in lacks:
        reading.problem(kind, reason, subject=subject, property=prop.property.iri, path=prop.property.path, raw=raw)


def _traces(reading: Reading, subject: str, item: ItemPlan, element: Element, outer: Element) -> Iterator[Trace]:
    for prop in item.properties:
        places: list[tuple[Match | None, str | None]] = []
        for match in _matches(reading, prop, element, outer):
            found = prop.source.values(reading.document, match)
            places += [(place, raw) for raw, place in found] or [(match, None)]
        for place, raw in places or [(None, None)]:
            yield Trace(subject, item.item, element, outer, prop, place, raw)
