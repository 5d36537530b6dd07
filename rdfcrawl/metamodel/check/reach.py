"""Finds the resources that a crawl can reach from the sections."""

from __future__ import annotations

from collections.abc import Iterator

from rdflib import BNode
from rdflib.term import Node

from rdfcrawl.metamodel.check.findings import Finding
from rdfcrawl.metamodel.check.reporting import Reporter
from rdfcrawl.metamodel.statements.description import MODEL, REFERENCES, Description
from rdfcrawl.metamodel.vocabulary import kind_label


def reachable(description: Description) -> set[Node]:
    """The resources that the sections lead to, directly or indirectly."""
    reached: set[Node] = set()
    waiting: list[Node] = [MODEL]
    while waiting:
        resource = waiting.pop()
        if resource not in reached:
            reached.add(resource)
            waiting.extend(value for term in REFERENCES for value in description.values(resource, term))
    return reached


def unreachable_resources(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """A warning for each resource that is described but never used."""
    reached = reachable(description)
    for resource in description.resources:
        if resource not in reached and not isinstance(resource, BNode):
            kind = description.kinds.get(resource)
            noun = f"this {kind_label(kind)}" if kind else "this"
            yield reporter.warning(
                resource, f"{noun} is described, but nothing leads to it", "refer to it, or remove it"
            )
