"""The sets of first, middle and last names that the state machine looks words up in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.recognise.lists.files import NameListError, name_list
from rdfcrawl.recognise.lists.name_list import NameList
from rdfcrawl.recognise.person.words import PARTICLES

FILES: Final = ("first.txt", "middle.txt", "last.txt")
_SEPARATOR: Final = re.compile(r"[\s-]+")


@dataclass(frozen=True, slots=True)
class NameSets:
    """Words in lower case that are first, middle and last names."""

    first: frozenset[str]
    middle: frozenset[str]
    last: frozenset[str]


def sets_from_full_names(names: Iterable[str], *, at_hyphens: bool = False, shortest: int = 1) -> NameSets:
    """Split full names: one word is a last name, else the first and the last are those, and what is between is middle.

    Middle names that are first names too are no middle names; numbers and words that are too short do not count.
    """
    first: set[str] = set()
    middle: set[str] = set()
    last: set[str] = set()
    for name in names:
        parts = [part.lower() for part in (_SEPARATOR.split(name.strip()) if at_hyphens else name.split())]
        if not parts:
            continue
        last.add(parts[-1])
        if len(parts) > 1:
            first.add(parts[0])
            middle.update(parts[1:-1])
    first, middle, last = (
        {part for part in parts if len(part) >= shortest and not part.isnumeric()} for parts in (first, middle, last)
    )
    return NameSets(frozenset(first), frozenset(middle - first), frozenset(last))


@lru_cache(maxsize=4)
def name_sets(location: str | None) -> NameSets:
    """The sets at a path: a folder with ``first.txt``, ``middle.txt`` and ``last.txt``, or a list of names."""
    if location is not None and Path(location).is_dir():
        return NameSets(*(frozenset(_words(Path(location, name))) for name in FILES))
    return _sets_from_list(name_list(location))


def write_name_sets(sets: NameSets, folder: Path) -> None:
    """Write the three files, one word a line."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, words in zip(FILES, (sets.first, sets.middle, sets.last), strict=True):
        Path(folder, name).write_text("".join(f"{word}\n" for word in sorted(words)), encoding="utf-8")


def _sets_from_list(names: NameList) -> NameSets:
    counted = {word: names.counts(word) for word in names.words}
    first = frozenset(word for word, (given, _) in counted.items() if given)
    last = frozenset(word for word, (_, family) in counted.items() if family)
    return NameSets(first, frozenset(PARTICLES - first), last)


def _words(path: Path) -> Iterable[str]:
    try:
        return [word for line in path.read_text(encoding="utf-8").splitlines() if (word := line.strip().lower())]
    except (OSError, UnicodeDecodeError) as error:
        raise NameListError(f"{path}: the set of names cannot be read: {error}") from None
