"""A line goes in; its words come out, each with what it can be in a name."""

from __future__ import annotations

import math
import re
from itertools import accumulate
from typing import Final, NamedTuple

from rdfcrawl.dataclass import dataclass
from rdfcrawl.recognise.folding import folded
from rdfcrawl.recognise.lines import Line
from rdfcrawl.recognise.lists.name_list import NameList
from rdfcrawl.recognise.person.words import GENERATIONS, PARTICLES, words_of

LONGEST_WORD: Final = 40
"""No name has a longer word; pages without spaces have."""

_TOKEN: Final = re.compile(
    r"(?P<nick>[(\"“”„«'‘]\s?[^\W\d_][\w.'’-]{0,20}+\s?[)\"“”»'’](?!\w))"
    r"|(?P<word>[^\W\d_]++(?:['’‘`´.\-‐‑]{1,2}[^\W\d_]++)*+\.?+)(?![\d_])"
    r"|(?P<comma>,)|(?P<other>[\w@]++|[^\s\w])"
)
_POSSESSIVE: Final = re.compile(r"(?<=\w\w)['’]s\Z")
_KNOWN_AS_NAME: Final = 40
_CAPITAL: Final = re.compile(r"[A-Z]")
_TWO_CAPITALS: Final = re.compile(r"[A-Z][^A-Z]*+[A-Z]")
_SHORT: Final = 4
_PLAIN_TITLES: Final = frozenset(
    ("dr", "prof", "mr", "mrs", "ms", "miss", "herr", "frau", "pd", "mme", "mlle", "professor")
)
"""Titles that are often written without a full stop and are hardly ever names."""


_DEGREE_LETTERS: Final = frozenset(("m.s", "m.a", "b.s", "b.a", "m.d", "j.d", "s.j", "r.n", "o.p"))
"""Degrees that are written like initials; after a family name or a comma they are no initials."""


class Kind:
    """What a word can be in a name. Plain numbers: they are compared for every word of a page."""

    OTHER: Final = 0
    WORD: Final = 1
    """A capitalised word."""
    INITIAL: Final = 2
    PARTICLE: Final = 3
    PREFIX: Final = 4
    SUFFIX: Final = 5
    GENERATION: Final = 6
    NICK: Final = 7
    """A word in brackets or quotation marks."""
    COMMA: Final = 8
    LOWER: Final = 9


@dataclass(frozen=True, slots=True)
class Word:
    """A distinct word of a page: how it is written, and what lists say about it."""

    text: str
    key: str
    kind: int
    given: float = 0.0
    family: float = 0.0
    common: bool = False
    place: bool = False
    institution: bool = False
    title: bool = False
    upper: bool = False

    @property
    def listed(self) -> bool:
        """Whether the list of names has it at all."""
        return self.given > 0 or self.family > 0


class Token(NamedTuple):
    """A word at its place in a line: a tuple, because a page has thousands and these are made fastest.

    ``piece`` is the piece that it starts in, ``apart`` whether white space is before it, ``stops`` whether a full stop
    or the like ends the name after it.
    """

    word: Word
    start: int
    end: int
    piece: int
    apart: bool
    stops: bool


_BEFORE_DEGREE: Final = (Kind.WORD, Kind.COMMA, Kind.SUFFIX)
OTHER: Final = Word("", "", Kind.OTHER)
COMMA: Final = Word(",", ",", Kind.COMMA)


