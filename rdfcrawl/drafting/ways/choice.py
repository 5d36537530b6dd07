"""The properties that the samples speak for: every slot votes for the best way that finds it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from rdfcrawl.drafting.reading.labels import Labels
from rdfcrawl.drafting.reading.slots import Sample, Slot, Value
from rdfcrawl.drafting.ways.candidates import candidates, find_stable
from rdfcrawl.drafting.ways.merging import merged
from rdfcrawl.drafting.ways.paths import LABELLED, Way
from rdfcrawl.drafting.ways.trial import Tried, try_way

_MOST_SLOTS: Final = 800
_MOST_WAYS: Final = 10
"""The heaviest ways to a text are tried; a page may have dozens to each."""
_LEAST_SCORE: Final = 0.15

_Place = tuple[int, int]
"""The number of a page, and the place of a text on it."""


def choose(samples: Sequence[Sample], labels: Labels, taken: Collection[_Place] = ()) -> list[Tried]:
    """The ways to the values of the samples, best first; the texts at the ``taken`` places belong to something else."""
    stable = find_stable(samples)
    weights: dict[Way, float] = {}
    leading: dict[_Place, list[Way]] = {}
    for sample in samples:
        for slot in _varying(sample, labels):
            if (slot.page, slot.place) in taken:
                continue
            ways: dict[Way, float] = {}
            for way, weight in candidates(slot, sample, labels, stable):
                if weight > ways.get(way, 0.0):
                    ways[way] = weight
            heaviest = sorted(ways, key=lambda way: -ways[way])[:_MOST_WAYS]
            for way in heaviest:
                weights[way] = max(ways[way], weights.get(way, 0.0))
            leading[sample.number, slot.place] = heaviest
    for heaviest in leading.values():
        heaviest.sort(key=lambda way: -weights[way])
    trials = _Trials(weights, samples, labels)
    found = merged(_accept(trials.votes(leading), set(taken)), samples, labels)
    if gathering := _gathering(found):
        # Without them, the texts that have no label of their own are found by other ways.
        found = merged(_accept(trials.votes(leading, gathering), set(taken)), samples, labels)
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


class _Trials:
    """Ways that are tried when it matters: no score is higher than the weight of its way."""

    def __init__(self, weights: Mapping[Way, float], samples: Sequence[Sample], labels: Labels) -> None:
        self._weights = weights
        self._samples = samples
        self._labels = labels
        self._tried: dict[Way, Tried] = {}
        self._places: dict[Way, list[set[int]]] = {}

    def votes(
        self, leading: Mapping[_Place, Sequence[Way]], left_out: Collection[Way] = ()
    ) -> dict[Way, tuple[Tried, set[_Place]]]:
        """For each way the texts that it is the best one for; ``leading`` are the ways to each text, heaviest first."""
        voted: dict[Way, tuple[Tried, set[_Place]]] = {}
        for place, ways in leading.items():
            best = self._best(place, [way for way in ways if way not in left_out])
            if best is not None and best.score >= _LEAST_SCORE:
                voted.setdefault(best.way, (best, set()))[1].add(place)
        return voted

    def _best(self, place: _Place, ways: Sequence[Way]) -> Tried | None:
        best: Tried | None = None
        for way in ways:
            if best is not None and self._weights[way] < best.score:
                break
            one = self._of(way)
            if place[1] in self._places[way][place[0]] and (best is None or _is_better(one, best)):
                best = one
        return best

    def _of(self, way: Way) -> Tried:
        known = self._tried.get(way)
        if known is None:
            known = self._tried[way] = try_way(way, self._weights[way], self._samples, self._labels)
            # Every text of a list asks whether it is among the hundreds that a way to all of them finds.
            self._places[way] = [_places(known.counted(page)) for page in range(len(known.found))]
        return known


def _is_better(one: Tried, other: Tried) -> bool:
    if (one.score, one.weight) != (other.score, other.weight):
        return (one.score, one.weight) > (other.score, other.weight)
    return repr(one.way) > repr(other.way)


def _places(values: Sequence[Value]) -> set[int]:
    """The places of the texts that values consist of."""
    return {place for value in values for place in range(value.first, value.first + value.count)}


def _standing(tried: Tried, slots: set[_Place]) -> float:
    pages = len({page for page, _ in slots})
    return tried.score * (0.5 + 0.5 * pages / len(tried.found))


def _accept(voted: dict[Way, tuple[Tried, set[_Place]]], covered: set[_Place]) -> list[Tried]:
    accepted: list[Tried] = []
    ranked = sorted(voted.values(), key=lambda vote: (-_standing(*vote), repr(vote[0].way)))
    for tried, _ in ranked:
        slots = {(page, place) for page in range(len(tried.found)) for place in _places(tried.counted(page))}
        if len(slots - covered) * 2 >= len(slots):
            covered |= slots
            accepted.append(tried)
    return accepted
