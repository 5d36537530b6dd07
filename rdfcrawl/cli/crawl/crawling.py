"""Crawls a model for a command, with a live display on a terminal and plain lines elsewhere."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

import typer

from rdfcrawl import api
from rdfcrawl.alert.messengers.outcome import Fate
from rdfcrawl.api import Finished
from rdfcrawl.cli.console import counted, err
from rdfcrawl.cli.crawl.options import CrawlOptions
from rdfcrawl.cli.output.run_log import RunLog, open_log, page_lines
from rdfcrawl.cli.output.run_report import report_json, report_lines
from rdfcrawl.engine.crawl.progress import Observer, PageRead, Progress, Silent
from rdfcrawl.engine.memory import look_for_garbage_rarely
from rdfcrawl.engine.workers.launching import Launched
from rdfcrawl.metamodel.model import Model
from rdfcrawl.store.files.whole import write_whole
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.location import location_of
from rdfcrawl.survey.reading import has_survey

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

    from rdfcrawl.survey.figures import Figures

_PLAIN_LINE_SECONDS = 5.0


def crawl(
    model: Model | str, options: CrawlOptions, *, graph: str | None = None, reader: Launched | None = None
) -> None:
    """Crawl a model, show how it is going, and report on what was found.

    ``reader`` is a process to read pages with, if one was started already.
    """
    with _display(Silent() if options.quiet else None, options.verbose) as display, _logged(options, display) as told:
        finished = asyncio.run(_until_signalled(model, graph, options, told, reader))
    figures = None if options.quiet and options.report is None else _figures(finished, options.store)
    if options.report is not None:
        write_whole(
            options.report, json.dumps(report_json(finished, figures), ensure_ascii=False, indent=1).encode() + b"\n"
        )
    if not options.quiet:
        for line in report_lines(finished, figures, location_of(options.store)):
            err.print(line)
    refused = finished.alerts.count(Fate.REFUSED)
    if finished.report.record.counts.problems or finished.changes.suspicions or refused:
        raise typer.Exit(1)


def _figures(finished: Finished, store: str | None) -> Figures | None:
    record = finished.report.record
    if not has_survey(record):
        return None
    from rdfcrawl.survey.figures import figures_of

    return figures_of(open_store(store).runs, record)


async def _until_signalled(
    model: Model | str, graph: str | None, options: CrawlOptions, display: Observer, reader: Launched | None
) -> Finished:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    look_for_garbage_rarely()
    return await api.run(
        model,
        graph=graph,
        store=options.store,
        changes=options.changes,
        options=options.run,
        observer=display,
        stop=stop,
        reader=reader,
    )


class _Display:
    """Shows the progress of a run: a table that is redrawn, or a line now and then."""

    def __init__(self, live: Live | None, verbose: bool = False) -> None:
        self._live = live
        self._verbose = verbose
        self._last_line = monotonic()
        self._stage = ""

    def begin(self, run: int, *, resumed: bool) -> None:
        err.print(f"Run {run} resumes where it was stopped." if resumed else f"Run {run} starts.")

    def page(self, page: PageRead) -> None:
        if self._verbose:
            for line in page_lines(page):
                err.print(line)

    def progress(self, progress: Progress) -> None:
        if self._live:
            self._live.update(_table(progress))
        elif monotonic() - self._last_line > _PLAIN_LINE_SECONDS:
            self._last_line = monotonic()
            err.print(
                f"{counted(progress.done, 'page')} read, {progress.queued:,} queued, {progress.rate:.1f} pages/s, "
                f"{counted(progress.problems, 'problem')}{_left(progress)}"
            )

    def finishing(self, stage: str) -> None:
        self._stage = stage
        self._show(f"Finishing: {stage}")

    def advance(self, share: float) -> None:
        self._show(f"Finishing: {self._stage}, {share:.0%}")

    def _show(self, line: str) -> None:
        if self._live:
            self._live.update(line)
        elif monotonic() - self._last_line > _PLAIN_LINE_SECONDS:
            self._last_line = monotonic()
            err.print(line)

    def notice(self, text: str) -> None:
        err.print(f"Note: {text}")


@contextmanager
def _display(instead: Observer | None, verbose: bool) -> Iterator[Observer]:
    if instead is not None or not err.is_terminal:
        yield instead or _Display(None, verbose)
        return
    from rich.live import Live

    with Live(console=err, refresh_per_second=4, transient=True) as live:
        yield _Display(live, verbose)


@contextmanager
def _logged(options: CrawlOptions, display: Observer) -> Iterator[Observer]:
    """The observer that also writes the log, if one is wanted; it says how the run ended, whatever that was."""
    if options.log is None:
        yield display
        return
    with open_log(options.log) as file:
        log = RunLog(file, display)
        try:
            yield log
        except BaseException as error:
            log.end(f"ended: {error or type(error).__name__}")
            raise
        log.end("done")


def _table(progress: Progress) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=f"Run {progress.run}", title_justify="left", box=None)
    table.add_column("section", overflow="ellipsis", no_wrap=True)
    table.add_column("read", justify="right")
    table.add_column("queued", justify="right")
    for section in progress.sections:
        table.add_row(Text(section.address), f"{section.done:,}", f"{section.queued:,}")
    table.caption = (
        f"{progress.rate:.1f} pages/s · {counted(progress.triples, 'triple')} · "
        f"{counted(progress.problems, 'problem')} · "
        f"{progress.seconds:.0f} s{_left(progress, ' · ')} · Ctrl-C stops, the same command resumes"
    )
    table.caption_justify = "left"
    return table


def _left(progress: Progress, joint: str = ", ") -> str:
    """How long the pages that are known will take; those that they lead to are not known yet."""
    left = progress.seconds_left
    if left is None:
        return ""
    minutes, hours = round(left / 60), left / 3600
    said = f"{hours:.1f} h" if hours >= 2 else f"{minutes} min" if minutes >= 2 else f"{left:.0f} s"
    return f"{joint}at least {said} left"
