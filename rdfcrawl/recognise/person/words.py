"""What is known about words before a page is read: which are capitalised without being names, which are titles."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

PARTICLES: Final = frozenset((
    "von", "vom", "van", "de", "der", "den", "del", "della", "dello", "degli", "dei", "di", "da", "do", "dos", "das",
    "du", "des", "la", "le", "les", "lo", "el", "al", "ul", "bin", "ibn", "bint", "ben", "ter", "ten", "te", "zu",
    "zur", "zum", "y", "af", "av", "de'", "d'", "'t", "van't", "ab", "abu", "mac", "st",
))  # fmt: skip
GENERATIONS: Final = frozenset(("jr", "jr.", "sr.", "ii", "iii", "iv", "jnr", "snr"))


@cache
def words_of(kind: str) -> frozenset[str]:
    """The words of one kind: ``common``, ``institution``, ``place``, ``prefix`` or ``suffix``."""
    return _kinds()[kind]


@cache
def _kinds() -> dict[str, frozenset[str]]:
    kinds: dict[str, set[str]] = {}
    words: set[str] = set()
    for line in files("rdfcrawl.recognise.person").joinpath("words.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            words = kinds.setdefault(line.strip("[]"), set())
        elif not line.startswith("#"):
            words.update(line.split())
    return {kind: frozenset(found) for kind, found in kinds.items()}
