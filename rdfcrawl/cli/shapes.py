"""``rdfcrawl shapes``: prints SHACL shapes for the data of a model."""

from __future__ import annotations

from typing import Annotated

import typer

from rdfcrawl.cli.console import hand_over
from rdfcrawl.metamodel.data_shapes import data_shapes
from rdfcrawl.metamodel.load import load_model


def shapes(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A Turtle or N3 file, - for standard input.")],
) -> None:
    """Print SHACL shapes, in Turtle, that the data of a model conforms to."""
    hand_over(data_shapes(load_model(model)).serialize(format="turtle"), nl=False)
