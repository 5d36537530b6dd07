"""What a model says about one resource, term by term."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from rdflib import Literal
from rdflib.term import Node

from rdfcrawl.dataclass import dataclass

Terms = Mapping[str, tuple[Node, ...]]
"""The values of each term, sorted by their text; terms are named without their namespace."""


def _nothing(_: Node) -> Resource:
    return Resource({})


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource of a valid model, which has all mandatory terms; ``about`` is what is said of one that it names."""

    terms: Terms
    about: Callable[[Node], Resource] = field(default=_nothing, compare=False, repr=False)

    def values(self, term: str) -> tuple[Node, ...]:
        """All values of a term."""
        return self.terms.get(term, ())

    def text(self, term: str) -> str:
        """The text of a mandatory term."""
        return str(self.values(term)[0])

    def optional_text(self, term: str) -> str | None:
        """The text of an optional term."""
        values = self.values(term)
        return str(values[0]) if values else None

    def texts(self, term: str) -> tuple[str, ...]:
        """The texts of a term that may have several values."""
        return tuple(str(value) for value in self.values(term))

    def number(self, term: str) -> int | None:
        """The integer of an optional term."""
        values = self.values(term)
        return int(str(values[0])) if values else None

    def flag(self, term: str) -> bool | None:
        """The boolean of an optional term."""
        values = self.values(term)
        return bool(values[0].toPython()) if values and isinstance(values[0], Literal) else None
