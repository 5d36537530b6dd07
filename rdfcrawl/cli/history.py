"""``rdfcrawl history``: follows one object through all runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated

import typer
from rich.text import Text

from rdfcrawl.cli.console import hand_over, out
from rdfcrawl.cli.output.diff_text import MARKS, values_text
from rdfcrawl.errors import UsageError
from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.folder import open_store
from rdfcrawl.versioning.formats import property_json
from rdfcrawl.versioning.history import HistoryEvent, HistoryEventKind
from rdfcrawl.versioning.history import history as events_of
from rdfcrawl.versioning.observations import observations

_COLOURS = {
    HistoryEventKind.FIRST_SEEN: "green",
    HistoryEventKind.RETURNED: "green",
    HistoryEventKind.BACK: "cyan",
    HistoryEventKind.UNOBSERVED: "cyan",
    HistoryEventKind.SUSPECTED: "magenta",
    HistoryEventKind.CHANGED: "yellow",
    HistoryEventKind.REMOVED: "red",
}


class HistoryFormat(StrEnum):
    """The format of the events."""

    TEXT = "text"
    JSON = "json"


def history(
    address: Annotated[str, typer.Argument(metavar="IRI", help="The object.")],
    output: Annotated[HistoryFormat, typer.Option("--format", help="text for people, or json.")] = HistoryFormat.TEXT,
    store: Annotated[str | None, typer.Option(help="Where the runs are.", show_default="rdfcrawl-data")] = None,
) -> None:
    """Show an object through all runs: when it was first seen, changed, not observed, suspected or removed."""
    runs = open_store(store, create=False).runs
    name = address.removeprefix("<").removesuffix(">")
    events = list(events_of(iri(name), observations(runs, name)))
    if not events:
        raise UsageError(f"no run has seen {name}")
    if output is HistoryFormat.JSON:
        hand_over(json.dumps([_event_json(event) for event in events], ensure_ascii=False, indent=1))
    else:
        _write_text(events, runs.records()[-1].model.prefixes)


def _write_text(events: Sequence[HistoryEvent], prefixes: Mapping[str, str]) -> None:
    for event in events:
        line = Text(f"{event.started:%Y-%m-%d %H:%M}  {run_iri(event.run)}  ", "dim")
        line.append(event.kind, _COLOURS[event.kind])
        out.print(line)
        for change in event.changes:
            mark, colour = MARKS[change.kind]
            out.print(Text(f"    {mark} ", colour) + values_text(change, prefixes))
        for change in event.edits:
            out.print(Text("    model ", "dim") + values_text(change, prefixes))


def _event_json(event: HistoryEvent) -> dict[str, object]:
    return {
        "event": str(event.kind),
        "run": run_iri(event.run),
        "started": event.started.isoformat(),
        "changes": [property_json(change) for change in event.changes],
        "model": [property_json(change) for change in event.edits],
    }
