"""What a state says about some objects, in short."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from rdfcrawl.alert.events.event import Fact
from rdfcrawl.rdf.names import shorten
from rdfcrawl.rdf.ntriples import split, term_text
from rdfcrawl.versioning.blocks import State, lines_of

MOST_FACTS: Final = 40
_LONGEST_TEXT: Final = 2000


def values_in(state: State, subjects: Collection[str]) -> dict[str, dict[str, list[str]]]:
    """The values of these subjects (N-Triples text), as texts by predicate; of each so many as a message needs."""
    wanted = {subject.encode() for subject in subjects}
    found: dict[str, dict[str, list[str]]] = {subject: {} for subject in subjects}
    if not wanted:
        return found
    for line in lines_of(state()):
        if line[: line.index(b" ")] not in wanted:
            continue
        subject, predicate, value = split(line.decode().rstrip("\n"))
        values = found[subject].setdefault(predicate[1:-1], [])
        if len(values) < MOST_FACTS:
            values.append(shown(value))
    return found


def facts_of(
    values: Mapping[str, Iterable[str]], prefixes: Mapping[str, str], *, gone: bool = False
) -> tuple[Fact, ...]:
    """What an object has, or had before it was gone."""
    facts = (
        Fact(shorten(name, prefixes), name, tuple(texts) if gone else (), () if gone else tuple(texts))
        for name, texts in sorted(values.items())
    )
    return tuple(facts)[:MOST_FACTS]


def shown(term: str) -> str:
    """The text of a term, cut where nobody would read on."""
    text = term_text(term)
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"
