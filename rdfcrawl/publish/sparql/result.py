"""An answer as a page shows it: a table, pictures of it, a graph, or yes and no; and where it can be had as a file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.charts.of_rows import Picture, pictures_of
from rdfcrawl.publish.data.objects import Term
from rdfcrawl.publish.web.negotiation import (
    JSON_LD,
    N_TRIPLES,
    RESULTS_CSV,
    RESULTS_JSON,
    RESULTS_TSV,
    RESULTS_XML,
    TURTLE,
    Format,
)
from rdfcrawl.publish.web.presentation import IN_TABLE, Showing, Shown, shortened
from rdfcrawl.store.query.answer import QueryAnswer
from rdfcrawl.store.query.prepare import QueryForm

ROWS_SHOWN: Final = 500
CELLS_SHOWN: Final = 20_000
BYTES_SHOWN: Final = 16 << 20
TEXT_SHOWN: Final = 50_000
_COLUMNS_OF_A_PICTURE: Final = 3

FILES: Final = {
    QueryForm.SOLUTIONS: (RESULTS_CSV, RESULTS_JSON, RESULTS_TSV, RESULTS_XML),
    QueryForm.BOOLEAN: (RESULTS_JSON, RESULTS_XML),
    QueryForm.GRAPH: (TURTLE, JSON_LD, N_TRIPLES),
}
"""The formats in which an answer is offered as a file."""


@dataclass(frozen=True, slots=True)
class ShownResult:
    """What a query has given; ``cut`` says that there is more than is shown here.

    ``numbers`` are the columns that have only numbers, which tables align to the right.
    """

    files: Sequence[Format]
    variables: Sequence[str] | None = None
    rows: Sequence[Sequence[Shown | None]] = ()
    pictures: Sequence[Picture] = ()
    truth: bool | None = None
    graph: str | None = None
    cut: bool = False
    numbers: frozenset[int] = frozenset()

    @property
    def opens_picture(self) -> bool:
        """Whether the first picture is what was probably asked for: the answer has little else."""
        return self.variables is not None and len(self.variables) <= _COLUMNS_OF_A_PICTURE


def result_of(showing: Showing, answer: QueryAnswer) -> ShownResult:
    """Read an answer in JSON or Turtle."""
    files = FILES[answer.form]
    if answer.form is QueryForm.GRAPH:
        text = answer.content.read().decode()
        return ShownResult(files, graph=shortened(text, TEXT_SHOWN), cut=answer.cut or len(text) > TEXT_SHOWN)
    results = ox.parse_query_results(answer.content.read(), format=ox.QueryResultsFormat.JSON)
    if isinstance(results, ox.QueryBoolean):
        return ShownResult(files, truth=bool(results))
    assert isinstance(results, ox.QuerySolutions)
    variables = [variable.value for variable in results.variables[:CELLS_SHOWN]]
    rows = [[_term(row[name]) for name in variables] for row in islice(results, CELLS_SHOWN // max(1, len(variables)))]
    shown = [[None if term is None else showing.term(term, IN_TABLE * 2) for term in row] for row in rows]
    cut = answer.cut or len(variables) < len(results.variables) or next(results, None) is not None
    numbers = frozenset(place for place in range(len(variables)) if _is_of_numbers([row[place] for row in shown]))
    return ShownResult(files, variables, shown, pictures_of(variables, rows, shown), cut=cut, numbers=numbers)


def _is_of_numbers(column: Sequence[Shown | None]) -> bool:
    values = [one for one in column if one is not None]
    return bool(values) and all(one.is_number for one in values)


def _term(value: object) -> Term | None:
    if isinstance(value, ox.Triple):
        return ox.Literal(f"<<( {value} )>>")
    if isinstance(value, ox.BlankNode):
        return ox.Literal(value.value)
    return value if isinstance(value, Term) else None
