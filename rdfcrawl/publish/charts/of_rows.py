"""Which pictures the rows of an answer allow: a map, lines over time, bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rdfcrawl.publish.charts.bars import BarPicture, bars_of
from rdfcrawl.publish.charts.columns import Cell, ResultColumn, places_of
from rdfcrawl.publish.charts.earth import MapPicture, map_of
from rdfcrawl.publish.charts.lines import LinePicture, lines_of
from rdfcrawl.publish.web.presentation import Shown

Picture = MapPicture | LinePicture | BarPicture
_LEAST_ROWS: Final = 2


def pictures_of(
    variables: Sequence[str], rows: Sequence[Sequence[Cell]], shown: Sequence[Sequence[Shown | None]]
) -> list[Picture]:
    """The pictures of an answer, the one that says most first; ``shown`` are the same rows as people read them."""
    columns = [ResultColumn(name, [row[place] for row in rows]) for place, name in enumerate(variables) if rows]
    return [*_pictures(columns, shown)] if rows else []


def _pictures(columns: Sequence[ResultColumn], shown: Sequence[Sequence[Shown | None]]) -> Iterator[Picture]:
    said: frozenset[str] = frozenset()
    if (found := places_of(columns)) is not None:
        places, said = found
        yield from map_of(places, _names(columns, shown, said))
    if len(shown) < _LEAST_ROWS:
        return
    rest = [column for column in columns if column.name not in said]
    moments = next(((one, read) for one in rest if (read := one.moments()) is not None), None)
    numbers = [(one, read) for one in rest if (read := one.numbers()) is not None]
    names = [one for one in rest if one.is_filled and one.numbers() is None and one.moments() is None]
    if moments and numbers:
        groups = [_texts(columns, shown, one) for one in names]
        yield from lines_of((moments[0].name, moments[1]), [(one.name, read) for one, read in numbers], groups)
    if numbers and (names or moments):
        label = names[0] if names else moments[0] if moments else numbers[0][0]
        place = columns.index(label)
        value, read = numbers[0]
        yield from bars_of(value.name, read, [row[place] for row in shown])


def _names(
    columns: Sequence[ResultColumn], shown: Sequence[Sequence[Shown | None]], without: frozenset[str]
) -> list[Shown | None]:
    """What each row is called: its first value that is not a place."""
    kept = [place for place, column in enumerate(columns) if column.name not in without]
    return [next((row[place] for place in kept if row[place]), None) for row in shown]


def _texts(columns: Sequence[ResultColumn], shown: Sequence[Sequence[Shown | None]], of: ResultColumn) -> list[str]:
    place = columns.index(of)
    return [one.text if (one := row[place]) else "" for row in shown]
