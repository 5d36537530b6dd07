"""Pages with names as the files that QLever builds a text index from: words, records and triples.

A record is a sentence. Its words are in the words file with their record, and after every word of a name the tag of the
name, which is what text and knowledge base have in common.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import IO, Final
from urllib.parse import quote

from rdfcrawl.dataclass import dataclass
from rdfcrawl.recognise.person.words import words_of
from rdfcrawl.recognise.sets.machine import normalised

SCORE: Final = 1
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+(?=[\"“„«(]?[^\W\d_a-z])")
_LAST_WORD: Final = re.compile(r"(\w+)\.$")
_WORD: Final = re.compile(r"\w+(?:['’\-]\w+)*")
_NOT_IN_TAG: Final = re.compile(r"[\s<>\"{}|\\^`]+")


@dataclass(frozen=True, slots=True)
class PageText:
    """The visible lines of a page, and the names on it: as the page writes them, and as they are called."""

    address: str
    lines: tuple[str, ...]
    names: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class QLeverFiles:
    """The three files, written page by page."""

    words: IO[bytes]
    docs: IO[bytes]
    triples: IO[bytes]
    records: int = 0
    pages: int = 0

    def add(self, page: PageText) -> None:
        """Write a page."""
        self.pages += 1
        names = {" ".join(written.split()): tag(name) for written, name in page.names}
        address = f"<{quote(page.address, safe=_IN_ADDRESS)}>"
        for name in sorted(set(names.values())):
            self.triples.write(f"{name} <appears-in> {address} .\n".encode())
        pattern = _any_of(list(names))
        for line in page.lines:
            for sentence in sentences(" ".join(line.split()), pattern):
                self._record(sentence, address, names, pattern)

    def _record(self, sentence: str, address: str, names: dict[str, str], pattern: re.Pattern[str] | None) -> None:
        self.records += 1
        found = list(pattern.finditer(sentence)) if pattern else []
        spans = [(match.start(), match.end(), names[match[0]]) for match in found]
        for word in _WORD.finditer(sentence):
            self.words.write(f"{word[0].lower()}\t0\t{self.records}\t{SCORE}\n".encode())
            for start, end, name in spans:
                if start <= word.start() < end:
                    self.words.write(f"{name}\t1\t{self.records}\t{SCORE}\n".encode())
        self.docs.write(f"{self.records}\t{sentence}\n".encode())
        self.triples.write(f"<QLever-internal-function/record-{self.records}> <source-url> {address} .\n".encode())


def tag(name: str) -> str:
    """The tag of a name: ``<Alexander_Fleming>``."""
    return normalised(_NOT_IN_TAG.sub(" ", name))


def sentences(text: str, names: re.Pattern[str] | None = None) -> Iterator[str]:
    """The sentences of a line; the full stop of an initial ends none."""
    inside = [match.span() for match in names.finditer(text)] if names else []
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if any(first < end.start() < last for first, last in inside) or _is_abbreviated(text, end.start()):
            continue
        yield text[start : end.start()]
        start = end.end()
    if text[start:].strip():
        yield text[start:]


def _is_abbreviated(text: str, end: int) -> bool:
    """Whether the full stop before a place belongs to a title or an initial."""
    last = _LAST_WORD.search(text, max(end - 20, 0), end)
    return last is not None and (len(last[1]) == 1 or last[1].lower() in words_of("prefix"))


def _any_of(names: Sequence[str]) -> re.Pattern[str] | None:
    if not names:
        return None
    longest = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)")


_IN_ADDRESS: Final = ":/?#[]@!$&'()*+,;=%~"
