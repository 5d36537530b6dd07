"""A store as notebooks and scripts use it: queries, differences, histories and exports as Python values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, overload

import pyoxigraph as ox
import rdflib

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import UsageError
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.export.formats import ExportFormat
from rdfcrawl.store.export.writing import write_export
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.query.answer import DEFAULT_LIMITS, QueryLimits
from rdfcrawl.store.query.asking import ask
from rdfcrawl.store.query.prepare import QueryForm
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.versioning.compare import compare_named
from rdfcrawl.versioning.history import HistoryEvent, history
from rdfcrawl.versioning.models import model_of
from rdfcrawl.versioning.observations import observations
from rdfcrawl.versioning.report import Filter, Report, make_report

if TYPE_CHECKING:
    import pandas as pd

Value = str | int | float | bool | Decimal | date | datetime | None
"""What a cell holds: IRIs and texts are strings, ``None`` is a variable that is not bound."""

_INTEGERS: Final = tuple(
    terms.XSD + name
    for name in (
        *("int", "integer", "long", "short", "byte", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger"),
        *("negativeInteger", "unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte"),
    )
)
_READ: Final[Mapping[str, Callable[[str], Value]]] = {
    **dict.fromkeys(_INTEGERS, int),
    terms.DECIMAL: Decimal,
    terms.DOUBLE: float,
    terms.XSD + "float": float,
    terms.BOOLEAN: lambda text: text in ("true", "1"),
    terms.DATE: date.fromisoformat,
    terms.DATE_TIME: datetime.fromisoformat,
}
_SHOWN_ROWS: Final = 50


@dataclass(frozen=True, slots=True)
class Rows(Sequence[tuple[Value, ...]]):
    """The rows of an answer, with the names of their columns in the order of the query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> tuple[Value, ...]: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[tuple[Value, ...], ...]: ...

    def __getitem__(self, place: int | slice) -> tuple[Value, ...] | tuple[tuple[Value, ...], ...]:
        return self.rows[place]

    def dicts(self) -> Iterator[dict[str, Value]]:
        """Each row by the names of its columns."""
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def frame(self) -> pd.DataFrame:
        """The rows as a DataFrame of pandas; decimals become floating-point numbers there, dates timestamps."""
        try:
            import pandas as pd
        except ImportError as error:
            raise UsageError("pandas is not installed: pip install 'rdfcrawl[notebook]'") from error
        columns: dict[str, list[Any]] = {name: [] for name in self.columns}
        for row in self.rows:
            for name, value in zip(self.columns, row, strict=True):
                columns[name].append(float(value) if isinstance(value, Decimal) else value)
        frame = pd.DataFrame(columns, columns=list(self.columns))
        for name, values in columns.items():
            if (given := [value for value in values if value is not None]) and all(isinstance(v, date) for v in given):
                frame[name] = pd.to_datetime(frame[name], errors="coerce", utc=_has_zones(given))
        return frame.convert_dtypes()

    def _repr_html_(self) -> str:
        """The table that a notebook shows; of many rows the first ones."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        shown = ((escape("" if cell is None else str(cell)) for cell in row) for row in self.rows[:_SHOWN_ROWS])
        body = "".join(f"<tr><td>{'</td><td>'.join(cells)}</td></tr>" for cells in shown)
        more = f"<p>{len(self) - _SHOWN_ROWS:,} more rows</p>" if len(self) > _SHOWN_ROWS else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


@dataclass(frozen=True, slots=True)
class Dataset:
    """An open store: what its runs have found, and what has changed between them."""

    store: Store

    def runs(self) -> list[RunRecord]:
        """The records of all runs, the oldest first."""
        return self.store.runs.records()

    def query(
        self, sparql: str, *, run: str = "current", changes: bool = False, limits: QueryLimits = DEFAULT_LIMITS
    ) -> Rows | bool | rdflib.Graph:
        """Ask the current state, a run, all runs or the changes; the prefixes of the models are predefined.

        SELECT returns rows, ASK a truth value, CONSTRUCT and DESCRIBE a graph.
        """
        answer, _ = ask(self.store, sparql, run, changes, limits=limits)
        with answer.content as content:
            if answer.form is QueryForm.GRAPH:
                return rdflib.Graph().parse(data=content.read(), format="turtle")
            results = ox.parse_query_results(content.read(), format=ox.QueryResultsFormat.JSON)
        if isinstance(results, ox.QueryBoolean):
            return bool(results)
        assert isinstance(results, ox.QuerySolutions)
        names = tuple(variable.value for variable in results.variables)
        return Rows(names, tuple(tuple(_value(solution[name]) for name in names) for solution in results))

    def frame(self, sparql: str, *, run: str = "current", changes: bool = False) -> pd.DataFrame:
        """Ask as ``query`` does; the rows of a SELECT as a DataFrame of pandas."""
        rows = self.query(sparql, run=run, changes=changes)
        if not isinstance(rows, Rows):
            raise UsageError("only a SELECT query returns rows that can be a DataFrame")
        return rows.frame()

    def diff(
        self,
        old: int | str | None = None,
        new: int | str = "latest",
        *,
        sections: Sequence[str] = (),
        classes: Sequence[str] = (),
        properties: Sequence[str] = (),
    ) -> Report:
        """What differs between two runs, or between a run and the previous run of each of its sections."""
        runs = self.store.runs
        comparison = compare_named(runs, None if old is None else str(old), str(new))
        models = (model_of(runs, run) for run in (comparison.new_run, *comparison.old_runs))
        prefixes = runs.read_record(comparison.new_run).model.prefixes
        wanted = Filter.of(prefixes, sections, classes, properties)
        return make_report(comparison, [model for model in models if model is not None], wanted)

    def history(self, name: str) -> list[HistoryEvent]:
        """What happened to an object in all runs; empty if no run has seen it."""
        return list(history(iri(name), observations(self.store.runs, name)))

    def export(self, output: str | Path, form: ExportFormat | str | None = None, *, run: str = "current") -> list[Path]:
        """Write a run or the current state to a file, or to a folder of tables; returns the files.

        Without a format, the ending of the file decides.
        """
        path = Path(output)
        name = str(form or path.suffix.removeprefix("."))
        if name not in tuple(ExportFormat):
            raise UsageError(f"{name or path.name!r} is no format; available formats: {', '.join(ExportFormat)}")
        return list(write_export(self.store.runs, run, ExportFormat(name), path)) or [path]


def open(location: str | Path | None = None, changes: str | None = None) -> Dataset:  # noqa: A001 - rdfcrawl.open
    """Open a store that exists, by default ``RDFCRAWL_STORE`` or ``rdfcrawl-data``."""
    return Dataset(open_store(location, changes, create=False))


def _value(term: object) -> Value:
    """A term as a Python value; what Python has no value for stays text."""
    if term is None:
        return None
    if not isinstance(term, ox.Literal):
        return term.value if isinstance(term, ox.NamedNode) else str(term)
    try:
        return _READ.get(term.datatype.value, str)(term.value)
    except (ValueError, ArithmeticError):
        return term.value


def _has_zones(values: Sequence[Any]) -> bool:
    return any(isinstance(value, datetime) and value.tzinfo is not None for value in values)