class Vocabulary:
    """Words, each looked up once, and which of them the page also writes in lower case.

    ``known`` are the words of earlier pages, which this page adds to.
    """

    __slots__ = ("_known", "_names", "lower")

    def __init__(self, names: NameList, known: dict[str, Word] | None = None) -> None:
        self._names = names
        self._known = {} if known is None else known
        self.lower: set[str] = set()

    def tokens(self, line: Line) -> list[Token]:
        """The tokens of a line in order; none where it cannot have a name, which takes two capitals."""
        text = line.text
        # The halves of a name in two cells have one each.
        if text.isascii() and not (_TWO_CAPITALS if line.column < 0 else _CAPITAL).search(text):
            self.lower.update(word for word in text.split() if word.isalpha())
            return []
        ends = list(accumulate(len(piece.text) for piece in line.pieces))
        edge, piece_index, previous = ends[0], 0, -1
        tokens: list[Token] = []
        known = self._known
        for found in _TOKEN.finditer(text):
            start, stop = found.span()
            while start >= edge:
                piece_index += 1
                edge = ends[piece_index]
            match found.lastgroup:
                case "word":
                    # The edge of an element ends a word, unless the word plainly goes on in small letters.
                    if edge < stop and not text[edge].islower():
                        self._add(tokens, text[start:edge], start, edge, piece_index, start != previous)
                        self._add(tokens, text[edge:stop], edge, stop, piece_index + 1, False)
                    elif (word := known.get(found[0])) is not None and word.kind == Kind.WORD and word.text == found[0]:
                        tokens.append(Token(word, start, stop, piece_index, start != previous, False))
                    else:
                        self._add(tokens, found[0], start, stop, piece_index, start != previous)
                case "comma":
                    tokens.append(Token(COMMA, start, stop, piece_index, start != previous, False))
                case "nick":
                    nick = Word(found[0], "", Kind.NICK)
                    tokens.append(Token(nick, start, stop, piece_index, start != previous, False))
                case _:
                    tokens.append(Token(OTHER, start, stop, piece_index, start != previous, False))
            previous = stop
        return tokens

    def _add(self, tokens: list[Token], text: str, start: int, end: int, piece: int, apart: bool) -> None:
        if not text:
            return
        word = self._known.get(text)
        if word is None:
            word = self._known[text] = self._word(text)
        if word.kind == Kind.LOWER:
            self.lower.add(word.key)
        cut = len(text) - len(word.text) if word.text else 0
        if (
            tokens
            and word.kind == Kind.INITIAL
            and word.key in _DEGREE_LETTERS
            and not tokens[-1].stops
            and tokens[-1].word.kind in _BEFORE_DEGREE
        ):
            word = Word(text, word.key, Kind.SUFFIX, title=True)
            cut = 0
        tokens.append(Token(word, start, end - cut, piece, apart, cut > 0))

    def _word(self, text: str) -> Word:
        bare = _POSSESSIVE.sub("", text.rstrip("."))
        if len(text) > LONGEST_WORD or not bare:
            return OTHER
        key = folded(bare)
        first = bare[0]
        if _is_initial(text):
            return Word(text, key, Kind.INITIAL)
        if key == "st" and first == "S":
            return Word(text, key, Kind.PARTICLE, upper=True)
        if key in PARTICLES and not (first.isupper() and self._names.counts(bare)[0] > _KNOWN_AS_NAME):
            return Word(bare, key, Kind.PARTICLE, upper=first.isupper())
        if key in GENERATIONS or folded(text) in GENERATIONS:
            return Word(text, key, Kind.GENERATION)
        if not (first.isupper() or first.istitle()):
            if text != bare and (key in words_of("prefix") or folded(text) in words_of("prefix")):
                return Word(text, key, Kind.PREFIX, title=True)
            # Scripts without case have no capitals to go by.
            return Word(bare, key, Kind.LOWER)
        return self._capitalised(text, bare, key)

    def _capitalised(self, text: str, bare: str, key: str) -> Word:
        given, family = self._names.counts(bare)
        is_title = key in words_of("prefix") or folded(text) in words_of("prefix")
        if is_title and (
            text.endswith(".") or (given + family < _KNOWN_AS_NAME and len(bare) > _SHORT) or key in _PLAIN_TITLES
        ):
            return Word(text, key, Kind.PREFIX, title=True)
        if _is_suffix(text, bare, key) and given + family < _KNOWN_AS_NAME:
            return Word(text, key, Kind.SUFFIX, title=True)
        return Word(
            bare,
            key,
            Kind.WORD,
            math.log1p(given),
            math.log1p(family),
            key in words_of("common"),
            key in words_of("place"),
            key in words_of("institution"),
            is_title,
            len(bare) > 1 and bare.isupper(),
        )


def _is_initial(text: str) -> bool:
    """``J.``, ``J``, ``J.-P.``, ``J.E.B.``; two capitals with a full stop after each."""
    letters = text.replace(".", "").replace("-", "")
    if len(letters) == 1:
        return letters.isupper()
    if "." not in text or len(letters) > 3:
        return False
    return all(len(part) <= 1 and (not part or part.isupper()) for part in text.replace("-", ".").split("."))


def _is_suffix(text: str, bare: str, key: str) -> bool:
    if key not in words_of("suffix") and folded(text) not in words_of("suffix"):
        return False
    return "." in text or sum(letter.isupper() for letter in bare) > 1 or key in ("emeritus", "emerita")
