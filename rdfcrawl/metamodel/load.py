"""Loads a source as a valid ``Model``, or reports everything that is wrong with it at once.

What a check needs is imported when something is checked, and a model that was checked before is not checked again: most
commands begin with a model that has not changed.
"""

from __future__ import annotations

from pathlib import Path

from rdfcrawl.errors import ModelError
from rdfcrawl.metamodel.checked.memory import recalled, remember
from rdfcrawl.metamodel.checked.result import Checked
from rdfcrawl.metamodel.model import Model
from rdfcrawl.metamodel.statements.text import SourceText, read_text
from rdfcrawl.rdf.servers import is_address

__all__ = ["Checked", "check_model", "check_text", "load_model", "model_of_text"]


def load_model(source: str | Path, *, graph: str | None = None) -> Model:
    """Loads a file, standard input (``-``) or a SPARQL endpoint; raises ``ModelError`` with all findings."""
    return _valid(check_model(source, graph=graph))


def model_of_text(turtle: str, name: str) -> Model:
    """The model that a text describes; raises ``ModelError`` with all findings, which call it ``name``."""
    return _valid(check_text(turtle, name))


def check_model(source: str | Path, *, graph: str | None = None) -> Checked:
    """Finds everything that is wrong with a model. ``graph`` is the graph of the endpoint that holds the model."""
    place = str(source)
    if not is_address(place):
        return _check_once(read_text(place))
    from rdfcrawl.metamodel.checked.checking import checked_endpoint

    return checked_endpoint(place, graph)


def check_text(text: str, name: str) -> Checked:
    """Finds everything that is wrong with a model that is given as Turtle; ``name`` stands for it in the findings."""
    return _check_once(SourceText(name, text))


def _check_once(text: SourceText) -> Checked:
    if (known := recalled(text)) is not None:
        return known
    from rdfcrawl.metamodel.checked.checking import checked_text

    checked = checked_text(text)
    remember(text, checked)
    return checked


def _valid(checked: Checked) -> Model:
    if checked.model is None:
        raise ModelError(checked.findings)
    return checked.model
