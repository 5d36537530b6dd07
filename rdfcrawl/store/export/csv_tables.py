"""Tables as CSV files, one for each table, and what their columns mean as CSV on the Web metadata."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from rdfcrawl.rdf import terms
from rdfcrawl.store.export.tables import Column, Table, Tables, Value
from rdfcrawl.store.files.whole import write_whole, written_whole

SEPARATORS = (" | ", " || ", " ¦ ", " ;; ", "\n", "\x1f")
"""Between the values of a list stands the first of these by which all lists of the column can be split again."""
METADATA = "csv-metadata.json"
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_TEXTS = (terms.STRING, terms.ANY_URI)


Separators = Mapping[tuple[str, str], str]
"""What stands between the values of a list, by table and column."""


def write_csv(tables: Tables, folder: Path, spreadsheet: bool = False) -> dict[Path, int]:
    """Write each table as CSV in UTF-8; returns the files, with the number of their rows.

    For a spreadsheet the files begin with a byte order mark, without which Excel misreads them, and a text that would
    be run as a formula gets an apostrophe in front.
    """
    folder.mkdir(parents=True, exist_ok=True)
    separators = _separators(tables)
    counts: Counter[str] = Counter()
    with ExitStack() as stack:
        writers = {}
        for table in tables:
            file = stack.enter_context(written_whole(folder / _file_name(table)))
            text = io.TextIOWrapper(file, encoding="utf-8-sig" if spreadsheet else "utf-8", newline="")
            # Detaching flushes what is buffered, and leaves the file open so that it can be completed.
            stack.callback(text.detach)
            writers[table.name] = csv.writer(text)
            writers[table.name].writerow([column.name for column in table.columns])
        for table, row in tables.rows():
            cells = zip(row, table.columns, strict=True)
            writers[table.name].writerow(
                [
                    _cell(
                        value, separators.get((table.name, column.name), ""), spreadsheet and column.datatype in _TEXTS
                    )
                    for value, column in cells
                ]
            )
            counts[table.name] += 1
    write_whole(folder / METADATA, json.dumps(_metadata(tables, separators), ensure_ascii=False, indent=1).encode())
    return {folder / _file_name(table): counts[table.name] for table in tables}


def _file_name(table: Table) -> str:
    return f"{table.name}.csv"


def _separators(tables: Tables) -> Separators:
    """The separator of each column of lists; what no separator can restore has the last one."""
    possible = {(table.name, one.name): [*SEPARATORS] for table in tables for one in table.columns if one.multiple}
    if possible:
        for table, row in tables.rows():
            for value, column in zip(row, table.columns, strict=True):
                if isinstance(value, list) and value:
                    left = possible[table.name, column.name]
                    left[:-1] = [one for one in left[:-1] if one.join(value).split(one) == value]
    return {place: left[0] for place, left in possible.items()}


def _cell(value: Value, separator: str, guard: bool) -> str:
    text = separator.join(value) if isinstance(value, list) else value or ""
    return f"'{text}" if guard and text.startswith(_FORMULA_STARTS) else text


def _metadata(tables: Tables, separators: Separators) -> dict[str, object]:
    return {
        "@context": "http://www.w3.org/ns/csvw",
        "tables": [{"url": _file_name(table), "tableSchema": _schema(table, separators)} for table in tables],
    }


def _schema(table: Table, separators: Separators) -> dict[str, object]:
    described = [_described(column, separators.get((table.name, column.name))) for column in table.columns]
    schema: dict[str, object] = {"columns": described}
    if table.columns[0].name == "iri":
        schema |= {"primaryKey": "iri", "aboutUrl": "{+iri}"}
    return schema


def _described(column: Column, separator: str | None) -> dict[str, object]:
    described: dict[str, object] = {
        "name": column.name,
        "titles": column.name,
        "datatype": column.datatype.removeprefix(terms.XSD),
    }
    if separator is not None:
        described["separator"] = separator
    if column.predicate is None:
        described["suppressOutput"] = True
    else:
        described["propertyUrl"] = column.predicate
    return described
