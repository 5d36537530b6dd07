"""``rdfcrawl runs``: the runs of a store."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from rdfcrawl.cli.prune import prune
from rdfcrawl.cli.table import print_table
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.record import RunRecord
from rdfcrawl.store.runs import RunFiles


class RunsFormat(StrEnum):
    """How the runs are written."""

    TABLE = "table"
    JSON = "json"


_COLUMNS = (
    "run",
    "started",
    "took",
    "state",
    "model",
    "sections",
    "pages",
    "objects",
    "triples",
    "changes",
    "problems",
)
_NUMERIC = (True, False, True, False, False, True, True, True, True, True, True)
_SIGNS = {"+": "added", "~": "changed", "-": "removed", "?": "unobserved"}


app = typer.Typer(add_completion=False, rich_markup_mode=None)
app.command()(prune)


@app.callback(invoke_without_command=True)
def runs(
    ctx: typer.Context,
    output: Annotated[RunsFormat, typer.Option("--format", help="How the runs are written.")] = RunsFormat.TABLE,
    store: Annotated[str | None, typer.Option(help="The store: a folder or a SPARQL endpoint.")] = None,
) -> None:
    """List the runs, oldest first."""
    if ctx.invoked_subcommand:
        return
    files = open_store(store, create=False).runs
    records = files.records()
    if output is RunsFormat.JSON:
        typer.echo(json.dumps([json.loads(record.to_json()) for record in records], ensure_ascii=False, indent=1))
    elif not records:
        typer.echo("there are no runs yet", err=True)
    else:
        print_table(_COLUMNS, [_row(record, _changes(files, record.id)) for record in records], _NUMERIC)


def _changes(files: RunFiles, run: int) -> str:
    """The changes that a run has brought, counted: ``+added ~changed -removed``, and ``?unobserved`` if there are."""
    try:
        lines = files.changes(run).read_bytes()
    except FileNotFoundError:
        return ""
    counts = {sign: lines.count(f" <predicate://{name}> ".encode()) for sign, name in _SIGNS.items()}
    return " ".join(f"{sign}{count:,}" for sign, count in counts.items() if count or sign != "?")


def _row(record: RunRecord, changes: str) -> tuple[str, ...]:
    return (
        str(record.id),
        f"{record.started.astimezone():%Y-%m-%d %H:%M:%S}",
        _duration(record),
        record.state.value,
        record.model.source,
        str(len(record.sections)),
        f"{sum(record.counts.pages.values()):,}",
        f"{sum(record.counts.objects.values()):,}",
        f"{record.counts.triples:,}",
        changes,
        f"{sum(record.counts.problems.values()):,}",
    )


def _duration(record: RunRecord) -> str:
    if record.ended is None:
        return ""
    seconds = (record.ended - record.started).total_seconds()
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}" if minutes else f"{seconds:.1f} s"
