"""``rdfcrawl try``: shows what a model extracts from one page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from rdfcrawl.cli.console import err, hand_over, how_read, out
from rdfcrawl.cli.crawl.options import AllowEnv
from rdfcrawl.cli.output.trial_text import other_problems, trial_json, trial_lines
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.inspect.trial import Picture, Trial, try_page
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.rdf.names import shorten
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import REPLAYED_RUN


class TryFormat(StrEnum):
    """The format of what was found."""

    TEXT = "text"
    JSON = "json"


def try_command(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A Turtle or N3 file, - for standard input, or a SPARQL endpoint.")
    ],
    address: Annotated[str, typer.Argument(metavar="URL", help="The address of the page.")],
    page: Annotated[
        str | None, typer.Option(help="The page of the model, such as page:list; by default, the one that fits best.")
    ] = None,
    engine: Annotated[Engine, typer.Option(help="How the page is read.")] = Engine.AUTO,
    replay: Annotated[
        str | None, typer.Option(help="Read from a WARC file, run:ID or a folder host/path, not from the network.")
    ] = None,
    screenshot: Annotated[
        Path | None,
        typer.Option(help="Save a picture of the page (PNG) with everything found framed and labelled."),
    ] = None,
    output: Annotated[TryFormat, typer.Option("--format", help="text for people, or json.")] = TryFormat.TEXT,
    allow_env: AllowEnv = None,
    store: Annotated[str | None, typer.Option(help="The store of the run that --replay run:ID names.")] = None,
) -> None:
    """Show what is extracted from one page, step by step; nothing is stored."""
    described = load_model(model)
    prefixes = dict(described.prefixes)
    trial = asyncio.run(
        try_page(
            described,
            address,
            page=page,
            engine=engine,
            replay=replay,
            store=open_store(store, create=False) if replay and replay.startswith(REPLAYED_RUN) else None,
            picture=Picture(screenshot, lambda iri: shorten(iri, prefixes)) if screenshot else None,
            allowed_variables=allow_env or (),
            notice=lambda text: err.print(text),
        )
    )
    if screenshot:
        err.print(f"Saved a picture of the page as {screenshot}.")
    if output is TryFormat.JSON:
        hand_over(json.dumps(trial_json(trial), ensure_ascii=False, indent=1))
    else:
        _print_trial(trial, prefixes)
    if trial.extraction.problems or trial.is_empty:
        raise typer.Exit(1)


def _print_trial(trial: Trial, prefixes: Mapping[str, str]) -> None:
    err.print(f"{trial.address} read {how_read(trial.engine)} as {shorten(trial.page.iri, prefixes)}")
    for line in trial_lines(trial, prefixes):
        out.print(line)
    for problem in other_problems(trial):
        what = f" {shorten(problem.property, prefixes)}" if problem.property else ""
        err.print(Text(problem.kind.value, style="yellow").append(f":{what} {problem.reason}", style="default"))
