"""``rdfcrawl export --format sqlite`` and ``--to postgresql://…``: the tables of a database."""

from __future__ import annotations

from pathlib import Path

from rdfcrawl.cli.console import counted, say
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.export.graphs import exported_lines, runs_exported
from rdfcrawl.store.export.postgres import write_postgres
from rdfcrawl.store.export.relations import class_relations
from rdfcrawl.store.export.sqlite_file import write_sqlite
from rdfcrawl.store.export.tables import tables
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.survey.reading import has_survey
from rdfcrawl.survey.relations import SURVEYED, survey_relations


def export_database(runs: RunFiles, run: str, output: Path | None, to: str | None, schema: str) -> None:
    """Write a database: into a file, or into a schema of PostgreSQL."""
    _check(run, output, to)
    records = runs_exported(runs, run)
    models = [load_model(runs.model(record.id)) for record in records]
    surveys = [record for record in records if has_survey(record)]
    with exported_lines(runs, run, with_links=False) as lines:
        made = tables(lines, models)
        if surveys:
            whole = survey_relations(lines, runs, surveys)
            names = [relation.name for relation in whole.relations]
            whole = whole.joined(class_relations(made, without={SURVEYED}, taken=names))
        else:
            whole = class_relations(made)
        if to is not None:
            written = write_postgres(whole, to, schema)
        else:
            assert output is not None
            written = write_sqlite(whole, output)
    for name, count in written.items():
        say(f"{name}: {counted(count, 'row')}", to_err=True)


def _check(run: str, output: Path | None, to: str | None) -> None:
    if run == "all":
        raise UsageError("a database has the tables of one state; name a run with --run, or leave it out")
    if to is not None and not to.startswith(("postgresql://", "postgres://")):
        raise UsageError("--to is the address of a PostgreSQL database, like postgresql://user@host/database")
    if to is not None and output is not None:
        raise UsageError("--to writes into PostgreSQL and -o into a file; only one of them can be meant")
    if to is None and output is None:
        raise UsageError("sqlite is written to a file; name it with -o")
    if output is not None and output.is_dir():
        raise UsageError(f"-o {output} is a folder; sqlite is written to a file")
