"""What a recogniser returns, and what a recogniser is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rdfcrawl.dataclass import dataclass
from rdfcrawl.recognise.lines import Line


@dataclass(frozen=True, slots=True)
class Reason:
    """One part of a score: what was seen, and how much it counts for or against."""

    what: str
    weight: float


@dataclass(frozen=True, slots=True)
class Find:
    """Something that was recognised.

    ``value`` is how a person would write it, ``written`` how the page does; ``facts`` are its parts (``given``,
    ``family``, ``title``) in order. ``where`` and ``until`` are the numbers of the elements in which it begins and
    ends, ``excerpt`` is the text around it. ``score`` is a log of odds; ``reasons`` add up to it, if wanted.
    """

    value: str
    written: str
    where: int
    until: int
    facts: tuple[tuple[str, str], ...] = ()
    score: float = 0.0
    excerpt: str = ""
    reasons: tuple[Reason, ...] = ()


class Recogniser(Protocol):
    """Finds things of one sort in the lines of a page, in their order."""

    @property
    def what(self) -> str:
        """What it looks for, with its article: "the name of a person"."""

    def finds(self, lines: Sequence[Line], *, reasons: bool = False) -> list[Find]:
        """Everything in these lines that counts, with reasons if they are wanted."""
