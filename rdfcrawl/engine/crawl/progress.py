"""How a run reports what it is doing."""

from __future__ import annotations

from typing import Final, Protocol

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.problem import Problem

_ENOUGH_PAGES: Final = 20
"""How many pages must have been read before their rate says something about the others."""


@dataclass(frozen=True, slots=True)
class SectionProgress:
    """How far a section has come, in pages."""

    address: str
    done: int
    queued: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come."""

    run: int
    sections: tuple[SectionProgress, ...]
    problems: int
    triples: int
    seconds: float
    read_now: int

    @property
    def done(self) -> int:
        """Pages read, in this and in earlier starts of the run."""
        return sum(section.done for section in self.sections)

    @property
    def queued(self) -> int:
        """Pages known and not yet read."""
        return sum(section.queued for section in self.sections)

    @property
    def rate(self) -> float:
        """Pages a second since this start."""
        return self.read_now / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long the queued pages will take at this rate; ``None`` while too little is known."""
        if self.read_now < _ENOUGH_PAGES or not self.queued:
            return None
        return self.queued / self.rate


@dataclass(frozen=True, slots=True)
class PageRead:
    """A page that was just read, or that could not be; ``again`` if it will be tried once more."""

    address: str
    page: str
    engine: str
    triples: int
    problems: tuple[Problem, ...] = ()
    unchanged: bool = False
    again: bool = False


class Observer(Protocol):
    """Receives reports on how a run is going."""

    def begin(self, run: int, *, resumed: bool) -> None:
        """The run starts, or is resumed."""

    def page(self, page: PageRead) -> None:
        """Called for every page."""

    def progress(self, progress: Progress) -> None:
        """Called now and then, and at the end."""

    def finishing(self, stage: str) -> None:
        """Everything is read; the run is at this stage of being finished."""

    def advance(self, share: float) -> None:
        """This share of the stage is done, from 0 to 1; called now and then, for stages that can take long."""

    def notice(self, text: str) -> None:
        """Something that the user should know, once."""


class Silent:
    """An observer that says nothing."""

    def begin(self, run: int, *, resumed: bool) -> None:
        """Nothing."""

    def page(self, page: PageRead) -> None:
        """Nothing."""

    def progress(self, progress: Progress) -> None:
        """Nothing."""

    def finishing(self, stage: str) -> None:
        """Nothing."""

    def advance(self, share: float) -> None:
        """Nothing."""

    def notice(self, text: str) -> None:
        """Nothing."""
