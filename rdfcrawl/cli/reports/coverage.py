"""``rdfcrawl coverage``: which addresses of a list a survey has reached."""

from __future__ import annotations

import json
import sys
from collections import Counter
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from rdfcrawl.cli.console import counted, hand_over, out
from rdfcrawl.errors import UsageError
from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.store.folder import open_store
from rdfcrawl.survey.coverage import Coverage, coverage_of, read_list
from rdfcrawl.survey.reading import surveyed_run


class CoverageFormat(StrEnum):
    """The format of the coverage."""

    TEXT = "text"
    JSON = "json"


def coverage(
    listed: Annotated[
        str,
        typer.Argument(metavar="LIST", help="A text file with an address on each line, - for standard input."),
    ],
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="The survey: a number, run://…, latest or previous.")
    ] = "latest",
    at_least: Annotated[
        float | None,
        typer.Option(metavar="PERCENT", min=0, max=100, help="Exit with 1 if less of the list was reached."),
    ] = None,
    output: Annotated[CoverageFormat, typer.Option("--format", help="text for people, or json.")] = CoverageFormat.TEXT,
    store: Annotated[str | None, typer.Option(help="Where the runs are.", show_default="rdfcrawl-data")] = None,
) -> None:
    """Show how many addresses of a list a survey has reached, and why the others are missing.

    Scheme, www, ww2 and ww3 in front, and a slash at the end make no difference. Comments begin with #.
    """
    addresses = read_list(*_read(listed))
    runs = open_store(store, create=False).runs
    record = surveyed_run(runs, run)
    found = coverage_of(runs, record, addresses)
    if output is CoverageFormat.JSON:
        hand_over(json.dumps(_to_json(found, record.id), ensure_ascii=False, indent=1))
    else:
        _print(found)
    if at_least is not None and found.percent < at_least:
        raise typer.Exit(1)


def _read(name: str) -> tuple[str, str]:
    if name == "-":
        return sys.stdin.read(), "standard input"
    try:
        return Path(name).read_text(encoding="utf-8"), name
    except OSError as error:
        raise UsageError(f"the list {name} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"the list {name} is not a text in UTF-8") from None


def _print(found: Coverage) -> None:
    for one in found.missing:
        out.print(Text(f"{one.address}  ").append(one.reason, "yellow"))
    out.print(
        f"{found.percent:.2f} %: {found.reached:,} of {counted(found.listed, 'address', 'addresses')} reached",
        style="bold",
    )
    for reason, count in Counter(one.reason for one in found.missing).most_common():
        out.print(f"{count:>8,}  {reason}")


def _to_json(found: Coverage, run: int) -> dict[str, object]:
    return {
        "run": run_iri(run),
        "listed": found.listed,
        "reached": found.reached,
        "percent": round(found.percent, 2),
        "missing": [{"address": one.address, "reason": one.reason} for one in found.missing],
    }
