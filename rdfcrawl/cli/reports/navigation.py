"""``rdfcrawl navigation``: which links of a survey are navigation, its menus, and a site map."""

from __future__ import annotations

import asyncio
import json
from enum import StrEnum
from typing import Annotated, Final

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from rdfcrawl.cli.console import counted, err, hand_over, out, say
from rdfcrawl.cli.output.sheet_text import sheet_lines
from rdfcrawl.navigation.archive.analysing import analyse
from rdfcrawl.navigation.judging import NavigationRule
from rdfcrawl.navigation.results.html import navigation_html
from rdfcrawl.navigation.results.reading import kept_rule
from rdfcrawl.navigation.results.report import NavigationReport, report_of
from rdfcrawl.navigation.results.tree import navigation_turtle, tree_lines
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.remote.server import RemoteStore
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.survey.reading import surveyed_run

_MOST_ROWS: Final = 20
_MOST_BELOW: Final = 12


class NavigationFormat(StrEnum):
    """The format of the answer."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"
    TTL = "ttl"


def navigation(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="The survey: a number, run://…, latest or previous.")
    ] = "latest",
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Only what is linked like a menu in every respect is navigation; compares that with the usual rule.",
        ),
    ] = False,
    output: Annotated[
        NavigationFormat,
        typer.Option("--format", help="text for people, json, html: one page without scripts, or ttl: the site map."),
    ] = NavigationFormat.TEXT,
    every: Annotated[
        bool, typer.Option("--all", help="Print every row and every page; the other formats always have them all.")
    ] = False,
    store: Annotated[str | None, typer.Option(help="Where the runs are.", show_default="rdfcrawl-data")] = None,
) -> None:
    """Tell the navigation of a surveyed site from its content: menus, outsiders, content links, a site map, ranks.

    Links are read from the archive of the survey, once; the result is kept in the store, for queries and for `serve`.
    """
    opened = open_store(store, create=False)
    record = surveyed_run(opened.runs, run)
    rule = NavigationRule.EXACT if exact else NavigationRule.TOLERANT
    if kept_rule(opened.runs, record) is not rule:
        _recognise(opened, record, rule)
    if output is NavigationFormat.TTL:
        hand_over(navigation_turtle(opened.runs, record).decode(), nl=False)
        return
    report = report_of(opened.runs, record)
    if output is NavigationFormat.JSON:
        hand_over(json.dumps(report.to_json(), ensure_ascii=False, indent=1))
    elif output is NavigationFormat.HTML:
        hand_over(navigation_html(report))
    else:
        _print(report, None if every else _MOST_ROWS, None if every else _MOST_BELOW)


def _recognise(store: Store, record: RunRecord, rule: NavigationRule) -> None:
    """Read the archive and keep the result; a server that has copies of the runs gets one of it."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    left_out: list[str] = []
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as shown:
        task = shown.add_task("reading the archive", total=None)

        def progress(what: str, done: int, total: int) -> None:
            shown.update(task, description=what, completed=done, total=total)

        asyncio.run(analyse(store, record, rule, left_out.append, progress))
    for line in left_out[:_MOST_ROWS]:
        say(line, to_err=True)
    if len(left_out) > _MOST_ROWS:
        say(f"… and {counted(len(left_out) - _MOST_ROWS, 'more page')} left out", to_err=True)
    if isinstance(store.data, RemoteStore):
        store.refresh_one(store.data)


def _print(report: NavigationReport, most: int | None, most_below: int | None) -> None:
    record = report.record
    out.print(f"Navigation of run {record.id}, of {record.started:%Y-%m-%d %H:%M}", style="bold")
    for sheet in report.sheets:
        out.print()
        for line in sheet_lines(sheet, most):
            out.print(line)
    out.print()
    out.print("Site map", style="bold")
    for branch in tree_lines(report.findings, most_below):
        out.print(f"  {branch}")
