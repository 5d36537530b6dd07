"""The problems of a run: in groups, as its report has them, and one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.data.objects import node_of, text_of
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import record_iri
from rdfcrawl.rdf.ntriples import iri, term_text
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.files.whole import fingerprint
from rdfcrawl.store.runs.problems import ReportedProblem
from rdfcrawl.store.runs.record import RunRecord

EXAMPLES: Final = 5
"""Problems of a group that the page of a run has; another page has all of them."""
_PLACE: Final = ("kind", "page", "property", "address")
_Key = tuple[bytes, bytes, bytes]


@dataclass(frozen=True, slots=True)
class ProblemChoice:
    """The problems of one kind, on one kind of page, with one property or with none."""

    kind: str
    page: str
    property: str = ""

    def statements(self) -> Iterator[tuple[ox.NamedNode, ox.NamedNode | ox.Literal]]:
        """What the record of a run says of each of them, what is most particular first."""
        for name, name_iri in (("property", self.property), ("page", self.page)):
            if node := node_of(name_iri) if name_iri else None:
                yield _term(name), node
        yield _term("kind"), ox.Literal(self.kind)


@dataclass(frozen=True, slots=True)
class ProblemShelf:
    """What is known of a group without reading all of it: what is chosen, how many there are, the first of them."""

    choice: ProblemChoice
    count: int
    first: Sequence[str]


@dataclass(frozen=True, slots=True)
class ProblemShelves:
    """The problems of a run by kind, page and property; ``names`` gives those of a group in the order of addresses."""

    shelves: Sequence[ProblemShelf]
    names: Callable[[int], Sequence[str]]

    def part(self, choice: ProblemChoice | None, start: int, at_most: int) -> list[str]:
        """The IRIs of a part of the chosen problems, or of all."""
        found: list[str] = []
        for number, shelf in enumerate(self.shelves):
            if choice not in (None, shelf.choice):
                continue
            if start < shelf.count:
                found += self.names(number)[start : start + at_most - len(found)]
                if len(found) == at_most:
                    break
            start = max(0, start - shelf.count)
        return found


def read_shelves(snapshot: Snapshot, record: RunRecord) -> ProblemShelves:
    """Put the problems of a run in order.

    They are read from the record's file where that is what the index holds: the index would take three times as long.
    """
    graph = record_iri(record.id)
    path = snapshot.files.record_graph(record.id)
    if path.exists() and fingerprint(path) == snapshot.data.held.graphs.get(graph):
        groups = _grouped(read_lines(path), graph, f" {iri(graph)} .".encode())
    else:
        content = snapshot.data.store.dump(format=ox.RdfFormat.N_TRIPLES, from_graph=ox.NamedNode(graph))
        groups = _grouped((content or b"").splitlines(), graph, b" .")
    places = [(ProblemChoice(*map(_text, key)), sorted(rows)) for key, rows in groups.items()]
    places.sort(key=lambda place: (place[0].kind, place[0].page, place[0].property))
    names = [[name.decode() for _, name in rows] for _, rows in places]
    shelves = [ProblemShelf(choice, len(own), own[:EXAMPLES]) for (choice, _), own in zip(places, names, strict=True)]
    return ProblemShelves(shelves, names.__getitem__)


def read_problem(snapshot: Snapshot, record: RunRecord, name: str) -> ReportedProblem:
    """One problem."""
    about = snapshot.data.store.quads_for_pattern(ox.NamedNode(name), None, None, ox.NamedNode(record_iri(record.id)))
    return ReportedProblem.of({said.predicate.value.removeprefix(terms.RECORD): text_of(said.object) for said in about})


def _grouped(lines: Iterable[bytes], graph: str, ending: bytes) -> dict[_Key, list[tuple[bytes, bytes]]]:
    """Addresses and IRIs of the problems in some lines, those of one problem after each other."""
    wanted = {iri(terms.RECORD + name).encode(): place for place, name in enumerate(_PLACE)}
    start = f"<{graph}#".encode()
    groups: dict[_Key, list[tuple[bytes, bytes]]] = {}
    about, found = b"", [b""] * len(_PLACE)

    def put() -> None:
        kind, page, prop, address = found
        # What else the record tells of, sections and classes, has no kind.
        if kind:
            groups.setdefault((kind, page, prop), []).append((address, about[1:-1]))

    for line in lines:
        if not line.startswith(start):
            continue
        subject, predicate, value = line.split(b" ", 2)
        if subject != about:
            put()
            about, found = subject, [b""] * len(_PLACE)
        if (place := wanted.get(predicate)) is not None:
            found[place] = value.removesuffix(ending)
    put()
    return groups


def _text(term: bytes) -> str:
    return term_text(term.decode()) if term else ""


def _term(name: str) -> ox.NamedNode:
    return ox.NamedNode(terms.RECORD + name)
