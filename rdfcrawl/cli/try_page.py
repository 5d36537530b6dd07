"""``rdfcrawl try``: shows what a model extracts from one page."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rdfcrawl.cli.console import err, how_read, out
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.inspect.trial import Picture, Trial, TriedValue, try_page
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.rdf.names import shorten
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import REPLAYED_RUN


def try_command(
    model: Annotated[str, typer.Argument(help="A Turtle or N3 file, - for standard input, or a SPARQL endpoint.")],
    address: Annotated[str, typer.Argument(metavar="URL", help="The address of the page.")],
    page: Annotated[str | None, typer.Option(help="The page of the model; by default, the one that fits best.")] = None,
    engine: Annotated[Engine, typer.Option(help="How the page is read.")] = Engine.AUTO,
    replay: Annotated[
        str | None, typer.Option(help="Read from a WARC file, run:ID or a folder host/path, not from the network.")
    ] = None,
    screenshot: Annotated[
        Path | None,
        typer.Option(help="Save a picture of the page (PNG) with everything found framed and labelled."),
    ] = None,
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
            notice=lambda text: err.print(text),
        )
    )
    if screenshot:
        err.print(f"Saved a picture of the page as {screenshot}.")
    _print_trial(trial, prefixes)
    if trial.extraction.problems:
        raise typer.Exit(1)


def _print_trial(trial: Trial, prefixes: dict[str, str]) -> None:
    err.print(f"{trial.address} read {how_read(trial.engine)} as {shorten(trial.page.iri, prefixes)}")
    if trial.values:
        console = out if out.is_terminal else Console(file=sys.stdout, width=200, soft_wrap=True)
        console.print(_table(trial, prefixes))
    _print_reasons(trial)
    follows = trial.extraction.follows
    if follows:
        out.print(f"\n{len(follows)} links to follow:")
    for follow in follows[:10]:
        out.print(f"  {shorten(follow.page, prefixes)}  {follow.address}")
    if len(follows) > 10:
        out.print(f"  … and {len(follows) - 10} more")
    if trial.extraction.next_address:
        out.print(f"\nThe list continues at {trial.extraction.next_address}")
    for problem in trial.extraction.problems:
        what = f" {shorten(problem.property, prefixes)}" if problem.property else ""
        err.print(Text(problem.kind.value, style="yellow").append(f":{what} {problem.reason}", style="default"))


def _print_reasons(trial: Trial) -> None:
    """Say why a recogniser takes each value for what it looks for."""
    for value in trial.values:
        if value.reasons and value.steps is not None:
            out.print(Text(f"\n{value.steps.raw}", style="bold").append(f" at {value.place}", style="dim"))
            for reason in value.reasons:
                out.print(Text(f"  {reason}"))


def _table(trial: Trial, prefixes: dict[str, str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_lines=False)
    for column in ("object", "property", "raw text", "after :pattern", "after :replace", "term"):
        table.add_column(column, overflow="fold")
    last = ""
    for value in trial.values:
        subject = "" if value.subject == last else shorten(value.subject, prefixes)
        last = value.subject
        table.add_row(Text(subject), Text(shorten(value.property.iri, prefixes)), *_cells(value))
    return table


def _cells(value: TriedValue) -> list[Text]:
    steps = value.steps
    if steps is None:
        missing = (
            Text("missing (optional)", style="dim") if value.property.optional else Text("missing", style="bold red")
        )
        return [missing, Text(""), Text(""), Text("")]
    return [Text(steps.raw), Text(steps.after_pattern or ""), Text(" → ".join(steps.after_replacements)), _term(value)]


def _term(value: TriedValue) -> Text:
    """What was made of a text in the end, or why there is nothing."""
    steps = value.steps
    assert steps is not None
    if steps.term:
        return Text(steps.term, style="green")
    if steps.is_empty:
        return Text(f"no value: {steps.reason}", style="dim" if value.property.optional else "bold red")
    return Text(steps.reason or "", style="bold red")
