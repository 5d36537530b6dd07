"""Names of one family go in; people come out: groups of forms that can belong to one person.

"D. Armbruster" and "Dennis Armbruster" are compatible, "Dennis" and "Daniel" are not. A short form that fits two people
is given to neither. Forms belong together only if they stand on pages of the same host, or on pages that link to each
other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field
from itertools import islice
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.recognise.folding import folded

_WORD: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class PersonForm:
    """A name as it is written somewhere: its given and family name, the hosts of its pages, how often it was found.

    ``pages`` are those that mention it, ``linked`` those at other hosts that link to one of them or that one links to.
    """

    name: str
    given: str
    family: str
    hosts: frozenset[str]
    count: int = 1
    pages: frozenset[str] = frozenset()
    linked: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Person:
    """Forms that can be one person; the first is the longest."""

    forms: tuple[PersonForm, ...]

    @property
    def label(self) -> str:
        """How the person is called: by the longest form."""
        return self.forms[0].name

    @property
    def hosts(self) -> frozenset[str]:
        """Where the person is mentioned."""
        return frozenset().union(*(form.hosts for form in self.forms))


def family_key(family: str) -> str:
    """What forms of one person have in common: the family name, however it is accented and spaced."""
    return " ".join(name_words(family))


def name_words(name: str) -> list[str]:
    """The words of a name, folded."""
    return _WORD.findall(folded(name))


def people(forms: Iterable[PersonForm]) -> list[Person]:
    """The people that forms of one family name belong to."""
    ordered = sorted(forms, key=_longest_first)
    if len(ordered) == 1:
        return [Person((ordered[0],))]
    groups: list[_FormGroup] = []
    by_word: dict[str, list[_FormGroup]] = {}
    for form in ordered:
        words = tuple(name_words(form.given))
        # Only groups that begin alike can fit: thousands may be called Wang.
        alike = [group for key in _sought(words) for group in by_word.get(key, ())]
        fitting = list(islice((group for group in _distinct(alike) if group.fits(form, words)), 2))
        if len(fitting) == 1:
            group = fitting[0]
        else:
            group = _FormGroup()
            groups.append(group)
        group.forms.append(form)
        group.given.add(words)
        group.hosts |= form.hosts
        group.pages |= form.pages
        for key in _keys(words):
            by_word.setdefault(key, []).append(group)
    return [Person(tuple(group.forms)) for group in groups]


@dataclass(slots=True, eq=False)
class _FormGroup:
    """The forms of a person so far, their given names, hosts and pages."""

    forms: list[PersonForm] = field(default_factory=list)
    given: set[tuple[str, ...]] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)
    pages: set[str] = field(default_factory=set)

    def fits(self, form: PersonForm, words: tuple[str, ...]) -> bool:
        """Whether a form can belong to the person."""
        is_near = not self.hosts.isdisjoint(form.hosts) or not self.pages.isdisjoint(form.linked)
        return is_near and all(_compatible(words, given) for given in self.given)


def _keys(words: tuple[str, ...]) -> list[str]:
    """Under what a group is found: by the first given name, and by its initial for those who have no more."""
    if not words:
        return []
    first = words[0]
    return [first] if len(first) == 1 else [first, f"{first[0]}…"]


def _sought(words: tuple[str, ...]) -> list[str]:
    """Where a form is looked for: a full name among equal ones and initials, an initial among all of its letter."""
    if not words:
        return []
    first = words[0]
    return [first, f"{first}…"] if len(first) == 1 else [first, first[0]]


def _distinct(groups: Iterable[_FormGroup]) -> Iterable[_FormGroup]:
    return dict.fromkeys(groups)


def compatible(first: str, second: str) -> bool:
    """Whether two given names can be those of one person.

    Word by word they are equal, or one is the initial of the other; further names may be missing at the end.
    """
    return _compatible(name_words(first), name_words(second))


def _compatible(first: Sequence[str], second: Sequence[str]) -> bool:
    return all(_same(one, other) for one, other in zip(first, second, strict=False))


def _same(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])


def _longest_first(form: PersonForm) -> tuple[int, int, int, str]:
    words = name_words(form.given)
    return -sum(len(word) > 1 for word in words), -len(words), -len(form.name), form.name
