"""Readable tables: fitted to the terminal, and complete in a file or pipe."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence

import pyoxigraph as ox
import typer
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len, set_cell_size
from rich.table import Table
from rich.text import Text

from rdfcrawl.cli.console import TextConsole, counted
from rdfcrawl.errors import printable
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.names import shorten

_GAP = "  "
_MOST_FOLDED = 1000
_ROWS_PER_WRITE = 1000
_NUMBERS = frozenset(terms.XSD + name for name in ("int", "integer", "decimal", "double", "float", "long", "short"))


def print_solutions(content: bytes, prefixes: Mapping[str, str]) -> None:
    """Print the results of a query, given as SPARQL JSON: rows as a table, a boolean as yes or no."""
    results = ox.parse_query_results(content, format=ox.QueryResultsFormat.JSON)
    if isinstance(results, ox.QueryBoolean):
        typer.echo("yes" if results else "no")
        return
    names = [variable.value for variable in results.variables]
    rows = [[solution[name] for name in names] for solution in results]
    numeric = [
        bool(rows) and all(_is_number(row[column]) for row in rows if row[column] is not None)
        for column in range(len(names))
    ]
    print_table(names, ([shown(term, prefixes) for term in row] for row in rows), numeric)
    typer.echo(counted(len(rows), "row"), err=True)


def print_table(names: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[bool]) -> None:
    """Print rows below their column names; numbers are right-aligned.

    On a terminal long cells are folded, or clipped if there are so many rows that folding would take long.
    """
    names, *found = ([printable(cell) for cell in row] for row in (names, *rows))
    if not sys.stdout.isatty():
        _write_plain(names, found, numeric, None)
    elif len(found) > _MOST_FOLDED:
        _write_plain(names, found, numeric, shutil.get_terminal_size().columns)
    else:
        table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for name, right in zip(names, numeric, strict=True):
            table.add_column(name, justify="right" if right else "left", overflow="fold")
        for row in found:
            table.add_row(*(Text(cell) for cell in row))
        TextConsole(soft_wrap=False).print(table)


def _write_plain(
    names: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool], width: int | None
) -> None:
    widths = [max(map(cell_len, column)) for column in zip(names, *rows, strict=True)]
    if width is not None:
        widths = fitted(widths, width - len(_GAP) * (len(widths) - 1))
    typer.echo(plain_line(names, widths, numeric))
    typer.echo("─" * (sum(widths) + len(_GAP) * (len(widths) - 1)))
    for start in range(0, len(rows), _ROWS_PER_WRITE):
        lines = (plain_line(row, widths, numeric) for row in rows[start : start + _ROWS_PER_WRITE])
        typer.echo("\n".join(lines))


def plain_line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    """Cells beside each other, each as wide as its column; longer ones are clipped."""
    padded = []
    for cell, width, right in zip(cells, widths, numeric, strict=True):
        length = cell_len(cell)
        shown_cell = cell if length <= width else f"{set_cell_size(cell, width - 1)}…"
        space = " " * max(0, width - length)
        padded.append(space + shown_cell if right else shown_cell + space)
    return _GAP.join(padded).rstrip()


def fitted(widths: Sequence[int], room: int) -> list[int]:
    """Fits columns into a width: narrow ones keep theirs, wide ones become equally wide."""
    fitting = [0] * len(widths)
    left = room
    for done, place in enumerate(sorted(range(len(widths)), key=widths.__getitem__)):
        fitting[place] = max(1, min(widths[place], left // (len(widths) - done)))
        left -= fitting[place]
    return fitting


def shown(term: object, prefixes: Mapping[str, str]) -> str:
    """A term in readable form: an IRI with its prefix, a literal as its text."""
    if isinstance(term, ox.NamedNode):
        return shorten(term.value, prefixes)
    if isinstance(term, ox.Literal):
        # A line break within a cell would look like another row.
        return " ↵ ".join(term.value.splitlines()) if "\n" in term.value else term.value
    return "" if term is None else str(term)


def _is_number(term: object) -> bool:
    return isinstance(term, ox.Literal) and term.datatype.value in _NUMBERS
