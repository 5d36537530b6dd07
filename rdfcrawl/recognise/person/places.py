"""How often names stand in places of one kind, learnt from the page itself.

The rate of a place is a Bayesian one: a fine description of a place begins with the rate of the coarser one and moves
away from it as the page shows more. A piece is never evidence for itself.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

BACKING: Final = 1.5
"""How many pieces the coarser place weighs."""
PRIOR: Final = 0.05
MOST_ODDS: Final = 4.0


class PlaceRates:
    """Counts pieces, and the probability that each is a name written in some manner, by place."""

    __slots__ = ("_hits", "_pieces")

    def __init__(self, pieces: Iterable[Sequence[str]]) -> None:
        self._pieces = Counter(chain.from_iterable(pieces))
        self._hits: defaultdict[tuple[str, int], float] = defaultdict(float)

    def forget_names(self) -> None:
        """Begin anew, with the same pieces."""
        self._hits.clear()

    def add_name(self, places: Sequence[str], manner: int, probability: float) -> None:
        """Count what may be a name in a piece."""
        for place in places:
            self._hits[place, manner] += probability

    def rate(self, places: Sequence[str], manner: int, own: float) -> float:
        """How likely a piece in such a place is a name, going by the other pieces there; ``own`` is its own share."""
        rate = PRIOR
        for place in reversed(places):
            pieces = self._pieces[place] - 1
            if pieces > 0:
                hits = self._hits.get((place, manner), 0.0) - own
                rate = (max(min(hits, pieces), 0.0) + BACKING * rate) / (pieces + BACKING)
        return rate


def log_odds(rate: float) -> float:
    """The logarithm of the odds of a rate, within limits."""
    return (
        max(-MOST_ODDS, min(MOST_ODDS, math.log(rate / (1.0 - rate))))
        if 0.0 < rate < 1.0
        else math.copysign(MOST_ODDS, rate - 0.5)
    )
