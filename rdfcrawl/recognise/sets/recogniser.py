"""``recognise:personBySets``: the state machine as a recogniser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rdfcrawl.recognise.finds import Find, Reason
from rdfcrawl.recognise.lines import Line, searched
from rdfcrawl.recognise.sets.machine import NameMatch, find_names
from rdfcrawl.recognise.sets.name_sets import NameSets, name_sets


class PersonBySets:
    """Names by sets of first, middle and last names."""

    what: Final = "the name of a person"

    def __init__(self, names: str | None = None) -> None:
        self._location = names

    def finds(self, lines: Sequence[Line], *, reasons: bool = False) -> list[Find]:
        """Every name, line by line: the machine ends a name at the end of a line."""
        sets = name_sets(self._location)
        found = []
        for line in searched(lines):
            for name in find_names(line.text, sets):
                found.append(_find(line, name, sets, reasons))
        return found


def _find(line: Line, name: NameMatch, sets: NameSets, reasons: bool) -> Find:
    given, family = (name.words[:-1], name.words[-1:]) if len(name.words) > 1 else (name.words, ())
    facts = [("given", " ".join(given)), ("family", " ".join(family)), *(("title", title) for title in name.titles)]
    why = tuple(Reason(_membership(word, sets), 0.0) for word in name.words) if reasons else ()
    written = line.text[name.start : name.end]
    excerpt = line.excerpt(name.start, name.end)
    where, until = line.where(name.start), line.where(name.end - 1)
    return Find(name.text, written, where, until, tuple(fact for fact in facts if fact[1]), 1.0, excerpt, why)


def _membership(word: str, sets: NameSets) -> str:
    lowered = word.lower()
    members = [
        label
        for label, words in (("first", sets.first), ("middle", sets.middle), ("last", sets.last))
        if lowered in words
    ]
    return f"{word} is in the set of {' and '.join(members)} names" if members else f"{word} begins with a capital"
