"""Findings about resources and statements, with their place and their names in the source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property

from rdflib import BNode, Literal, URIRef
from rdflib.term import Node

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.check.findings import Finding, Severity
from rdfcrawl.metamodel.names import STANDARD_PREFIXES
from rdfcrawl.metamodel.statements.notation import RELATIVE_BASE, SourcePlace
from rdfcrawl.metamodel.statements.sequences import holding_statement
from rdfcrawl.metamodel.statements.source import SourceGraph
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.names import notation

_LONGEST_QUOTE = 80


@dataclass(frozen=True)
class Reporter:
    """Turns what is wrong with a resource into a finding at the right line."""

    source: SourceGraph

    def error(
        self, resource: Node, message: str, advice: str, *, term: str | None = None, value: Node | None = None
    ) -> Finding:
        """A finding about a resource, one of its terms or one of its statements."""
        return self._finding(Severity.ERROR, resource, message, advice, term, value)

    def warning(
        self, resource: Node, message: str, advice: str, *, term: str | None = None, value: Node | None = None
    ) -> Finding:
        """A finding that does not make the model invalid."""
        return self._finding(Severity.WARNING, resource, message, advice, term, value)

    def show(self, node: Node) -> str:
        """A node as it is written in the model, with long strings shortened."""
        if isinstance(node, URIRef):
            if node.startswith(RELATIVE_BASE):
                return f"<{node.removeprefix(RELATIVE_BASE)}>"
            return notation(str(node), self._prefixes)
        if isinstance(node, Literal):
            return _literal(node)
        return "[ ]"

    def show_term(self, term: str) -> str:
        """A term of the metamodel as the model writes it."""
        return notation(terms.METAMODEL + term, self._prefixes)

    @cached_property
    def _prefixes(self) -> Mapping[str, str]:
        declared = self.source.prefixes
        if terms.METAMODEL in declared.values():
            return declared
        return {**STANDARD_PREFIXES, **declared}

    @cached_property
    def _owners(self) -> dict[Node, Node]:
        """The resource that refers to each blank node, which has no name itself."""
        return {value: subject for subject, _, value in self.source.statements if isinstance(value, BNode)}

    def _finding(
        self, severity: Severity, resource: Node, message: str, advice: str, term: str | None, value: Node | None
    ) -> Finding:
        place = self._place(resource, term, value)
        named = resource
        while isinstance(named, BNode) and named in self._owners:
            named = self._owners[named]
        return Finding(
            severity,
            self.source.name,
            place.line if place else None,
            place.column if place else None,
            self.show(named),
            self.show_term(term) if term else None,
            message,
            advice,
        )

    def _place(self, resource: Node, term: str | None, value: Node | None) -> SourcePlace | None:
        if term is not None and value is not None:
            statement = (resource, URIRef(terms.METAMODEL + term), value)
            if (place := self.source.statements.get(statement)) is not None:
                return place
            held = holding_statement(self.source.statements, resource, term, value)
            if held is not None and (place := self.source.statements.get(held)) is not None:
                return place
        if resource in self.source.subjects:
            return self.source.subjects[resource]
        return self._first_mention.get(resource) or (SourcePlace(1, 1) if self.source.has_lines else None)

    @cached_property
    def _first_mention(self) -> dict[Node, SourcePlace]:
        mentions: dict[Node, SourcePlace] = {}
        for (_, _, value), place in self.source.statements.items():
            if place is not None:
                mentions.setdefault(value, place)
        return mentions


def _literal(node: Literal) -> str:
    if node.datatype is not None and str(node.datatype) in (terms.INTEGER, terms.DECIMAL, terms.DOUBLE, terms.BOOLEAN):
        return str(node)
    text = str(node) if len(node) <= _LONGEST_QUOTE else f"{str(node)[: _LONGEST_QUOTE - 1]}…"
    return json.dumps(text, ensure_ascii=False)
