"""Names of one family go in; people come out: groups of forms that can belong to one person.

"D. Armbruster" and "Dennis Armbruster" are compatible, "Dennis" and "Daniel" are not. A short form that fits two people
is given to neither. Forms belong together only if they stand on pages of the same host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rdfcrawl.recognise.folding import folded

_WORD: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Form:
    """A name as it is written somewhere: its given and family name, the hosts of its pages, how often it was found."""

    name: str
    given: str
    family: str
    hosts: frozenset[str]
    count: int = 1


@dataclass(frozen=True, slots=True)
class Person:
    """Forms that can be one person; the first is the longest."""

    forms: tuple[Form, ...]

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


def people(forms: Iterable[Form]) -> list[Person]:
    """The people that forms of one family name belong to."""
    found: list[list[Form]] = []
    for form in sorted(forms, key=_longest_first):
        fitting = [group for group in found if _fits(form, group)]
        if len(fitting) == 1:
            fitting[0].append(form)
        else:
            found.append([form])
    return [Person(tuple(group)) for group in found]


def compatible(first: str, second: str) -> bool:
    """Whether two given names can be those of one person.

    Word by word they are equal, or one is the initial of the other; further names may be missing at the end.
    """
    return all(_same(one, other) for one, other in zip(name_words(first), name_words(second), strict=False))


def _fits(form: Form, group: list[Form]) -> bool:
    if not any(form.hosts & member.hosts for member in group):
        return False
    return all(compatible(form.given, member.given) for member in group)


def _same(one: str, other: str) -> bool:
    return one == other or (min(len(one), len(other)) == 1 and one[0] == other[0])


def _longest_first(form: Form) -> tuple[int, int, int, str]:
    words = name_words(form.given)
    return -sum(len(word) > 1 for word in words), -len(words), -len(form.name), form.name
