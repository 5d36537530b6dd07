"""The shipped vocabulary and shapes, read once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from rdflib import OWL, RDF, RDFS, Graph, URIRef
from rdflib.collection import Collection
from rdflib.term import Node

from rdfcrawl.metamodel.names import closest
from rdfcrawl.rdf import terms


@cache
def vocabulary() -> Graph:
    """The terms of the metamodel as RDF."""
    return _read("vocabulary.ttl")


@cache
def shapes() -> Graph:
    """The SHACL shapes of a valid model."""
    return _read("shapes.ttl")


@cache
def known_terms() -> dict[str, tuple[str, ...]]:
    """The terms of the metamodel by IRI, each with the labels of the kinds of resources that it belongs to."""
    graph = vocabulary()
    return {str(term): _kinds(graph, term) for term in graph.subjects(RDF.type, RDF.Property)}


def known_term(predicate: str) -> str | None:
    """The term that was probably meant by an unknown one, without its namespace."""
    names = [iri.removeprefix(terms.METAMODEL) for iri in known_terms()]
    return closest(predicate.removeprefix(terms.METAMODEL), names)


@cache
def kind_label(kind: str) -> str:
    """The readable name of a kind of resource: ``ObjectPage`` is an "object page"."""
    return str(vocabulary().value(URIRef(terms.METAMODEL + kind), RDFS.label))


def _kinds(graph: Graph, term: Node) -> tuple[str, ...]:
    domain = graph.value(term, RDFS.domain)
    union = graph.value(domain, OWL.unionOf)
    classes = list(Collection(graph, union)) if union is not None else [domain]
    return tuple(str(graph.value(class_, RDFS.label)) for class_ in classes)


def _read(name: str) -> Graph:
    text = files("rdfcrawl.metamodel").joinpath(name).read_text(encoding="utf-8")
    return Graph().parse(data=text, format="turtle")
