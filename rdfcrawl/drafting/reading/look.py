"""What was found on one page by whoever looks for a way into a site: lists of links, rows, and how a list goes on.

Whoever decides where to go next imports this; the parser that found it is in another process.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from rdfcrawl.dataclass import dataclass

MOST_LINKS: Final = 20_000
"""On a page with more of them nobody looks for a list."""
HTML: Final = "html"
_LEAST_TEXTS: Final = 3


@dataclass(frozen=True, slots=True)
class FoundList:
    """A list of links: the paths that find it, best first, where it leads, and how likely it is what is looked for."""

    paths: tuple[str, ...]
    addresses: tuple[str, ...]
    score: float
    share: float


@dataclass(frozen=True, slots=True)
class Look:
    """What was found on a page; ``rows`` is the part of its text that stands in the rows of one table or list.

    ``marks`` are the ids and classes of its elements, by which pages of one kind resemble each other.
    ``root`` is the name of the element around all others.
    """

    address: str
    texts: int
    lists: tuple[FoundList, ...] = ()
    next_path: str | None = None
    next_address: str | None = None
    more: str | None = None
    rows: float = 0.0
    has_password: bool = False
    marks: tuple[str, ...] = ()
    heading: str = ""
    links: int = 0
    root: str = HTML

    @property
    def is_data(self) -> bool:
        """Whether it is for programs, not for people: JSON, CSV or XML."""
        return self.root != HTML

    @property
    def is_bare(self) -> bool:
        """Whether there is next to nothing on the page."""
        return self.texts < _LEAST_TEXTS

    @property
    def is_flooded(self) -> bool:
        """Whether the page has more links than anybody looks at."""
        return self.links > MOST_LINKS

    def likeness(self, other: Look) -> float:
        """How alike two pages are built, from 0 to 1."""
        ours, theirs = set(self.marks), set(other.marks)
        return len(ours & theirs) / len(ours | theirs) if ours | theirs else 1.0


def look_to_plain(look: Look) -> dict[str, Any]:
    """A look as plain data."""
    return asdict(look)


def look_from_plain(data: dict[str, Any]) -> Look:
    """The look that plain data describe."""
    lists = tuple(
        FoundList(tuple(one["paths"]), tuple(one["addresses"]), one["score"], one["share"]) for one in data["lists"]
    )
    return Look(**{**data, "lists": lists, "marks": tuple(data["marks"])})


def common_path(paths: Sequence[str], others: Sequence[FoundList]) -> str | None:
    """The first of the paths that finds a list on another page, too."""
    known = {path for found in others for path in found.paths}
    return next((path for path in paths if path in known), None)
