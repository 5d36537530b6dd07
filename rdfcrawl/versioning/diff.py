"""Two sorted graphs go in; the triples that only one of them has come out, in order.

A graph is a stream of blocks: bytes of whole N-Triples lines in byte order, each line once. What is equal
on both sides is skipped at the speed of comparing memory, so the time grows with the differences only, and
memory does not grow at all: two blocks are all that is held.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

_FIRST_STRIDE = 256
_LONGEST_STRIDE = 1 << 16


class Difference(NamedTuple):
    """A triple that only one side has. A tuple, because a first run makes one of every triple.

    ``subject_in_both`` and ``predicate_in_both`` say whether the other side knows the subject at all, and
    whether it has other values of the same predicate.
    """

    line: str
    added: bool
    subject_in_both: bool
    predicate_in_both: bool


def diff(old: Iterable[bytes], new: Iterable[bytes]) -> Iterator[Difference]:
    """The differences that turn ``old`` into ``new``, ordered by line."""
    ours, theirs = _Cursor(old), _Cursor(new)
    while True:
        ours_left, theirs_left = ours.fill(), theirs.fill()
        if ours_left and theirs_left:
            same = _common_lines(ours, theirs)
            ours.at += same
            theirs.at += same
            if ours.at == len(ours.block) or theirs.at == len(theirs.block):
                continue
        else:
            yield from _rest(ours, False, theirs.previous())
            yield from _rest(theirs, True, ours.previous())
            return
        mine, other = ours.line(), theirs.line()
        if mine < other:
            yield _difference(mine, False, theirs.previous(), other)
            ours.at += len(mine)
        else:
            yield _difference(other, True, ours.previous(), mine)
            theirs.at += len(other)


class _Cursor:
    """A place in a stream of blocks, always at the beginning of a line."""

    __slots__ = ("_before", "_blocks", "at", "block")

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = iter(blocks)
        self._before = b""
        self.block = b""
        self.at = 0

    def fill(self) -> bool:
        """Make sure that there is a line to read; False at the end of the stream."""
        while self.at == len(self.block):
            self._before = self.previous()
            self.at = 0
            try:
                self.block = next(self._blocks)
            except StopIteration:
                self.block = b""
                return False
        return True

    def line(self) -> bytes:
        """The line here; empty at the end of the stream."""
        return self.block[self.at : self.block.find(b"\n", self.at) + 1]

    def previous(self) -> bytes:
        """The line before this one, also when it stood in the block before."""
        if self.at == 0:
            return self._before
        return self.block[self.block.rfind(b"\n", 0, self.at - 1) + 1 : self.at]


def _rest(cursor: _Cursor, added: bool, before: bytes) -> Iterator[Difference]:
    """What one side has left when the other is at its end, after the line ``before``."""
    while cursor.fill():
        lines = cursor.block[cursor.at : -1].split(b"\n")
        cursor.at = len(cursor.block)
        for line in lines:
            if before:
                difference = _difference(line + b"\n", added, before, b"")
                # Lines of one subject are adjacent: once another one begins, the other side has no more of them.
                before = before if difference.subject_in_both else b""
                yield difference
            else:
                yield Difference(line.decode(), added, False, False)


def _common_lines(ours: _Cursor, theirs: _Cursor) -> int:
    """How many bytes of whole lines are the same from here on, within the two blocks."""
    mine, i = ours.block, ours.at
    other, j = theirs.block, theirs.at
    most = min(len(mine) - i, len(other) - j)
    same, stride = 0, _FIRST_STRIDE
    while same < most and mine[i + same : i + same + stride] == other[j + same : j + same + stride]:
        same += stride
        stride = min(2 * stride, _LONGEST_STRIDE)
    while same < most and stride > 1:
        stride //= 2
        if mine[i + same : i + same + stride] == other[j + same : j + same + stride]:
            same += stride
    end = mine.rfind(b"\n", i, i + min(same, most)) + 1
    return end - i if end else 0


def _difference(line: bytes, added: bool, before: bytes, after: bytes) -> Difference:
    # The lines of one subject, and of one of its predicates, are adjacent. If the other side has any, then
    # some are next to the place where this line would be there.
    subject_end = line.index(b" ") + 1
    predicate = line[: line.index(b" ", subject_end) + 1]
    text = line[:-1].decode()
    if before.startswith(predicate) or after.startswith(predicate):
        return Difference(text, added, True, True)
    subject = predicate[:subject_end]
    return Difference(text, added, before.startswith(subject) or after.startswith(subject), False)
