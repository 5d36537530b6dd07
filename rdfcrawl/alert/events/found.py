"""Pages that are finds and were none before, with their score and the criteria that they meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rdfcrawl.alert.events.event import Event, EventKind, Fact
from rdfcrawl.alert.events.values import values_in
from rdfcrawl.metamodel.criteria import signed
from rdfcrawl.metamodel.kinds.site_page import ADDRESSES
from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf import terms
from rdfcrawl.versioning.blocks import State, lines_of
from rdfcrawl.versioning.compare import Comparison

FIND: Final = terms.SITE + "find"
SCORE: Final = terms.SITE + "score"
MEETS: Final = terms.SITE + "meets"
_TITLE: Final = terms.SITE + "title"
_IS_FIND: Final = f' <{FIND}> "true"'.encode()


def found_events(comparison: Comparison, model: Model) -> list[Event]:
    """The finds of a run that were none in what was known before, the best first."""
    criteria = {
        criterion.iri: f"{criterion.said} ({signed(criterion.weight)})"
        for page in model.pages.values()
        if page.focus is not None
        for criterion in page.focus.criteria
    }
    before = set(_finds(comparison.old))
    new = [subject for subject in _finds(comparison.new) if subject not in before]
    described = values_in(comparison.new, new)
    events = [_event(subject, described[subject], criteria) for subject in new]
    return sorted(events, key=lambda event: (-_score(event), event.about))


def _finds(state: State) -> Iterator[str]:
    for block in state():
        # Most pages of a site are no finds: whole blocks are passed over.
        if _IS_FIND in block:
            yield from (line[: line.index(b" ")].decode() for line in lines_of(iter((block,))) if _is_find(line))


def _is_find(line: bytes) -> bool:
    return line.startswith(_IS_FIND, line.index(b" "))


def _event(subject: str, values: Mapping[str, list[str]], criteria: Mapping[str, str]) -> Event:
    scores = tuple(values.get(SCORE, ()))
    met = tuple(criteria.get(name, name) for name in values.get(MEETS, ()))
    facts = (Fact("score", SCORE, after=scores), Fact("meets", MEETS, after=met))
    title = next(iter(values.get(_TITLE, ())), "")
    told = tuple(fact for fact in facts if fact.after)
    return Event(EventKind.FOUND, subject[1:-1], title, ADDRESSES.predicate, told)


def _score(event: Event) -> float:
    texts = (text for fact in event.facts if fact.property == SCORE for text in fact.after)
    return float(next(texts, "0"))
