"""The command line: options in, results to standard output, reports to standard error; no logic."""

from __future__ import annotations

import sys

import typer

from rdfcrawl.cli.check import check
from rdfcrawl.errors import RdfcrawlError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.callback()
def rdfcrawl() -> None:
    """Turn structured websites into versioned Linked Data, from one Turtle model."""


app.command()(check)


def main() -> None:
    """Run a command; what stops it becomes one message and an exit code."""
    try:
        app()
    except RdfcrawlError as error:
        typer.echo(f"rdfcrawl: {error}", err=True)
        sys.exit(error.exit_code)
