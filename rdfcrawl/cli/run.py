"""``rdfcrawl run``: crawls a model into a store, with a live display on a terminal and plain lines elsewhere."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer
from rich.live import Live
from rich.table import Table
from rich.text import Text

from rdfcrawl import api
from rdfcrawl.api import Finished
from rdfcrawl.cli.console import AllowEnv, counted, err, how_read
from rdfcrawl.cli.output.run_report import report_json, report_lines
from rdfcrawl.cli.table import print_table
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.progress import Observer, PageRead, Progress, Silent
from rdfcrawl.engine.limits import SETTABLE, RunLimits
from rdfcrawl.engine.memory import look_for_garbage_rarely
from rdfcrawl.engine.run.run import RunOptions
from rdfcrawl.errors import UsageError
from rdfcrawl.store.files.whole import write_whole
from rdfcrawl.store.folder import location_of

_PLAIN_LINE_SECONDS = 5.0


def run(
    model: Annotated[str, typer.Argument(help="A Turtle or N3 file, - for standard input, or a SPARQL endpoint.")],
    section: Annotated[list[str] | None, typer.Option(help="Crawl only this section; can be repeated.")] = None,
    engine: Annotated[Engine, typer.Option(help="How pages are read; auto uses the browser where needed.")] = (
        Engine.AUTO
    ),
    replay: Annotated[
        str | None, typer.Option(help="Read from a WARC file, run:ID or a folder host/path, not from the network.")
    ] = None,
    no_record: Annotated[bool, typer.Option("--no-record", help="Do not archive what is fetched.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start a new run instead of resuming a stopped one.")] = False,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Concurrent requests per host; 4 by default, 16 for this machine.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Read at most this many pages; leave the rest unread.")
    ] = None,
    time: Annotated[
        float | None, typer.Option(min=0, help="Work at most this many hours; leave the rest unread.")
    ] = None,
    window: Annotated[str | None, typer.Option(help="Crawl only at this time of day, such as 22:00-06:00.")] = None,
    maximum: Annotated[
        list[str] | None,
        typer.Option(
            "--max", metavar="NAME=VALUE", help="Change a limit, such as body-bytes=1000000; help lists them."
        ),
    ] = None,
    contact: Annotated[
        str | None,
        typer.Option(envvar="RDFCRAWL_CONTACT", help="How a site can contact you: a web page or mail address."),
    ] = None,
    ignore_robots: Annotated[bool, typer.Option("--ignore-robots", help="Ignore robots.txt.")] = False,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Follow links into private networks that no section is in.")
    ] = False,
    insecure: Annotated[bool, typer.Option("--insecure", help="Do not verify certificates.")] = False,
    allow_env: AllowEnv = None,
    graph: Annotated[str | None, typer.Option(help="The graph of the endpoint that holds the model.")] = None,
    store: Annotated[str | None, typer.Option(help="The store; by default RDFCRAWL_STORE, else rdfcrawl-data.")] = None,
    changes: Annotated[str | None, typer.Option(help="Store the changes somewhere else.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print every page and problem.")] = False,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report as JSON, too.")] = None,
) -> None:
    """Crawl a model; running the same command again resumes a run that was stopped."""
    if {"?", "help"} & set(maximum or ()):
        _print_limits()
        return
    if quiet and verbose:
        raise UsageError("--quiet and --verbose contradict each other")
    if report is not None and not report.parent.is_dir():
        raise UsageError(f"--report {report}: the folder {report.parent} does not exist")
    options = RunOptions(
        sections=tuple(section or ()),
        engine=engine,
        replay=replay,
        record=not no_record,
        fresh=fresh,
        concurrency=concurrency,
        limits=replace(
            RunLimits().with_settings(maximum or ()), pages=limit, seconds=None if time is None else time * 3600
        ),
        window=window,
        contact=contact,
        ignore_robots=ignore_robots,
        allow_private=allow_private,
        insecure=insecure,
        allowed_variables=tuple(allow_env or ()),
    )
    with _display(Silent() if quiet else None, verbose) as display:
        finished = asyncio.run(_until_signalled(model, graph, store, changes, options, display))
    if report is not None:
        write_whole(report, json.dumps(report_json(finished), ensure_ascii=False, indent=1).encode() + b"\n")
    if not quiet:
        for line in report_lines(finished, location_of(store)):
            err.print(line)
    if finished.report.record.counts.problems or finished.changes.suspicions:
        raise typer.Exit(1)


async def _until_signalled(
    model: str, graph: str | None, store: str | None, changes: str | None, options: RunOptions, display: Observer
) -> Finished:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    look_for_garbage_rarely()
    return await api.run(model, graph=graph, store=store, changes=changes, options=options, observer=display, stop=stop)


class _Display:
    """Shows the progress of a run: a table that is redrawn, or a line now and then."""

    def __init__(self, live: Live | None, verbose: bool = False) -> None:
        self._live = live
        self._verbose = verbose
        self._last_line = monotonic()

    def begin(self, run: int, *, resumed: bool) -> None:
        err.print(f"Run {run} resumes where it was stopped." if resumed else f"Run {run} starts.")

    def page(self, page: PageRead) -> None:
        if self._verbose:
            for line in _page_lines(page):
                err.print(line)

    def progress(self, progress: Progress) -> None:
        if self._live:
            self._live.update(_table(progress))
        elif monotonic() - self._last_line > _PLAIN_LINE_SECONDS:
            self._last_line = monotonic()
            err.print(
                f"{counted(progress.done, 'page')} read, {progress.queued:,} queued, {progress.rate:.1f} pages/s, "
                f"{counted(progress.problems, 'problem')}"
            )

    def finishing(self, stage: str) -> None:
        if self._live:
            self._live.update(f"Finishing: {stage}")
        elif monotonic() - self._last_line > _PLAIN_LINE_SECONDS:
            self._last_line = monotonic()
            err.print(f"Finishing: {stage}")

    def notice(self, text: str) -> None:
        err.print(f"Note: {text}")


@contextmanager
def _display(instead: Observer | None, verbose: bool) -> Iterator[Observer]:
    if instead is not None or not err.is_terminal:
        yield instead or _Display(None, verbose)
        return
    with Live(console=err, refresh_per_second=4, transient=True) as live:
        yield _Display(live, verbose)


def _page_lines(page: PageRead) -> Iterator[str]:
    """A page that was read, and what is wrong with it."""
    how = "unchanged" if page.unchanged else "to be tried again" if page.again else counted(page.triples, "triple")
    yield f"{page.address}  {how_read(Engine(page.engine))}, {how}"
    for problem in page.problems:
        yield f"  {problem.kind.value}: {problem.reason}"


def _print_limits() -> None:
    limits = RunLimits()
    rows = [(name.replace("_", "-"), f"{getattr(limits, name):,}") for name in SETTABLE]
    print_table(("limit", "default"), rows, (False, True))


def _table(progress: Progress) -> Table:
    table = Table(title=f"Run {progress.run}", title_justify="left", box=None)
    table.add_column("section", overflow="ellipsis", no_wrap=True)
    table.add_column("read", justify="right")
    table.add_column("queued", justify="right")
    for section in progress.sections:
        table.add_row(Text(section.address), f"{section.done:,}", f"{section.queued:,}")
    table.caption = (
        f"{progress.rate:.1f} pages/s · {counted(progress.triples, 'triple')} · "
        f"{counted(progress.problems, 'problem')} · "
        f"{progress.seconds:.0f} s · Ctrl-C stops, the same command resumes"
    )
    table.caption_justify = "left"
    return table
