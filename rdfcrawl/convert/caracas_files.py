"""The files of CARACAS: a configuration, and the files of criteria that it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import UsageError

_HEADER: Final = "CARACAS"
_COMMENT: Final = "%"
_LISTS: Final = {
    "beginlinks": "links",
    "beginurls": "links",
    "begincriterias": "criteria",
    "begincriteria": "criteria",
}
_KEYWORDS: Final = ("TYP", "VAL", "CAS", "PAR")
_KINDS: Final = {name.lower(): name for name in ("FileType", "Simple", "Near", "Date", "Header", "AND", "OR")}


@dataclass(frozen=True, slots=True)
class CaracasOption:
    """An option of a configuration, where it stands, and its value."""

    name: str
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class CaracasConfiguration:
    """A configuration: its options by their names in lower case, where it starts, and its files of criteria."""

    name: str
    options: Mapping[str, CaracasOption]
    links: tuple[str, ...]
    criteria: tuple[str, ...]


@dataclass(slots=True)
class CaracasEntry:
    """One criterion of a file; ``line`` is where it begins."""

    line: int
    kind: str = ""
    weight: int = 0
    case_sensitive: bool = False
    distance: int | None = None
    texts: list[str] = field(default_factory=list)


def read_configuration(text: str, name: str) -> CaracasConfiguration:
    """What a configuration says; raises ``UsageError`` with the place of a mistake."""
    options: dict[str, CaracasOption] = {}
    lists: dict[str, list[str]] = {"links": [], "criteria": []}
    inside: str | None = None
    for number, line in _lines(text, name):
        word = line.lower()
        if inside is not None:
            if word in ("endlinks", "endurls", "endcriterias", "endcriteria"):
                inside = None
            else:
                lists[inside].append(line)
        elif word in _LISTS:
            inside = _LISTS[word]
        else:
            option, between, value = line.partition("=")
            if not between:
                raise UsageError(f"{name}:{number}: {line!r} is no option; write FIELD = VALUE")
            options[option.strip().lower()] = CaracasOption(option.strip(), value.strip(), number)
    return CaracasConfiguration(name, options, tuple(lists["links"]), tuple(lists["criteria"]))


def read_entries(text: str, name: str) -> list[CaracasEntry]:
    """The criteria of a file; raises ``UsageError`` with the place of a mistake."""
    entries: list[CaracasEntry] = []
    for number, line in _lines(text, name):
        if line.upper() == "ENTRY":
            entries.append(CaracasEntry(number))
            continue
        if not entries:
            raise UsageError(f"{name}:{number}: {line!r} stands before the first ENTRY")
        word, _, value = line.partition(" ")
        if word.upper() in _KEYWORDS and not entries[-1].texts:
            _set(entries[-1], word.upper(), value.strip(), f"{name}:{number}")
        else:
            entries[-1].texts.append(line)
    for entry in entries:
        _check(entry, name)
    return entries


def _lines(text: str, name: str) -> Iterator[tuple[int, str]]:
    """The lines that say something, each with its number; the first one names the format."""
    lines = text.removeprefix("\ufeff").splitlines()
    # A listing in print begins with an empty line; the program itself would not take it.
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if first is None or lines[first].strip() != _HEADER:
        raise UsageError(f"{name}:1: the file does not begin with {_HEADER}")
    for number, line in enumerate(lines[first + 1 :], first + 2):
        stripped = line.strip()
        if stripped and not stripped.startswith(_COMMENT):
            yield number, stripped


def _set(entry: CaracasEntry, word: str, value: str, place: str) -> None:
    if word == "TYP":
        if value.lower() not in _KINDS:
            raise UsageError(f"{place}: TYP {value} is not known; it is one of {', '.join(_KINDS.values())}")
        entry.kind = _KINDS[value.lower()]
    elif word == "CAS":
        if value.upper() not in ("Y", "N"):
            raise UsageError(f"{place}: CAS is Y or N, not {value}")
        entry.case_sensitive = value.upper() == "Y"
    else:
        try:
            number = int(value)
        except ValueError:
            raise UsageError(f"{place}: {word} {value} is not a whole number") from None
        if word == "VAL":
            entry.weight = number
        else:
            entry.distance = number


def _check(entry: CaracasEntry, name: str) -> None:
    needed = {"": 0, "Date": 0, "Near": 2}.get(entry.kind, 1)
    if not entry.kind:
        raise UsageError(f"{name}:{entry.line}: the ENTRY has no TYP")
    if len(entry.texts) < needed:
        raise UsageError(f"{name}:{entry.line}: TYP {entry.kind} needs {needed} line(s) of text")
