"""SHACL shapes for the data of a model, for its consumers.

Each item becomes a node shape. Its targets are the objects of the edges that lead to it, since only items with a
``:class`` have an ``rdf:type``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rdflib import RDF, SH, BNode, Graph, Literal, URIRef
from rdflib.collection import Collection
from rdflib.namespace import Namespace
from rdflib.term import Node

from rdfcrawl.metamodel.cardinality import items_by_predicate, value_rules
from rdfcrawl.metamodel.edges import predicates_inside
from rdfcrawl.metamodel.model import Item, Model, Property
from rdfcrawl.rdf import terms


def data_shapes(model: Model) -> Graph:
    """The shapes of a model's data."""
    graph = Graph(bind_namespaces="none")
    for prefix, start in {"sh": str(SH), "xsd": terms.XSD, "rdf": str(RDF), **_namespaces(model)}.items():
        graph.bind(prefix, Namespace(start), override=True)
    nested = _nested_predicates(model)
    for predicate, items in items_by_predicate(model).items():
        shape = URIRef(f"shape:{predicate}")
        graph.add((shape, RDF.type, SH.NodeShape))
        graph.add((shape, SH.targetObjectsOf, URIRef(predicate)))
        graph.add((shape, SH.nodeKind, SH.IRI))
        for property_shape in _property_shapes(graph, items):
            graph.add((shape, SH.property, property_shape))
        for child in sorted({predicate for item in items for predicate in nested[item.iri]}):
            graph.add((shape, SH.property, _edge_shape(graph, child)))
    return graph


def _property_shapes(graph: Graph, items: list[Item]) -> Iterator[Node]:
    for predicate, rule in value_rules(items).items():
        shape = _path_shape(graph, predicate)
        if rule.is_mandatory:
            graph.add((shape, SH.minCount, Literal(1)))
        if rule.is_single:
            graph.add((shape, SH.maxCount, Literal(1)))
        _add_values(graph, shape, rule.properties)
        yield shape
    classes = {item.rdf_class for item in items}
    if len(classes) == 1 and (rdf_class := next(iter(classes))) is not None:
        shape = _path_shape(graph, str(RDF.type))
        graph.add((shape, SH.hasValue, URIRef(rdf_class)))
        yield shape


def _add_values(graph: Graph, shape: Node, properties: Sequence[Property]) -> None:
    kinds = sorted({kind for found in properties for kind in _kinds(found)})
    if len(kinds) == 1:
        _add_kind(graph, shape, *kinds[0])
        return
    alternatives = []
    for datatype, language in kinds:
        alternative = BNode()
        _add_kind(graph, alternative, datatype, language)
        alternatives.append(alternative)
    listed = BNode()
    Collection(graph, listed, list(alternatives))
    graph.add((shape, SH["or"], listed))


def _kinds(found: Property) -> list[tuple[str, str]]:
    """The datatypes and languages that the values of a property can have; a datatype stands for any language of it."""
    if found.datatype == terms.ANY_ATOMIC:
        return [(datatype, "") for datatype in terms.ATOMIC_DATATYPES]
    if found.language == terms.STATED_LANGUAGE:
        return [(terms.STRING, ""), (terms.LANGUAGE_STRING, "")]
    return [(found.datatype, found.language or "")]


def _add_kind(graph: Graph, shape: Node, datatype: str, language: str) -> None:
    if datatype == terms.ANY_URI:
        graph.add((shape, SH.nodeKind, SH.IRI))
    elif language:
        graph.add((shape, SH.datatype, RDF.langString))
        listed = BNode()
        Collection(graph, listed, [Literal(language)])
        graph.add((shape, SH.languageIn, listed))
    else:
        graph.add((shape, SH.datatype, URIRef(datatype)))


def _edge_shape(graph: Graph, predicate: str) -> Node:
    shape = _path_shape(graph, predicate)
    # No sh:node: the child's own shape targets it anyway, and cyclic links would make shapes recursive.
    graph.add((shape, SH.nodeKind, SH.IRI))
    return shape


def _path_shape(graph: Graph, predicate: str) -> BNode:
    # Numbered, so that the shapes of a model are always written in the same order.
    shape = BNode(f"p{len(graph):06}")
    graph.add((shape, SH.path, URIRef(predicate)))
    return shape


def _nested_predicates(model: Model) -> dict[str, set[str]]:
    """For each item, the predicates of the edges that start at its objects."""
    nested: dict[str, set[str]] = {item.iri: set() for item in model.items()}
    for page in model.pages.values():
        for item in page.items:
            nested[item.iri] |= predicates_inside(model, page)
    return nested


def _namespaces(model: Model) -> Mapping[str, str]:
    """The model's prefixes of predicates; prefixes of sections and of the metamodel are useless in shapes."""
    written = {item.predicate for item in model.items()}
    written |= {found.predicate for item in model.items() for found in item.properties}
    return {
        prefix: start
        for prefix, start in model.prefixes.items()
        if prefix and any(predicate.startswith(start) and predicate != start for predicate in written)
    }
