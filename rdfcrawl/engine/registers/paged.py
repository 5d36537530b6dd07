"""A long answer of a SPARQL endpoint, asked for in pages, and kept beside the result until that is complete."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import StoreError, UsageError
from rdfcrawl.rdf.endpoint import ServerAccess, checked_address, credentials_for
from rdfcrawl.rdf.servers import is_address
from rdfcrawl.rdf.sparql import SparqlEndpoint

VARIABLES = "RDFCRAWL_NAMES"
"""The environment variables with the credentials of the endpoint begin so."""
_RESULTS = "application/sparql-results+json"

Notice = Callable[[str], None]
Rows = list[list[str]]


@dataclass(frozen=True, slots=True)
class PagedQuery:
    """A query without ``LIMIT`` and ``OFFSET``, its variables, and how it is asked."""

    endpoint: str
    text: str
    variables: tuple[str, ...]
    limit: int
    page_size: int

    def page(self, offset: int) -> str:
        """The query for the rows from an offset on."""
        return f"{self.text}\nLIMIT {min(self.page_size, self.limit - offset)} OFFSET {offset}"


def answers(query: PagedQuery, kept: Path, notice: Notice) -> Iterator[list[str]]:
    """Every row of the answer; pages that an earlier, interrupted call has brought are not asked for again."""
    if not is_address(query.endpoint):
        raise UsageError(f"{query.endpoint} is not the address of a SPARQL endpoint: it begins with https://")
    address = checked_address(query.endpoint, VARIABLES)
    pages = _kept_pages(kept, query)
    offset = 0
    for rows in pages:
        offset += len(rows)
        yield from rows
    if pages:
        notice(f"{offset:,} rows were there already, from {kept}")
        if len(pages[-1]) < query.page_size:
            return
    endpoint = SparqlEndpoint(address, ServerAccess(credentials_for(address, VARIABLES), VARIABLES))
    while offset < query.limit:
        rows = _rows(endpoint.ask(query.page(offset), _RESULTS).body, query)
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(rows, ensure_ascii=False) + "\n")
        offset += len(rows)
        notice(f"{offset:,} rows from {address}")
        yield from rows
        if len(rows) < query.page_size:
            return


def _kept_pages(kept: Path, query: PagedQuery) -> list[Rows]:
    """The pages that are on the disk; a last line that was cut off is removed, another query begins anew."""
    said = json.dumps(asdict(query), sort_keys=True)
    lines = kept.read_text(encoding="utf-8").split("\n") if kept.exists() else []
    if not lines or lines[0] != said:
        kept.write_text(f"{said}\n", encoding="utf-8")
        return []
    whole = lines[1:-1]
    kept.write_text("".join(f"{line}\n" for line in (said, *whole)), encoding="utf-8")
    return [json.loads(line) for line in whole]


def _rows(body: bytes, query: PagedQuery) -> Rows:
    try:
        results = ox.parse_query_results(body, format=ox.QueryResultsFormat.JSON)
    except (SyntaxError, ValueError) as error:
        raise StoreError(f"{query.endpoint} does not answer as SPARQL endpoints do: {error}") from None
    if not isinstance(results, ox.QuerySolutions):
        raise StoreError(f"{query.endpoint} does not answer with rows")
    return [[getattr(solution[name], "value", "") for name in query.variables] for solution in results]
