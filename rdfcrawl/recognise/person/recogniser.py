"""Names of persons: candidates, their scores alone, the rates of their places, their scores together, the best."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.recognise.finds import Find, Reason
from rdfcrawl.recognise.lines import Line, searched
from rdfcrawl.recognise.lists.files import name_list
from rdfcrawl.recognise.lists.name_list import NameList
from rdfcrawl.recognise.person.candidates import NameForm, Span, spans
from rdfcrawl.recognise.person.cells import cell_pairs
from rdfcrawl.recognise.person.evidence import (
    ENDS_INITIAL,
    FEATURES,
    HEADED,
    INITIAL_FIRST,
    ONLY_INITIALS,
    WHOLE,
    Values,
    evidence,
)
from rdfcrawl.recognise.person.parts import name_parts
from rdfcrawl.recognise.person.places import MOST_ODDS, PlaceRates, log_odds
from rdfcrawl.recognise.person.tokens import Kind, Token, Vocabulary, Word
from rdfcrawl.recognise.person.weights import ALONE, ALONE_BIAS, PLACE, TOGETHER, TOGETHER_BIAS

_ROUNDS: Final = 2
_LEARNT_FROM: Final = -1.5
"""From which score on a candidate teaches something about its place."""
_SHORT_FORM: Final = 3.0
"""What speaks for initials with a family name that the page has with a given name as well."""
_OF_SHORT_FORMS: Final = (INITIAL_FIRST, ONLY_INITIALS, ENDS_INITIAL)
_MOST_KNOWN: Final = 20_000
"""How many words are remembered from page to page."""
_HOPELESS: Final = -PLACE * MOST_ODDS
"""Below it no place can make a name of a candidate."""


@dataclass(slots=True)
class _Candidate:
    line: int
    span: Span
    tokens: list[Token]
    values: Values
    base: float
    alone: float
    places: tuple[str, ...]
    piece: tuple[int, int]
    manner: int
    covers: int = -1
    """The second line of a name in two cells."""
    score: float = 0.0
    odds: float = 0.0
    bonus: float = 0.0


class PersonRecogniser:
    """``recognise:person``: the names of persons on a page."""

    what: Final = "the name of a person"

    def __init__(self, names: str | None = None) -> None:
        self._location = names
        self._known: dict[str, Word] = {}

    @property
    def names(self) -> NameList:
        """The list of names, read when it is first needed."""
        return name_list(self._location)

    def finds(self, lines: Sequence[Line], *, reasons: bool = False) -> list[Find]:
        """Every name in the lines, in their order."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        lines = searched(lines)
        vocabulary = Vocabulary(self.names, self._known)
        tokens = [vocabulary.tokens(line) for line in lines]
        candidates = _candidates(lines, tokens, vocabulary)
        rates_by = _Places(lines)
        for candidate in candidates:
            candidate.score = candidate.alone
        for _ in range(_ROUNDS):
            chosen = _best(candidates, _LEARNT_FROM)
            rates_by.learn(chosen)
            for candidate in candidates:
                candidate.odds = rates_by.odds(candidate)
                candidate.score = candidate.base + PLACE * candidate.odds
        chosen = _favour_short_forms(candidates, _best(candidates, 0.0))
        chosen.sort(key=lambda one: (one.line, one.span.start))
        return [self._find(lines, candidate, reasons) for candidate in chosen]

    def _find(self, lines: Sequence[Line], candidate: _Candidate, reasons: bool) -> Find:
        line, span, tokens = lines[candidate.line], candidate.span, candidate.tokens
        name = name_parts(tokens, span)
        if candidate.covers >= 0:
            second = lines[candidate.covers]
            written = excerpt = f"{line.text.strip()} | {second.text.strip()}"
            until = second.pieces[-1].where
        else:
            start, end = tokens[span.start].start, tokens[span.end - 1].end
            written, excerpt = " ".join(line.text[start:end].split()), line.excerpt(start, end)
            until = line.where(end - 1)
        where = line.pieces[candidate.piece[1]].where
        why = tuple(self._reasons(candidate)) if reasons else ()
        return Find(name.full, written, where, until, name.facts, round(candidate.score, 4), excerpt, why)

    def _reasons(self, candidate: _Candidate) -> Iterable[Reason]:
        for feature, value in candidate.values:
            weight = value * TOGETHER[feature]
            if weight:
                yield Reason(FEATURES[feature], weight)
        rate = 1.0 / (1.0 + math.exp(-candidate.odds))
        place = f"place: {rate:.0%} of the pieces like {candidate.places[0] or 'this text'} are such names"
        yield Reason(place, PLACE * candidate.odds)
        yield Reason("any such run of words", TOGETHER_BIAS)
        if candidate.bonus:
            yield Reason("short form of a name on this page", candidate.bonus)
        for token in candidate.tokens[candidate.span.start : candidate.span.end]:
            if token.word.kind == Kind.WORD:
                given, family = self.names.counts(token.word.text)
                counts = f"a given name {given:,} times, a family name {family:,} times"
                yield Reason(f"list {self.names.label}: {token.word.text} is {counts}", 0.0)


