"""The command line: reads options, writes results to standard output and reports to standard error; no logic."""

from __future__ import annotations

import errno
import gc
import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn

import typer
from typer.core import TyperGroup

from rdfcrawl.cli.output.mistakes import UsageMistake, in_our_words
from rdfcrawl.cli.output.overview import OVERVIEW
from rdfcrawl.errors import Interrupted, RdfcrawlError, Stopped, UsageError, printable
from rdfcrawl.store.files.whole import is_full_disk
from rdfcrawl.version import VERSION

COMMANDS: Final = {
    "draft": "rdfcrawl.cli.drafting.command:draft",
    "convert": "rdfcrawl.cli.conversion.command:app",
    "check": "rdfcrawl.cli.check:check",
    "run": "rdfcrawl.cli.run:run",
    "survey": "rdfcrawl.cli.crawl.survey:survey",
    "worker": "rdfcrawl.cli.machines.worker:worker",
    "queue": "rdfcrawl.cli.machines.queue:queue",
    "try": "rdfcrawl.cli.try_page:try_command",
    "shell": "rdfcrawl.cli.inspect.shell:shell",
    "runs": "rdfcrawl.cli.runs:app",
    "report": "rdfcrawl.cli.reports.report:report",
    "coverage": "rdfcrawl.cli.reports.coverage:coverage",
    "navigation": "rdfcrawl.cli.reports.navigation:navigation",
    "problems": "rdfcrawl.cli.problems:problems",
    "diff": "rdfcrawl.cli.diff:diff",
    "accept": "rdfcrawl.cli.accept:accept",
    "alerts": "rdfcrawl.cli.alerts.command:app",
    "history": "rdfcrawl.cli.history:history",
    "explain": "rdfcrawl.cli.explain:explain",
    "names": "rdfcrawl.cli.names:app",
    "query": "rdfcrawl.cli.query:query",
    "export": "rdfcrawl.cli.exports.command:export",
    "shapes": "rdfcrawl.cli.shapes:shapes",
    "serve": "rdfcrawl.cli.serve:serve",
}

_FULL: Final = (
    "the disk is full; free some space, for example with `rdfcrawl runs prune`, and run the same command again: "
    "what was read is kept"
)


_GARBAGE_THRESHOLD: Final = 50_000
"""How many new objects there must be before Python looks for garbage; its own threshold is 700."""


class _Commands(TyperGroup):
    """The commands, each imported when called: `rdfcrawl check` does not wait for the browser's libraries."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        found = getattr(import_module(module), name)
        if not isinstance(found, typer.Typer):
            single = typer.Typer(add_completion=False, rich_markup_mode=None)
            single.command(cmd_name)(found)
            found = single
        command = typer.main.get_command(found)
        command.name = cmd_name
        return command

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            # Typer would end without a word, and nobody could tell whether anything was done.
            raise Interrupted("interrupted before the end of the command") from None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, OVERVIEW[name]) for name in COMMANDS])


app = typer.Typer(
    cls=_Commands, no_args_is_help=True, add_completion=True, pretty_exceptions_enable=False, rich_markup_mode=None
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rdfcrawl {VERSION}")
        raise typer.Exit


@app.callback()
def rdfcrawl(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Turn structured websites into versioned Linked Data, from one Turtle model."""


def main() -> None:
    """Run a command; an error that stops it becomes one message and an exit code."""
    # What is imported stays: to look through all of it for garbage, again and again, takes a seventh of a small run.
    gc.set_threshold(_GARBAGE_THRESHOLD)
    try:
        code = app(standalone_mode=False)
    except RdfcrawlError as error:
        _end(str(error), error.exit_code if not is_full_disk(error) else Stopped.exit_code)
    except typer.Abort:
        _end("cancelled", 1)
    except UsageMistake as mistake:
        if type(mistake).__name__ == "NoArgsIsHelpError":
            typer.echo(str(mistake), err=True)
            sys.exit(UsageError.exit_code)
        _end(in_our_words(mistake, COMMANDS), UsageError.exit_code)
    except (OSError, RuntimeError) as error:
        if is_full_disk(error):
            _end(f"{_FULL} ({error})", Stopped.exit_code)
        if not isinstance(error, OSError):
            raise
        _end(_refused(error), UsageError.exit_code)
    sys.exit(code if isinstance(code, int) else 0)


def _refused(error: OSError) -> str:
    """What the system has refused; of a store on a read-only disk, the first file that a command makes says nothing."""
    if error.errno == errno.EROFS and isinstance(error.filename, str):
        return f"nothing can be written to {Path(error.filename).parent}: it is on a read-only file system"
    return str(error)


def _end(message: str, code: int) -> NoReturn:
    typer.echo(printable(f"rdfcrawl: {message}"), err=True)
    sys.exit(code)
