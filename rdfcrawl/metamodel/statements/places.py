"""Where a term stands in the text of a model."""

from __future__ import annotations

from rdfcrawl.metamodel.statements.text import SourceText
from rdfcrawl.rdf import terms


def line_of(text: str, resource: str, term: str, value: str) -> int | None:
    """The line of a Turtle text where a term of a resource has that value; terms are named without their namespace."""
    # Importing rdflib takes as long as a small run, and few runs need a line.
    from rdfcrawl.metamodel.statements.notation import NotationError
    from rdfcrawl.metamodel.statements.source import graph_of

    try:
        statements = graph_of(SourceText("", text)).statements
    except NotationError:
        return None
    wanted = resource, terms.METAMODEL + term, value
    for statement, place in statements.items():
        if tuple(map(str, statement)) == wanted:
            return place.line if place else None
    return None
