"""Two versions of a long text go in; the words that differ, with a few around them, come out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import takewhile
from typing import Final

from rdfcrawl.dataclass import dataclass

_WORD: Final = re.compile(r"\s+|\w+|[^\w\s]")
_LONG_TEXT: Final = 60
"""Shorter texts are easier to read as a whole."""
_ALIKE: Final = 0.5
"""Texts with less in common are another text, not a changed one."""
_MOST_PAIRS: Final = 1_000_000
"""How many pairs of words are compared; beyond that, everything between the first and the last difference differs."""
_AROUND: Final = 5
CUT: Final = "…"


class PieceKind(StrEnum):
    """Which of the two texts has a piece."""

    BOTH = "both"
    OLD = "old"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class WordPiece:
    """A part of a text; ``…`` stands for words that both have."""

    kind: PieceKind
    text: str


def changed_words(old: str, new: str) -> tuple[WordPiece, ...]:
    """The pieces of two texts, with only some words around each difference; none where they are short or unlike."""
    if old == new or min(len(old), len(new)) < _LONG_TEXT:
        return ()
    before, after = _WORD.findall(old), _WORD.findall(new)
    head = _common(zip(before, after, strict=False))
    tail = _common(zip(reversed(before[head:]), reversed(after[head:]), strict=False))
    old_middle, new_middle = before[head : len(before) - tail], after[head : len(after) - tail]
    kept = head + tail + sum(size for _, _, size in _blocks(old_middle, new_middle))
    if 2 * kept < _ALIKE * (len(before) + len(after)):
        return ()
    return tuple(_shortened(list(_pieces(before[:head], old_middle, new_middle, before[len(before) - tail :]))))


def in_brackets(pieces: Iterable[WordPiece]) -> str:
    """Pieces as plain text: ``[-old-]`` and ``{+new+}``, as version control writes them."""
    marks = {PieceKind.BOTH: "{}", PieceKind.OLD: "[-{}-]", PieceKind.NEW: "{{+{}+}}"}
    return "".join(marks[piece.kind].format(piece.text) for piece in pieces)


def _common(pairs: Iterable[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _blocks(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int]]:
    """Where both have the same words: begin in the old, begin in the new, length."""
    if len(old) * len(new) > _MOST_PAIRS:
        return []
    matching = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return [(block.a, block.b, block.size) for block in matching]


def _pieces(head: Sequence[str], old: Sequence[str], new: Sequence[str], tail: Sequence[str]) -> Iterator[WordPiece]:
    yield WordPiece(PieceKind.BOTH, "".join(head))
    at_old = at_new = 0
    for begin_old, begin_new, size in [*_blocks(old, new), (len(old), len(new), 0)]:
        yield WordPiece(PieceKind.OLD, "".join(old[at_old:begin_old]))
        yield WordPiece(PieceKind.NEW, "".join(new[at_new:begin_new]))
        yield WordPiece(PieceKind.BOTH, "".join(old[begin_old : begin_old + size]))
        at_old, at_new = begin_old + size, begin_new + size
    yield WordPiece(PieceKind.BOTH, "".join(tail))


def _shortened(pieces: Sequence[WordPiece]) -> Iterator[WordPiece]:
    """The pieces that are not empty; of what both have, only the words next to a difference."""
    filled = [piece for piece in pieces if piece.text]
    for place, piece in enumerate(filled):
        if piece.kind is not PieceKind.BOTH:
            yield piece
            continue
        words = _WORD.findall(piece.text)
        before = 2 * _AROUND if place > 0 else 0
        after = 2 * _AROUND if place < len(filled) - 1 else 0
        if len(words) > before + after + 1:
            ends = words[:before], words[len(words) - after :]
            yield WordPiece(PieceKind.BOTH, f"{''.join(ends[0])}{CUT}{''.join(ends[1])}")
        else:
            yield piece
