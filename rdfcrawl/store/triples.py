"""The seam between the run files and the places that answer queries about them: the index, an endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from rdfcrawl.dataclass import dataclass
from rdfcrawl.store.files.damage import diagnosed, find_damage, is_changed
from rdfcrawl.store.files.lines import Advance, unwatched
from rdfcrawl.store.files.whole import fingerprint


@dataclass(frozen=True, slots=True)
class GraphFile:
    """A named graph and the N-Quads file that holds it; equal fingerprints mean equal content.

    ``fingerprint`` is that of what was written into the file, ``written`` the name that the graph has there.
    """

    graph: str
    path: Path
    fingerprint: str
    written: str

    @classmethod
    def of(cls, graph: str, path: Path, written: str | None = None) -> GraphFile:
        """The graph in that file, as it is now."""
        return cls(graph, path, fingerprint(path), written or graph)

    @property
    def is_changed(self) -> bool:
        """Whether the file is plainly not what was written."""
        return is_changed(self.path, self.fingerprint)

    def ensure_unchanged(self) -> None:
        """Raise ``DamagedFile`` if the size or the end of the file shows that it is not what was written."""
        if self.is_changed:
            raise diagnosed(self.path)

    def ensure_whole(self) -> None:
        """Raise ``DamagedFile`` unless all of what was written can be read."""
        if damage := find_damage(self.path, self.fingerprint):
            raise damage

    def renamed(self, lines: bytes) -> bytes:
        """Whole lines of the file, with the name that the graph is to have."""
        if self.written == self.graph:
            return lines
        # A literal contains no line break, so this can only be the end of a line.
        return lines.replace(f" <{self.written}> .\n".encode(), f" <{self.graph}> .\n".encode())


@dataclass(frozen=True, slots=True)
class Held:
    """What a triple store holds: its graphs with their fingerprints, and which of them are current.

    ``key`` is that of the ``Wanted`` it was brought up to date with.
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


def size_of(fingerprint: str) -> int:
    """The size of the content that a fingerprint belongs to."""
    return int(fingerprint.rpartition("-")[2])


class TripleStore(Protocol):
    """A place that holds copies of the run files' graphs and answers queries."""

    @property
    def location(self) -> str:
        """Where it is, for messages."""

    def held(self) -> Held:
        """What it holds now."""

    def writing(self, wait: float) -> AbstractContextManager[bool]:
        """Lock out other writers; yields whether that succeeded within ``wait`` seconds."""

    def hold(self, wanted: Wanted, anew: bool = False, advance: Advance = unwatched) -> None:
        """Hold exactly the wanted graphs; only the holder of the lock may call this."""
