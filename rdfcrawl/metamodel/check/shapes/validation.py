"""Asks pySHACL what in a model breaks the shipped shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from rdflib import RDF, Graph, Literal, URIRef
from rdflib.term import Node

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.check.shapes.screening import SH, doubts
from rdfcrawl.metamodel.statements.description import Description
from rdfcrawl.metamodel.statements.notation import Statement
from rdfcrawl.metamodel.vocabulary import shapes
from rdfcrawl.rdf import terms

_NOT_IN_IRIS: Final = re.compile(r"""[\x00-\x20<>"{}|\\^`]""")


@dataclass(frozen=True, slots=True)
class Breach:
    """One result of the validation; ``rule`` is the message of the violated shape."""

    resource: Node
    term: str | None
    value: Node | None
    constraint: str
    rule: str
    warning: bool


def breaches(description: Description) -> Iterator[Breach]:
    """Everything that breaks a shape, warnings included."""
    names = _WritableNames()
    statements = tuple(_typed_statements(description, names))
    if not (doubtful := {shape for shape, _ in doubts(statements)}):
        return
    from pyshacl import validate

    copy, asked = Graph(), Graph()
    for statement in statements:
        copy.add(statement)
    for shape in doubtful:
        asked += shapes().cbd(shape)
    _, report, _ = validate(copy, shacl_graph=asked, inplace=True)
    for result in report.subjects(RDF.type, SH.ValidationResult):
        path = report.value(result, SH.resultPath)
        constraint = str(report.value(result, SH.sourceConstraintComponent))
        yield Breach(
            resource=names.original(report.value(result, SH.focusNode)),
            term=str(path).removeprefix(terms.METAMODEL) if path is not None else None,
            value=names.original(value) if (value := report.value(result, SH.value)) is not None else None,
            constraint=constraint.removeprefix(SH).removesuffix("ConstraintComponent"),
            rule=str(report.value(result, SH.resultMessage)),
            warning=report.value(result, SH.resultSeverity) == SH.Warning,
        )


class _WritableNames:
    """Replaces names that are not IRIs, because pySHACL cannot write them; they are reported separately."""

    def __init__(self) -> None:
        self._originals: dict[Node, Node] = {}

    def writable(self, node: Node) -> Node:
        iri = node.datatype if isinstance(node, Literal) else node
        if not isinstance(iri, URIRef) or not _NOT_IN_IRIS.search(iri):
            return node
        named = URIRef(_NOT_IN_IRIS.sub(lambda found: quote(found[0]), iri))
        stand_in = Literal(str(node), datatype=named) if isinstance(node, Literal) else named
        self._originals[stand_in] = node
        return stand_in

    def original(self, node: Node) -> Node:
        return self._originals.get(node, node)


def _typed_statements(description: Description, names: _WritableNames) -> Iterator[Statement]:
    """Only the metamodel's statements, with the kind of each resource, so that shapes can target kinds."""
    for resource, its_terms in description.resources.items():
        for term, values in its_terms.items():
            for value in values:
                yield names.writable(resource), URIRef(terms.METAMODEL + term), names.writable(value)
    for resource, kind in description.kinds.items():
        named = names.writable(resource)
        yield named, RDF.type, URIRef(terms.METAMODEL + kind)
        if kind == "Page" and (page_kind := description.page_kind(resource)) is not None:
            yield named, RDF.type, URIRef(terms.METAMODEL + page_kind.__name__)
