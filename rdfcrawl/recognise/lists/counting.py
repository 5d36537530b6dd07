"""Full names go in; the counts of their words come out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import field
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.recognise.folding import folded
from rdfcrawl.recognise.lines import as_read
from rdfcrawl.recognise.lists.name_list import NameList, packed

_REMARK: Final = re.compile(r"\s*[(,].*", re.DOTALL)
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’‘\-‐][^\W\d_]+)*\.?")
_GENERATIONS: Final = frozenset(("jr", "sr", "ii", "iii", "iv", "junior", "senior"))


@dataclass(slots=True)
class NameCount:
    """Counts names one by one."""

    given: Counter[str] = field(default_factory=Counter)
    family: Counter[str] = field(default_factory=Counter)
    total: int = 0

    def add_full_name(self, name: str) -> bool:
        """Count the words of a full name; whether it was one.

        The first word is a given name, the last a family name, what stands between them is given. A remark after a
        comma or in brackets does not count, nor do initials and particles in lower case.
        """
        if any(letter.isdigit() for letter in name):
            return False
        words = [word for word in _WORD.findall(_REMARK.sub("", as_read(name))) if _is_name_word(word)]
        if len(words) < 2:
            return False
        self.total += 1
        self.given.update(folded(word) for word in words[:-1])
        self.family[folded(words[-1])] += 1
        return True

    def add_given(self, name: str, times: int = 1) -> None:
        """Count a word as a given name."""
        self.given[folded(name)] += times

    def add_family(self, name: str, times: int = 1) -> None:
        """Count a word as a family name."""
        self.family[folded(name)] += times

    def listed(self, label: str, *, least: int = 1) -> NameList:
        """The list of all words that were seen at least so many times."""
        words = sorted(self.given.keys() | self.family.keys())
        kept = {
            word: packed(self.given[word], self.family[word])
            for word in words
            if self.given[word] + self.family[word] >= least
        }
        return NameList(label, self.total or max(self.given.total(), self.family.total()), kept)


def count_full_names(names: Iterable[str]) -> NameCount:
    """Count many full names."""
    count = NameCount()
    for name in names:
        count.add_full_name(name)
    return count


def _is_name_word(word: str) -> bool:
    bare = word.rstrip(".")
    return len(bare) > 1 and not bare[0].islower() and not word.endswith(".") and folded(bare) not in _GENERATIONS
