"""What becomes of white space in the source of a page: every run of it is one space, or none at all."""

from __future__ import annotations

import re
from typing import Final

_SPACES: Final = re.compile(r"[ \t\n\r]+")


def collapsed(text: str) -> str:
    """Every run of white space as one space."""
    # Most texts have none but single spaces, which is seen much sooner than looked for.
    if "\n" in text or "  " in text or "\t" in text or "\r" in text:
        return _SPACES.sub(" ", text)
    return text


def joined(text: str) -> str:
    """A line break next to a zero-width space is not a space: such texts mark where they may be broken."""
    return _SPACES.sub(_space_or_nothing, text) if "\u200b" in text else text


def _space_or_nothing(run: re.Match[str]) -> str:
    neighbours = run.string[max(run.start() - 1, 0) : run.start()] + run.string[run.end() : run.end() + 1]
    return "" if "\n" in run[0] and "\u200b" in neighbours else " "
