"""How often a word is a given name and how often a family name, scaled to one size of corpus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.recognise.folding import folded

REFERENCE_NAMES: Final = 1_000_000
"""The number of full names that every list is scaled to: scores then mean the same whatever the list's size."""

_SHIFT: Final = 24
_MASK: Final = (1 << _SHIFT) - 1

Counts = tuple[int, int]
"""How often a word was seen as a given name, and how often as a family name."""


def packed(given: int, family: int) -> int:
    """Two counts as one number: a list of 80,000 words fits in 11 MB this way."""
    return min(given, _MASK) << _SHIFT | min(family, _MASK)


@dataclass(frozen=True, slots=True)
class NameList:
    """A list of names. ``total`` is the number of full names that it was counted from."""

    label: str
    total: int
    words: Mapping[str, int]

    def counts(self, word: str) -> Counts:
        """How often a word is a given and a family name, scaled; a hyphenated one that is not listed, as its parts."""
        key = folded(word)
        entry = self.words.get(key)
        if entry is not None:
            return self._scaled(entry)
        if "-" not in key:
            return (0, 0)
        parts = [self.words.get(part) for part in key.split("-") if part]
        known = [self._scaled(part) for part in parts if part is not None]
        if not known or len(known) < len(parts):
            return (0, 0)
        return min(given for given, _ in known), min(family for _, family in known)

    def __len__(self) -> int:
        return len(self.words)

    def _scaled(self, entry: int) -> Counts:
        given, family = entry >> _SHIFT, entry & _MASK
        if self.total == REFERENCE_NAMES:
            return given, family
        factor = REFERENCE_NAMES / max(self.total, 1)
        return _at_least_one(given, factor), _at_least_one(family, factor)


def _at_least_one(count: int, factor: float) -> int:
    return max(1, round(count * factor)) if count else 0
