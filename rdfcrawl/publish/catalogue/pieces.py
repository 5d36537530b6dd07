"""A column in order, in pieces that each know the set of their objects.

Whole pieces are counted, skipped and joined by single operations on sets, and only the few that a page, a bound or a
bar ends in are gone through: a table of a hundred thousand objects costs hardly more than a small one.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import chain, compress, islice
from operator import or_
from typing import Final

from rdfcrawl.publish.catalogue.columns import BARS, SortedColumn
from rdfcrawl.publish.catalogue.sets import everything, mask_of, set_of

PIECES: Final = 64
"""So many pieces have their sets, together, as many bytes as the numbers of a column."""
SHORTEST: Final = 512
_BYTES_OF_VALUE: Final = 12


@dataclass(frozen=True, slots=True)
class ColumnPiece:
    """Some objects of a column, value by value in order; ``numbers`` are their values, unless these are texts."""

    objects: array[int]
    numbers: array[float]

    @property
    def least(self) -> float | None:
        """The first of the numbers."""
        return self.numbers[0] if self.numbers else None


@dataclass(frozen=True, slots=True)
class PieceHead:
    """What is known of a piece without reading it: how many values there are, and the least of the numbers."""

    count: int
    least: float | None


@dataclass(frozen=True, slots=True)
class Spread:
    """How numbers are spread between the least and the greatest one: how many are in each of as many equal parts."""

    least: float
    greatest: float
    bars: Sequence[int]


def pieces_of(column: SortedColumn) -> Iterator[ColumnPiece]:
    """A column in pieces: first those with numbers, then those with texts."""
    split = len(column.numbers)
    for objects, numbers in ((column.objects[:split], column.numbers), (column.objects[split:], array("d"))):
        length = max(SHORTEST, -(-len(objects) // PIECES))
        for start in range(0, len(objects), length):
            yield ColumnPiece(objects[start : start + length], numbers[start : start + length])


class ColumnOrder:
    """The objects of a column in order. ``size`` is how many the class has, ``is_single`` if none has two values.

    ``read`` and ``held`` bring a piece, and the set of its objects; both are asked for only what is needed.
    """

    def __init__(
        self,
        heads: Sequence[PieceHead],
        size: int,
        is_single: bool,
        read: Callable[[int], ColumnPiece],
        held: Callable[[int], int],
    ) -> None:
        self._heads, self._size, self._is_single = heads, size, is_single
        self._read, self._held = cache(read), cache(held)
        self._leasts = [head.least for head in heads if head.least is not None]

    @property
    def most_bytes(self) -> int:
        """How much memory it has when everything is read."""
        values = sum(head.count for head in self._heads)
        return len(self._heads) * self._size // 8 + values * _BYTES_OF_VALUE

    @classmethod
    def of(cls, column: SortedColumn, size: int) -> ColumnOrder:
        """The order of a column that is in memory."""
        pieces = list(pieces_of(column))
        heads = [PieceHead(len(piece.objects), piece.least) for piece in pieces]
        return cls(
            heads, size, column.is_single, pieces.__getitem__, lambda number: set_of(pieces[number].objects, size)
        )

    def between(self, least: float | None, greatest: float | None) -> int:
        """The set of objects with a number that is not less and not greater; a bound that is ``None`` is none."""
        count = len(self._leasts)
        first = -1 if least is None else bisect_left(self._leasts, least) - 1
        last = count if greatest is None else bisect_right(self._leasts, greatest) - 1
        if first > last or last < 0:
            return 0
        # Of the pieces that a bound is in, some objects; of those between them, all.
        found = self._any_of(range(first + 1, min(last, count)))
        for number in {number for number in (first, last) if 0 <= number < count}:
            piece = self._read(number)
            start = bisect_left(piece.numbers, least) if number == first and least is not None else 0
            end = bisect_right(piece.numbers, greatest) if number == last and greatest is not None else None
            found |= set_of(piece.objects[start:end], self._size)
        return found

    def in_order(self, chosen: int | None = None, descending: bool = False, start: int = 0) -> Iterator[int]:
        """The chosen objects, or all, from the one with the number ``start`` on.

        Each comes once, those without a number after those with one, and those without any value last.
        """
        every = everything(self._size) if chosen is None else chosen
        numbers = self._numbers(descending)
        seen = 0
        for number in numbers:
            is_whole = chosen is None and self._is_single
            fresh = 0 if is_whole else self._held(number) & every & ~seen
            count = self._heads[number].count if is_whole else fresh.bit_count()
            if count > start:
                yield from islice(self._scanned([number, *numbers], every & ~seen, descending), start, None)
                start = 0
                break
            start -= count
            seen |= fresh
        without = every & ~self._any_of(range(len(self._heads)))
        yield from islice(compress(range(self._size), mask_of(without, self._size)), start, None)

    def spread(self, chosen: int | None = None, said: Callable[[float], float] = float) -> Spread | None:
        """How the numbers of the chosen objects, or of all, are spread; nothing if there are no two of them.

        ``said`` rounds the bounds between them to what is shown, so that bars count what they say.
        """
        mask = None if chosen is None else mask_of(chosen, self._size)
        if not self._is_single:
            # An object can be in a piece twice, so that sets do not count its values.
            return _spread_of(self._chosen_numbers(mask), said)
        counts = [
            head.count if chosen is None else (self._held(number) & chosen).bit_count()
            for number, head in enumerate(self._heads[: len(self._leasts)])
        ]
        some = [number for number, count in enumerate(counts) if count]
        if not some:
            return None
        least = _chosen(self._read(some[0]), mask)[0]
        greatest = _chosen(self._read(some[-1]), mask)[-1]

        def below(bound: float) -> int:
            """How many of the numbers are less."""
            number = max(0, bisect_left(self._leasts, bound) - 1)
            piece = self._read(number)
            end = bisect_left(piece.numbers, bound)
            return sum(counts[:number]) + (end if mask is None else sum(map(mask.__getitem__, piece.objects[:end])))

        return _spread(least, greatest, sum(counts), below, said)

    def _numbers(self, descending: bool) -> Iterator[int]:
        """The pieces in order; those without numbers come last either way."""
        split = len(self._leasts)
        parts = (range(split), range(split, len(self._heads)))
        return chain(*(reversed(part) if descending else part for part in parts))

    def _scanned(self, numbers: Iterable[int], every: int, descending: bool) -> Iterator[int]:
        """The objects of a set that are in some pieces, in order, each once."""
        left, missing = bytearray(mask_of(every, self._size)), every.bit_count()
        for number in numbers:
            if not missing:
                return
            objects = self._read(number).objects
            ordered = objects[::-1] if descending else objects
            for place in compress(ordered, map(left.__getitem__, ordered)):
                left[place] = 0
                missing -= 1
                yield place

    def _any_of(self, numbers: Iterable[int]) -> int:
        return reduce(or_, map(self._held, numbers), 0)

    def _chosen_numbers(self, mask: bytes | None) -> list[float]:
        return [one for number in range(len(self._leasts)) for one in _chosen(self._read(number), mask)]


def _chosen(piece: ColumnPiece, mask: bytes | None) -> Sequence[float]:
    """The numbers of a piece, or those of the objects of a mask."""
    return piece.numbers if mask is None else list(compress(piece.numbers, map(mask.__getitem__, piece.objects)))


def bounds_of(least: float, greatest: float) -> list[float]:
    """The least, the greatest, and what parts the numbers between them equally."""
    # The greatest less the least may be more than a number can be.
    width = greatest / BARS - least / BARS
    return [least, *(least + bar * width for bar in range(1, BARS)), greatest]


def _spread_of(numbers: Sequence[float], said: Callable[[float], float]) -> Spread | None:
    if not numbers:
        return None
    return _spread(numbers[0], numbers[-1], len(numbers), lambda bound: bisect_left(numbers, bound), said)


def _spread(
    least: float, greatest: float, count: int, below: Callable[[float], int], said: Callable[[float], float]
) -> Spread | None:
    if least == greatest:
        return None
    ends = [below(said(bound)) for bound in bounds_of(least, greatest)[1:-1]]
    return Spread(least, greatest, [end - start for start, end in zip([0, *ends], [*ends, count], strict=True)])
