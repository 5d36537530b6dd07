"""Loads a source as a valid ``Model``, or reports everything that is wrong with it at once."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rdfcrawl.errors import ModelError
from rdfcrawl.metamodel.build import build_model
from rdfcrawl.metamodel.check.characters import unwritable_texts
from rdfcrawl.metamodel.check.conformance import nonconformities
from rdfcrawl.metamodel.check.findings import Finding, Severity, has_errors, in_reading_order
from rdfcrawl.metamodel.check.html.paths import paths_without_matches
from rdfcrawl.metamodel.check.reach import unreachable_resources
from rdfcrawl.metamodel.check.reporting import Reporter
from rdfcrawl.metamodel.check.rules import broken_rules
from rdfcrawl.metamodel.model import Model
from rdfcrawl.metamodel.statements.description import describe
from rdfcrawl.metamodel.statements.notation import NotationError
from rdfcrawl.metamodel.statements.source import SourceGraph, SourceText, fetch_graph, graph_of, read_text
from rdfcrawl.rdf.endpoint import is_address


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check: the model if it is valid, and the findings in reading order."""

    model: Model | None
    findings: tuple[Finding, ...]


def load_model(source: str | Path, *, graph: str | None = None) -> Model:
    """Loads a file, standard input (``-``) or a SPARQL endpoint; raises ``ModelError`` with all findings."""
    checked = check_model(source, graph=graph)
    if checked.model is None:
        raise ModelError(checked.findings)
    return checked.model


def model_of_text(turtle: str, name: str) -> Model:
    """The model that a text describes; raises ``ModelError`` with all findings, which call it ``name``."""
    with _rdflib_silenced():
        checked = _check_text(SourceText(name, turtle))
    if checked.model is None:
        raise ModelError(checked.findings)
    return checked.model


def check_model(source: str | Path, *, graph: str | None = None) -> Checked:
    """Finds everything that is wrong with a model. ``graph`` is the graph of the endpoint that holds the model."""
    place = str(source)
    with _rdflib_silenced():
        return _check(fetch_graph(place, graph)) if is_address(place) else _check_text(read_text(place))


def check_text(text: str, name: str) -> Checked:
    """Finds everything that is wrong with a model that is given as Turtle; ``name`` stands for it in the findings."""
    with _rdflib_silenced():
        return _check_text(SourceText(name, text))


def _check_text(text: SourceText) -> Checked:
    try:
        return _check(graph_of(text))
    except NotationError as error:
        where = error.place
        return Checked(
            None,
            (Finding(Severity.ERROR, text.name, where.line, where.column, None, None, error.message, error.advice),),
        )


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
