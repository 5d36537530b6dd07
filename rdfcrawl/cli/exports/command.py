"""``rdfcrawl export``: writes runs and the current state to files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rdfcrawl.cli.console import counted, for_programs, say
from rdfcrawl.cli.exports.database import export_database
from rdfcrawl.cli.exports.names import export_names
from rdfcrawl.cli.exports.texts import export_texts
from rdfcrawl.errors import UsageError
from rdfcrawl.store.export.formats import OF_NAMES, TABLES, ExportFormat
from rdfcrawl.store.export.graphs import export_graph, exported_lines, runs_exported
from rdfcrawl.store.export.writing import write_export
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.query.prepare import known_prefixes


def export(
    run: Annotated[
        str, typer.Option(help="What to export: current, latest, previous, the number of a run, or all.")
    ] = "current",
    form: Annotated[
        ExportFormat,
        typer.Option(
            "--format",
            help="csv, parquet and sqlite write one table per class, texts what people read, names and qlever-text "
            "what was recognised.",
        ),
    ] = ExportFormat.NQ,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file to write; for csv, parquet, qlever and qlever-text, the folder."),
    ] = None,
    spreadsheet: Annotated[
        bool, typer.Option("--spreadsheet", help="Write CSV that Excel reads as UTF-8 and never runs as formulas.")
    ] = False,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Write the tables of sqlite into PostgreSQL: postgresql://user@host/database."
        ),
    ] = None,
    schema: Annotated[str, typer.Option(help="The schema of PostgreSQL, which is replaced as a whole.")] = "rdfcrawl",
    store: Annotated[str | None, typer.Option(help="The store: a folder or a SPARQL endpoint.")] = None,
) -> None:
    """Write the data to a file: the current state, or a run.

    A table has the columns iri and parent (the object or section that leads to it) and one column per property; the
    table edges has every edge. Values of a :multiple property are a list in Parquet and joined by " | " in CSV, whose
    types are in csv-metadata.json (CSV on the Web). In a database they have a table of their own, and a survey has the
    tables pages, links, images and hosts. texts has a JSON line for every page of a run, read from its archive. names
    has a line for each name with its pages and their tf.idf and bm25; qlever has the quads and a Qleverfile, of which
    QLever makes an index, qlever-text the words, records and triples of which it makes a text index.
    """
    opened = open_store(store, create=False)
    runs = opened.runs
    if form in OF_NAMES:
        export_names(opened, run, form, output)
        return
    if to is not None or form is ExportFormat.SQLITE:
        _check_folder(output)
        export_database(runs, run, output, to, schema)
    elif form is ExportFormat.TEXTS:
        _check_folder(output)
        export_texts(opened, run, output)
    elif output is not None:
        for path, count in write_export(runs, run, form, output, spreadsheet).items():
            say(f"{path}: {counted(count, 'row')}", to_err=True)
    elif form in TABLES:
        raise UsageError(f"{form} writes one file per class; name a folder for them with -o")
    elif form is ExportFormat.QLEVER:
        raise UsageError("qlever writes two files; name a folder for them with -o")
    else:
        prefixes = known_prefixes(runs_exported(runs, run))
        with exported_lines(runs, run) as lines, for_programs() as document:
            export_graph(lines(), document, form, prefixes)


def _check_folder(output: Path | None) -> None:
    if output is not None and not output.parent.is_dir():
        raise UsageError(f"the folder {output.parent} does not exist")
