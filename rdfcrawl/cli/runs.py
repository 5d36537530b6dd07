"""``rdfcrawl runs`` lists the runs of a store; ``rdfcrawl runs prune`` removes the graphs of old ones."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from typing import Annotated

import typer

from rdfcrawl.cli.console import hand_over, say
from rdfcrawl.cli.diff_text import MARKS
from rdfcrawl.cli.table import print_table
from rdfcrawl.errors import UsageError
from rdfcrawl.rdf import terms
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.pruning import Retention, archives_in_use, files_of, prunable
from rdfcrawl.versioning.pruning import prune as prune_runs


class RunsFormat(StrEnum):
    """The format of the list."""

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
    files = open_store(store, create=False).runs
    records = files.records()
    if output is RunsFormat.JSON:
        hand_over(json.dumps([json.loads(record.to_json()) for record in records], ensure_ascii=False, indent=1))
    elif not records:
        typer.echo("there are no runs yet", err=True)
    else:
        print_table(_COLUMNS, [_row(record, _changes(files, record.id)) for record in records], _NUMERIC)


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
    records = [record for record in going if named[record.id]]
    for record in records:
        size = sum(path.stat().st_size for path in named[record.id])
        names = ", ".join(path.name for path in named[record.id])
        say(f"{record.iri}  {record.started:%Y-%m-%d %H:%M}  {size:,} bytes: {names}")
    if not records:
        typer.echo("nothing to remove", err=True)
    elif not dry_run and _agreed(len(records), yes):
        prune_runs(opened, records)
        typer.echo(f"removed the graphs of {len(records)} runs", err=True)


def _agreed(count: int, yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError("nothing was removed: confirm with --yes, or preview with --dry-run")
    return typer.confirm(f"Remove the graphs and archives of these {count} runs?", err=True)


def _changes(files: RunFiles, run: int) -> str:
    """Counts the changes of a run: ``+added ~changed -removed``, and ``?unobserved`` if there are any."""
    try:
        lines = files.changes(run).read_bytes()
    except FileNotFoundError:
        return ""
    counts = {kind: lines.count(f" <{terms.METAMODEL}{kind}> ".encode()) for kind in ChangeKind}
    return " ".join(
        f"{MARKS[kind][0]}{count:,}" for kind, count in counts.items() if count or kind is not ChangeKind.UNOBSERVED
    )


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
