"""What a rule is, and what rules share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rdflib import Literal
from rdflib.term import Node

from rdfcrawl.metamodel.check.findings import Finding
from rdfcrawl.metamodel.check.reporting import Reporter
from rdfcrawl.metamodel.statements.description import Description
from rdfcrawl.rdf import terms

Rule = Callable[[Description, Reporter], Iterator[Finding]]
"""Finds everything that breaks one rule."""


def strings(description: Description, term: str) -> Iterator[tuple[Node, Literal]]:
    """Every resource that has the term, with each value that is a string."""
    for resource, value in description.with_term(term):
        if isinstance(value, Literal) and (value.datatype is None or str(value.datatype) == terms.STRING):
            yield resource, value


def is_true(description: Description, resource: Node, term: str) -> bool:
    """Whether a resource says that something is so."""
    return any(isinstance(value, Literal) and value.toPython() is True for value in description.values(resource, term))
