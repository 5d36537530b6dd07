"""The options of every command that crawls, declared once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.run.options import RunOptions


def run_options(
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
    ignore_robots: Annotated[
        bool, typer.Option("--ignore-robots", help="Ignore robots.txt, and nofollow in surveys: for your own site.")
    ] = False,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Follow links into private networks that no section is in.")
    ] = False,
    insecure: Annotated[bool, typer.Option("--insecure", help="Do not verify certificates.")] = False,
) -> RunOptions:
    """The options of a run, as the command line has them."""
    limits = RunLimits().with_settings(maximum or ())
    return RunOptions(
        engine=engine,
        replay=replay,
        record=not no_record,
        fresh=fresh,
        concurrency=concurrency,
        limits=replace(limits, pages=limit or limits.pages, seconds=None if time is None else time * 3600),
        window=window,
        contact=contact,
        ignore_robots=ignore_robots,
        allow_private=allow_private,
        insecure=insecure,
    )


StoreOption = Annotated[str | None, typer.Option(help="The store; by default RDFCRAWL_STORE, else rdfcrawl-data.")]
ChangesOption = Annotated[str | None, typer.Option(help="Store the changes somewhere else.")]


def takes_run_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that has a parameter ``options`` all options of a run in its place."""
    shared = inspect.signature(run_options).parameters
    own = inspect.signature(command).parameters

    @wraps(command)
    def with_options(**given: Any) -> None:
        options = run_options(**{name: given.pop(name) for name in shared})
        command(options=options, **given)

    merged: list[inspect.Parameter] = []
    for name, parameter in own.items():
        merged += shared.values() if name == "options" else [parameter]
    hints = get_type_hints(run_options, include_extras=True) | get_type_hints(command, include_extras=True)
    keyword = inspect.Parameter.KEYWORD_ONLY
    with_options.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [one.replace(kind=keyword, annotation=hints[one.name]) for one in merged]
    )
    with_options.__annotations__ = {one.name: hints[one.name] for one in merged}
    # What it wraps has other parameters.
    del with_options.__wrapped__
    return with_options
