"""``rdfcrawl runs`` lists the runs of a store; ``rdfcrawl runs prune`` removes the graphs of old ones."""

from __future__ import annotations

import asyncio
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Final

import typer

from rdfcrawl.alert.noting import note_events
from rdfcrawl.cli.console import counted, hand_over, say
from rdfcrawl.engine.frontier.sqlite.glance import PagesSoFar, pages_so_far
from rdfcrawl.errors import UsageError
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.versioning.counts import ChangeCounts, counted_changes
from rdfcrawl.versioning.pruning import Retention, archives_in_use, files_of, prunable
from rdfcrawl.versioning.pruning import prune as prune_runs


class RunsFormat(StrEnum):
    """The format of the list."""

    TABLE = "table"
    JSON = "json"


_WIDTH: Final = 80
_MODEL_ROOM: Final = _WIDTH - 52

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def runs(
    ctx: typer.Context,
    output: Annotated[RunsFormat, typer.Option("--format", help="The format of the list.")] = RunsFormat.TABLE,
    store: Annotated[str | None, typer.Option(help="The store: a folder or a SPARQL endpoint.")] = None,
) -> None:
    """List the runs, oldest first."""
    if ctx.invoked_subcommand:
        return
    opened = open_store(store, create=False)
    files = opened.runs
    records = files.records()
    if output is RunsFormat.JSON:
        hand_over(json.dumps([json.loads(record.to_json()) for record in records], ensure_ascii=False, indent=1))
    elif not records:
        typer.echo("there are no runs yet", err=True)
    else:
        changes = {record.id: counted_changes(files, record) for record in records}
        for line in run_lines(records, changes, pages_so_far(opened.queue)):
            say(line)


@app.command()
def prune(
    keep: Annotated[int, typer.Option(min=0, help="Keep this many of the latest runs.")] = 0,
    keep_daily: Annotated[int, typer.Option(min=0, help="Keep the latest run of this many days.")] = 0,
    keep_weekly: Annotated[int, typer.Option(min=0, help="Keep the latest run of this many weeks.")] = 0,
    keep_monthly: Annotated[int, typer.Option(min=0, help="Keep the latest run of this many months.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be removed.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    store: Annotated[str | None, typer.Option(help="Where the runs are.", show_default="rdfcrawl-data")] = None,
) -> None:
    """Remove the graphs and archives of old runs; keep their changes and the latest run of each section."""
    retention = Retention(keep, keep_daily, keep_weekly, keep_monthly)
    if not retention:
        raise UsageError("say which runs to keep: --keep, --keep-daily, --keep-weekly or --keep-monthly")
    opened = open_store(store, create=False)
    every = opened.runs.records()
    going = prunable(every, retention)
    in_use = archives_in_use(every, going)
    named = {record.id: list(files_of(opened, record.id, in_use)) for record in going}
    records = [record for record in going if named[record.id] or record.pruned is None]
    for record in records:
        size = sum(path.stat().st_size for path in named[record.id])
        names = ", ".join(path.name for path in named[record.id])
        say(f"{record.iri}  {record.started:%Y-%m-%d %H:%M}  {size:,} bytes: {names}")
    if not records:
        typer.echo("nothing to remove", err=True)
    elif not dry_run and _agreed(len(records), yes):
        # What has happened in a run that was killed could not be found out afterwards.
        asyncio.run(note_events(opened, lambda text: say(f"Note: {text}", to_err=True)))
        prune_runs(opened, records)
        typer.echo(
            f"removed the {'graph' if len(records) == 1 else 'graphs'} of {counted(len(records), 'run')}", err=True
        )


def _agreed(count: int, yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError("nothing was removed: confirm with --yes, or preview with --dry-run")
    return typer.confirm(f"Remove the graphs and archives of {counted(count, 'run')}?", err=True)


def run_lines(
    records: Sequence[RunRecord],
    changes: Mapping[int, ChangeCounts | None],
    under_way: Mapping[int, PagesSoFar] = MappingProxyType({}),
) -> Iterator[str]:
    """Two lines for each run: when it ran and how far it came; what it read, found and changed.

    Of a run that is ``under_way`` only the pages are known.
    """
    yield f"{'run':<10}  {'started':<16}  {'took':>8}  {'state':<10}  model"
    for record in records:
        source = record.model.source
        model = source if len(source) <= _MODEL_ROOM else f"…{source[1 - _MODEL_ROOM :]}"
        started = f"{record.started.astimezone():%Y-%m-%d %H:%M}"
        yield f"{record.id:<10}  {started}  {_duration(record):>8}  {record.standing:<10}  {model}".rstrip()
        if record.ended is None and (pages := under_way.get(record.id)) is not None:
            yield f"{' ' * 12}{counted(pages.read, 'page')} so far, {pages.queued:,} queued"
            continue
        counts = record.counts
        parts = [
            counted(sum(counts.pages.values()), "page"),
            counted(sum(counts.objects.values()), "object"),
            counted(counts.triples, "triple"),
            counted(sum(counts.problems.values()), "problem"),
        ]
        found = changes.get(record.id)
        text = ", ".join(parts) + (f"; {found}" if found is not None else "")
        yield from textwrap.wrap(text, _WIDTH, initial_indent=" " * 12, subsequent_indent=" " * 12)


def _duration(record: RunRecord) -> str:
    if record.ended is None:
        return ""
    minutes, rest = divmod(round(record.seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}" if minutes else f"{record.seconds:.1f} s"
    )
