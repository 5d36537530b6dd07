"""The names of months, days and halves of the day in a locale, as pages spell them."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from babel import Locale, UnknownLocaleError

from rdfcrawl.metamodel.formats import FormatError

DEFAULT_LOCALE: Final = "en"
_HALVES: Final = ("am", "pm")
_SHORTEST_ABBREVIATION: Final = 3
# Turkish capitals have dots of their own, and Greek ones no accents.
_SAME_IN_CAPITALS: Final = str.maketrans("ıάέήίόύώϊϋΐΰ", "iαεηιουωιυιυ", "\u0307")
_INVISIBLE: Final = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad"))


def plain(text: str) -> str:
    """Text without what makes no difference in a date: case, kinds of digits, invisible characters."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text.translate(_INVISIBLE)).casefold()
    text = unicodedata.normalize("NFC", text).translate(_SAME_IN_CAPITALS)
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)


@lru_cache(maxsize=64)
def months(locale: str | None) -> Mapping[str, int]:
    """Plain names of months to 1-12."""
    return _numbers(_locale(locale).months)


@lru_cache(maxsize=64)
def weekdays(locale: str | None) -> Mapping[str, int]:
    """Plain names of days to 0-6, Monday first."""
    return _numbers(_locale(locale).days)


@lru_cache(maxsize=64)
def halves(locale: str | None) -> Mapping[str, int]:
    """Plain names of the halves of the day to 0 (am) and 1 (pm)."""
    found: dict[str, int] = {}
    for half, english in enumerate(_HALVES):
        spellings = [english, f"{english[0]}.m."]
        for context in _locale(locale).day_periods.values():
            spellings += [width[english] for width in context.values() if english in width]
        for spelling in map(plain, spellings):
            for variant in (spelling, spelling.replace(" ", ""), spelling.replace(".", "").replace(" ", "")):
                found.setdefault(variant, half)
    return found


def _locale(name: str | None) -> Locale:
    try:
        return Locale.parse((name or DEFAULT_LOCALE).replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        raise FormatError(f'the locale "{name}" is not known') from None


def _numbers(contexts: Mapping[str, Mapping[str, Mapping[int, str]]]) -> Mapping[str, int]:
    """The names as CLDR has them, with and without the dot, and the abbreviations that are clear all the same.

    ``Sept`` is missing in CLDR's English, but common on English pages.
    """
    wide = _pairs(contexts, "wide")
    # Reversed, because the first name counts: forms inside a date before stand-alone ones, long before short.
    found = dict(reversed((*wide, *_pairs(contexts, "abbreviated"))))
    meanings: dict[str, set[int]] = defaultdict(set)
    for name, number in wide:
        for length in range(_SHORTEST_ABBREVIATION, len(name)):
            meanings[name[:length]].add(number)
    clear = {short: min(numbers) for short, numbers in meanings.items() if len(numbers) == 1 and short.isalpha()}
    return clear | found


def _pairs(contexts: Mapping[str, Mapping[str, Mapping[int, str]]], width: str) -> list[tuple[str, int]]:
    names: Iterable[Mapping[int, str]] = (contexts[context][width] for context in ("format", "stand-alone"))
    return [(plain(name).rstrip("."), number) for context in names for number, name in context.items()]
