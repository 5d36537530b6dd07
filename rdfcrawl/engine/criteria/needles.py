"""Plain texts, looked for all at once by one automaton, however many there are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ahocorasick_rs import AhoCorasick

_AT_ONCE: Final = 1 << 16
"""How many characters are searched at once: a page may contain a short text a million times."""


class Needles:
    """Finds the first place of each of some texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = sorted(set(texts))
        self._automaton = AhoCorasick(self._texts, store_patterns=False)
        self._longest = max(map(len, self._texts))

    def places(self, text: str) -> dict[str, int]:
        """The first place of each text that occurs."""
        found: dict[int, int] = {}
        for start in range(0, max(len(text), 1), _AT_ONCE):
            piece = text if len(text) <= _AT_ONCE else text[start : start + _AT_ONCE + self._longest - 1]
            for number, place, _ in self._automaton.find_matches_as_indexes(piece, overlapping=True):
                if number not in found:
                    found[number] = start + place
            if len(found) == len(self._texts):
                break
        return {self._texts[number]: place for number, place in found.items()}


def nearest(text: str, first: str, second: str, distance: int, block_end: str) -> tuple[int, int] | None:
    """Where two texts stand close to each other within a block: from the beginning of one to the end of the other.

    The time that this takes grows with the text, not with how often the two occur in it.
    """
    before, ahead = -1, text.find(second)
    start = text.find(first) if ahead >= 0 else -1
    while start >= 0:
        end = start + len(first)
        while 0 <= ahead <= start - len(second):
            before, ahead = ahead, text.find(second, ahead + 1)
        after = ahead
        while 0 <= after < end:
            after = text.find(second, after + 1)
        if before >= 0 and _is_close(text, before + len(second), start, distance, block_end):
            return before, end
        if after >= 0 and _is_close(text, end, after, distance, block_end):
            return start, after + len(second)
        start = text.find(first, start + 1)
    return None


def _is_close(text: str, end: int, start: int, distance: int, block_end: str) -> bool:
    return start - end <= distance and text.find(block_end, end, start) < 0
