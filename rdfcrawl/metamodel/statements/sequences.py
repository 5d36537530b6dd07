"""Values whose order counts: a list ``( "a" "b" )``, or nodes with ``:order``. RDF itself has no order of values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from rdflib import RDF, Literal, URIRef
from rdflib.term import Node

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.statements.notation import Statement
from rdfcrawl.rdf import terms

SEQUENCES: Final[Mapping[str, str | None]] = {
    "click": "path",
    "format": "format",
    "near": None,
    "all": None,
    "any": None,
}
"""The terms whose values can be a list, and the term that holds the value in a node with ``:order``, if any does."""

_ORDER: Final = "order"
_Key = tuple[Node, str]


@dataclass(frozen=True, slots=True)
class SequenceFault:
    """A sequence that cannot be read: where, what is wrong and what would be right."""

    resource: Node
    term: str
    value: Node
    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class Sequences:
    """The values of terms in their order, the nodes that only hold an order, and what is wrong with some."""

    values: Mapping[_Key, tuple[Node, ...]]
    holders: frozenset[Node]
    faults: tuple[SequenceFault, ...]


class _Reader:
    """Reads the sequences among some statements."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self.given: dict[_Key, list[Node]] = {}
        self.about: dict[Node, list[tuple[str, Node]]] = {}
        self.first: dict[Node, Node] = {}
        self.rest: dict[Node, Node] = {}
        for subject, predicate, value in statements:
            if predicate == RDF.first:
                self.first[subject] = value
            elif predicate == RDF.rest:
                self.rest[subject] = value
            elif str(predicate).startswith(terms.METAMODEL):
                term = str(predicate).removeprefix(terms.METAMODEL)
                self.about.setdefault(subject, []).append((term, value))
                if term in SEQUENCES:
                    self.given.setdefault((subject, term), []).append(value)
        self.holders: set[Node] = set()
        self.faults: list[SequenceFault] = []

    def values(self, key: _Key) -> tuple[Node, ...] | None:
        """The values of a term in their order; ``None`` if it has no sequence."""
        given = self.given[key]
        heads = [value for value in given if value in self.first or value == RDF.nil]
        nodes = [value for value in given if not isinstance(value, Literal) and value not in heads]
        nodes = [node for node in nodes if node in self.about]
        if heads:
            return self._listed(key, heads, given)
        return self._numbered(key, nodes, given) if nodes and SEQUENCES[key[1]] is not None else None

    def cells(self, head: Node) -> Iterator[Node]:
        """The cells of a list; a list that leads back into itself ends."""
        seen: set[Node] = set()
        while head in self.first and head not in seen:
            seen.add(head)
            yield head
            head = self.rest.get(head, RDF.nil)

    def _listed(self, key: _Key, heads: list[Node], given: list[Node]) -> tuple[Node, ...]:
        if len(given) > 1:
            self._fault(key, heads[0], "a list stands beside other values", "put all values into one list: ( … )")
        if heads[0] == RDF.nil:
            self._fault(key, heads[0], "the list is empty", "write at least one value, or remove the term")
        return tuple(self.first[cell] for cell in self.cells(heads[0]))

    def _numbered(self, key: _Key, nodes: list[Node], given: list[Node]) -> tuple[Node, ...]:
        inner = SEQUENCES[key[1]]
        self.holders.update(nodes)
        placed: dict[int, Node] = {}
        example = f'write [ :{inner} "…" ; :order 1 ], or a list ( "…" "…" )'
        if len(nodes) < len(given):
            self._fault(key, nodes[0], "some values have an order and others have none", example)
        for node in nodes:
            said = self.about[node]
            held = [value for term, value in said if term == inner]
            orders = [value for term, value in said if term == _ORDER]
            if len(said) != 2 or len(held) != 1 or len(orders) != 1 or not isinstance(orders[0], Literal):
                self._fault(key, node, f"a node here has one :{inner} and one :order, and nothing else", example)
            elif not isinstance(number := orders[0].toPython(), int):
                self._fault(key, node, f"{orders[0]} is not a whole number", "write :order 1 without quotes")
            elif number in placed:
                self._fault(key, node, f"the number {number} is used twice", "give each value a different number")
            else:
                placed[number] = held[0]
        return tuple(placed[number] for number in sorted(placed))

    def _fault(self, key: _Key, value: Node, message: str, advice: str) -> None:
        self.faults.append(SequenceFault(*key, value, message, advice))


def read_sequences(statements: Iterable[Statement]) -> Sequences:
    """All values whose order is said."""
    reader = _Reader(statements)
    values = {key: found for key in reader.given if (found := reader.values(key)) is not None}
    return Sequences(values, frozenset(reader.holders), tuple(reader.faults))


def holding_statement(statements: Iterable[Statement], resource: Node, term: str, value: Node) -> Statement | None:
    """The statement that names a value of a sequence, in a list or in a node with ``:order``."""
    everything = list(statements)
    reader = _Reader(everything)
    holding = SEQUENCES.get(term)
    inner = URIRef(terms.METAMODEL + holding) if holding is not None else None
    for given in reader.given.get((resource, term), ()):
        for cell in reader.cells(given):
            if reader.first[cell] == value:
                return cell, RDF.first, value
        if inner is not None and (given, inner, value) in everything:
            return given, inner, value
    return None
