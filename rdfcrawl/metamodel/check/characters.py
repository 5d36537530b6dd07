"""Texts of a model that could not be written again: into the store, into a query, into a report."""

from __future__ import annotations

from collections.abc import Iterator

from rdfcrawl.metamodel.check.findings import Finding
from rdfcrawl.metamodel.check.reporting import Reporter
from rdfcrawl.metamodel.statements.description import Description
from rdfcrawl.rdf.characters import writable


def unwritable_texts(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """Every text or name with a character that is no character, or that no XML document can hold."""
    for resource, its_terms in description.resources.items():
        for term, values in its_terms.items():
            for value in values:
                if (char := _unwritable(str(value)) or _unwritable(str(resource))) is not None:
                    message = f"U+{ord(char):04X} cannot be written: it is a control character, or no character at all"
                    yield reporter.error(resource, message, "remove it", term=term, value=value)


def _unwritable(text: str) -> str | None:
    if writable(text) == text:
        return None
    return next(char for char in text if writable(char) != char)