def _candidates(lines: Sequence[Line], tokens: Sequence[list[Token]], vocabulary: Vocabulary) -> list[_Candidate]:
    found: list[_Candidate] = []
    for index, line_tokens in enumerate(tokens):
        for span in spans(line_tokens):
            values = evidence(line_tokens, span, vocabulary)
            base = _weighed(values, TOGETHER, TOGETHER_BIAS)
            if base < _HOPELESS:
                continue
            piece = line_tokens[span.start].piece
            manner = span.form * 2 + any(feature == WHOLE for feature, _ in values)
            places = lines[index].pieces[piece].places
            alone = _weighed(values, ALONE, ALONE_BIAS)
            found.append(_Candidate(index, span, line_tokens, values, base, alone, places, (index, piece), manner))
    for pair in cell_pairs(lines, tokens):
        values = evidence(pair.tokens, pair.span, vocabulary)
        if pair.is_headed:
            values.append((HEADED, 1.0))
        base, alone = _weighed(values, TOGETHER, TOGETHER_BIAS), _weighed(values, ALONE, ALONE_BIAS)
        piece = tokens[pair.line][0].piece
        places = lines[pair.line].pieces[piece].places
        found.append(
            _Candidate(
                pair.line,
                pair.span,
                pair.tokens,
                values,
                base,
                alone,
                places,
                (pair.line, piece),
                NameForm.CELLS * 2 + 1,
                pair.second,
            )
        )
    return found


def _favour_short_forms(candidates: Sequence[_Candidate], chosen: list[_Candidate]) -> list[_Candidate]:
    """Initials before the family name of somebody on the page are most likely that person; what is chosen then."""
    short = [
        candidate for candidate in candidates if any(feature in _OF_SHORT_FORMS for feature, _ in candidate.values)
    ]
    if not short:
        return chosen
    known = {
        words[-1].key for one in chosen if len(words := _full_words(one)) > 1 and one.span.form == NameForm.NATURAL
    }
    for candidate in short:
        words = _full_words(candidate)
        if len(words) == 1 and words[0].key in known and not words[0].common:
            candidate.bonus = _SHORT_FORM
            candidate.score += _SHORT_FORM
    return _best(candidates, 0.0)


def _full_words(candidate: _Candidate) -> list[Word]:
    span = candidate.span
    return [token.word for token in candidate.tokens[span.start : span.end] if token.word.kind == Kind.WORD]


def _weighed(values: Values, weights: Sequence[float], bias: float) -> float:
    score = bias
    for feature, value in values:
        score += weights[feature] * value
    return score


class _Places:
    """The rates of places, learnt anew in every round from what is chosen then."""

    __slots__ = ("_odds", "_own", "_rates")

    def __init__(self, lines: Sequence[Line]) -> None:
        pieces: list[tuple[str, ...]] = []
        for line in lines:
            pieces += [piece.places for piece in line.pieces if piece.text != " "]
        self._rates = PlaceRates(pieces)
        self._own: dict[tuple[tuple[int, int], int], float] = {}
        self._odds: dict[tuple[tuple[str, ...], int], float] = {}

    def learn(self, chosen: Iterable[_Candidate]) -> None:
        """Count what is chosen, by its place and the manner in which it is written."""
        self._own = {}
        self._odds = {}
        places: dict[tuple[tuple[int, int], int], tuple[str, ...]] = {}
        for candidate in chosen:
            key = (candidate.piece, candidate.manner)
            probability = 1.0 / (1.0 + math.exp(-max(min(candidate.score, 30.0), -30.0)))
            self._own[key] = max(self._own.get(key, 0.0), probability)
            places[key] = candidate.places
        self._rates.forget_names()
        for key, probability in self._own.items():
            self._rates.add_name(places[key], key[1], probability)

    def odds(self, candidate: _Candidate) -> float:
        """What the other pieces say about the place of a candidate."""
        own = self._own.get((candidate.piece, candidate.manner))
        if own is not None:
            return log_odds(self._rates.rate(candidate.places, candidate.manner, own))
        key = (candidate.places, candidate.manner)
        odds = self._odds.get(key)
        if odds is None:
            odds = self._odds[key] = log_odds(self._rates.rate(*key, 0.0))
        return odds


def _best(candidates: Iterable[_Candidate], least: float) -> list[_Candidate]:
    """The candidates with the highest sum of scores above the least, no two of which share a word."""
    by_line: dict[int, list[_Candidate]] = {}
    for candidate in candidates:
        if candidate.score > least:
            by_line.setdefault(candidate.line, []).append(candidate)
    taken: list[_Candidate] = []
    for line in sorted(by_line):
        in_cells = [candidate for candidate in by_line[line] if candidate.covers >= 0]
        if in_cells:
            # The halves of a name in two cells are no names themselves, so nothing else stands in these lines.
            taken += in_cells
        else:
            taken += _best_of_line(by_line[line], least)
    return taken


def _best_of_line(candidates: list[_Candidate], least: float) -> list[_Candidate]:
    if len(candidates) == 1:
        return candidates
    ordered = sorted(candidates, key=lambda one: (one.span.end, one.span.start))
    ends = [candidate.span.end for candidate in ordered]
    sums = [0.0]
    choices: list[tuple[int, bool]] = [(0, False)]
    for index, candidate in enumerate(ordered):
        before = bisect_right(ends, candidate.span.start, 0, index)
        with_it = sums[before] + candidate.score - least
        if with_it > sums[index]:
            sums.append(with_it)
            choices.append((before, True))
        else:
            sums.append(sums[index])
            choices.append((index, False))
    taken = []
    index = len(ordered)
    while index:
        before, is_taken = choices[index]
        if is_taken:
            taken.append(ordered[index - 1])
        index = before
    return taken
