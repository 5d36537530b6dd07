"""A word as lists and comparisons spell it: lower case, without accents, in plain letters."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

_LETTERS: Final = str.maketrans(
    {
        "ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h",
        "’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'", "‐": "-", "‑": "-", "–": "-",
    }
)  # fmt: skip


@lru_cache(maxsize=65536)
def folded(word: str) -> str:
    """The word without case and accents: ``Müller-Lüdenscheidt`` is ``muller-ludenscheidt``."""
    if word.isascii():
        return word.lower().replace("`", "'")
    decomposed = unicodedata.normalize("NFKD", word.casefold().translate(_LETTERS))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).translate(_LETTERS)
