"""What goes into the queue of a run and comes out of it, however it is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from rdfcrawl.engine.extract.page import Follow
from rdfcrawl.engine.frontier.seen import SeenPage
from rdfcrawl.engine.problem import Problem

MAIN_WORKER: Final = "main"
"""The worker that begins and finishes a run; as yet the only one."""


class EntryState:
    """The state of an entry; plain integers, because they are stored as such."""

    QUEUED: Final = 0
    CLAIMED: Final = 1
    DONE: Final = 2
    FAILED: Final = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """One page to be read: what kind of page, at which address, and which part of which list it is.

    ``level`` is how many levels of leads lie between it and a start page. ``list_address`` is the address of the first
    page of its list if it is a later part.
    """

    id: int
    page: str
    key: str
    address: str
    host: str
    section: int
    list: int
    part: int
    attempts: int
    level: int = 0
    list_address: str | None = None


@dataclass(frozen=True, slots=True)
class Lead:
    """A link that is followed only when everything on its own level is read, the highest score first."""

    follow: Follow
    score: float = 0.0


@dataclass(slots=True)
class Outcome:
    """What became of an entry, ready to be committed; ``list_address`` is for the next part of its list."""

    entry: Entry
    follows: Sequence[Follow] = ()
    leads: Sequence[Lead] = ()
    tops: Sequence[tuple[str, str]] = ()
    entries: Sequence[str] = ()
    unread: Sequence[tuple[str | None, str]] = ()
    next_part: Follow | None = None
    list_address: str | None = None
    moved_to: str | None = None
    incomplete: bool = False
    failure: str | None = None
    retry_at: float | None = None
    tried: bool = True


@dataclass(slots=True)
class PageResult:
    """The result of reading one page: its outcome for the queue, its triples and problems for the journal.

    ``address`` is where it was in the end, after redirects.
    """

    outcome: Outcome
    engine: str
    triples: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    seen: SeenPage | None = None
    unchanged: bool = False
    address: str | None = None


@dataclass(frozen=True, slots=True)
class Lengths:
    """How much of a worker's journal is valid, in bytes: of its triples and of its problems."""

    triples: int = 0
    problems: int = 0


NOTHING_VALID: Final = Lengths()


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted since the last commit, or in a run as a whole.

    ``amounts`` are named by what was counted and of what kind (``pages``, ``http``), and the frontier adds them up. Of
    ``reasons`` (by page, why it was read in the browser) it keeps the latest.
    """

    amounts: Mapping[tuple[str, str], float] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
