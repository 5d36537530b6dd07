"""The tokens of a line go in; every run of words that could be a name comes out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from rdfcrawl.recognise.person.tokens import Kind, Token

MOST_WORDS: Final = 6
MOST_COMMON: Final = 2
"""Two common words are "Computer Science" or "Young Dean"; the latter are lost."""
_MOST_FAMILY_WORDS: Final = 3
_MOST_GIVEN_WORDS: Final = 4
_MOST_RUN: Final = 60
"""A run of more capitalised words is no prose and no list of names."""

_IN_RUN: Final = frozenset((Kind.WORD, Kind.INITIAL, Kind.PARTICLE, Kind.NICK))
_BEFORE_GIVEN: Final = (Kind.PREFIX, Kind.SUFFIX, Kind.NICK)


class NameForm:
    """How a name is written, as plain numbers."""

    NATURAL: Final = 0
    """"Jean-Pierre van der Berg"."""
    COMMA: Final = 1
    """"van der Berg, Jean-Pierre"."""
    CELLS: Final = 2
    """Given and family name in neighbouring cells."""


class Span(NamedTuple):
    """A run of tokens that could be a name; ``comma`` is the index of the comma in it, or -1.

    In neighbouring cells it is where the family name begins.
    """

    form: int
    start: int
    end: int
    comma: int = -1


def spans(tokens: list[Token]) -> Iterator[Span]:
    """Every span of a line that has the shape of a name."""
    for start, end in _runs(tokens):
        if end - start > 1:
            yield from _natural(tokens, start, end)
        comma = end
        if _kind(tokens, comma) == Kind.GENERATION:
            comma += 1
        if _kind(tokens, comma) == Kind.COMMA:
            yield from _comma(tokens, start, end, comma)


def _runs(tokens: list[Token]) -> list[tuple[int, int]]:
    """Where words that can be parts of a name stand one after the other."""
    runs = []
    start = -1
    for index, token in enumerate(tokens):
        fits = token.word.kind in _IN_RUN
        if start >= 0 and (not fits or _is_edge(tokens, index)):
            runs.append((start, index))
            start = -1
        if fits and start < 0:
            start = index
    if start >= 0:
        runs.append((start, len(tokens)))
    return [(start, end) for start, end in runs if end - start <= _MOST_RUN]


def _is_edge(tokens: list[Token], index: int) -> bool:
    """Whether a token cannot belong to the one before it: after the end of a sentence, or glued to it."""
    previous = tokens[index - 1]
    if previous.stops:
        return True
    token = tokens[index]
    return not token.apart and not (previous.word.kind == Kind.INITIAL or token.word.kind == Kind.NICK)


def _natural(tokens: list[Token], start: int, end: int) -> Iterator[Span]:
    for first in range(start, end):
        if tokens[first].word.kind not in (Kind.WORD, Kind.INITIAL, Kind.PARTICLE):
            continue
        if tokens[first].word.kind == Kind.PARTICLE and not tokens[first].word.upper:
            continue
        words = full = common = 0
        for last in range(first, end):
            kind = tokens[last].word.kind
            if kind == Kind.WORD or kind == Kind.INITIAL:
                words += 1
                full += kind == Kind.WORD
                common += tokens[last].word.common
            if words > MOST_WORDS or common >= MOST_COMMON:
                break
            if words >= 2 and full and (kind == Kind.WORD or kind == Kind.INITIAL):
                yield Span(NameForm.NATURAL, first, _with_generation(tokens, last + 1))


def _with_generation(tokens: list[Token], end: int) -> int:
    """The end of a span with the "Jr." after it, with or without a comma between them."""
    following = end
    if following < len(tokens) and tokens[following].word.kind == Kind.COMMA:
        following += 1
    return following + 1 if following < len(tokens) and tokens[following].word.kind == Kind.GENERATION else end


def _comma(tokens: list[Token], start: int, end: int, comma: int) -> Iterator[Span]:
    """Family names before a comma, given names after it, where titles may stand between: "Berg, Dr. Jan"."""
    if tokens[end - 1].word.kind != Kind.WORD:
        return
    families = _family_starts(tokens, start, end)
    first_given = comma + 1
    # "Maloney, Jr., Ted"
    if _kind(tokens, first_given) == Kind.GENERATION and _kind(tokens, first_given + 1) == Kind.COMMA:
        first_given += 2
    while _kind(tokens, first_given) in _BEFORE_GIVEN:
        first_given += 1
    for last in _given_ends(tokens, first_given):
        for first in families:
            yield Span(NameForm.COMMA, first, _with_generation(tokens, last), comma)


def _family_starts(tokens: list[Token], start: int, end: int) -> list[int]:
    starts = []
    words = 0
    for first in range(end - 1, start - 1, -1):
        kind = tokens[first].word.kind
        words += kind == Kind.WORD
        if words > _MOST_FAMILY_WORDS or kind == Kind.INITIAL:
            break
        if kind != Kind.NICK:
            starts.append(first)
    return starts


def _given_ends(tokens: list[Token], start: int) -> list[int]:
    ends: list[int] = []
    words = 0
    for index in range(start, len(tokens)):
        kind = tokens[index].word.kind
        if kind not in _IN_RUN or (index > start and _is_edge(tokens, index)):
            break
        if kind == Kind.WORD or kind == Kind.INITIAL:
            words += 1
            if words > _MOST_GIVEN_WORDS:
                break
            ends.append(index + 1)
        elif kind == Kind.PARTICLE and not ends:
            break
        elif kind == Kind.PARTICLE and _kind(tokens, index + 1) not in _IN_RUN:
            # "Berg, Jan van der": the particle belongs to the family name.
            ends.append(index + 1)
    return ends


def _kind(tokens: list[Token], index: int) -> int:
    return tokens[index].word.kind if index < len(tokens) else Kind.OTHER
