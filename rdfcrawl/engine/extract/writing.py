"""From a tree of objects to an ``Extraction``: every object is named, from the top down, and written under its name."""

from __future__ import annotations

from collections.abc import Iterator

from rdfcrawl.engine.document.tree import Match
from rdfcrawl.engine.extract.comparison import conflicts
from rdfcrawl.engine.extract.extraction import Follow, Trace
from rdfcrawl.engine.extract.found import FoundObject, Holder, Lack
from rdfcrawl.engine.extract.naming import DocumentNames, entry_name
from rdfcrawl.engine.extract.reading import Reading
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.rdf import ntriples


def write_all(reading: Reading) -> None:
    """Write everything that was found in a document."""
    names, result = DocumentNames(reading), reading.result
    is_list = reading.page.is_list
    if is_list:
        result.list_address = reading.list_address
    _write_around(reading, reading.top, None)
    for found in reading.top.objects:
        subject = names.name(found, None)
        if name := _write(reading, names, found, subject):
            result.tops.append((found.item.predicate, name))
            result.complete_entries += found.is_complete
            if is_list:
                result.entries.append(entry_name(found.item, subject))
    for subject, bearers in names.shared.items():
        for bearer, lack in conflicts(bearers):
            reading.report(lack._replace(element=reading.place_of(bearer.element)), subject)
    if (statement := reading.mentions.statement(reading.address, reading.page.iri)) is not None:
        result.mentions.append(statement)


def _write(reading: Reading, names: DocumentNames, found: FoundObject, subject: str) -> str | None:
    """Write an object with everything below it, and return its name as N-Triples; nothing if it has no value."""
    if reading.traces is not None:
        reading.traces += _traces(reading, subject, found)
    if not found.is_written:
        # One problem says that everything is missing; what was there and did not fit is worth its own.
        found.lacks = [lack for lack in found.lacks if lack.kind is not ProblemKind.MISSING]
        found.lacks.append(Lack(ProblemKind.NO_VALUES, "the object has no value and is not written"))
        _write_around(reading, found, subject)
        return None
    name, item, triples = ntriples.iri(subject), found.item, reading.result.triples
    triples += [f"{name} {value}" for value in found.values]
    for text, predicate, find in found.finds:
        reading.mentions.add(text, predicate, subject, find)
    if item.type_triple:
        triples.append(f"{name} {item.type_triple}")
    _write_around(reading, found, subject)
    enclosing = None if found.is_the_page else subject
    for below in found.objects:
        if nested := _write(reading, names, below, names.name(below, enclosing)):
            triples.append(f"{name} {below.item.predicate} {nested}")
    return name


def _write_around(reading: Reading, holder: Holder, subject: str | None) -> None:
    """Write where an object or the page itself leads, and what is wrong with it."""
    result = reading.result
    for lack in holder.lacks:
        reading.report(lack, subject)
    for link in holder.links:
        result.follows.append(Follow(*link, subject))
    for target in holder.unread:
        result.unread.append((subject, target))


def _traces(reading: Reading, subject: str, found: FoundObject) -> Iterator[Trace]:
    document, element, outer = reading.document, found.element, found.outer
    for plan in found.item.properties:
        matches = document.select(plan.path, element, outer=outer, root=element)
        places: list[tuple[Match | None, str | None]] = []
        for match in matches if plan.property.multiple else matches[:1]:
            places += [(place, raw) for raw, place in plan.source.values(document, match)] or [(match, None)]
        for place, raw in places or [(None, None)]:
            yield Trace(subject, found.item.item, element, outer, plan, place, raw)
