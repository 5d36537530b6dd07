"""What people call the objects of a comparison: their labels, their classes and the sections they are in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from rdfcrawl.rdf.ntriples import split
from rdfcrawl.versioning.blocks import Blocks, State, lines_of

_LABELS = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "https://schema.org/name",
    "http://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
)
_LABEL_WORDS = ("label", "name", "title")


@dataclass(frozen=True, slots=True)
class Names:
    """By object (N-Triples text): its label, the predicate that leads to it, and its section."""

    labels: Mapping[str, str]
    classes: Mapping[str, str]
    sections: Mapping[str, str]


def look_up(states: Sequence[State], wanted: Iterable[str], items: Iterable[str], sections: Iterable[str]) -> Names:
    """The names of the wanted objects; the first state that knows one decides."""
    subjects = {term.encode() for term in wanted}
    edges = {term.encode() for term in items}
    starts = [term.encode() for term in sorted(sections)]
    labels: dict[str, str] = {}
    classes: dict[str, str] = {}
    for state in states:
        _collect(state(), subjects, edges, labels, classes)
    if len(starts) == 1:
        return Names(labels, classes, dict.fromkeys((term.decode() for term in subjects), starts[0].decode()))
    places: dict[bytes, bytes] = {}
    for state in states:
        places = _places(state(), edges, starts) | places
    return Names(labels, classes, {term.decode(): places[term].decode() for term in subjects if term in places})


@cache
def label_rank(predicate: str) -> int | None:
    """How good the values of a predicate (N-Triples text) are as labels; 0 is best, None not at all."""
    name = predicate[1:-1]
    if name in _LABELS:
        return _LABELS.index(name)
    word = name.rstrip("/").replace("#", "/").rpartition("/")[2].lower()
    return len(_LABELS) + _LABEL_WORDS.index(word) if word in _LABEL_WORDS else None


def _collect(
    blocks: Blocks, wanted: set[bytes], edges: set[bytes], labels: dict[str, str], classes: dict[str, str]
) -> None:
    ranks: dict[str, int] = {}
    known = set(labels)
    for line in lines_of(blocks):
        subject, predicate, rest = line.split(b" ", 2)
        if predicate in edges:
            target = rest[:-3]
            if target in wanted:
                classes.setdefault(target.decode(), predicate.decode())
        if subject in wanted:
            term, name, value = split(line.decode().rstrip("\n"))
            rank = label_rank(name)
            if rank is not None and value[0] == '"' and term not in known and rank < ranks.get(term, len(_LABELS) * 2):
                ranks[term] = rank
                labels[term] = value


def _places(blocks: Blocks, edges: set[bytes], starts: Sequence[bytes]) -> dict[bytes, bytes]:
    below: dict[bytes, list[bytes]] = {}
    for line in lines_of(blocks):
        subject, predicate, rest = line.split(b" ", 2)
        if predicate in edges and rest.startswith(b"<"):
            below.setdefault(subject, []).append(rest[:-3])
    places: dict[bytes, bytes] = {}
    for start in starts:
        pending = [start]
        while pending:
            term = pending.pop()
            if term not in places:
                places[term] = start
                pending.extend(below.get(term, ()))
    return places
