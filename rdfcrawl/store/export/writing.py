"""A run or the current state goes in; files of RDF, CSV or Parquet come out."""

from __future__ import annotations

from pathlib import Path

from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.export.csv_tables import write_csv
from rdfcrawl.store.export.formats import TABLES, ExportFormat
from rdfcrawl.store.export.graphs import SERIALISED, export_graph, exported_lines, runs_exported
from rdfcrawl.store.export.parquet_tables import write_parquet
from rdfcrawl.store.export.qlever_folder import write_qlever
from rdfcrawl.store.export.tables import tables
from rdfcrawl.store.files.whole import written_whole
from rdfcrawl.store.query.prepare import known_prefixes
from rdfcrawl.store.runs.run_files import RunFiles


def write_export(
    runs: RunFiles, run: str, form: ExportFormat, output: Path, spreadsheet: bool = False
) -> dict[Path, int]:
    """Write a run, all runs or the current state; returns the tables that were written, with their rows.

    A graph is one file, CSV and Parquet are a folder with one file per class, QLever gets a folder as well.
    """
    if form in TABLES:
        return _write_tables(runs, run, form, output, spreadsheet)
    if form is ExportFormat.QLEVER:
        return write_qlever(runs, run, output)
    if form not in SERIALISED:
        raise UsageError(f"{form} is written by `rdfcrawl export` only")
    if not output.parent.is_dir():
        raise UsageError(f"the folder {output.parent} does not exist")
    if output.is_dir():
        raise UsageError(f"{output} is a folder; {form} is written to a file")
    prefixes = known_prefixes(runs_exported(runs, run))
    with exported_lines(runs, run) as lines, written_whole(output) as file:
        export_graph(lines(), file, form, prefixes)
    return {}


def _write_tables(runs: RunFiles, run: str, form: ExportFormat, output: Path, spreadsheet: bool) -> dict[Path, int]:
    if output.exists() and not output.is_dir():
        raise UsageError(f"{output} is a file; {form} writes one file per class, into a folder")
    models = [load_model(runs.model(record.id)) for record in runs_exported(runs, run)]
    with exported_lines(runs, run, with_links=False) as lines:
        made = tables(lines, models)
        return write_csv(made, output, spreadsheet) if form is ExportFormat.CSV else write_parquet(made, output)
