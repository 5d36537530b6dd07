"""The search: in labels, by any part of them, and in all texts, by the beginnings of words."""

from __future__ import annotations

import heapq
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.catalogue.catalogue import Catalogue
from rdfcrawl.publish.catalogue.columns import TextBlock, folded
from rdfcrawl.publish.catalogue.writing import LABEL
from rdfcrawl.store.files.databases import open_finished
from rdfcrawl.store.files.lines import Advance

SHORTEST_SEARCH: Final = 2
LONGEST_SEARCH: Final = 200
"""Characters of a request that are looked for."""
MOST_COMPARED: Final = 100_000_000
"""Bytes of labels that one search looks at."""
_SHORTEST_WORD: Final = 3
_MOST_WORDS: Final = 6
_BEGINNING: Final = b"\x00"
"""Stands before every label."""
_INNER: Final = "-_.'’@"
"""What can be part of a word, besides letters and digits; nothing of it means anything to the index."""
_MOST_MATCHES: Final = 20_000
"""So many labels with the rarest of the words are compared; of more nobody would find the best by it."""
_MOST_RANKED: Final = 5_000
"""Of more objects than that, nobody would see which fits best."""
_MATCHING: Final = "SELECT rowid FROM words WHERE words MATCH ?"
_AT_ONCE: Final = 5_000
_HELD_BYTES: Final = 32 << 20
_SCHEMA: Final = f"""
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE VIRTUAL TABLE words USING fts5 (text, content = '', tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO words (words, rank) VALUES ('hashsize', {_HELD_BYTES});
"""


@dataclass(frozen=True, slots=True)
class Found:
    """The IRIs and classes of what a search has found, best first; ``everywhere`` says if it has looked at all."""

    hits: Sequence[tuple[str, str]] = ()
    everywhere: bool = True


def search_labels(catalogue: Catalogue, text: str, at_most: int, most_compared: int = MOST_COMPARED) -> Found:
    """The objects whose label has all words of the text; those that begin with it come first."""
    text = text[:LONGEST_SEARCH].strip()
    words = {folded(word) for word in text.split()}
    if len(b"".join(words)) < SHORTEST_SEARCH:
        return Found()
    start = _BEGINNING + folded(text)
    labels = _Labels(catalogue, most_compared)
    # If enough begin with the text, nobody needs the others.
    first = labels.having(start, ())
    best = heapq.nsmallest(at_most, first)
    if len(best) < at_most:
        least, *others = sorted(words, key=lambda word: (labels.count(word), -len(word), word))
        rest = [one for one in labels.having(least, others) if not one[1].startswith(start[1:])]
        best += heapq.nsmallest(at_most - len(best), rest)
    return Found(_named(catalogue, [place for *_, place in best]), labels.is_all)


class _Labels:
    """The labels of all objects; ``is_all`` says whether all that were asked for have been looked at."""

    def __init__(self, catalogue: Catalogue, most_compared: int) -> None:
        self._catalogue, self._most_compared = catalogue, most_compared
        self.is_all = True

    def count(self, wanted: bytes) -> int:
        """How often these bytes are in them."""
        return sum(block.content.count(wanted) for _, block in self._blocks())

    def having(self, wanted: bytes, others: Sequence[bytes]) -> list[tuple[int, bytes, int]]:
        """Those that have these bytes and all others: how long they are, they themselves, the number of the object."""
        found: list[tuple[int, bytes, int]] = []
        left = _MOST_MATCHES
        for first, block in self._blocks():
            for match in block.matches(wanted):
                if not left:
                    self.is_all = False
                    return found
                left -= 1
                label = block.text(match)
                if not others or all(word in label for word in others):
                    found.append((len(label), label, first + block.objects[match]))
        return found

    def _blocks(self) -> Iterator[tuple[int, TextBlock]]:
        """Their blocks with the numbers of the first objects; read anew each time, as they may be large."""
        left = self._most_compared
        for number, first in self._catalogue.label_properties(LABEL):
            for block in self._catalogue.blocks(number):
                left -= len(block.content)
                if left < 0:
                    self.is_all = False
                    return
                yield first, block


class WordIndex:
    """The words of all texts, in a file of their own. It stays open, as that of the catalogue."""

    def __init__(self, path: Path) -> None:
        self._db = open_finished(path)
        self._lock = threading.Lock()
        # SQLite opens a file when it first reads it.
        self._db.execute("SELECT count(*) FROM words_config").fetchone()

    def search(self, catalogue: Catalogue, text: str, at_most: int) -> Found:
        """Objects whose texts have words that begin with all of these."""
        plain = ("".join(char for char in word if char.isalnum() or char in _INNER) for word in text.split())
        # Each word costs a look at all words that begin with it, so that few and no short ones are looked for.
        long = [word for word in dict.fromkeys(plain) if sum(map(str.isalnum, word)) >= _SHORTEST_WORD]
        wanted = " ".join(f'"{word}"*' for word in long[:_MOST_WORDS])
        if not wanted:
            return Found()
        with self._lock:
            some = self._db.execute(f"{_MATCHING} LIMIT ?", (wanted, _MOST_RANKED + 1)).fetchall()
            if len(some) <= _MOST_RANKED:
                some = self._db.execute(f"{_MATCHING} ORDER BY rank, rowid LIMIT ?", (wanted, at_most)).fetchall()
        return Found(_named(catalogue, [number for (number,) in some[:at_most]]))

    def beginning(self, catalogue: Catalogue, starts: Sequence[str], at_most: int) -> list[str]:
        """Some objects whose texts have a word that begins with one of these letters."""
        wanted = " OR ".join(f'"{start}"*' for start in dict.fromkeys(starts[:_MOST_WORDS]) if start.isalnum())
        if not wanted:
            return []
        with self._lock:
            some = self._db.execute(f"{_MATCHING} LIMIT ?", (wanted, at_most)).fetchall()
        return catalogue.iris([number for (number,) in some])


def write_words(catalogue: Catalogue, path: Path, advance: Advance) -> None:
    """Write the words of all texts of a catalogue."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript(_SCHEMA)
        db.execute("BEGIN")
        rows: list[tuple[int, str]] = []
        for number, texts in groupby(_texts(catalogue), key=itemgetter(0)):
            rows.append((number, "\n".join(text.decode() for _, text in texts)))
            if len(rows) == _AT_ONCE:
                db.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", rows)
                rows = []
                advance(number / max(1, catalogue.row_count))
        db.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", rows)
        db.execute("COMMIT")


def _texts(catalogue: Catalogue) -> Iterator[tuple[int, bytes]]:
    """All texts with the numbers of their objects, in the order of these."""
    for first, properties in groupby(catalogue.text_properties(), key=itemgetter(1)):
        streams = [_texts_of(catalogue, number, first) for number, _ in properties]
        yield from heapq.merge(*streams, key=itemgetter(0))


def _texts_of(catalogue: Catalogue, number: int, first: int) -> Iterator[tuple[int, bytes]]:
    for block in catalogue.blocks(number):
        for match, place in enumerate(block.objects):
            yield first + place, block.text(match)


def _named(catalogue: Catalogue, numbers: Sequence[int]) -> list[tuple[str, str]]:
    return list(zip(catalogue.iris(numbers), map(catalogue.class_of, numbers), strict=True))
