"""The options of every command that crawls, declared once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.limits import SETTABLE, RunLimits
from rdfcrawl.engine.run.options import RunOptions
from rdfcrawl.errors import UsageError

AllowEnv = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        help="Let the model have this environment variable, besides those that begin with RDFCRAWL_SECRET_.",
    ),
]
"""The option of commands that send what a model's :header and :cookie name."""


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """How a crawl is done, where its result goes, and how much is said about it."""

    run: RunOptions = field(default_factory=RunOptions)
    store: str | None = None
    changes: str | None = None
    quiet: bool = False
    verbose: bool = False
    report: Path | None = None
    log: Path | None = None


def crawl_options(
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
    ignore_robots: Annotated[
        bool, typer.Option("--ignore-robots", help="Ignore robots.txt, and nofollow in surveys: for your own site.")
    ] = False,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Follow links into private networks that no section is in.")
    ] = False,
    insecure: Annotated[bool, typer.Option("--insecure", help="Do not verify certificates.")] = False,
    queue: Annotated[
        str | None,
        typer.Option(
            envvar="RDFCRAWL_QUEUE",
            metavar="ADDRESS",
            help="Crawl with workers on other machines, through a queue in PostgreSQL: postgresql:///?service=crawl.",
        ),
    ] = None,
    no_crawl: Annotated[
        bool, typer.Option("--no-crawl", help="With --queue: lead the run, and leave the reading to workers.")
    ] = False,
    store: Annotated[str | None, typer.Option(help="The store; by default RDFCRAWL_STORE, else rdfcrawl-data.")] = None,
    changes: Annotated[str | None, typer.Option(help="Store the changes somewhere else.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print every page and problem.")] = False,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the report as JSON, too.")] = None,
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Append every page, problem and note to a file, with the time.")
    ] = None,
) -> CrawlOptions:
    """The options of a crawl, as the command line has them; raises ``UsageError`` where they make no sense."""
    if {"?", "help"} & set(maximum or ()):
        _print_limits()
        raise typer.Exit
    if quiet and verbose:
        raise UsageError("--quiet and --verbose contradict each other")
    if no_crawl and queue is None:
        raise UsageError("--no-crawl leaves the reading to the workers of a queue; name it with --queue")
    if report is not None and not report.parent.is_dir():
        raise UsageError(f"--report {report}: the folder {report.parent} does not exist")
    if log is not None and not log.parent.is_dir():
        raise UsageError(f"--log {log}: the folder {log.parent} does not exist")
    options = RunOptions(
        engine=engine,
        replay=replay,
        record=not no_record,
        fresh=fresh,
        concurrency=concurrency,
        limits=_limits(maximum or (), limit, time),
        window=window,
        contact=contact,
        ignore_robots=ignore_robots,
        allow_private=allow_private,
        insecure=insecure,
        queue=queue,
        reads=not no_crawl,
    )
    return CrawlOptions(options, store, changes, quiet, verbose, report, log)


def takes_run_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that has a parameter ``options`` all options of a crawl in its place."""
    shared = inspect.signature(crawl_options).parameters
    own = inspect.signature(command).parameters

    @wraps(command)
    def with_options(**given: Any) -> None:
        options = crawl_options(**{name: given.pop(name) for name in shared})
        command(given.pop(next(iter(own))), options=options, **given)

    merged: list[inspect.Parameter] = []
    for name, parameter in own.items():
        merged += shared.values() if name == "options" else [parameter]
    hints = get_type_hints(crawl_options, include_extras=True) | get_type_hints(command, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    with_options.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [one.replace(kind=keyword, annotation=hints[one.name]) for one in merged]
    )
    with_options.__annotations__ = {one.name: hints[one.name] for one in merged}
    # What it wraps has other parameters.
    del with_options.__wrapped__
    return with_options


def _limits(maximum: Sequence[str], pages: int | None, hours: float | None) -> RunLimits:
    limits = RunLimits().with_settings(maximum)
    return replace(limits, pages=pages or limits.pages, seconds=None if hours is None else hours * 3600)


def _print_limits() -> None:
    from rdfcrawl.cli.output.table import print_table

    limits = RunLimits()
    defaults = {name: getattr(limits, name) for name in SETTABLE}
    rows = [(name.replace("_", "-"), "" if value is None else f"{value:,}") for name, value in defaults.items()]
    print_table(("limit", "default"), rows, (False, True))
