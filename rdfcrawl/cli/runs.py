"""``rdfcrawl runs``: the runs of a store."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer

from rdfcrawl.cli.table import print_table
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.record import RunRecord


class RunsFormat(StrEnum):
    """How the runs are written."""

    TABLE = "table"
    JSON = "json"


_COLUMNS = ("run", "started", "took", "state", "model", "sections", "pages", "objects", "triples", "problems")
_NUMERIC = (True, False, True, False, False, True, True, True, True, True)


def runs(
    output: Annotated[RunsFormat, typer.Option("--format", help="How the runs are written.")] = RunsFormat.TABLE,
    store: Annotated[str | None, typer.Option(help="The store: a folder or a SPARQL endpoint.")] = None,
) -> None:
    """List the runs, oldest first."""
    records = open_store(store, create=False).runs.records()
    if output is RunsFormat.JSON:
        typer.echo(json.dumps([json.loads(record.to_json()) for record in records], ensure_ascii=False, indent=1))
    elif not records:
        typer.echo("there are no runs yet", err=True)
    else:
        print_table(_COLUMNS, map(_row, records), _NUMERIC)


def _row(record: RunRecord) -> tuple[str, ...]:
    return (
        str(record.id),
        f"{record.started.astimezone():%Y-%m-%d %H:%M:%S}",
        _duration(record),
        record.state.value,
        record.model_source,
        str(len(record.sections)),
        f"{sum(record.pages.values()):,}",
        f"{sum(record.objects.values()):,}",
        f"{record.triples:,}",
        f"{sum(record.problems.values()):,}",
    )


def _duration(record: RunRecord) -> str:
    if record.ended is None:
        return ""
    seconds = (record.ended - record.started).total_seconds()
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}" if minutes else f"{seconds:.1f} s"
