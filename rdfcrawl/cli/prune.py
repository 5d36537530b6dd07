"""``rdfcrawl runs prune``: remove the graphs and archives of old runs, and keep their changes."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from rdfcrawl.errors import UsageError
from rdfcrawl.store.folder import open_store
from rdfcrawl.versioning.pruning import Retention, archives_in_use, files_of, prunable
from rdfcrawl.versioning.pruning import prune as prune_runs


def prune(
    keep: Annotated[int, typer.Option(min=0, help="Keep this many of the latest runs.")] = 0,
    keep_daily: Annotated[int, typer.Option(min=0, help="Keep the latest run of this many days.")] = 0,
    keep_weekly: Annotated[int, typer.Option(min=0, help="Keep the latest run of this many weeks.")] = 0,
    keep_monthly: Annotated[int, typer.Option(min=0, help="Keep the latest run of this many months.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only name what would be removed.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    store: Annotated[str | None, typer.Option(help="Where the runs are.", show_default="rdfcrawl-data")] = None,
) -> None:
    """Remove the graphs and archives of old runs; their changes and the latest run of each section stay."""
    retention = Retention(keep, keep_daily, keep_weekly, keep_monthly)
    if not retention:
        raise UsageError("say what to keep: --keep, --keep-daily, --keep-weekly or --keep-monthly")
    opened = open_store(store, create=False)
    every = opened.runs.records()
    going = prunable(every, retention)
    in_use = archives_in_use(every, going)
    named = {record.id: list(files_of(opened, record.id, in_use)) for record in going}
    records = [record for record in going if named[record.id]]
    for record in records:
        size = sum(path.stat().st_size for path in named[record.id])
        names = ", ".join(path.name for path in named[record.id])
        typer.echo(f"{record.iri}  {record.started:%Y-%m-%d %H:%M}  {size:,} bytes: {names}")
    if not records:
        typer.echo("nothing to remove", err=True)
    elif not dry_run and _agreed(len(records), yes):
        prune_runs(opened, records)
        typer.echo(f"removed the graphs of {len(records)} runs", err=True)


def _agreed(count: int, yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError("nothing was removed: confirm with --yes, or look first with --dry-run")
    return typer.confirm(f"Remove the graphs and archives of these {count} runs?", err=True)
