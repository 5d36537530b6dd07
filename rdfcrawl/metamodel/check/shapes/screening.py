"""Finds the shapes that a model may break, so that pySHACL is asked about these only, and for most models not at all.

pySHACL takes ten times as long to import as a model takes to be checked, and looks at every shape for every model. This
reads the same shapes, but only says whether one may be broken; which values break it, and what is told about them, is
left to pySHACL. Where this is not sure, it says so: a shape too many takes time, a shape too few would hide a mistake.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from functools import cache
from typing import Final

from rdflib import RDF, XSD, BNode, Graph, Literal, Namespace, URIRef
from rdflib.term import Node

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.statements.notation import Statement
from rdfcrawl.metamodel.vocabulary import shapes

SH: Final = Namespace("http://www.w3.org/ns/shacl#")

_TARGETS: Final = (SH.targetClass, SH.targetSubjectsOf)
_DESCRIBING: Final = (RDF.type, SH.path, SH.message, SH.severity, SH.ignoredProperties)
_NODE_KINDS: Final[dict[Node, tuple[type[Node], ...]]] = {
    SH.IRI: (URIRef,),
    SH.BlankNodeOrIRI: (BNode, URIRef),
    SH.Literal: (Literal,),
}
_VALUES: Final[dict[Node, type]] = {XSD.string: str, XSD.integer: int, XSD.boolean: bool}


@dataclass(slots=True)
class _Statements:
    """What is said: the values of each term of a resource, the resources with a term, the members of a class."""

    values: defaultdict[Node, defaultdict[Node, set[Node]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(set))
    )
    holders: defaultdict[Node, set[Node]] = field(default_factory=lambda: defaultdict(set))
    members: defaultdict[Node, set[Node]] = field(default_factory=lambda: defaultdict(set))


Kept = Callable[[set[Node], _Statements], bool]
"""Whether the values that a constraint is about keep it, without any doubt."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a shape is about, and what it wants of it; without a path its values are the resources themselves."""

    name: Node
    classes: tuple[Node, ...]
    terms: tuple[Node, ...]
    path: Node | None
    constraints: tuple[Kept, ...]

    def doubts(self, said: _Statements) -> Iterator[Node]:
        """The resources that may break the shape."""
        targets = [said.members[class_] for class_ in self.classes] + [said.holders[term] for term in self.terms]
        for resource in set[Node]().union(*targets):
            values = said.values[resource].get(self.path, set()) if self.path is not None else {resource}
            if not all(kept(values, said) for kept in self.constraints):
                yield resource


def doubts(statements: Iterable[Statement]) -> Iterator[tuple[Node, Node]]:
    """Each shape that these statements may break, with each resource that may break it; all others are kept."""
    said = _Statements()
    for resource, term, value in statements:
        said.values[resource][term].add(value)
        said.holders[term].add(resource)
        if term == RDF.type:
            said.members[value].add(resource)
    for shape in _shapes():
        for resource in shape.doubts(said):
            yield shape.name, resource


@cache
def _shapes() -> tuple[_Shape, ...]:
    graph = shapes()
    targeted = {shape for target in _TARGETS for shape in graph.subjects(target)}
    return tuple(
        _Shape(
            shape,
            tuple(graph.objects(shape, SH.targetClass)),
            tuple(graph.objects(shape, SH.targetSubjectsOf)),
            graph.value(shape, SH.path),
            tuple(_constraints(graph, shape)),
        )
        for shape in targeted
    )


def _constraints(graph: Graph, shape: Node) -> Iterator[Kept]:
    """A constraint that is not in the table is an error: passed over, it would count as kept."""
    for term, value in graph.predicate_objects(shape):
        if term not in _TARGETS and term not in _DESCRIBING:
            yield _KINDS[term](graph, shape, value)


def _closed(graph: Graph, shape: Node, _: Node) -> Kept:
    allowed = {term for members in graph.objects(shape, SH.ignoredProperties) for term in graph.items(members)}
    return lambda values, said: all(allowed.issuperset(said.values[value]) for value in values)


def _min_count(_: Graph, __: Node, count: Node) -> Kept:
    least = int(str(count))
    return lambda values, said: len(values) >= least


def _max_count(_: Graph, __: Node, count: Node) -> Kept:
    most = int(str(count))
    return lambda values, said: len(values) <= most


def _node_kind(_: Graph, __: Node, kind: Node) -> Kept:
    wanted = _NODE_KINDS[kind]
    return lambda values, said: all(isinstance(value, wanted) for value in values)


def _datatype(_: Graph, __: Node, datatype: Node) -> Kept:
    wanted = _VALUES[datatype]

    def kept(value: Node) -> bool:
        if not isinstance(value, Literal) or value.language or value.ill_typed:
            return False
        return (value.datatype or XSD.string) == datatype and isinstance(value.value, wanted)

    return lambda values, said: all(map(kept, values))


def _class(_: Graph, __: Node, class_: Node) -> Kept:
    return lambda values, said: values <= said.members[class_]


def _in(graph: Graph, _: Node, members: Node) -> Kept:
    wanted = set(graph.items(members))
    return lambda values, said: values <= wanted


def _pattern(_: Graph, __: Node, pattern: Node) -> Kept:
    found = re.compile(str(pattern)).search
    return lambda values, said: all(not isinstance(value, BNode) and found(str(value)) for value in values)


def _min_inclusive(_: Graph, __: Node, bound: Node) -> Kept:
    least = int(str(bound))
    return lambda values, said: all(
        isinstance(value, Literal) and isinstance(value.value, int) and value.value >= least for value in values
    )


_KINDS: Final[dict[Node, Callable[[Graph, Node, Node], Kept]]] = {
    SH.closed: _closed,
    SH.minCount: _min_count,
    SH.maxCount: _max_count,
    SH.nodeKind: _node_kind,
    SH.datatype: _datatype,
    SH["class"]: _class,
    SH["in"]: _in,
    SH.pattern: _pattern,
    SH.minInclusive: _min_inclusive,
}
