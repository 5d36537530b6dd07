"""Tables as CSV and Parquet files, one file for each table."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel import terms
from rdfcrawl.store.files import write_whole, written_whole
from rdfcrawl.store.tables import Column, Table, Value

if TYPE_CHECKING:
    import pyarrow as pa

LIST_SEPARATOR = " | "
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_TEXTS = (terms.STRING, terms.ANY_URI)
_DECIMAL_DIGITS = 38
_DURATION = re.compile(r"(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")


def write_csv(tables: Iterable[Table], folder: Path, spreadsheet: bool = False) -> list[Path]:
    """Write each table as CSV in UTF-8; gives the files.

    For a spreadsheet the files begin with a byte order mark, without which Excel misreads them, and a text that would
    be run as a formula gets an apostrophe in front.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for table in tables:
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow([column.name for column in table.columns])
        guarded = [spreadsheet and column.datatype in _TEXTS for column in table.columns]
        for row in table.rows:
            writer.writerow([_cell(value, guard) for value, guard in zip(row, guarded, strict=True)])
        path = folder / f"{table.name}.csv"
        write_whole(path, text.getvalue().encode("utf-8-sig" if spreadsheet else "utf-8"))
        written.append(path)
    return written


def write_parquet(tables: Iterable[Table], folder: Path) -> list[Path]:
    """Write each table as Parquet, with typed columns; gives the files."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError('Parquet needs pyarrow: pip install "rdfcrawl[parquet]"') from None
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for table in tables:
        arrays: dict[str, pa.Array] = {}
        for column in table.columns:
            arrays[column.name] = _array(column)
            if column.datatype == terms.DURATION:
                arrays[f"{column.name}_seconds"] = _seconds_array(column)
        path = folder / f"{table.name}.parquet"
        with written_whole(path) as file:
            pq.write_table(pa.table(arrays), file)
        written.append(path)
    return written


def _cell(value: Value, guard: bool) -> str:
    text = LIST_SEPARATOR.join(value) if isinstance(value, list) else value or ""
    return f"'{text}" if guard and text.startswith(_FORMULA_STARTS) else text


def _array(column: Column) -> pa.Array:
    """The column in the type that its datatype has in Arrow; as text if a value does not fit that."""
    import pyarrow as pa

    texts = [text for value in column.values for text in (value if isinstance(value, list) else [value]) if text]
    try:
        kind, read = _kind(column.datatype, texts)
        return pa.array(_mapped(column.values, read), pa.list_(kind) if column.multiple else kind)
    except (ValueError, InvalidOperation, OverflowError, pa.ArrowInvalid):
        return pa.array(column.values, pa.list_(pa.string()) if column.multiple else pa.string())


def _seconds_array(column: Column) -> pa.Array:
    """Durations that are not of months or years have a length, which is what one calculates with."""
    import pyarrow as pa

    kind = pa.float64()
    return pa.array(_mapped(column.values, _seconds), pa.list_(kind) if column.multiple else kind)


def _mapped(values: Sequence[Value], read: Callable[[str], Any]) -> list[Any]:
    return [
        [read(text) for text in value] if isinstance(value, list) else None if value is None else read(value)
        for value in values
    ]


def _kind(datatype: str, texts: Sequence[str]) -> tuple[pa.DataType, Callable[[str], Any]]:
    import pyarrow as pa

    if datatype == terms.DECIMAL:
        return _decimal_kind(texts)
    if datatype == terms.DATE_TIME:
        zoned = bool(texts) and all(datetime.fromisoformat(text).tzinfo for text in texts)
        return pa.timestamp("us", tz="UTC" if zoned else None), datetime.fromisoformat if zoned else _local_time
    kinds: dict[str, tuple[pa.DataType, Callable[[str], Any]]] = {
        terms.DATE: (pa.date32(), date.fromisoformat),
        terms.TIME: (pa.time64("us"), time.fromisoformat),
        terms.INT: (pa.int32(), int),
        terms.INTEGER: (pa.int64(), int),
        terms.DOUBLE: (pa.float64(), _double),
        terms.BOOLEAN: (pa.bool_(), {"true": True, "1": True, "false": False, "0": False}.__getitem__),
        terms.G_YEAR: (pa.int32(), int),
    }
    return kinds.get(datatype, (pa.string(), str))


def _decimal_kind(texts: Sequence[str]) -> tuple[pa.DataType, Callable[[str], Any]]:
    import pyarrow as pa

    exponents = [exponent for text in texts if isinstance(exponent := Decimal(text).as_tuple().exponent, int)]
    scale = max(0, *(-exponent for exponent in exponents)) if exponents else 0
    return pa.decimal128(_DECIMAL_DIGITS, scale), Decimal


def _local_time(text: str) -> datetime:
    read = datetime.fromisoformat(text)
    if read.tzinfo is not None:
        raise ValueError("some values have a time zone and some have none")
    return read


def _double(text: str) -> float:
    return float({"INF": "inf", "-INF": "-inf"}.get(text, text))


def _seconds(text: str) -> float | None:
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups()[1:])
    length = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return -length if match[1] else length
