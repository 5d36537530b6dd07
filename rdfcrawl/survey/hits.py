"""HITS: hubs lead to good authorities, and authorities are what good hubs lead to.

Computed as Kleinberg described it, from equal beginnings: where several answers are right, because a site falls apart
into equal pieces, solvers that begin at random give any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Final

_MOST_ROUNDS: Final = 50
_CLOSE: Final = 1e-7


def hits(count: int, pairs: Iterable[Sequence[int]]) -> tuple[list[float], list[float]]:
    """Hub and authority of each of so many pages, given the links as pairs of their numbers; the greatest is 1."""
    leads: list[list[int]] = [[] for _ in range(count)]
    led: list[list[int]] = [[] for _ in range(count)]
    for source, target in pairs:
        leads[source].append(target)
        led[target].append(source)
    hubs = authorities = [1.0] * count
    for _ in range(_MOST_ROUNDS):
        before = hubs
        authorities = _normal([sum(map(hubs.__getitem__, sources)) for sources in led])
        hubs = _normal([sum(map(authorities.__getitem__, targets)) for targets in leads])
        if all(abs(old - new) < _CLOSE for old, new in zip(before, hubs, strict=True)):
            break
    return _scaled(hubs), _scaled(authorities)


def _normal(weights: list[float]) -> list[float]:
    """The weights such that the sum of their squares is 1."""
    length = sqrt(sum(weight * weight for weight in weights))
    return [weight / length for weight in weights] if length else weights


def _scaled(weights: list[float]) -> list[float]:
    most = max(weights, default=0.0)
    return [weight / most for weight in weights] if most else weights
