"""Whether data is what the shapes of its model promise, or a problem says why it is not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pyshacl import validate
from rdflib import RDF, SH, Graph, URIRef

from rdfcrawl.metamodel.data_shapes import data_shapes
from rdfcrawl.metamodel.model import Model

Reported = tuple[str, str | None, str | None]
"""A problem: its kind, the object and the property that it is about."""

_EXPLAINED_BY: Final = {
    SH.MinCountConstraintComponent: frozenset({"missing", "empty", "misfit"}),
    SH.MaxCountConstraintComponent: frozenset({"conflict"}),
}


def unexplained(model: Model, triples: Iterable[str], problems: Iterable[Reported]) -> list[str]:
    """What in the data (triples without dots) breaks the shapes of the model without a problem that says so."""
    data = Graph().parse(data="".join(f"{triple} .\n" for triple in triples), format="nt")
    conforms, report, _ = validate(data, shacl_graph=data_shapes(model))
    if conforms:
        return []
    predicates = {prop.iri: prop.predicate for item in model.items() for prop in item.properties}
    reported = {(kind, subject, predicates.get(about or "")) for kind, subject, about in problems}
    found = []
    for result in report.subjects(RDF.type, SH.ValidationResult):
        rule, focus, path = (
            report.value(result, term) for term in (SH.sourceConstraintComponent, SH.focusNode, SH.resultPath)
        )
        assert isinstance(rule, URIRef)
        if not any((kind, str(focus), str(path)) in reported for kind in _EXPLAINED_BY.get(rule, ())):
            found.append(f"{rule.fragment} {focus} {path}")
    return sorted(found)
