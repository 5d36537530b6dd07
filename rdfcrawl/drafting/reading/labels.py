"""Which texts of the sample pages are labels, and which belong to the template without saying anything.

A label is judged by its text and by its kind: that a text stands on every page says little in a list of values, and
much where all texts of its kind do.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.slots import Sample, Slot

_LABEL_TAGS: Final = frozenset(("th", "dt", "label", "b", "strong", "legend", "caption"))
_LONGEST: Final = 60
_MONTHS: Final = (
    "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|januar|februar|märz|mai|juni|juli|august|september|oktober|"
    "november|dezember"
)
_DATE: Final = re.compile(
    rf"\b(\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{2,4}}|\d{{1,2}}\.?\s+({_MONTHS})\w*\.?|({_MONTHS})\w*\.?\s+\d{{1,4}})\b",
    re.IGNORECASE,
)
COLONS: Final = (":", "\N{FULLWIDTH COLON}")
"""What labels end with; the second one, of Chinese and Japanese, has its space in itself."""
_PREFIX: Final = re.compile(
    r"(?P<label>[^:\uFF1A]{2,40}:(?=\s)|[^:\uFF1A]{1,40}\uFF1A)\s*(?P<value>\S.*)",
    re.DOTALL,
)
STRONG: Final = 0.62
"""From this strength on a text is a label."""


@dataclass(frozen=True, slots=True)
class Labels:
    """How strongly each text of the samples is a label; ``prefixes`` are labels inside their value's text."""

    strengths: dict[tuple[str, tuple[str, ...]], float]
    shares: dict[tuple[str, tuple[str, ...]], float]
    constancy: dict[tuple[str, ...], float]
    prefixes: frozenset[str]
    places: frozenset[tuple[int, int]]
    """The pages and places of labels."""

    def strength(self, slot: Slot) -> float:
        """How strongly a text is a label, from 0 to about 1.5."""
        return self.strengths.get((slot.text, slot.kind), 0.0)

    def is_label(self, slot: Slot) -> bool:
        """Whether a text is a label rather than a value."""
        return (slot.page, slot.place) in self.places

    def share(self, slot: Slot) -> float:
        """On which part of the pages the text stands."""
        return self.shares.get((slot.text, slot.kind), 0.0)

    def prefix(self, text: str) -> tuple[str, str] | None:
        """A label and its value that are one text, as in ``Pages: 312``."""
        found = _PREFIX.match(text)
        return (found["label"], found["value"]) if found and found["label"] in self.prefixes else None


def beginning(label: str) -> str:
    """How a text begins that has a label and its value: behind a narrow colon there is a space."""
    return f"{label} " if label.endswith(":") else label


def find_labels(samples: Sequence[Sample]) -> Labels:
    """Judge every text of the samples."""
    pages = len(samples)
    on_pages: dict[tuple[str, tuple[str, ...]], set[int]] = defaultdict(set)
    of_kind: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    prefixed: dict[str, set[int]] = defaultdict(set)
    for sample in samples:
        for slot in sample.slots:
            on_pages[slot.text, slot.kind].add(sample.number)
            of_kind[slot.kind][slot.text] += 1
            if found := _PREFIX.match(slot.text):
                prefixed[found["label"]].add(sample.number)
    shares = {text: len(found) / pages for text, found in on_pages.items()}
    constancy = {
        kind: sum(shares[text, kind] * count for text, count in texts.items()) / texts.total()
        for kind, texts in of_kind.items()
    }
    strengths = {
        (slot.text, slot.kind): _strength(slot, shares[slot.text, slot.kind], constancy[slot.kind], pages)
        for sample in samples
        for slot in sample.slots
    }
    prefixes = frozenset(label for label, found in prefixed.items() if len(found) >= max(2, 0.4 * pages))
    places = frozenset((slot.page, slot.place) for sample in samples for slot in _label_slots(sample, strengths))
    return Labels(strengths, shares, constancy, prefixes, places)


def _label_slots(sample: Sample, strengths: dict[tuple[str, tuple[str, ...]], float]) -> Iterator[Slot]:
    """The labels of a page: what stands behind "Genre:" is its value, however many pages have the same one."""
    before: Slot | None = None
    for slot in sample.slots:
        is_value = before is not None and before.text.endswith(COLONS) and not slot.text.endswith(COLONS)
        if strengths[slot.text, slot.kind] >= STRONG and not is_value and not _is_in_title(slot, sample):
            yield slot
            before = slot
        else:
            before = None


def _is_in_title(slot: Slot, sample: Sample) -> bool:
    """Whether a text is a piece of the page's heading, such as "Used:" before what is sold."""
    if not any(level.partition(".")[0] == "h1" for level in slot.kind):
        return False
    heading = next(element for element in (slot.node, *slot.node.iterancestors()) if element.tag == "h1")
    return sample.texts.get(heading, 0) > 1


def has_date(text: str) -> bool:
    """Whether a text has a date in it."""
    return _DATE.search(text) is not None


def _strength(slot: Slot, share: float, constancy: float, pages: int) -> float:
    text = slot.text
    letters = sum(character.isalpha() for character in text)
    if letters < 2 or len(text) > _LONGEST or has_date(text) or share * pages < 2:
        return 0.0
    if letters < sum(character.isdigit() for character in text):
        return 0.0
    strength = 0.45 * share + 0.45 * constancy
    if text.endswith((*COLONS, "?")):
        strength += 0.35
    if any(level.partition(".")[0] in _LABEL_TAGS for level in slot.kind[:2]):
        strength += 0.15
    if slot.linked:
        strength -= 0.25
    return strength
