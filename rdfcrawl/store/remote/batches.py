"""How many triples a server gets at once: what it takes in about a second, whatever server it is.

Some servers take ten thousand triples in a moment. Others parse an update in a time that grows with the square of its
length: rdflib takes a hundred triples in a third of a second and four thousand in minutes.
"""

from __future__ import annotations

from typing import Final

from rdfcrawl.dataclass import dataclass

MOST: Final = 10_000
LEAST: Final = 20
_FIRST_UPDATE: Final = 200
_GOAL_SECONDS: Final = 1.0
_GROWTH: Final = 2
_SHRINKAGE: Final = 8


@dataclass(frozen=True, slots=True)
class BatchSize:
    """How many triples to send next; ``most`` is what has not been too much yet."""

    lines: int = MOST
    most: int = MOST

    def after(self, sent: int, seconds: float) -> BatchSize:
        """What to send after so many triples took so long."""
        estimate = seconds * self.lines / sent
        wished = self.lines * _GOAL_SECONDS / estimate if estimate else self.most
        wished = max(wished, self.lines / _SHRINKAGE, LEAST)
        return BatchSize(round(min(wished, self.lines * _GROWTH, self.most)), self.most)

    def after_none(self, sent: int) -> BatchSize:
        """What to send after there was no answer in time for so many triples; never again as many."""
        most = max(sent // 2, LEAST)
        return BatchSize(max(sent // _SHRINKAGE, LEAST), most)


WHOLE_GRAPHS: Final = BatchSize()
UPDATES: Final = BatchSize(_FIRST_UPDATE)
"""What to begin with: formats of graphs are read line by line, updates are parsed as a whole."""
