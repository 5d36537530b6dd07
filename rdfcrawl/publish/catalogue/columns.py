"""A column of a table: the order of its values, those of them that are few, and texts that can be gone through fast."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.catalogue.numbers import has_places, place_of

Values = Sequence[tuple[int, str]]
"""Places of objects with a value, those of one object after each other, in the order of the objects."""

MOST_FACETS: Final = 25
"""A column with more values than that is no facet."""
BARS: Final = 20
_SORTED: Final = 60
"""Characters of a text that decide about its place."""
_BLOCK_CHARACTERS: Final = 1 << 18
_END: Final = "\x00"


@dataclass(frozen=True, slots=True)
class SortedColumn:
    """The objects of a column, value by value in order; the first ones are those of ``numbers``.

    ``is_single`` if no object has two values.
    """

    objects: array[int]
    numbers: array[float]
    is_single: bool

    @classmethod
    def of(cls, values: Values, datatype: str) -> SortedColumn:
        """The order of some values: numbers, dates and durations by what they say, all others by their letters."""
        measured: list[tuple[float, int]] = []
        others: list[tuple[str, int]] = []
        is_number = has_places(datatype)
        for place, text in values:
            number = place_of(text, datatype) if is_number else None
            if number is None:
                others.append((text[:_SORTED].casefold(), place))
            else:
                measured.append((number, place))
        measured.sort()
        others.sort()
        objects = array("I", [place for _, place in measured])
        objects.extend(place for _, place in others)
        is_single = all(one[0] != next_[0] for one, next_ in pairwise(values))
        return cls(objects, array("d", [number for number, _ in measured]), is_single)


def facets_of(values: Values) -> dict[str, list[int]]:
    """The objects of each value of a column with few of them; of others, and of one with a single value, nothing."""
    found: dict[str, list[int]] = {}
    for place, text in values:
        if text in found:
            found[text].append(place)
        elif len(found) == MOST_FACETS:
            return {}
        else:
            found[text] = [place]
    return found if len(found) > 1 else {}


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Texts of some objects, folded and in one piece, so that looking for a text is one search through memory.

    ``starts`` says where each begins, ``objects`` whose it is; every text stands between two zero characters.
    """

    objects: array[int]
    starts: array[int]
    content: bytes

    def matches(self, wanted: bytes) -> Iterator[int]:
        """Which of the texts have these bytes in them, by their numbers in the block."""
        find, starts = self.content.find, self.starts
        at = find(wanted)
        while at >= 0:
            number = bisect_right(starts, at) - 1
            yield number
            at = find(wanted, starts[number + 1]) if number + 1 < len(starts) else -1

    def text(self, number: int) -> bytes:
        """One of the texts."""
        end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.content) - 1
        return self.content[self.starts[number] + 1 : end]


def text_blocks(values: Values) -> Iterator[TextBlock]:
    """The texts of a column in blocks."""
    pending: list[tuple[int, str]] = []
    length = 0
    for place, text in values:
        pending.append((place, text))
        length += len(text)
        if length >= _BLOCK_CHARACTERS:
            yield _block(pending)
            pending, length = [], 0
    if pending:
        yield _block(pending)


def folded(text: str) -> bytes:
    """A text as it is looked for: without case, and without the character that separates texts."""
    return text.replace(_END, " ").casefold().encode("utf-8", "replace")


def whole_text(text: str) -> bytes:
    """What is looked for to find a text that is no part of a longer one."""
    return b"\x00" + folded(text) + b"\x00"


def _block(values: Values) -> TextBlock:
    parts = [folded(text) for _, text in values]
    starts, at = array("I"), 0
    for part in parts:
        starts.append(at)
        at += len(part) + 1
    return TextBlock(array("I", [place for place, _ in values]), starts, b"\x00".join([b"", *parts, b""]))
