"""``rdfcrawl check``: shows what a model describes, or everything that is wrong with it."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import typer
from rich.text import Text
from rich.tree import Tree

from rdfcrawl.cli.console import TextConsole, hand_over, say
from rdfcrawl.errors import RdfcrawlError
from rdfcrawl.metamodel.load import Checked, check_model
from rdfcrawl.metamodel.tree import Branch, model_tree

_UNWRAPPED = 10_000


class OutputFormat(StrEnum):
    """The format of the result."""

    TEXT = "text"
    JSON = "json"


def check(
    models: Annotated[
        list[str],
        typer.Argument(metavar="MODEL…", help="Turtle or N3 files, - for standard input, or a SPARQL endpoint."),
    ],
    graph: Annotated[str | None, typer.Option(help="The graph of the SPARQL endpoint that holds the model.")] = None,
    output: Annotated[OutputFormat, typer.Option("--format", help="The format of the result.")] = OutputFormat.TEXT,
) -> None:
    """Report everything that is wrong with a model, or show what a valid model describes."""
    results = [(source, check_model(source, graph=graph)) for source in models]
    write = _write_json if output is OutputFormat.JSON else _write_text
    write(results)
    if any(checked.model is None for _, checked in results):
        raise typer.Exit(RdfcrawlError.exit_code)


def _write_text(results: list[tuple[str, Checked]]) -> None:
    # On a terminal long lines are wrapped below their branch; in a file or pipe each branch stays on one line.
    console = TextConsole(soft_wrap=False, width=None if sys.stdout.isatty() else _UNWRAPPED)
    for source, checked in results:
        for finding in checked.findings:
            say(str(finding), to_err=True)
        if checked.model is not None:
            tree = model_tree(checked.model)
            console.print(_grown(Branch(f"{source}: {tree.text}", tree.branches)))


def _grown(branch: Branch) -> Tree:
    """Converts the branch to a rich tree; texts are taken literally, because an XPath looks like markup."""
    tree = Tree(Text(branch.text))
    for below in branch.branches:
        tree.children.append(_grown(below))
    return tree


def _write_json(results: list[tuple[str, Checked]]) -> None:
    written = [
        {
            "model": source,
            "valid": checked.model is not None,
            "digest": checked.model.digest if checked.model is not None else None,
            "findings": [asdict(finding) for finding in checked.findings],
        }
        for source, checked in results
    ]
    hand_over(json.dumps(written, ensure_ascii=False, indent=2))
