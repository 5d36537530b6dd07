"""The objects of each class: how many there are, and which are within another object."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyoxigraph as ox

from rdfcrawl.publish.data.objects import node_of, text_of
from rdfcrawl.publish.data.snapshot import Snapshot


def number_of_objects(snapshot: Snapshot, *predicates: str) -> int:
    """How many objects edges of these predicates lead to."""
    return snapshot.keep(("number of objects", *predicates), lambda: _counted(snapshot, predicates))


def object_count(snapshot: Snapshot) -> int:
    """The objects of all classes; one that is in two of them counts once."""
    return snapshot.keep("number of objects", lambda: _counted(snapshot, snapshot.schema.classes))


def an_object(snapshot: Snapshot, predicate: str) -> str | None:
    """One of the objects that edges of a predicate lead to, if there is any."""
    quads = (
        quad.object
        for graph in snapshot.graphs
        for quad in snapshot.data.store.quads_for_pattern(None, ox.NamedNode(predicate), None, graph)
    )
    return next((found.value for found in quads if isinstance(found, ox.NamedNode)), None)


def objects_within(snapshot: Snapshot, parent: str, predicate: str) -> Sequence[str]:
    """The objects that edges of a predicate lead to from an object."""
    subject = node_of(parent)
    if subject is None:
        return ()
    return [
        quad.object.value
        for graph in snapshot.graphs
        for quad in snapshot.data.store.quads_for_pattern(subject, ox.NamedNode(predicate), None, graph)
        if isinstance(quad.object, ox.NamedNode)
    ]


def objects_linking(snapshot: Snapshot, predicate: str, target: str) -> Sequence[str]:
    """The objects from which edges of a predicate lead to an object."""
    node, link = node_of(target), node_of(predicate)
    if node is None or link is None:
        return ()
    quads = (
        quad for graph in snapshot.graphs for quad in snapshot.data.store.quads_for_pattern(None, link, node, graph)
    )
    return list(dict.fromkeys(text_of(quad.subject) for quad in quads))


def with_value(snapshot: Snapshot, objects: Iterable[str], predicate: str, text: str) -> list[str]:
    """Those of some objects that have exactly this value of a property."""
    node = ox.NamedNode(predicate)
    return [
        iri
        for iri in objects
        if any(
            isinstance(quad.object, ox.Literal | ox.NamedNode) and quad.object.value == text
            for graph in snapshot.graphs
            for quad in snapshot.data.store.quads_for_pattern(ox.NamedNode(iri), node, None, graph)
        )
    ]


def _counted(snapshot: Snapshot, predicates: Iterable[str]) -> int:
    """What a query counts; what is no IRI, and could be more of a query, leads nowhere."""
    nodes = [str(node) for node in map(node_of, predicates) if node is not None]
    if not snapshot.graphs or not nodes:
        return 0
    query = f"SELECT (COUNT(DISTINCT ?o) AS ?n) {{ VALUES ?p {{ {' '.join(nodes)} }} ?s ?p ?o FILTER(isIRI(?o)) }}"
    results = snapshot.data.store.query(query, default_graph=list(snapshot.graphs))
    assert isinstance(results, ox.QuerySolutions)
    (row,) = results
    return int(row["n"].value) if isinstance(row["n"], ox.Literal) else 0
