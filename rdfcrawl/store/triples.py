"""The seam between the run files and the places where triples can be asked for: the index, an endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from rdfcrawl.store.files import GraphFile


@dataclass(frozen=True, slots=True)
class Held:
    """What a triple store holds: its graphs with their fingerprints, and which of them are current.

    ``key`` is that of the ``Wanted`` which made it so.
    """

    graphs: Mapping[str, str]
    default: tuple[str, ...]
    key: str


EMPTY = Held({}, (), "")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a triple store should hold."""

    files: Sequence[GraphFile]
    default: tuple[str, ...]
    key: str

    def fingerprints(self) -> dict[str, str]:
        """The graphs, with the fingerprints of their content."""
        return {file.graph: file.fingerprint for file in self.files}


class TripleStore(Protocol):
    """A place that holds copies of the run files' graphs and answers queries."""

    @property
    def location(self) -> str:
        """Where it is, for messages."""

    def held(self) -> Held:
        """What it holds now."""

    def writing(self, wait: float) -> AbstractContextManager[bool]:
        """Be the one writer; gives whether that came true within ``wait`` seconds."""

    def hold(self, wanted: Wanted, anew: bool = False) -> None:
        """Hold exactly the wanted graphs; only the one writer may do this."""
