"""``rdfcrawl diff``: what was added, changed, removed, suspected or not observed between two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated

import typer

from rdfcrawl.cli.console import err, hand_over, out
from rdfcrawl.cli.output.diff_text import report_lines
from rdfcrawl.errors import UsageError
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.names import shorten
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.versioning.compare import Comparison, compare_named, observed_state
from rdfcrawl.versioning.diff import diff as diff_states
from rdfcrawl.versioning.formats import to_json, to_patch, to_turtle
from rdfcrawl.versioning.models import model_of
from rdfcrawl.versioning.recording import uncompared_notes
from rdfcrawl.versioning.report import Filter, make_report
from rdfcrawl.versioning.suspicion.wording import in_words


class DiffFormat(StrEnum):
    """The format of the changes."""

    TEXT = "text"
    TTL = "ttl"
    JSON = "json"
    PATCH = "patch"


def diff(
    old: Annotated[
        str | None,
        typer.Argument(
            metavar="OLD",
            help="The run to compare with; by default, the previous run of each section.",
            show_default=False,
        ),
    ] = None,
    new: Annotated[
        str, typer.Argument(metavar="NEW", help="The run to compare: a number, run://…, latest or previous.")
    ] = "latest",
    output: Annotated[
        DiffFormat, typer.Option("--format", help="text for people, ttl, json, or patch (RDF Patch).")
    ] = DiffFormat.TEXT,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 when there are differences.")] = False,
    section: Annotated[list[str] | None, typer.Option(help="Only changes in this section.")] = None,
    item: Annotated[list[str] | None, typer.Option("--class", help="Only objects of this class (its item).")] = None,
    prop: Annotated[list[str] | None, typer.Option("--property", help="Only changes of this property.")] = None,
    store: Annotated[str | None, typer.Option(help="Where the runs are.", show_default="rdfcrawl-data")] = None,
) -> None:
    """Show what was added, changed, removed, suspected or not observed between two runs."""
    runs = open_store(store, create=False).runs
    comparison = compare_named(runs, old, new)
    for note in uncompared_notes(comparison):
        err.print(f"Note: {note}")
    prefixes = runs.read_record(comparison.new_run).model.prefixes
    wanted = Filter.of(prefixes, section or (), item or (), prop or ())
    _check_filter(wanted, [runs.read_record(run) for run in (comparison.new_run, *comparison.old_runs)], prefixes)
    if output is DiffFormat.PATCH:
        differs = _write_patch(runs, comparison, wanted)
    else:
        models = (model_of(runs, run) for run in (comparison.new_run, *comparison.old_runs))
        report = make_report(comparison, [model for model in models if model is not None], wanted)
        differs = report.differs
        if output is DiffFormat.TEXT:
            for line in report_lines(report, prefixes):
                out.print(line)
        else:
            hand_over(to_turtle(report) if output is DiffFormat.TTL else to_json(report), nl=output is DiffFormat.JSON)
    if exit_code and differs:
        raise typer.Exit(1)


def _check_filter(wanted: Filter, records: Sequence[RunRecord], prefixes: Mapping[str, str]) -> None:
    """Refuse names that neither of the models has: what they leave would look as if nothing had changed."""
    written = [record.model.predicates for record in records]
    known = (
        ("section", wanted.sections, {address for record in records for address in record.addresses}),
        ("class", wanted.classes, {name for predicates in written for name in predicates.items}),
        ("property", wanted.properties, {name for predicates in written for name in predicates.properties}),
    )
    for word, asked, names in known:
        for name in sorted(one[1:-1] for one in asked):
            if name not in names and name != terms.RDF_TYPE:
                there = ", ".join(shorten(one, prefixes) for one in sorted(names)) or "none"
                raise UsageError(f"there is no {word} {shorten(name, prefixes)} in these runs; there is {there}")


def _write_patch(runs: RunFiles, comparison: Comparison, wanted: Filter) -> bool:
    if wanted:
        raise UsageError("a patch turns one whole graph into another and cannot be filtered")
    if len(comparison.old_runs) > 1:
        names = " and ".join(str(run) for run in comparison.old_runs)
        raise UsageError(f"the sections of run {comparison.new_run} were last in runs {names}: name one of them as OLD")
    before = observed_state(runs, comparison.old_runs[0])() if comparison.old_runs else iter(())
    differences = diff_states(before, observed_state(runs, comparison.new_run)())
    differs = False
    suspected = [in_words(suspicion, {}) for suspicion in comparison.suspicions]
    for line in to_patch(differences, suspected):
        differs = differs or line.startswith(("A ", "D "))
        hand_over(line)
    return differs
