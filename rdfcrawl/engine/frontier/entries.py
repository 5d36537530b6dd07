"""What goes into the queue of a run and comes out of it, however it is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Final, NamedTuple

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.extract.extraction import Follow
from rdfcrawl.engine.frontier.seen import SeenPage
from rdfcrawl.engine.problem import Problem

MAIN_WORKER: Final = "main"
"""The worker that begins, leads and finishes a run; with SQLite the only one."""


MOST_ANCHORS: Final = 1_000
"""Of how many pages the texts of their links to one page are kept."""


class EntryState:
    """The state of an entry; plain integers, because they are stored as such."""

    QUEUED: Final = 0
    CLAIMED: Final = 1
    DONE: Final = 2
    FAILED: Final = 3
    HELD: Final = 4
    """Found in a round that is not complete: in a run with a limit of pages, nobody knows yet whether it is read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One page to be read: what kind of page, at which address, and which part of which list it is.

    ``level`` is how many levels of leads lie between it and a start page. ``list_address`` is the address of the first
    page of its list if it is a later part. ``anchors`` are the texts of the links of the level before that lead to it.
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
    anchors: str | None = None


class Lead(NamedTuple):
    """A page that is read only when everything on the level before it is read, the highest score first.

    ``start`` is where the site begins that it is part of. What is ``held`` for a reason is never read, unless another
    lead to the same page is not; of one ``family``, ``most`` are read. A lead that ``is_hop`` stays on the level of the
    page that it comes from, and is read before the next level begins. ``anchors`` are the texts of its links.
    """

    page: str
    address: str
    key: str
    score: float = 0.0
    start: str | None = None
    held: str | None = None
    family: str | None = None
    most: int = 0
    anchors: str | None = None
    is_hop: bool = False


@dataclass(frozen=True, slots=True)
class Surveyed:
    """What was found at an address of a site; without ``kind`` there is nothing, and nobody said that there is.

    Of addresses with the same ``digest`` the least deep one counts, then the first one by address; the others are
    duplicates, whose leads are not followed. ``seconds`` is how long the answer took.
    """

    kind: str
    digest: str | None = None
    reason: str | None = None
    seconds: float | None = None


class SurveyedAddress(NamedTuple):
    """An address of a site, as it is known when its survey has ended; ``original`` is what it duplicates."""

    page: str
    address: str
    kind: str
    depth: int
    reason: str | None
    original: str | None
    seconds: float | None


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
    surveyed: Surveyed | None = None


@dataclass(slots=True)
class PageResult:
    """The result of reading one page: its outcome for the queue; its triples, problems and links for the journal.

    ``address`` is where it was in the end, after redirects. Without ``is_visit`` nobody was asked for it.
    """

    outcome: Outcome
    engine: str
    triples: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    seen: SeenPage | None = None
    unchanged: bool = False
    address: str | None = None
    links: list[str] = field(default_factory=list)
    is_visit: bool = True


@dataclass(frozen=True, slots=True)
class Lengths:
    """How much of a worker's files is valid, in bytes: of its triples, of its problems, of its links, of its archive.

    The archive of the worker that leads a run is not cut.
    """

    triples: int = 0
    problems: int = 0
    links: int = 0
    archive: int = 0


NOTHING_VALID: Final = Lengths()


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted since the last commit, or in a run as a whole.

    ``amounts`` are named by what was counted and of what kind (``pages``, ``http``), and the frontier adds them up. Of
    ``reasons`` (by page, why it was read in the browser) it keeps the latest.
    """

    amounts: Mapping[tuple[str, str], float] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)


class BlockResult(NamedTuple):
    """What the journal keeps of a page: statements, problems, the address that they were read from, links."""

    triples: Sequence[str]
    problems: Sequence[Problem]
    address: str | None
    links: Sequence[str]


@dataclass(frozen=True, slots=True)
class Block:
    """What one commit of a worker has brought; the numbers of a worker's blocks ascend."""

    worker: str
    number: int
    results: Sequence[BlockResult]
