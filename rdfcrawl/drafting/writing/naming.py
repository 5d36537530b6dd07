"""Names for properties and items, from the labels, classes and addresses of the site itself."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from rdfcrawl.drafting.ways.paths import PathAnchor, Way

_LONGEST: Final = 30
_SPELLED: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "&": " and "}
    | dict(zip("øØłŁđĐðÐıħĦ", "oOlLdDdDihH", strict=True))
    | {"æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "þ": "th", "Þ": "Th"}
)
"""Letters that are spelled with others; those with accents just lose them."""
_OTHER_LETTERS: Final = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc"))
_SIGNS: Final = {"#": "number", "%": "percent", "$": "dollars", "€": "euros"}
_BARE: Final = frozenset(("value", "text", "content", "data", "field", "item", "info", "left", "right", "odd", "even"))


def local_name(text: str) -> str:
    """A text as the local name of an IRI: ``Working time:`` becomes ``workingTime``.

    Letters of other scripts than the Latin one stay as they are; IRIs and Turtle know them.
    """
    plain = "".join(map(_in_names, unicodedata.normalize("NFKC", text.translate(_SPELLED))))
    name = ""
    for word in re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain).split():
        part = word.lower() if not name else word[:1].upper() + word[1:].lower()
        if name and len(name) + len(part) > _LONGEST:
            break
        name += part
    # No name begins with the mark of a letter that is not there.
    name = re.sub(r"^\W+", "", name) or _SIGNS.get(text.strip(), "")
    return f"n{name}" if name[:1].isdigit() else name


def _in_names(character: str) -> str:
    """What a character is in a name: itself without accents, or the end of a word."""
    if character.isascii():
        return character if character.isalnum() else " "
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    if plain.strip():
        return "".join(filter(str.isalnum, plain))
    # Vowels of many scripts are marks of their letters.
    return character if unicodedata.category(character) in _OTHER_LETTERS else " "


def property_name(way: Way, tag: str, label: str | None = None) -> str:
    """What a property is called: by its label, else by the name of its element, else by its element."""
    candidates = ["title" if way.anchor is PathAnchor.HEADING else label or ""]
    if way.anchor is not PathAnchor.BODY:
        candidates.append(way.name.rpartition("/")[2])
    for candidate in candidates:
        name = local_name(candidate)
        if len(name) > 1 and name not in _BARE:
            return name
    return {"h1": "title", "h2": "subtitle", "a": "link", "p": "text", "time": "date"}.get(tag, "text")


def distinct(names: Iterable[str]) -> list[str]:
    """The names, each numbered if it was used before."""
    used: dict[str, int] = {}
    result = []
    for name in names:
        used[name] = used.get(name, 0) + 1
        number = used[name]
        while number > 1 and f"{name}{number}" in used:
            number += 1
        unique = name if number == 1 else f"{name}{number}"
        used.setdefault(unique, 1)
        result.append(unique)
    return result


def item_names(addresses: Sequence[str], parents: Sequence[str] = ()) -> Iterator[str]:
    """What the objects of pages at these addresses may be called, best first.

    ``/series/7?season=2`` is a ``season``, ``/rezepte/12/Torte.html`` one of ``rezepte``; else they are called by the
    addresses of the pages that they are inside of, so that what ``/series/7/episodes`` lists is an ``episode``.
    """
    yield from _parameter_names(addresses)
    yield from map(singular, _common_words(addresses, last=False))
    yield from map(singular, _common_words(parents, last=True))
    yield "object"


def _parameter_names(addresses: Sequence[str]) -> Iterator[str]:
    values: dict[str, set[str]] = defaultdict(set)
    for address in addresses:
        for name, value in parse_qsl(urlsplit(address).query):
            values[name].add(value)
    for name, found in values.items():
        if len(found) > 1 and len(name) > 3 and name.isalpha() and max(map(len, found)) < 4:
            yield local_name(name)


def _common_words(addresses: Sequence[str], *, last: bool) -> list[str]:
    """The words of the path that all addresses have in the same place, from its end."""
    common: list[str | None] | None = None
    for address in addresses:
        parts: list[str | None] = [part for part in urlsplit(address).path.split("/") if part]
        parts = parts if last else parts[:-1]
        common = parts if common is None else [a if a == b else None for a, b in zip(common, parts, strict=False)]
    names = (local_name(part) for part in reversed(common or []) if part)
    return [name for name in names if name and not any(map(str.isdigit, name))]


def singular(name: str) -> str:
    """What one of several things of that name is called."""
    if name.endswith("ies") and len(name) > 4:
        return f"{name[:-3]}y"
    return name[:-1] if name.endswith("s") and not name.endswith(("ss", "us", "is")) and len(name) > 3 else name


def plural(name: str, *, is_english: bool = True) -> str:
    """What several things of that name are called."""
    if not is_english:
        return f"{name}List"
    if name.endswith("y") and name[-2:-1] not in ("a", "e", "o", "u"):
        return f"{name[:-1]}ies"
    return f"{name}List" if name.endswith(("s", "List")) else f"{name}s"


def topic(address: str, otherwise: str) -> str:
    """What the rows of a page at this address are called: by the last word of its path."""
    for part in reversed(urlsplit(address).path.split("/")):
        name = local_name(part.partition(".")[0])
        if name and name not in _BARE and not any(map(str.isdigit, name)):
            return singular(name)
    return otherwise


class Names:
    """The names of pages and items that are taken already, those of the metamodel's prefixes among them."""

    def __init__(self) -> None:
        self._taken = {"type", "page", "item", "link", "xsd", "schema", "section"}

    def first(self, wanted: Iterable[str]) -> str:
        """The first of the names that is free, else the first one with a number; it is taken then."""
        names = list(wanted)
        return self.take(next((name for name in names[:-1] if name not in self._taken), names[0]))

    def take(self, wanted: str) -> str:
        """The name, or the first free one that begins with it."""
        name, number = wanted, 2
        while name in self._taken:
            name, number = f"{wanted}{number}", number + 1
        self._taken.add(name)
        return name
