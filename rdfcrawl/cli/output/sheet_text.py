"""The sheets of a report as readable lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from rdfcrawl.cli.output.table import plain_line
from rdfcrawl.survey.sheets import ColumnKind, SurveySheet, written

_LONGEST: Final = 60
"""How much of a text is shown; an address is never clipped, so that it can be copied."""


def sheet_lines(sheet: SurveySheet, most: int | None = None) -> Iterator[Text]:
    """The title and the rows, or at most so many of them and how many there are besides."""
    count = f" ({len(sheet.rows):,})" if most is not None and len(sheet.rows) > most else ""
    yield Text(f"{sheet.title}{count}", "bold")
    if not sheet.rows:
        yield Text(f"  {sheet.empty}")
        return
    rows = [[" ".join(written(cell).split("\n")) for cell in row] for row in sheet.rows[:most]]
    names = [column.name for column in sheet.columns]
    widths = [
        max(map(cell_len, cells)) if column.kind is not ColumnKind.TEXT else min(_LONGEST, max(map(cell_len, cells)))
        for column, *cells in zip(sheet.columns, names, *rows, strict=True)
    ]
    numeric = [column.kind is ColumnKind.NUMBER for column in sheet.columns]
    yield Text(f"  {plain_line(names, widths, numeric)}", "dim")
    for row in rows:
        yield Text(f"  {plain_line(row, widths, numeric)}")
    if count:
        yield Text(f"  … and {len(sheet.rows) - len(rows):,} more", "dim")
