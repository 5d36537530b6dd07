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

from rdfcrawl import api
from rdfcrawl.api import Finished
from rdfcrawl.cli.console import err
from rdfcrawl.cli.crawl.options import ChangesOption, StoreOption, takes_run_options
from rdfcrawl.cli.diff_text import renamed_text
from rdfcrawl.engine.crawl.progress import Progress
from rdfcrawl.engine.memory import look_for_garbage_rarely
from rdfcrawl.engine.run.run import RunOptions, RunReport
from rdfcrawl.engine.run.surveys import SurveySummary
from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf.names import shorten
from rdfcrawl.store.folder import location_of
from rdfcrawl.versioning.recording import ChangeSummary

_PLAIN_LINE_SECONDS = 5.0


@takes_run_options
def run(
    model: Annotated[str, typer.Argument(help="A Turtle or N3 file, - for standard input, or a SPARQL endpoint.")],
    *,
    section: Annotated[list[str] | None, typer.Option(help="Crawl only this section; can be repeated.")] = None,
    options: RunOptions,
    graph: Annotated[str | None, typer.Option(help="The graph of the endpoint that holds the model.")] = None,
    store: StoreOption = None,
    changes: ChangesOption = None,
) -> None:
    """Crawl a model; running the same command again resumes a run that was stopped."""
    crawl(model, replace(options, sections=tuple(section or ())), graph=graph, store=store, changes=changes)


def crawl(
    model: Model | str, options: RunOptions, *, graph: str | None = None, store: str | None, changes: str | None
) -> None:
    """Crawl a model, show how it is going, and report on what was found."""
    with _display() as display:
        finished = asyncio.run(_until_signalled(model, graph, store, changes, options, display))
    _print_report(finished.report, finished.changes, location_of(store))
    if finished.report.record.counts.problems:
        raise typer.Exit(1)


async def _until_signalled(
    model: Model | str,
    graph: str | None,
    store: str | None,
    changes: str | None,
    options: RunOptions,
    display: _Display,
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
    err.print(f"\n[bold]Run {record.id} is complete[/bold] after {seconds:.0f} s: {record.counts.triples:,} triples.")
    for section in record.sections:
        state = "complete" if section.complete else f"incomplete: {_counted(section.reasons)}"
        err.print(f"  {section.address}  {section.objects:,} objects, {state}")
    err.print("\nObjects:")
    for name, count in sorted(record.counts.objects.items()):
        err.print(f"  {count:>8,}  {shorten(name, prefixes)}")
    _print_survey(report.survey)
    err.print(f"\nSince the previous run: {changes}.")
    for item in changes.renamed:
        err.print(f"Note: {renamed_text(item, prefixes)}", markup=False)
    for note in changes.notes:
        err.print(f"Note: {note}", markup=False)
    _print_engines(report, prefixes)
    if report.examples:
        err.print(f"\n[yellow]{sum(record.counts.problems.values()):,} problems[/yellow]; one example of each kind:")
    for problem in sorted(report.examples, key=lambda problem: problem.kind):
        what = f" {shorten(problem.property, prefixes)}" if problem.property else ""
        count = record.counts.problems[problem.kind.value]
        err.print(f"  {count:>6,} × {problem.kind.value}:{what} {problem.reason}", markup=False)
        element = f", {problem.element}" if problem.element else ""
        err.print(f"           at {problem.address}{element}", style="dim", markup=False)
    err.print(f"\nThe data is in {location}. Next: rdfcrawl query 'SELECT * WHERE {{ ?s ?p ?o }} LIMIT 10'")


def _print_survey(survey: SurveySummary) -> None:
    """Print how many addresses of each kind there are, and how many on each level."""
    if not survey.kinds:
        return
    err.print("\nAddresses by kind:")
    for kind, count in survey.kinds.most_common():
        err.print(f"  {count:>8,}  {kind}")
    err.print("Addresses by level (links from the start):")
    for level, count in sorted(survey.levels.items()):
        err.print(f"  {count:>8,}  {level}")


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
