"""The properties that the samples speak for: every slot votes for the best way that finds it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

from rdfcrawl.drafting.reading.labels import Labels
from rdfcrawl.drafting.reading.slots import Sample, Slot
from rdfcrawl.drafting.ways.candidates import candidates, find_stable
from rdfcrawl.drafting.ways.merging import merged
from rdfcrawl.drafting.ways.paths import LABELLED, Way
from rdfcrawl.drafting.ways.trial import Tried, try_way

_MOST_SLOTS: Final = 800
_MOST_WAYS: Final = 10
"""The heaviest ways to a text are tried; a page may have dozens to each."""
_LEAST_SCORE: Final = 0.15


def choose(samples: Sequence[Sample], labels: Labels, taken: Collection[tuple[int, int]] = ()) -> list[Tried]:
    """The ways to the values of the samples, best first; the texts at the ``taken`` places belong to something else."""
    stable = find_stable(samples)
    weights: dict[Way, float] = {}
    leading: dict[tuple[int, int], list[Way]] = {}
    for sample in samples:
        for slot in _varying(sample, labels):
            if (slot.page, slot.place) in taken:
                continue
            ways: dict[Way, float] = {}
            for way, weight in candidates(slot, sample, labels, stable):
                ways[way] = max(weight, ways.get(way, 0.0))
            heaviest = sorted(ways, key=lambda way: -ways[way])[:_MOST_WAYS]
            for way in heaviest:
                weights[way] = max(ways[way], weights.get(way, 0.0))
            leading[sample.number, slot.place] = heaviest
    tried = {way: try_way(way, weight, samples, labels) for way, weight in weights.items()}
    found = merged(_accept(_votes(leading, tried), set(taken)), samples, labels)
    if gathering := _gathering(found):
        # Without them, the texts that have no label of their own are found by other ways.
        left = {way: one for way, one in tried.items() if way not in gathering}
        found = merged(_accept(_votes(leading, left), set(taken)), samples, labels)
    return found


def _gathering(found: Sequence[Tried]) -> set[Way]:
    """The ways to several values that take in what others find by a label, and those that they were made of."""
    labelled = [one for one in found if one.way.anchor in LABELLED]
    wide = [one for one in found if one.way.is_multiple and one.way.anchor not in LABELLED]
    ways = {one.way for one in wide if any(one.holds(other) for other in labelled)}
    return ways | {replace(way, below="") for way in ways if way.below}


def _varying(sample: Sample, labels: Labels) -> Iterator[Slot]:
    """The texts that are not the template's."""
    count = 0
    for slot in sample.slots:
        if labels.is_label(slot) or count >= _MOST_SLOTS:
            continue
        before = sample.slots[slot.place - 1] if slot.place else None
        after_label = before is not None and labels.is_label(before) and not slot.linked
        if labels.share(slot) >= 0.99 and not after_label:
            continue
        count += 1
        yield slot


def _votes(
    leading: dict[tuple[int, int], list[Way]], tried: dict[Way, Tried]
) -> dict[Way, tuple[Tried, set[tuple[int, int]]]]:
    voted: dict[Way, tuple[Tried, set[tuple[int, int]]]] = {}
    for (page, place), ways in leading.items():
        fitting = [tried[way] for way in ways if way in tried and _finds(tried[way], page, place)]
        if not fitting:
            continue
        best = max(fitting, key=lambda one: (one.score, one.weight, repr(one.way)))
        if best.score < _LEAST_SCORE:
            continue
        voted.setdefault(best.way, (best, set()))[1].add((page, place))
    return voted


def _finds(one: Tried, page: int, place: int) -> bool:
    return any(value.first <= place < value.first + value.count for value in one.counted(page))


def _standing(tried: Tried, slots: set[tuple[int, int]]) -> float:
    pages = len({page for page, _ in slots})
    return tried.score * (0.5 + 0.5 * pages / len(tried.found))


def _accept(voted: dict[Way, tuple[Tried, set[tuple[int, int]]]], covered: set[tuple[int, int]]) -> list[Tried]:
    accepted: list[Tried] = []
    ranked = sorted(voted.values(), key=lambda vote: (-_standing(*vote), repr(vote[0].way)))
    for tried, _ in ranked:
        slots = {
            (page, place)
            for page in range(len(tried.found))
            for value in tried.counted(page)
            for place in range(value.first, value.first + value.count)
        }
        if len(slots - covered) * 2 >= len(slots):
            covered |= slots
            accepted.append(tried)
    return accepted
