"""The tokens of a name go in; titles, given and family name come out, as a person would write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.recognise.person.candidates import NameForm, Span
from rdfcrawl.recognise.person.evidence import CAP
from rdfcrawl.recognise.person.tokens import Kind, Token, Word

_MUCH_MORE_LIKELY: Final = 3.0
"""How much better the list must fit the order family, given before a name is read that way."""


@dataclass(frozen=True, slots=True)
class PersonName:
    """A name in its parts; ``full`` keeps the page's order unless that was "family, given"."""

    full: str
    given: str
    family: str
    titles: tuple[str, ...]

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The parts that are there, by their names in the vocabulary."""
        named = [("given", self.given), ("family", self.family)]
        return tuple([(name, text) for name, text in named if text] + [("title", title) for title in self.titles])


def name_parts(tokens: Sequence[Token], span: Span) -> PersonName:
    """Take a name apart."""
    titles = tuple(_titles(tokens, span))
    words = [token.word for token in tokens[span.start : span.end] if token.word.kind not in _NOT_IN_NAME]
    generation = [word for word in words if word.kind == Kind.GENERATION]
    if span.form == NameForm.COMMA:
        before = [token.word for token in tokens[span.start : span.comma]]
        after = [token.word for token in tokens[span.comma + 1 : span.end]]
        family = [word for word in before if word.kind not in _NOT_IN_FAMILY]
        given = [word for word in after if word.kind not in _NOT_IN_FAMILY]
        while given and given[-1].kind == Kind.PARTICLE:
            family.insert(0, given.pop())
        return _name(given, family, generation, titles, [*given, *family])
    names = [word for word in words if word.kind != Kind.GENERATION]
    given, family = (names[: span.comma], names[span.comma :]) if span.form == NameForm.CELLS else _split(names)
    return _name(given, family, generation, titles, names)


_NOT_IN_NAME: Final = (Kind.PREFIX, Kind.SUFFIX, Kind.COMMA)
_NOT_IN_FAMILY: Final = (*_NOT_IN_NAME, Kind.GENERATION)


def _name(
    given: list[Word], family: list[Word], generation: list[Word], titles: tuple[str, ...], order: list[Word]
) -> PersonName:
    full = " ".join(_spelled(word, is_given=word in given) for word in [*order, *generation])
    spelled_given = " ".join(_spelled(word, is_given=True) for word in given if word.kind != Kind.NICK)
    return PersonName(full, spelled_given, " ".join(_spelled(word) for word in family), titles)


def _split(names: list[Word]) -> tuple[list[Word], list[Word]]:
    """Given and family name of a name in natural order, or in the order of Hungary, China and registers."""
    full = [index for index, word in enumerate(names) if word.kind == Kind.WORD]
    upper = [index for index in full if names[index].upper]
    if upper and len(upper) < len(full) and upper == list(range(upper[0], upper[0] + len(upper))):
        if upper[0] == 0:
            return names[len(upper) :], names[: len(upper)]
        return _with_particles(names, upper[0])
    first, last = names[full[0]], names[full[-1]]
    natural = min(first.given, CAP) + min(last.family, CAP)
    turned = min(first.family, CAP) + min(last.given, CAP)
    initial_last = names[-1].kind == Kind.INITIAL and names[0].kind == Kind.WORD
    if full[0] == 0 and (initial_last or (len(full) > 1 and turned - natural > _MUCH_MORE_LIKELY)):
        return names[1:], names[:1]
    return _with_particles(names, len(names) - 1)


def _with_particles(names: list[Word], start: int) -> tuple[list[Word], list[Word]]:
    while start > 1 and names[start - 1].kind == Kind.PARTICLE:
        start -= 1
    return names[:start], names[start:]


def _titles(tokens: Sequence[Token], span: Span) -> list[str]:
    """The titles before, within and after a name, as the page writes them."""
    start = span.start
    while start and tokens[start - 1].word.title and tokens[start - 1].piece == tokens[span.start].piece:
        start -= 1
    titles = [token.word.text for token in tokens[start : span.start]]
    titles += [t.word.text for t in tokens[span.start : span.end] if t.word.kind in (Kind.PREFIX, Kind.SUFFIX)]
    index = span.end
    while index < len(tokens) and tokens[index].word.kind in (Kind.COMMA, Kind.SUFFIX):
        if tokens[index].word.kind == Kind.SUFFIX:
            titles.append(tokens[index].word.text)
        index += 1
    return titles


def _spelled(word: Word, *, is_given: bool = False) -> str:
    """A word in capitals as it is usually written: ``O'BRIEN`` is ``O'Brien``; "JJ" before a family name stays."""
    text = word.text
    if word.kind != Kind.WORD or not word.upper or (is_given and len(text) == 2 and not word.listed):
        return text
    lowered = "".join(
        letter if index == 0 or not text[index - 1].isalpha() else letter.lower() for index, letter in enumerate(text)
    )
    return f"Mc{lowered[2:].capitalize()}" if lowered.startswith("Mc") and len(lowered) > 4 else lowered
