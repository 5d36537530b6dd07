"""Which part of a class a reader wants to see."""

from __future__ import annotations

from rdfcrawl.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Between:
    """A range of a column, in the notation of its values; an end that is ``None`` is open."""

    predicate: str
    least: str | None = None
    greatest: str | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """Which part of a class a reader wants to see; ``column`` names the predicate that ``text`` is looked for in.

    ``values`` are predicates with a value that objects must have, ``ranges`` those between two bounds. ``link`` is a
    predicate by which they must lead to an object, and that object.
    """

    text: str = ""
    column: str = ""
    sort: str = ""
    descending: bool = False
    within: str = ""
    page: int = 1
    values: tuple[tuple[str, str], ...] = ()
    ranges: tuple[Between, ...] = ()
    link: tuple[str, str] | None = None

    @property
    def is_filter(self) -> bool:
        """Whether not all objects of the class are wanted."""
        return bool(self.text or self.within or self.values or self.ranges or self.link)
