"""The rows of a query over the current state as events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from rdfcrawl.alert.events.event import Event, EventKind, Fact
from rdfcrawl.rdf.names import shorten
from rdfcrawl.store.folder import Store
from rdfcrawl.store.query.answer import QueryLimits
from rdfcrawl.store.query.asking import ask
from rdfcrawl.store.query.prepare import QueryError

MOST_ROWS: Final = 100_000
_LIMITS: Final = QueryLimits(rows=MOST_ROWS)


def row_events(store: Store, query: str) -> list[Event]:
    """Every row that a query returns now, each once; raises ``QueryError``."""
    answer, prefixes = ask(store, query, limits=_LIMITS)
    with answer.content:
        if answer.cut:
            raise QueryError(f"it returns more than {MOST_ROWS:,} rows, so that new ones cannot be told from others")
        results = json.loads(answer.content.read())
    names = results["head"]["vars"]
    rows = (_row_event(names, row, prefixes) for row in results["results"]["bindings"])
    return list({key: event for event in rows for key, _ in event.parts}.values())


def _row_event(names: list[str], row: Mapping[str, Mapping[str, Any]], prefixes: Mapping[str, str]) -> Event:
    bound = [(name, row[name]) for name in names if name in row]
    addresses = [str(term["value"]) for _, term in bound if term["type"] == "uri"]
    facts = tuple(Fact(name, name, after=(str(term["value"]),)) for name, term in bound)
    # The address says what it is about; the other values say what there is about it.
    told = [_shown(term, prefixes) for _, term in bound if str(term["value"]) not in addresses[:1]]
    return Event(EventKind.ROW, next(iter(addresses), ""), ", ".join(told), facts=facts)


def _shown(term: Mapping[str, Any], prefixes: Mapping[str, str]) -> str:
    return shorten(str(term["value"]), prefixes) if term["type"] == "uri" else str(term["value"])
