"""The properties that the samples speak for: every slot votes for the best way that finds it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from rdfcrawl.drafting.reading.labels import Labels
from rdfcrawl.drafting.reading.slots import Sample, Slot, Value
from rdfcrawl.drafting.ways.candidates import Candidates
from rdfcrawl.drafting.ways.merging import merged
from rdfcrawl.drafting.ways.paths import LABELLED, Way, follow
from rdfcrawl.drafting.ways.positions import find_stable
from rdfcrawl.drafting.ways.trial import Tried, followed, judged

_MOST_SLOTS: Final = 800
_LEAST_SCORE: Final = 0.15

_Place = tuple[int, int]
"""The number of a page, and the place of a text on it."""


def choose(samples: Sequence[Sample], labels: Labels, taken: Collection[_Place] = ()) -> list[Tried]:
    """The ways to the values of the samples, best first; the texts at the ``taken`` places belong to something else."""
    candidates = Candidates(find_stable(samples), labels)
    leading = {
        (sample.number, slot.place): candidates.heaviest(slot, sample)
        for sample in samples
        for slot in _varying(sample, labels)
        if (slot.page, slot.place) not in taken
    }
    votes = _Votes(candidates, leading, samples, labels)
    found = merged(_accept(votes.counted(), set(taken)), samples, labels)
    if gathering := _gathering(found):
        # Without them, the texts that have no label of their own are found by other ways.
        found = merged(_accept(votes.counted(gathering), set(taken)), samples, labels)
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


class _Trial:
    """A way that is followed and judged as far as it matters: no score exceeds its weight."""

    def __init__(self, way: Way, weight: float, samples: Sequence[Sample], labels: Labels) -> None:
        self.way = way
        self.weight = weight
        self._samples = samples
        self._labels = labels
        self._found: dict[int, tuple[Value, ...]] = {}
        self._places: dict[int, set[int]] = {}

    def leads_to(self, page: int, place: int) -> bool:
        """Whether it finds a text; for that, it is followed on one page."""
        places = self._places.get(page)
        if places is None:
            # Every text of a list asks whether it is among the hundreds that a way to all of them finds.
            found = self._on(page)
            places = self._places[page] = _places(found if self.way.is_multiple else found[:1])
        return place in places

    @cached_property
    def followed(self) -> Tried:
        """What the way finds; its score is only what it cannot exceed."""
        return followed(self.way, self.weight, tuple(self._on(page) for page in range(len(self._samples))))

    @cached_property
    def tried(self) -> Tried:
        """What the way finds, with the score that it deserves."""
        return judged(self.followed, self._samples, self._labels)

    def _on(self, page: int) -> tuple[Value, ...]:
        found = self._found.get(page)
        if found is None:
            found = self._found[page] = tuple(follow(self.way, self._samples[page]))
        return found


class _Votes:
    """The ways to each text, heaviest first, and which of them is the best one for it."""

    def __init__(
        self,
        candidates: Candidates,
        leading: Mapping[_Place, list[Way]],
        samples: Sequence[Sample],
        labels: Labels,
    ) -> None:
        weights = candidates.weights
        trials = {way: _Trial(way, weight, samples, labels) for way, weight in weights.items()}
        # Many texts share one list of ways.
        ordered = {
            id(ways): sorted((trials[way] for way in ways), key=lambda trial: -trial.weight)
            for ways in candidates.lists()
        }
        self._leading = {place: ordered[id(ways)] for place, ways in leading.items()}

    def counted(self, left_out: Collection[Way] = ()) -> list[tuple[Tried, set[_Place]]]:
        """For each way the texts that it is the best one for, with the places of these texts."""
        voted: dict[_Trial, set[_Place]] = {}
        for place, trials in self._leading.items():
            best = _best(place, [trial for trial in trials if trial.way not in left_out] if left_out else trials)
            if best is not None and best.tried.score >= _LEAST_SCORE:
                voted.setdefault(best, set()).add(place)
        return [(trial.tried, places) for trial, places in voted.items()]


def _best(place: _Place, trials: Sequence[_Trial]) -> _Trial | None:
    page, number = place
    best: _Trial | None = None
    for trial in trials:
        if best is not None and trial.weight < best.tried.score:
            break
        if not trial.leads_to(page, number):
            continue
        if best is None or (trial.followed.score >= best.tried.score and _is_better(trial.tried, best.tried)):
            best = trial
    return best


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


def _accept(voted: Sequence[tuple[Tried, set[_Place]]], covered: set[_Place]) -> list[Tried]:
    accepted: list[Tried] = []
    ranked = sorted(voted, key=lambda vote: (-_standing(*vote), repr(vote[0].way)))
    for tried, _ in ranked:
        slots = {(page, place) for page in range(len(tried.found)) for place in _places(tried.counted(page))}
        if len(slots - covered) * 2 >= len(slots):
            covered |= slots
            accepted.append(tried)
    return accepted
