"""A model as it can be published: who is told is nobody else's business."""

from __future__ import annotations

from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf import terms


def published_turtle(model: Model) -> str:
    """The text of a model; one with alerts is written anew without them, and so without its comments."""
    if not model.alerts:
        return model.turtle
    # What a model without alerts need not wait for.
    from rdflib import BNode, Graph, URIRef
    from rdflib.term import Node

    from rdfcrawl.metamodel.statements.notation import RELATIVE_BASE

    alerts = URIRef(terms.METAMODEL + "alert")
    graph = Graph().parse(data=model.turtle, format="turtle", publicID=RELATIVE_BASE)
    waiting = list(graph.objects(URIRef(terms.MODEL), alerts))
    graph.remove((URIRef(terms.MODEL), alerts, None))
    removed: set[Node] = set()
    while waiting:
        alert = waiting.pop()
        if alert not in removed:
            removed.add(alert)
            waiting.extend(value for value in graph.objects(alert) if isinstance(value, BNode))
            graph.remove((alert, None, None))
    return graph.serialize(format="turtle")
