"""The text of one part of a page, made for searching: in blocks, with white space collapsed, also without case."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import Final

BLOCK_END: Final = "\n"
"""What stands between two blocks; no text that is looked for has it."""
_INVISIBLE: Final = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_MAY_BE_INVISIBLE: Final = re.compile("[\u00ad\u200b\u200c\u200d\u2060\ufeff]")
_MAY_GROW: Final = re.compile("[\u00df\u0130\u0149\u01f0\u0390\u03b0\u0587\u1e96-\u1e9e\u1f50-\u1ffc\ufb00-\ufb17]")
"""All characters that are several without their case, such as the sharp s, are among these."""
_EXCERPT: Final = 60
"""How many characters an excerpt shows before and after a match."""


def normal(text: str) -> str:
    """A text as it is compared: composed, without invisible characters, every run of white space one space."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
        if _MAY_BE_INVISIBLE.search(text):
            text = text.translate(_INVISIBLE)
    return " ".join(text.split())


class PartText:
    """The blocks of a part as one text; places in its variants are places in ``text``, or can be converted."""

    def __init__(self, blocks: Iterable[str]) -> None:
        self.text = BLOCK_END.join(filter(None, map(normal, blocks)))

    @property
    def blocks(self) -> Iterator[tuple[int, str]]:
        """Each block with its place."""
        place = 0
        for block in self.text.split(BLOCK_END):
            yield place, block
            place += len(block) + 1

    @cached_property
    def folded(self) -> str:
        """The text without case, by Unicode's full folding."""
        return self.text.casefold()

    def variant(self, *, case_sensitive: bool, across: bool) -> str:
        """The text in which something is looked for; ``across`` blocks it has no ends of blocks."""
        text = self.text if case_sensitive else self.folded
        return text.replace(BLOCK_END, " ") if across else text

    def place(self, folded: int) -> int:
        """The place in the text of a place in the folded text."""
        ends, grown = self._growth
        return folded - grown[bisect_right(ends, folded)]

    def excerpt(self, start: int, end: int) -> tuple[str, str, str]:
        """What stands before a match on its line, the match, and what stands after it, shortened."""
        text = self.text
        first = max(text.rfind(BLOCK_END, 0, start) + 1, start - _EXCERPT)
        line_end = text.find(BLOCK_END, end)
        last = min(len(text) if line_end < 0 else line_end, end + _EXCERPT)
        before = ("…" if first > 0 and text[first - 1] != BLOCK_END else "") + text[first:start]
        after = text[end:last] + ("…" if last < len(text) and text[last] != BLOCK_END else "")
        return before, text[start:end].replace(BLOCK_END, " "), after

    @cached_property
    def _growth(self) -> tuple[list[int], list[int]]:
        """Where the folded text has more characters: the places after which it does, and how many it has by then."""
        places: list[int] = []
        more: list[int] = []
        total = 0
        if len(self.folded) != len(self.text):
            for found in _MAY_GROW.finditer(self.text):
                for _ in range(len(found[0].casefold()) - 1):
                    total += 1
                    places.append(found.start() + total)
                    more.append(1)
        return places, [0, *accumulate(more)]
