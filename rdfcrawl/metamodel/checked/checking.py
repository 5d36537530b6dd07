"""Checks the statements of a source; this imports everything that a check needs."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from rdfcrawl.metamodel.build import build_model
from rdfcrawl.metamodel.check.characters import unwritable_texts
from rdfcrawl.metamodel.check.findings import Finding, Severity, has_errors, in_reading_order
from rdfcrawl.metamodel.check.html.paths import paths_without_matches
from rdfcrawl.metamodel.check.reach import unreachable_resources
from rdfcrawl.metamodel.check.reporting import Reporter
from rdfcrawl.metamodel.check.rules import broken_rules
from rdfcrawl.metamodel.check.shapes.conformance import nonconformities
from rdfcrawl.metamodel.checked.result import Checked
from rdfcrawl.metamodel.statements.description import describe
from rdfcrawl.metamodel.statements.notation import NotationError
from rdfcrawl.metamodel.statements.source import SourceGraph, fetch_graph, graph_of
from rdfcrawl.metamodel.statements.text import SourceText


def checked_text(text: SourceText) -> Checked:
    """The result for a text."""
    with _rdflib_silenced():
        try:
            return _check(graph_of(text))
        except NotationError as error:
            where = error.place
            finding = Finding(
                Severity.ERROR, text.name, where.line, where.column, None, None, error.message, error.advice
            )
            return Checked(None, (finding,))


def checked_endpoint(address: str, graph: str | None) -> Checked:
    """The result for the model that a SPARQL endpoint holds, in the named graph or in the default graph."""
    with _rdflib_silenced():
        return _check(fetch_graph(address, graph))


@contextmanager
def _rdflib_silenced() -> Iterator[None]:
    """rdflib logs names that are not IRIs; here they are findings, with their line."""
    logger = logging.getLogger("rdflib.term")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def _check(source: SourceGraph) -> Checked:
    description = describe(source.statements)
    reporter = Reporter(source)
    if found := list(unwritable_texts(description, reporter)):
        # Neither XPaths nor patterns nor messages can be looked at with such texts in them.
        return Checked(None, in_reading_order(found))
    found = [*nonconformities(description, reporter), *broken_rules(description, reporter)]
    if has_errors(tuple(found)):
        return Checked(None, in_reading_order(found))
    # Behind a wrong reference everything is unreachable, and the start of a relative path is unknown, so these checks
    # need a model without errors.
    found.extend(unreachable_resources(description, reporter))
    found.extend(paths_without_matches(description, reporter))
    return Checked(build_model(description, source), in_reading_order(found))
