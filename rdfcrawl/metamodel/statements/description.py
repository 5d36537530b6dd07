"""The statements of a model by resource, and what kind of resource each is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from rdflib import URIRef
from rdflib.term import Node

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.kinds.page import Page
from rdfcrawl.metamodel.kinds.table import KINDS
from rdfcrawl.metamodel.statements.notation import Statement
from rdfcrawl.metamodel.statements.resource import Resource, Terms
from rdfcrawl.metamodel.statements.sequences import Sequences, read_sequences
from rdfcrawl.metamodel.vocabulary import known_terms
from rdfcrawl.rdf import terms

MODEL: Final = URIRef(terms.MODEL)

REFERENCES: Final = {
    "section": "Section",
    "page": "Page",
    "target": "Page",
    "sub": "Page",
    "item": "Item",
    "property": "Property",
    "link": "Link",
    "replace": "Replacement",
    "fill": "Fill",
    "login": "Login",
    "criterion": "Criterion",
    "lead": "Criterion",
    "all": "Criterion",
    "any": "Criterion",
    "alert": "Alert",
}
"""The terms that refer to another resource, and the kind of that resource."""

_TELLING: Final = {
    "section": "Model",
    "page": "Section",
    "delay": "Section",
    "header": "Section",
    "cookie": "Section",
    "login": "Section",
    "window": "Section",
    "alert": "Model",
    "on": "Alert",
    "query": "Alert",
    "to": "Alert",
    "digest": "Alert",
    "secret": "Alert",
    "success": "Login",
    "address": "Login",
    "value": "Fill",
    "iri": "Item",
    "split": "Property",
    "property": "Item",
    "id": "Item",
    "key": "Item",
    "class": "Item",
    "volatile": "Item",
    "item": "Page",
    "sub": "Page",
    "link": "Page",
    "param": "Page",
    "next": "Page",
    "depth": "Page",
    "scope": "Page",
    "skip": "Page",
    "follow": "Page",
    "sitemap": "Page",
    "criterion": "Page",
    "threshold": "Page",
    "lead": "Page",
    "leadThreshold": "Page",
    **dict.fromkeys(("contains", "matches", "near", "containsDate", "fileType", "found", "scored"), "Criterion"),
    **dict.fromkeys(("all", "any", "weight", "distance", "caseSensitive", "in", "across"), "Criterion"),
    "old": "Replacement",
    "new": "Replacement",
    "attribute": "Property",
    "pattern": "Property",
    "replace": "Property",
    "multiple": "Property",
    "format": "Property",
    "language": "Property",
    "locale": "Property",
}
"""Terms that only one kind of resource has: they show the kind if nothing refers to the resource."""


@dataclass(frozen=True, slots=True)
class Description:
    """The statements of a model with the terms of the metamodel, which are named without their namespace."""

    resources: Mapping[Node, Terms]
    unknown: tuple[Statement, ...]
    kinds: Mapping[Node, str]
    sequences: Sequences

    def values(self, resource: Node, term: str) -> tuple[Node, ...]:
        """The values of a term: in their order where they have one, else sorted by their text."""
        return self.resources.get(resource, {}).get(term, ())

    def of_kind(self, kind: str) -> Iterator[Node]:
        """The resources of a kind."""
        return (resource for resource, its_kind in self.kinds.items() if its_kind == kind)

    def resource(self, resource: Node) -> Resource:
        """What is said about one resource."""
        return Resource(self.resources.get(resource, {}), self.resource)

    def page_kind(self, page: Node) -> type[Page] | None:
        """The kind of a page, if it has one known type."""
        types = self.values(page, "type")
        return KINDS.get(str(types[0])) if len(types) == 1 else None

    def with_term(self, term: str) -> Iterator[tuple[Node, Node]]:
        """Every resource that has the term, with each of its values."""
        for resource, its_terms in self.resources.items():
            for value in its_terms.get(term, ()):
                yield resource, value


def describe(statements: Iterable[Statement]) -> Description:
    """Groups statements by resource; foreign ones are left out, unknown terms are kept separately."""
    statements = tuple(statements)
    sequences = read_sequences(statements)
    resources: dict[Node, dict[str, list[Node]]] = {}
    unknown = []
    for subject, predicate, value in statements:
        if not str(predicate).startswith(terms.METAMODEL) or subject in sequences.holders:
            continue
        if str(predicate) not in known_terms():
            unknown.append((subject, predicate, value))
            resources.setdefault(subject, {})
            continue
        term = str(predicate).removeprefix(terms.METAMODEL)
        resources.setdefault(subject, {}).setdefault(term, []).append(value)
    ordered = {
        subject: {
            term: sequences.values.get((subject, term), tuple(sorted(values, key=str)))
            for term, values in its_terms.items()
        }
        for subject, its_terms in sorted(resources.items(), key=lambda entry: str(entry[0]))
    }
    return Description(ordered, tuple(unknown), _kinds(ordered), sequences)


def _kinds(resources: Mapping[Node, Terms]) -> dict[Node, str]:
    """The kind of each described resource, and of each section even if nothing else is said about it."""
    referred: dict[Node, Counter[str]] = {}
    for its_terms in resources.values():
        for term, kind in REFERENCES.items():
            for value in its_terms.get(term, ()):
                referred.setdefault(value, Counter())[kind] += 1
    kinds: dict[Node, str] = {}
    for resource, its_terms in resources.items():
        kind_of_resource = _kind(resource, its_terms, referred.get(resource, Counter()))
        if kind_of_resource is not None:
            kinds[resource] = kind_of_resource
    sections = resources.get(MODEL, {}).get("section", ())
    return kinds | {section: "Section" for section in sections if isinstance(section, URIRef)}


def _kind(resource: Node, its_terms: Terms, referred: Counter[str]) -> str | None:
    """A page type decides; else what the references to the resource expect; else its own terms."""
    if resource == MODEL:
        return "Model"
    if any(str(value).startswith(terms.TYPE) for value in its_terms.get("type", ())):
        return "Page"
    told = Counter(kind for term in its_terms if (kind := _TELLING.get(term)) is not None)
    if len(referred) == 1:
        return next(iter(referred))
    if referred:
        return max(referred, key=lambda kind: (told[kind], referred[kind]))
    if told:
        return max(told, key=lambda kind: told[kind])
    return "Link" if "target" in its_terms else None
