"""``rdfcrawl accept``: what runs only suspect to be gone is really gone."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from rdfcrawl.alert.sending import SendOptions
from rdfcrawl.alert.telling import PATIENCE, sent_lines, tell
from rdfcrawl.cli.console import err, say
from rdfcrawl.store.folder import open_store
from rdfcrawl.versioning.recording import record_missing
from rdfcrawl.versioning.report import Filter
from rdfcrawl.versioning.suspicion.acceptance import accept as accept_suspicions
from rdfcrawl.versioning.suspicion.wording import missing


def accept(
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN",
            help="Only what this run already suspected: a number, run://…, latest or previous.",
            show_default=False,
        ),
    ] = None,
    item: Annotated[list[str] | None, typer.Option("--class", help="Only objects of this class (its item).")] = None,
    prop: Annotated[list[str] | None, typer.Option("--property", help="Only values of this property.")] = None,
    store: Annotated[str | None, typer.Option(help="The store: a folder or a SPARQL endpoint.")] = None,
    changes: Annotated[str | None, typer.Option(help="Where the changes are, if somewhere else.")] = None,
) -> None:
    """Accept that what the latest runs suspect is gone: it is removed from the current state."""
    opened = open_store(store, changes, create=False)
    runs = opened.runs
    record_missing(runs)
    records = runs.records()
    since = runs.resolve(run) if run else None
    prefixes = {prefix: name for record in records for prefix, name in record.model.prefixes.items()}
    wanted = Filter.of(prefixes, classes=item or (), properties=prop or ())
    accepted = accept_suspicions(runs, since, wanted.wants_suspicion)
    opened.refresh()
    sent = asyncio.run(tell(opened, SendOptions(seconds=PATIENCE), lambda text: err.print(f"Note: {text}")))
    for found in accepted:
        for suspicion in found.suspicions:
            say(f"removed in run {found.run}: {missing(suspicion, prefixes)}")
    for line in sent_lines(sent):
        err.print(f"Note: {line}")
    if not accepted:
        what = "of this kind " if wanted else ""
        which = f"nothing {what}that run {since.id} suspected" if since else f"nothing {what}that a run suspected"
        err.print(f"There is nothing to accept: {which} is still open.", markup=False)
