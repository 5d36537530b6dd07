"""Tables as Parquet files with typed columns, one file for each table.

The type of a column depends on all of its values (how many decimals there are, whether times have a zone), so the
rows are read twice: once for the types, once for the values. Only a batch of them is in memory at a time.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rdfcrawl.errors import UsageError
from rdfcrawl.rdf import terms
from rdfcrawl.store.export.tables import Column, Row, Table, Tables, Value
from rdfcrawl.store.files.whole import written_whole

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 50_000
_DECIMAL_DIGITS = 38
_DURATION = re.compile(r"(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?")

Kinds = dict[str, "list[pa.DataType]"]
"""For each table the types of its columns."""


def write_parquet(tables: Tables, folder: Path, batch_rows: int = BATCH_ROWS) -> dict[Path, int]:
    """Write each table as Parquet; returns the files, with the number of their rows.

    A column with a value that does not fit its datatype is text. A duration has a second column with its seconds.
    """
    try:
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError('Parquet needs pyarrow: pip install "rdfcrawl[parquet]"') from None
    folder.mkdir(parents=True, exist_ok=True)
    kinds = _kinds(tables, batch_rows)
    counts: Counter[str] = Counter()
    with ExitStack() as stack:
        writers = {}
        for table in tables:
            file = stack.enter_context(written_whole(folder / f"{table.name}.parquet"))
            schema = _arrow(table, kinds[table.name], ()).schema
            writers[table.name] = stack.enter_context(pq.ParquetWriter(file, schema))
        for table, rows in _batches(tables, batch_rows):
            writers[table.name].write_table(_arrow(table, kinds[table.name], rows))
            counts[table.name] += len(rows)
    return {folder / f"{table.name}.parquet": counts[table.name] for table in tables}


def parquet_content(table: Table, rows: Sequence[Row]) -> bytes:
    """The content of a Parquet file with one table, whose rows are in memory."""
    import pyarrow.parquet as pq

    kinds = [
        _widest(_kind_of(column.datatype, _texts(row[place] for row in rows)))
        for place, column in enumerate(table.columns)
    ]
    content = io.BytesIO()
    pq.write_table(_arrow(table, kinds, rows), content)
    return content.getvalue()


def _batches(tables: Tables, size: int) -> Iterator[tuple[Table, Sequence[Row]]]:
    waiting: dict[str, list[Row]] = {table.name: [] for table in tables}
    for table, row in tables.rows():
        rows = waiting[table.name]
        rows.append(row)
        if len(rows) == size:
            yield table, rows
            waiting[table.name] = []
    for table in tables:
        if waiting[table.name]:
            yield table, waiting[table.name]


def _kinds(tables: Tables, batch_rows: int) -> Kinds:
    found: dict[str, list[pa.DataType | None]] = {table.name: [None] * len(table.columns) for table in tables}
    for table, rows in _batches(tables, batch_rows):
        for place, column in enumerate(table.columns):
            texts = _texts(row[place] for row in rows)
            if texts:
                found[table.name][place] = _common(found[table.name][place], _kind_of(column.datatype, texts))
    return {
        table.name: [
            _widest(kind or _kind_of(column.datatype, ()))
            for kind, column in zip(found[table.name], table.columns, strict=True)
        ]
        for table in tables
    }


def _texts(values: Iterator[Value]) -> list[str]:
    return [text for value in values for text in (value if isinstance(value, list) else (value,)) if text is not None]


def _kind_of(datatype: str, texts: Sequence[str]) -> pa.DataType:
    """The type that these values of a datatype have in Arrow; text if one of them does not fit."""
    import pyarrow as pa

    try:
        if datatype == terms.DECIMAL:
            found = pa.array([Decimal(text) for text in texts or ("0",)]).type
            return found if found.precision <= _DECIMAL_DIGITS else pa.string()
        if datatype == terms.DATE_TIME:
            zoned = bool(texts) and all(datetime.fromisoformat(text).tzinfo for text in texts)
            kind = pa.timestamp("us", tz="UTC" if zoned else None)
        else:
            kind = {
                terms.DATE: pa.date32(),
                terms.TIME: pa.time64("us"),
                terms.INT: pa.int32(),
                terms.INTEGER: pa.int64(),
                terms.DOUBLE: pa.float64(),
                terms.BOOLEAN: pa.bool_(),
                terms.G_YEAR: pa.int32(),
            }.get(datatype, pa.string())
        read = _reader(datatype, kind)
        pa.array([read(text) for text in texts], kind)
    except (ValueError, KeyError, InvalidOperation, OverflowError, pa.ArrowInvalid):
        return pa.string()
    return kind


def _common(one: pa.DataType | None, other: pa.DataType) -> pa.DataType:
    """The type that holds the values of both."""
    import pyarrow as pa

    if one is None or one == other:
        return other
    if pa.types.is_decimal(one) and pa.types.is_decimal(other):
        scale = max(one.scale, other.scale)
        digits = scale + max(one.precision - one.scale, other.precision - other.scale)
        return pa.decimal128(digits, scale) if digits <= _DECIMAL_DIGITS else pa.string()
    return pa.string()


def _widest(kind: pa.DataType) -> pa.DataType:
    """The type with room for values of a later export, so that the types of two exports are the same more often."""
    import pyarrow as pa

    return pa.decimal128(_DECIMAL_DIGITS, kind.scale) if pa.types.is_decimal(kind) else kind


def _arrow(table: Table, kinds: Sequence[pa.DataType], rows: Sequence[Row]) -> pa.Table:
    import pyarrow as pa

    arrays: dict[str, pa.Array] = {}
    for place, (column, kind) in enumerate(zip(table.columns, kinds, strict=True)):
        values = [row[place] for row in rows]
        arrays[column.name] = _array(column, values, kind, _reader(column.datatype, kind))
        if column.datatype == terms.DURATION:
            arrays[f"{column.name}_seconds"] = _array(column, values, pa.float64(), _seconds)
    return pa.table(arrays)


def _array(column: Column, values: Sequence[Value], kind: pa.DataType, read: Callable[[str], Any]) -> pa.Array:
    import pyarrow as pa

    mapped = [
        [read(text) for text in value] if isinstance(value, list) else None if value is None else read(value)
        for value in values
    ]
    return pa.array(mapped, pa.list_(kind) if column.multiple else kind)


def _reader(datatype: str, kind: pa.DataType) -> Callable[[str], Any]:
    import pyarrow as pa

    if pa.types.is_string(kind):
        return str
    readers: dict[str, Callable[[str], Any]] = {
        terms.DATE: date.fromisoformat,
        terms.TIME: time.fromisoformat,
        terms.DATE_TIME: _local_time if getattr(kind, "tz", None) is None else datetime.fromisoformat,
        terms.DECIMAL: Decimal,
        terms.INT: int,
        terms.INTEGER: int,
        terms.G_YEAR: int,
        terms.DOUBLE: _double,
        terms.BOOLEAN: {"true": True, "1": True, "false": False, "0": False}.__getitem__,
    }
    return readers[datatype]


def _local_time(text: str) -> datetime:
    read = datetime.fromisoformat(text)
    if read.tzinfo is not None:
        raise ValueError("some values have a time zone and some have none")
    return read


def _double(text: str) -> float:
    return float({"INF": "inf", "-INF": "-inf"}.get(text, text))


def _seconds(text: str) -> float | None:
    """The length of a duration without months and years, for calculations."""
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups()[1:])
    length = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return -length if match[1] else length
