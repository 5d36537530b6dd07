"""Runs of redesigned sites, and what they leave behind."""

from __future__ import annotations

from pathlib import Path

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.rdf.ntriples import split
from rdfcrawl.store.folder import Store
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.state import state_after
from rdfcrawl.versioning.recording import record_changes

_CHANGE = "predicate://"


async def run_once(model: Path, store: Store, pages: Path) -> RunRecord:
    """Crawl a model into a store and record the changes."""
    options = RunOptions(replay=str(pages), record=False, engine=Engine.HTTP, source=model.name)
    report = await run_model(load_model(model), store, options)
    record_changes(store.runs, report.record.id)
    return store.runs.read_record(report.record.id)


def state_of_run(store: Store, record: RunRecord) -> set[str]:
    return {line.decode() for line in state_after(store.runs, record).triples()}


def changes_of_run(store: Store, record: RunRecord) -> set[tuple[str, str, str]]:
    """The changes of the site, without edits of the model: subject, what happened, object or property."""
    lines = store.runs.changes(record.id).read_text(encoding="utf-8").splitlines()
    split_lines = (split(line) for line in lines)
    return {
        (subject, predicate[1:-1].removeprefix(_CHANGE), what)
        for subject, predicate, what in split_lines
        if subject != "<model:>" and "#suspicion-" not in subject
    }
