"""What people call the objects of a comparison: their labels, their classes and the sections they are in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rdfcrawl.dataclass import dataclass
from rdfcrawl.rdf.ntriples import iri, split, term_text
from rdfcrawl.versioning.blocks import Blocks, State, lines_of


@dataclass(frozen=True, slots=True)
class ObjectNames:
    """By object (N-Triples text): its label, the predicate that leads to it, and its section."""

    labels: Mapping[str, str]
    classes: Mapping[str, str]
    sections: Mapping[str, str]


def look_up(
    states: Sequence[State],
    wanted: Iterable[str],
    items: Iterable[str],
    sections: Iterable[str],
    label_predicates: Sequence[str],
) -> ObjectNames:
    """The names of the wanted objects; the first state that knows one decides. ``label_predicates``: the best first."""
    subjects = {term.encode() for term in wanted}
    edges = {term.encode() for term in items}
    ranks = {iri(predicate): rank for rank, predicate in enumerate(label_predicates)}
    starts = [term.encode() for term in sorted(sections)]
    labels: dict[str, str] = {}
    classes: dict[str, str] = {}
    for state in states:
        _collect(state(), subjects, edges, ranks, labels, classes)
    if len(starts) == 1:
        return ObjectNames(labels, classes, dict.fromkeys((term.decode() for term in subjects), starts[0].decode()))
    places: dict[bytes, bytes] = {}
    for state in states:
        places = _places(state(), edges, starts) | places
    return ObjectNames(labels, classes, {term.decode(): places[term].decode() for term in subjects if term in places})


def _collect(
    blocks: Blocks,
    wanted: set[bytes],
    edges: set[bytes],
    ranks: Mapping[str, int],
    labels: dict[str, str],
    classes: dict[str, str],
) -> None:
    best: dict[str, int] = {}
    known = set(labels)
    for line in lines_of(blocks):
        subject, predicate, rest = line.split(b" ", 2)
        if predicate in edges:
            target = rest[:-3]
            if target in wanted:
                classes.setdefault(target.decode(), predicate.decode())
        if subject in wanted:
            term, name, value = split(line.decode().rstrip("\n"))
            rank = ranks.get(name)
            if rank is None or term in known or rank >= best.get(term, len(ranks)):
                continue
            if value[0] == '"' and term_text(value).strip():
                best[term] = rank
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
