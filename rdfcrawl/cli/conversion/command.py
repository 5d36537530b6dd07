"""``rdfcrawl convert caracas``: a configuration and its files of criteria as a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rdfcrawl.cli.console import err, hand_over
from rdfcrawl.convert.caracas import convert_caracas, file_name
from rdfcrawl.convert.caracas_files import read_configuration
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.check.findings import has_errors
from rdfcrawl.metamodel.load import check_text
from rdfcrawl.store.files.whole import write_whole

app = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def convert() -> None:
    """Make a model of the configuration of another crawler."""


@app.command()
def caracas(
    configuration: Annotated[
        Path, typer.Argument(metavar="CONFIGURATION", help="The configuration, such as Konfiguration.txt.")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file of the model.", show_default="standard output")
    ] = None,
) -> None:
    """Convert a configuration of the CARACAS web crawler with its files of criteria.

    Each option is taken over or named. Files of criteria are looked for where the configuration says, then beside it.
    """
    read = read_configuration(_text(configuration), str(configuration))
    files = {name: _text(_beside(configuration, name)) for name in read.criteria}
    converted = convert_caracas(read, files)
    for note in converted.notes:
        err.print(note, markup=False)
    findings = check_text(converted.turtle, str(output or "model.ttl")).findings
    for finding in findings:
        err.print(str(finding), markup=False)
    if has_errors(findings):
        raise UsageError("the configuration says something that no model can say; see above")
    if output is None:
        hand_over(converted.turtle.rstrip("\n"))
    else:
        write_whole(output, converted.turtle.encode())


def _beside(configuration: Path, name: str) -> Path:
    found = [path for path in (Path(name), configuration.parent / file_name(name)) if path.is_file()]
    if not found:
        raise UsageError(f"there is no file {name}, and no {file_name(name)} beside {configuration}")
    return found[0]


def _text(path: Path) -> str:
    try:
        body = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("cp1252", errors="replace")
