"""From a question about a store to an answer: which graphs are meant, where they are, which prefixes are known."""

from __future__ import annotations

from collections.abc import Mapping

from rdfcrawl.errors import UsageError
from rdfcrawl.store.folder import Store
from rdfcrawl.store.index import Index
from rdfcrawl.store.query.answer import DEFAULT_FORMATS, DEFAULT_LIMITS, QueryAnswer, QueryLimits, run_query
from rdfcrawl.store.query.prepare import Query, QueryForm, ResultFormat, graphs_asked, graphs_named, known_prefixes
from rdfcrawl.store.remote.server import RemoteStore
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.triples import Held


def ask(
    store: Store,
    text: str,
    run: str = "current",
    changes: bool = False,
    formats: Mapping[QueryForm, ResultFormat] = DEFAULT_FORMATS,
    limits: QueryLimits = DEFAULT_LIMITS,
    allow_service: bool = False,
) -> tuple[QueryAnswer, dict[str, str]]:
    """Answer a query over the current state, a run, all runs or the changes; returns the known prefixes as well."""
    records = store.runs.records()
    prefixes = known_prefixes(records)
    target = store.changes if changes else store.data
    if isinstance(target, RemoteStore):
        held = target.held_by_all()
        query = Query(text, _default(run, changes, records, held), graphs_named(held), prefixes, allow_service)
        return target.answer(query, formats, limits), prefixes
    if not isinstance(target, Index):
        raise UsageError(f"{target.location} cannot be asked")
    with store.read(target) as reader:
        default = _default(run, changes, records, reader.held)
        query = Query(text, default, graphs_named(reader.held), prefixes, allow_service)
        return run_query(reader.folder, query, formats, limits), prefixes


def _default(run: str, changes: bool, records: list[RunRecord], held: Held) -> tuple[str, ...]:
    # Changes are a log: all of them are asked unless one run is named.
    return graphs_asked("all" if changes and run == "current" else run, records, held)
