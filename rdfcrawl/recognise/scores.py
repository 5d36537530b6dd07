"""How much a page is about a name: word frequency measures over the pages of a run."""

from __future__ import annotations

import math
from typing import Final

from rdfcrawl.dataclass import dataclass

K: Final = 1.75
B: Final = 0.75


@dataclass(frozen=True, slots=True)
class Corpus:
    """How many pages were searched, and how many words they have altogether."""

    pages: int
    words: int

    @property
    def average(self) -> float:
        """The words of an average page."""
        return self.words / self.pages if self.pages else 0.0


def inverse_frequency(corpus: Corpus, pages: int) -> float:
    """How telling a name is that stands on so many pages: ``log2(N / df)``."""
    return math.log2(corpus.pages / pages)


def tf_idf(count: int, inverse: float) -> float:
    """How often the page has the name, times how telling that is."""
    return count * inverse


def bm25(count: int, words: int, corpus: Corpus, inverse: float) -> float:
    """The same, but further mentions count less and less, and less on a long page."""
    length = words / corpus.average if corpus.average else 1.0
    return count * (K + 1) / (K * (1 - B + B * length) + count) * inverse
