"""Each way tried on all sample pages: how good a property it would make."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.labels import Labels, has_date
from rdfcrawl.drafting.reading.slots import Sample, Value
from rdfcrawl.drafting.ways.paths import PathAnchor, Way, follow

_SHAPES: Final = (
    ("number", re.compile(r"[-+]?[\d.,]+\s?%?")),
    ("money", re.compile(r"[$€£¥]\s?[\d.,]+|[\d.,]+\s?([$€£¥]|EUR|USD|CHF)")),
    ("mail", re.compile(r"\S+@\S+\.\w+")),
    ("address", re.compile(r"(https?://|www\.)\S+")),
    ("phone", re.compile(r"\+?[\d()][\d()/. -]{5,}\d")),
)


@dataclass(frozen=True, slots=True)
class Tried:
    """A way with what it found, page by page, and its score."""

    way: Way
    weight: float
    found: tuple[tuple[Value, ...], ...]
    score: float

    @property
    def coverage(self) -> float:
        """On which part of the pages there is a value."""
        return sum(1 for values in self.found if values) / len(self.found)

    def counted(self, page: int) -> tuple[Value, ...]:
        """The values of a page that a property with this way has."""
        return self.found[page] if self.way.is_multiple else self.found[page][:1]

    def holds(self, part: Tried) -> bool:
        """Whether everything that another one finds stands inside what this one finds."""
        return all(
            any(around.first <= value.first < around.first + around.count for around in self.counted(page))
            for page in range(len(part.found))
            for value in part.counted(page)
        )


def try_way(way: Way, weight: float, samples: Sequence[Sample], labels: Labels) -> Tried:
    """Follow a way on all pages and judge what it finds."""
    found = tuple(tuple(follow(way, sample)) for sample in samples)
    return judged(followed(way, weight, found), samples, labels)


def followed(way: Way, weight: float, found: tuple[tuple[Value, ...], ...]) -> Tried:
    """A way with what it finds; its score is only what it cannot exceed."""
    pages = sum(1 for values in found if values)
    return Tried(way, weight, found, weight * (0.35 + 0.65 * (pages / len(found))) if pages else 0.0)


def judged(tried: Tried, samples: Sequence[Sample], labels: Labels) -> Tried:
    """What was found, with the score that it deserves."""
    way, found, score = tried.way, tried.found, tried.score
    counted = [(sample, value) for sample in samples for value in tried.counted(sample.number)]
    if not counted:
        return tried
    score *= _same_shape([value.text for _, value in counted])
    score *= _without_labels(counted, labels)
    if way.anchor in (PathAnchor.LABEL, PathAnchor.INLINE):
        score *= _own_label(way, counted, labels)
    elif way.anchor is not PathAnchor.PREFIX:
        score *= _same_label(counted, labels)
    if not way.is_multiple:
        ambiguous = sum(1 for values in found if len({value.text for value in values}) > 1)
        score *= 1 - 0.5 * ambiguous / len(found)
    elif max(len(values) for values in found) < 2:
        score *= 0.8
    return Tried(way, tried.weight, found, score)


@lru_cache(maxsize=20_000)
def shape_of(text: str) -> str:
    """What sort of text a value is."""
    for name, pattern in _SHAPES:
        if pattern.fullmatch(text):
            return name
    if has_date(text) and len(text) < 40:
        return "date"
    return "long" if len(text) > 120 else "short"


def _same_shape(texts: list[str]) -> float:
    shapes = [shape_of(text) for text in texts]
    return 0.6 + 0.4 * max(map(shapes.count, set(shapes))) / len(texts)


def _without_labels(counted: list[tuple[Sample, Value]], labels: Labels) -> float:
    """Values that are labels are none, and values that go past a label are two."""
    wrong = 0.0
    for sample, value in counted:
        slots = sample.slots[value.first : value.first + value.count]
        held = sum(1 for slot in slots if labels.is_label(slot))
        if held:
            wrong += 1.0 if value.count == 1 else min(1.0, 0.5 + held / value.count)
    return float((1 - wrong / len(counted)) ** 1.5)


def _own_label(way: Way, counted: list[tuple[Sample, Value]], labels: Labels) -> float:
    """A value with another label right before it belongs to that one."""
    others = 0
    for sample, value in counted:
        slot = sample.slots[value.first - 1] if value.first else None
        others += slot is not None and labels.is_label(slot) and slot.text != way.name
    return 1 - 0.6 * others / len(counted)


def _same_label(counted: list[tuple[Sample, Value]], labels: Labels) -> float:
    """A value that stands behind another label on another page is another value."""
    before: Counter[str] = Counter()
    for sample, value in counted:
        slot = sample.slots[value.first - 1] if value.first else None
        before[slot.text if slot is not None and labels.is_label(slot) else ""] += 1
    return 0.4 + 0.6 * before.most_common(1)[0][1] / len(counted)
