"""Which objects of a run have several values of a property that is not ``:multiple``: found when all of them are there.

Inside one document that is found while reading. What different pages say about one object meets only in the sorted
triples of the run: there the values of a property stand in neighbouring lines.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.metamodel.cardinality import SHOWN_VALUES, conflict_reason, items_by_predicate, single_valued, value_rules
from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf.ntriples import iri, split

Lines = Callable[[], Iterable[bytes]]
"""Opens the sorted N-Quads (or N-Triples) lines of a run, each without its line break; it may be called twice."""


class _Contender(NamedTuple):
    """A property of an object with several values, as N-Triples text."""

    subject: bytes
    predicate: bytes


class _Values:
    """How many different values there are, and the first few of them."""

    __slots__ = ("count", "last", "shown")

    def __init__(self, line: bytes) -> None:
        self.last = split(line.decode())[2]
        self.shown = [self.last]
        self.count = 1

    def add(self, line: bytes) -> None:
        """Count the value of the next line."""
        value = split(line.decode())[2]
        if value != self.last:
            self.count += 1
            self.last = value
            if len(self.shown) < SHOWN_VALUES:
                self.shown.append(value)


def find_conflicts(lines: Lines, model: Model, known: Iterable[tuple[str, str]] = ()) -> Iterator[Problem]:
    """The conflicts in the triples of a run, but for the ``known`` ones: subject and property, both IRIs.

    An object may have one value where the shape of a class that leads to it says so. The memory that it takes depends
    on the number of conflicts only.
    """
    single = {iri(predicate).encode(): _encoded(written) for predicate, written in single_valued(model).items()}
    candidates = _candidates(lines(), frozenset[bytes]().union(*single.values()))
    for candidate in _reported(model, known):
        candidates.pop(candidate, None)
    if not candidates:
        return
    classes = _classes(lines(), {candidate.subject for candidate in candidates}, single.keys())
    properties = _properties(model)
    for candidate, values in candidates.items():
        leading = sorted(classes.get(candidate.subject, ()))
        if predicate := next((one for one in leading if candidate.predicate in single[one]), None):
            page, found = properties[predicate, candidate.predicate]
            subject, reason = candidate.subject.decode()[1:-1], conflict_reason(values.shown, values.count)
            yield Problem(ProblemKind.CONFLICT, clean_address(subject), page, reason, subject, found)


def _candidates(lines: Iterable[bytes], wanted: Collection[bytes]) -> dict[_Contender, _Values]:
    """Where one object has several values of one of the ``wanted`` predicates, and these values."""
    found: dict[_Contender, _Values] = {}
    last_subject = last_predicate = last = b""
    for line in lines:
        subject, predicate, _ = line.split(b" ", 2)
        if predicate == last_predicate and subject == last_subject and predicate in wanted and line != last:
            candidate = _Contender(subject, predicate)
            if candidate not in found:
                found[candidate] = _Values(last)
            found[candidate].add(line)
        last_subject, last_predicate, last = subject, predicate, line
    return {candidate: values for candidate, values in found.items() if values.count > 1}


def _reported(model: Model, known: Iterable[tuple[str, str]]) -> Iterator[_Contender]:
    """Known conflicts by predicate: two properties may write the same."""
    predicates = {prop.iri: prop.predicate for item in model.items() for prop in item.properties}
    for subject, found in known:
        yield _Contender(iri(subject).encode(), iri(predicates.get(found, found)).encode())


def _classes(
    lines: Iterable[bytes], subjects: Collection[bytes], predicates: Collection[bytes]
) -> dict[bytes, set[bytes]]:
    """For each of the objects, the predicates by which the graph leads to it."""
    found: dict[bytes, set[bytes]] = {}
    for line in lines:
        _, predicate, rest = line.split(b" ", 2)
        if predicate in predicates and (target := rest.split(b" ", 1)[0]) in subjects:
            found.setdefault(target, set()).add(predicate)
    return found


def _properties(model: Model) -> dict[tuple[bytes, bytes], tuple[str, str]]:
    """For each predicate that leads to objects and each one that they may have once: a page and the property."""
    pages = {item.predicate: page.iri for page in reversed([*model.pages.values()]) for item in page.items}
    return {
        (iri(predicate).encode(), iri(written).encode()): (pages[predicate], rule.properties[0].iri)
        for predicate, items in items_by_predicate(model).items()
        for written, rule in value_rules(items).items()
    }


def _encoded(predicates: Iterable[str]) -> frozenset[bytes]:
    return frozenset(iri(predicate).encode() for predicate in predicates)
