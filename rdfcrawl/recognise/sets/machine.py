"""The state machine: it reads word by word and completes names whose words it does not know by their capitals.

It knows ``title* (first+ | first+ last+ | first+ middle+ last+ | title+ last+)``, not "last, first" and no titles after
a name. A state describes the word that was read last; the edges are tried in the order of the table.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.recognise.sets.name_sets import NameSets

NO_LIMIT: Final = -1
_TAG: Final = re.compile(r"<[0-9]+>")
_WORD: Final = re.compile(r"[^\s;]+;?")
_PUNCTUATION: Final = ".,;:!?)]}\"'“”»…"
_TITLE: Final = re.compile(
    r"(?:dr|prof|professor|mr|mrs|ms|miss|sir|herr|frau|doktor|dipl|ing|pd|rer|nat|phil|med|habil|mag|m\.?sc|b\.?sc)"
    r"(?:\.?-?(?:ing|inf|math|phys|nat|phil|med)?\.?)",
    re.IGNORECASE,
)


class MachineState(Enum):
    """The word that was read last."""

    INIT = auto()
    TITLE = auto()
    FIRST = auto()
    MIDDLE = auto()
    LAST = auto()
    ANY = auto()
    """A word that only its capital makes part of the name."""


_EDGES: Final[dict[MachineState, tuple[MachineState, ...]]] = {
    MachineState.INIT: (MachineState.TITLE, MachineState.FIRST),
    MachineState.TITLE: (MachineState.TITLE, MachineState.FIRST, MachineState.LAST),
    MachineState.FIRST: (MachineState.FIRST, MachineState.MIDDLE, MachineState.LAST, MachineState.ANY),
    MachineState.MIDDLE: (MachineState.MIDDLE, MachineState.LAST, MachineState.ANY),
    MachineState.LAST: (MachineState.LAST, MachineState.ANY),
    MachineState.ANY: (MachineState.LAST, MachineState.MIDDLE, MachineState.ANY),
}


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A name and where in the text it stands; ``titles`` are the words before it."""

    words: tuple[str, ...]
    titles: tuple[str, ...]
    start: int
    end: int

    @property
    def text(self) -> str:
        """The name without titles."""
        return " ".join(self.words)


@dataclass(slots=True)
class _Partial:
    titles: list[str]
    words: list[str]
    states: list[MachineState]
    start: int
    ends: list[int]


def find_names(text: str, sets: NameSets, limit: int = NO_LIMIT) -> list[NameMatch]:
    """Every name in a text. ``limit`` is the most words that a name may have."""
    text = text.replace("\n", ";")
    found: list[NameMatch] = []
    state = MachineState.INIT
    partial = _Partial([], [], [], 0, [])
    words = [word for word in _WORD.finditer(text) if not _TAG.fullmatch(word[0])]
    index = 0
    while index < len(words):
        word = words[index]
        bare = word[0].rstrip(_PUNCTUATION).lstrip("([{\"'“„«")
        following = next((edge for edge in _EDGES[state] if _fits(edge, bare, word[0], sets)), MachineState.INIT)
        if following is MachineState.INIT:
            # Words that end a name are read once more: they may begin the next one.
            index += state is MachineState.INIT
            _close(found, partial)
            state, partial = MachineState.INIT, _Partial([], [], [], 0, [])
            continue
        index += 1
        state = following
        if not partial.words and not partial.titles:
            partial.start = word.start()
        if state is MachineState.TITLE:
            partial.titles.append(word[0])
            continue
        if not partial.words:
            partial.start = word.start()
        partial.words.append(bare)
        partial.states.append(state)
        partial.ends.append(word.start() + word[0].index(bare) + len(bare))
        if word[0].endswith(tuple(_PUNCTUATION)) or len(partial.words) == limit:
            _close(found, partial)
            state, partial = MachineState.INIT, _Partial([], [], [], 0, [])
    _close(found, partial)
    return found


def tagged(text: str, sets: NameSets, limit: int = NO_LIMIT) -> tuple[str, dict[str, str]]:
    """The text with ``<0>``, ``<1>`` … in place of names, and the name of each tag."""
    pieces: list[str] = []
    names: dict[str, str] = {}
    position = 0
    for number, name in enumerate(find_names(text, sets, limit)):
        tag = f"<{number}>"
        pieces += (text[position : name.start], tag)
        names[tag] = name.text
        position = name.end
    return "".join((*pieces, text[position:])), names


def without_trailing(words: list[str], endings: frozenset[str]) -> list[str]:
    """The words of a name without those at its end that are in a set: "Christian Edgar von und" ends at Edgar."""
    end = len(words)
    while end and words[end - 1].lower() in endings:
        end -= 1
    return words[:end]


def normalised(name: str) -> str:
    """The tag of a name: without titles, underscores between its words, in angle brackets."""
    words = name.split()
    while words and _is_title(words[0]):
        words.pop(0)
    return f"<{'_'.join(words)}>"


def _close(found: list[NameMatch], partial: _Partial) -> None:
    end = len(partial.words)
    while end and partial.states[end - 1] is MachineState.MIDDLE:
        end -= 1
    if end:
        found.append(NameMatch(tuple(partial.words[:end]), tuple(partial.titles), partial.start, partial.ends[end - 1]))


def _fits(edge: MachineState, bare: str, written: str, sets: NameSets) -> bool:
    lowered = bare.lower()
    match edge:
        case MachineState.TITLE:
            return _is_title(written)
        case MachineState.FIRST:
            return lowered in sets.first and bare[:1].isupper()
        case MachineState.MIDDLE:
            return lowered in sets.middle
        case MachineState.LAST:
            return lowered in sets.last and bare[:1].isupper()
    return bare[:1].isupper()


def _is_title(word: str) -> bool:
    return bool(_TITLE.fullmatch(word.rstrip(",;:")))
