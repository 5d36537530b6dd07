"""``rdfcrawl run``: crawls a model into a store, with a live display on a terminal and plain lines elsewhere."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic
from typing import Annotated

import typer
from rich.live import Live
from rich.table import Table
from rich.text import Text

from rdfcrawl import api
from rdfcrawl.api import Finished
from rdfcrawl.cli.console import AllowEnv, err
from rdfcrawl.cli.diff_text import renamed_text
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.progress import Progress
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.memory import look_for_garbage_rarely
from rdfcrawl.engine.run.run import RunOptions, RunReport
from rdfcrawl.rdf.names import shorten
from rdfcrawl.store.folder import location_of
from rdfcrawl.versioning.recording import ChangeSummary

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
        typer.Option("--max", metavar="NAME=VALUE", help="Change a limit, such as body-bytes=1000000; ? lists them."),
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
) -> None:
    """Crawl a model; running the same command again resumes a run that was stopped."""
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
    with _display() as display:
        finished = asyncio.run(_until_signalled(model, graph, store, changes, options, display))
    _print_report(finished.report, finished.changes, location_of(store))
    if finished.report.record.counts.problems:
        raise typer.Exit(1)


async def _until_signalled(
    model: str, graph: str | None, store: str | None, changes: str | None, options: RunOptions, display: _Display
) -> Finished:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    look_for_garbage_rarely()
    return await api.run(model, graph=graph, store=store, changes=changes, options=options, observer=display, stop=stop)


class _Display:
    """Shows the progress of a run: a table that is redrawn, or a line now and then."""

    def __init__(self, live: Live | None) -> None:
        self._live = live
        self._last_line = monotonic()

    def begin(self, run: int, *, resumed: bool) -> None:
        err.print(f"Run {run} resumes where it was stopped." if resumed else f"Run {run} starts.")

    def progress(self, progress: Progress) -> None:
        if self._live:
            self._live.update(_table(progress))
        elif monotonic() - self._last_line > _PLAIN_LINE_SECONDS:
            self._last_line = monotonic()
            err.print(
                f"{progress.done} pages read, {progress.queued} queued, {progress.rate:.1f} pages/s, "
                f"{progress.problems} problems"
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
def _display() -> Iterator[_Display]:
    if not err.is_terminal:
        yield _Display(None)
        return
    with Live(console=err, refresh_per_second=4, transient=True) as live:
        yield _Display(live)


def _table(progress: Progress) -> Table:
    table = Table(title=f"Run {progress.run}", title_justify="left", box=None)
    table.add_column("section", overflow="ellipsis", no_wrap=True)
    table.add_column("read", justify="right")
    table.add_column("queued", justify="right")
    for section in progress.sections:
        table.add_row(section.address, f"{section.done:,}", f"{section.queued:,}")
    table.caption = (
        f"{progress.rate:.1f} pages/s · {progress.triples:,} triples · {progress.problems:,} problems · "
        f"{progress.seconds:.0f} s · Ctrl-C stops, the same command resumes"
    )
    table.caption_justify = "left"
    return table


def _print_report(report: RunReport, changes: ChangeSummary, location: str) -> None:
    record = report.record
    prefixes = dict(record.model.prefixes)
    seconds = (record.ended - record.started).total_seconds() if record.ended else 0.0
    done = Text(f"Run {record.id} is complete", style="bold")
    err.print("\n", done, f" after {seconds:.0f} s: {record.counts.triples:,} triples.", sep="")
    for section in record.sections:
        state = "complete" if section.complete else f"incomplete: {_counted(section.reasons)}"
        err.print(f"  {section.address}  {section.objects:,} objects, {state}")
    err.print("\nObjects:")
    for name, count in sorted(record.counts.objects.items()):
        err.print(f"  {count:>8,}  {shorten(name, prefixes)}")
    err.print(f"\nSince the previous run: {changes}.")
    for item in changes.renamed:
        err.print(f"Note: {renamed_text(item, prefixes)}")
    for note in changes.notes:
        err.print(f"Note: {note}")
    _print_engines(report, prefixes)
    if report.examples:
        counted = Text(f"{sum(record.counts.problems.values()):,} problems", style="yellow")
        err.print("\n", counted, "; one example of each kind:", sep="")
    for problem in sorted(report.examples, key=lambda problem: problem.kind):
        what = f" {shorten(problem.property, prefixes)}" if problem.property else ""
        count = record.counts.problems[problem.kind.value]
        err.print(f"  {count:>6,} × {problem.kind.value}:{what} {problem.reason}")
        element = f", {problem.element}" if problem.element else ""
        err.print(f"           at {problem.address}{element}", style="dim")
    err.print(f"\nThe data is in {location}. Next: rdfcrawl query 'SELECT * WHERE {{ ?s ?p ?o }} LIMIT 10'")


def _print_engines(report: RunReport, prefixes: dict[str, str]) -> None:
    pages = report.record.counts.pages
    over_http, in_browser = pages.get("http", 0), pages.get("browser", 0)
    line = f"\n{over_http:,} pages over HTTP"
    if in_browser:
        reasons = "; ".join(f"{shorten(page, prefixes)}: {reason}" for page, reason in sorted(report.reasons.items()))
        line += f", {in_browser:,} in the browser" + (f", because {reasons}" if reasons else "")
    if report.unchanged:
        line += f"; {report.unchanged:,} unchanged since they were last read"
    err.print(line + ".")


def _counted(reasons: object) -> str:
    assert isinstance(reasons, dict)
    return ", ".join(f"{count} × {reason}" for reason, count in sorted(reasons.items()))
