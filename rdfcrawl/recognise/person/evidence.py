"""What speaks for and against a span being a name, as numbers with names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rdfcrawl.recognise.person.candidates import NameForm, Span
from rdfcrawl.recognise.person.tokens import Kind, Token, Vocabulary, Word

CAP: Final = 6.0
"""Beyond some four hundred occurrences, a word is a name and no more so."""

WELL_KNOWN: Final = 3.5
"""The logarithm from which on a word is a name even if it is a word as well."""

FEATURES: Final = (
    "two words",
    "three words",
    "four or more words",
    "family name, comma, given name",
    "neighbouring cells",
    "given name listed",
    "family name listed",
    "in the order family, given",
    "words between listed",
    "no word listed",
    "initial between",
    "begins with an initial",
    "only initials before the family name",
    "particle",
    "title before",
    "title after",
    "common words",
    "places",
    "institution words",
    "lower case elsewhere",
    "institution word next to it",
    "begins its piece",
    "ends its piece",
    "is the whole piece",
    "capitalised word before",
    "capitalised word after",
    "family name in capitals",
    "all in capitals",
    "crosses the edge of an element",
    "comma list around",
    "ends with an initial",
    "in running text",
    "well known names in running text",
    "under the headings given and family name",
)

(
    TWO, THREE, FOUR, COMMA_FORM, CELLS_FORM, GIVEN, FAMILY, REVERSED, MIDDLE, NONE_LISTED, INITIALS, INITIAL_FIRST,
    ONLY_INITIALS, PARTICLE, TITLE_BEFORE, TITLE_AFTER, COMMON, PLACES, INSTITUTIONS, LOWER, INSTITUTION_NEXT,
    BEGINS, ENDS, WHOLE, CAPITAL_BEFORE, CAPITAL_AFTER, FAMILY_CAPITALS, ALL_CAPITALS, CROSSES, COMMA_AROUND,
    ENDS_INITIAL, RUNNING, RUNNING_KNOWN, HEADED,
) = range(len(FEATURES))  # fmt: skip

Values = list[tuple[int, float]]
"""Numbers of features and their values; those that are not there are zero."""


_RUNNING: Final = (Kind.LOWER, Kind.OTHER)


def evidence(tokens: list[Token], span: Span, vocabulary: Vocabulary) -> Values:
    """The features of a span in its line."""
    values: Values = []
    inside = [token.word for token in tokens[span.start : span.end]]
    names = [word for word in inside if word.kind == Kind.WORD]
    _shape(values, span, inside, len(names))
    if span.form == NameForm.COMMA:
        families = sum(token.word.kind == Kind.WORD for token in tokens[span.start : span.comma])
        names = [*names[families:], *names[:families]]
    _lists(values, span, names)
    _words(values, names, vocabulary)
    _around(values, tokens, span, names)
    return values


def _shape(values: Values, span: Span, inside: list[Word], full: int) -> None:
    if span.form == NameForm.COMMA:
        values.append((COMMA_FORM, 1.0))
    elif span.form == NameForm.CELLS:
        values.append((CELLS_FORM, 1.0))
    count = full
    if len(inside) > full:
        parts = [word.kind for word in inside if word.kind == Kind.WORD or word.kind == Kind.INITIAL]
        count = len(parts)
        if count > full:
            _initials(values, span, parts, full)
        if any(word.kind == Kind.PARTICLE for word in inside):
            values.append((PARTICLE, 1.0))
    values.append((TWO if count == 2 else THREE if count == 3 else FOUR, 1.0 if count < 4 else count - 3.0))


def _initials(values: Values, span: Span, parts: Sequence[int], full: int) -> None:
    if span.form == NameForm.NATURAL and parts[0] == Kind.INITIAL:
        values.append((INITIAL_FIRST, 1.0))
    if Kind.INITIAL in parts[1:-1]:
        values.append((INITIALS, 1.0))
    if span.form == NameForm.NATURAL and parts[-1] == Kind.INITIAL:
        values.append((ENDS_INITIAL, 1.0))
    elif full == 1:
        values.append((ONLY_INITIALS, 1.0))


def _lists(values: Values, span: Span, names: list[Word]) -> None:
    """What the list says about the words of a name, given names first."""
    first, last = names[0], names[-1]
    family = last.family if last.family < CAP else CAP
    if len(names) > 1:
        given = first.given if first.given < CAP else CAP
        values.append((GIVEN, given))
        if span.form != NameForm.COMMA:
            turned = min(first.family, CAP) + min(last.given, CAP)
            if turned > given + family:
                values.append((REVERSED, turned - given - family))
    values.append((FAMILY, family))
    if len(names) > 2:
        between = names[1:-1]
        values.append((MIDDLE, sum(min(max(word.given, word.family), CAP) for word in between) / len(between)))
    if not any(word.given or word.family for word in names):
        values.append((NONE_LISTED, 1.0))


def _words(values: Values, names: list[Word], vocabulary: Vocabulary) -> None:
    common = places = institutions = lower = upper = 0
    for word in names:
        common += word.common
        places += word.place
        institutions += word.institution
        upper += word.upper
        lower += word.key in vocabulary.lower and max(word.given, word.family) < WELL_KNOWN
    if common:
        values.append((COMMON, float(common)))
    if places:
        values.append((PLACES, float(places)))
    if institutions:
        values.append((INSTITUTIONS, float(institutions)))
    if lower:
        values.append((LOWER, float(lower)))
    if upper:
        values.append((ALL_CAPITALS if upper == len(names) and upper > 1 else FAMILY_CAPITALS, 1.0))


def _around(values: Values, tokens: list[Token], span: Span, names: list[Word]) -> None:
    first, last = tokens[span.start], tokens[span.end - 1]
    before = tokens[span.start - 1] if span.start else None
    after = tokens[span.end] if span.end < len(tokens) else None
    begins = before is None or before.piece != first.piece or before.word.kind == Kind.PREFIX
    ends = after is None or after.piece != last.piece
    if before is not None:
        kind = before.word.kind
        if kind == Kind.PREFIX or before.word.title:
            values.append((TITLE_BEFORE, 1.0))
        elif kind == Kind.COMMA:
            values.append((COMMA_AROUND, 1.0))
        elif _touches(before, first) and kind in (Kind.WORD, Kind.INITIAL, Kind.NICK):
            values.append((CAPITAL_BEFORE, 1.0))
            if before.word.institution:
                values.append((INSTITUTION_NEXT, 1.0))
    if after is not None:
        ends = _after(values, tokens, span.end, last) or ends
    if begins:
        values.append((BEGINS, 1.0))
    if ends:
        values.append((ENDS, 1.0))
    if begins and ends:
        values.append((WHOLE, 1.0))
    if first.piece != last.piece:
        values.append((CROSSES, 1.0))
    if (before is not None and before.word.kind in _RUNNING and before.piece == first.piece) or (
        after is not None and after.word.kind in _RUNNING and after.piece == last.piece
    ):
        values.append((RUNNING, 1.0))
        values.append((RUNNING_KNOWN, _knownness(names)))


def _after(values: Values, tokens: list[Token], index: int, last: Token) -> bool:
    """What follows a span; whether the piece ends after it but for titles."""
    while index + 1 < len(tokens) and tokens[index].word.kind == Kind.NICK:
        index += 1
    after = tokens[index]
    if after.word.kind == Kind.NICK:
        return True
    position = index
    if after.word.kind == Kind.COMMA and index + 1 < len(tokens):
        position += 1
    kind = tokens[position].word.kind
    if kind == Kind.SUFFIX or kind == Kind.GENERATION:
        values.append((TITLE_AFTER, 1.0))
        while position < len(tokens) and tokens[position].word.kind in (Kind.SUFFIX, Kind.GENERATION, Kind.COMMA):
            position += 1
        return position == len(tokens) or tokens[position].piece != last.piece
    if after.word.kind == Kind.COMMA:
        values.append((COMMA_AROUND, 1.0))
    elif _touches(last, after) and after.word.kind in (Kind.WORD, Kind.INITIAL):
        values.append((CAPITAL_AFTER, 1.0))
        if after.word.institution:
            values.append((INSTITUTION_NEXT, 1.0))
    return False


def _knownness(names: list[Word]) -> float:
    """How well known given and family name are together, up to one; places and common words are not known as names."""
    if any(word.place or word.common or word.institution for word in names):
        return 0.0
    first, last = names[0], names[-1]
    natural, turned = first.given + last.family, first.family + last.given
    return min(max(natural, turned) / (2 * CAP), 1.0)


def _touches(left: Token, right: Token) -> bool:
    """Whether two tokens stand together in one piece, with nothing but a space between them."""
    return left.piece == right.piece and not left.stops
