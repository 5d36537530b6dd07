"""``rdfcrawl report``: the figures of a run, and what a survey found out about a site."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from rdfcrawl.cli.console import counted, hand_over, out, say
from rdfcrawl.cli.output.sheet_text import sheet_lines
from rdfcrawl.errors import UsageError
from rdfcrawl.store.files.whole import write_whole
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.survey.centrality import picture_of
from rdfcrawl.survey.drawing import picture_svg
from rdfcrawl.survey.findings import findings_of
from rdfcrawl.survey.html import report_html
from rdfcrawl.survey.reading import surveyed_run
from rdfcrawl.survey.report import RunOverview, overview_of

_MOST_ROWS: Final = 20
_MOST_SOURCES: Final = 3


class ReportFormat(StrEnum):
    """The format of a report."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


def report(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="The run: a number, run://…, latest or previous.")
    ] = "latest",
    output: Annotated[
        ReportFormat, typer.Option("--format", help="text for people, json, or html: one page without scripts.")
    ] = ReportFormat.TEXT,
    every: Annotated[
        bool, typer.Option("--all", help="Print every row of every table; json and html always have them all.")
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the links between the most linked pages into this SVG file instead."),
    ] = None,
    store: Annotated[str | None, typer.Option(help="Where the runs are.", show_default="rdfcrawl-data")] = None,
) -> None:
    """Report on a run: its counts, and of a survey the figures, broken links, duplicates, slow and large pages."""
    runs = open_store(store, create=False).runs
    if picture is not None:
        _draw(runs, run, picture)
        return
    shortened = output is ReportFormat.TEXT and not every
    overview = overview_of(runs, runs.resolve(run), _MOST_SOURCES if shortened else None)
    if output is ReportFormat.JSON:
        hand_over(json.dumps(overview.to_json(), ensure_ascii=False, indent=1))
    elif output is ReportFormat.HTML:
        hand_over(report_html(overview))
    else:
        _print(overview, _MOST_ROWS if shortened else None)


def _draw(runs: RunFiles, run: str, target: Path) -> None:
    if not target.parent.is_dir():
        raise UsageError(f"the folder {target.parent} does not exist")
    record = surveyed_run(runs, run)
    drawn = picture_of(runs, record, findings_of(runs, record).most_linked)
    if not drawn.pages:
        raise UsageError(f"run {record.id} has no pages that link to each other")
    write_whole(target, picture_svg(drawn, _web_address).encode())
    say(f"{target}: {counted(len(drawn.pages), 'page')}, {counted(sum(map(len, drawn.links)), 'link')}", to_err=True)


def _print(overview: RunOverview, most: int | None) -> None:
    record = overview.record
    out.print(f"Run {record.id}, {record.standing}, of {record.started:%Y-%m-%d %H:%M}", style="bold")
    for sheet in overview.sheets:
        out.print()
        for line in sheet_lines(sheet, most):
            out.print(line)


def _web_address(address: str) -> str | None:
    return address if address.startswith(("http://", "https://")) else None
