"""Sheets: the tables of a report, which people read as text or HTML and programs as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from rdfcrawl.dataclass import dataclass

Cell = str | int | float | None


class ColumnKind(StrEnum):
    """What the cells of a column are."""

    TEXT = "text"
    NUMBER = "number"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column; programs know it by its name in snake case."""

    name: str
    kind: ColumnKind = ColumnKind.TEXT

    @property
    def key(self) -> str:
        """The name for programs."""
        return self.name.replace(" ", "_")


@dataclass(frozen=True, slots=True)
class SurveySheet:
    """A table with a title; ``empty`` is what to say when it has no rows."""

    key: str
    title: str
    columns: tuple[SheetColumn, ...]
    rows: Sequence[tuple[Cell, ...]]
    empty: str = ""

    def to_json(self) -> list[dict[str, Cell]]:
        """The rows as objects."""
        keys = [column.key for column in self.columns]
        return [dict(zip(keys, row, strict=True)) for row in self.rows]


def text(name: str) -> SheetColumn:
    """A column of texts."""
    return SheetColumn(name)


def number(name: str) -> SheetColumn:
    """A column of numbers."""
    return SheetColumn(name, ColumnKind.NUMBER)


def address(name: str) -> SheetColumn:
    """A column of addresses."""
    return SheetColumn(name, ColumnKind.ADDRESS)


def written(cell: Cell) -> str:
    """A cell as people read it."""
    if isinstance(cell, float) and not cell.is_integer():
        return f"{cell:,.2f}" if abs(cell) >= 0.1 else f"{cell:.2g}"
    return f"{cell:,.0f}" if isinstance(cell, int | float) else cell or ""
