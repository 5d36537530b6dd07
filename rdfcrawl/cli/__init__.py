"""The command line: options in, results to standard output, reports to standard error; no logic."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rdfcrawl.cli.check import check
from rdfcrawl.cli.run import run
from rdfcrawl.cli.try_page import try_command
from rdfcrawl.errors import RdfcrawlError
from rdfcrawl.version import VERSION

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rdfcrawl {VERSION}")
        raise typer.Exit


@app.callback()
def rdfcrawl(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Turn structured websites into versioned Linked Data, from one Turtle model."""


app.command()(check)
app.command()(run)
app.command("try")(try_command)


def main() -> None:
    """Run a command; what stops it becomes one message and an exit code."""
    try:
        app()
    except RdfcrawlError as error:
        typer.echo(f"rdfcrawl: {error}", err=True)
        sys.exit(error.exit_code)
