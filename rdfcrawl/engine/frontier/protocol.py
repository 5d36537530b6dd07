"""What the queue of a run must be able to do, wherever it is kept.

Everything read from a page is in the journal before its entry is acknowledged, and one transaction acknowledges
entries, queues what they link to, adds up what was counted and notes how much of the journal is valid. After a crash
the journal is cut to that length and the unacknowledged pages are read again: the result is that of an undisturbed
run.

Where workers on several machines share a queue, they have no disk in common: the same transaction carries what they
read, as a block, and whoever leads the run collects the blocks into its journal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from typing import Final, Protocol, runtime_checkable

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.frontier.entries import Block, Counted, Entry, Lengths, PageResult, SurveyedAddress
from rdfcrawl.engine.frontier.hosts import HostNeed, HostNews, HostStanding
from rdfcrawl.engine.frontier.seen import SeenPage
from rdfcrawl.engine.problem import Problem
from rdfcrawl.metamodel.model import Section

LEASE_SECONDS: Final = 600.0
"""How long a claim holds; entries that were not acknowledged by then may be claimed by others."""

LONGEST_WAIT_SECONDS: Final = 3600.0
"""Nothing is postponed for longer; an entry that seems to be was written before the clock was set back."""


class WorkerGone(Exception):
    """A worker gave no sign of life for too long: others read its pages, and nothing that it has read counts.

    Where ``is_replaced``, another process has taken its place; otherwise it may begin again.
    """

    def __init__(self, worker: str, *, is_replaced: bool) -> None:
        super().__init__(worker)
        self.is_replaced = is_replaced


class Frontier(Protocol):
    """The entries of one run, as one of its workers sees them.

    Where it is shared, every method that writes raises ``WorkerGone`` if this worker no longer counts.
    """

    @property
    def run(self) -> int:
        """The number of the run."""
        ...

    @property
    def worker(self) -> str:
        """The worker that claims and commits here."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether workers in other processes claim and commit as well."""
        ...

    async def start(self, sections: Sequence[Section], params: Mapping[str, Sequence[str]] | None = None) -> None:
        """Queue the start pages, known like all others by their address without ``params`` (by page).

        Starting again changes nothing.
        """
        ...

    async def release_claims(self) -> None:
        """Return to the queue what an earlier process of this worker had claimed."""
        ...

    async def claim(self, count: int, *, busy_hosts: Iterable[str] = ()) -> list[Entry]:
        """Claim up to ``count`` entries that are due at hosts that can take more.

        They come by level, then by score (the highest first), then in the order in which they were queued.
        """
        ...

    async def postpone(self, host: str, until: float) -> None:
        """Let no entry of a host be claimed before a moment (in seconds since 1970)."""
        ...

    async def seconds_until_due(self) -> float | None:
        """How long until an entry may be claimed; ``None`` when none is queued or claimed any more."""
        ...

    async def is_complete(self) -> bool:
        """Whether nothing is queued or claimed, and nothing is left for a next level."""
        ...

    async def is_used_up(self, pages: int) -> bool:
        """Whether all workers together have visited that many pages, and none is still claimed."""
        ...

    async def commit(
        self, results: Sequence[PageResult], *, valid: Lengths, counted: Counted, in_rounds: bool = False
    ) -> Counter[int]:
        """Acknowledge pages, queue what they link to, remember their content, and add up the counts: all or nothing.

        ``valid`` is how much of this worker's journal counts from now on, ``counted`` what was counted since its last
        commit. Returns the number of entries that are new in the queue, by section number. Those of a run that goes
        ``in_rounds`` can be claimed when ``next_level`` says so.
        """
        ...

    async def leave_rest(self, failure: str, problems: Sequence[Problem], *, valid: Lengths, counted: Counted) -> None:
        """Give up what is queued or claimed, for that reason, and commit the problems that say so: all or nothing."""
        ...

    async def next_level(self, pages: int | None = None) -> Counter[int]:
        """Queue the leads of all pages as the next level, by score and address; how many entries, by section.

        A run that may visit so many ``pages`` queues the first ones that are left to it, whoever is fastest. Before
        that, what commits have held back becomes the next round of the level that there is: by the place of the page
        that leads to it, then in the order of its links. It is known already, and counts as 0 new ones.

        While anything is queued or claimed, nothing happens: levels are barriers. Hops come first, on the level that
        there is. When a level is complete, duplicates are found, their leads are dropped, and families are bounded.
        When there is no next level, what was held back becomes entries that are done and unread.
        """
        ...

    async def leave_leads(self) -> Counter[int]:
        """Queue all leads at once, and what is held back as unread; the run ends before the next level begins."""
        ...

    async def settle_surveys(self, pages: Sequence[str]) -> None:
        """Note every entry of these pages that nothing was found for as an address that was not read."""
        ...

    def surveyed(self) -> AsyncIterator[Sequence[SurveyedAddress]]:
        """Every address of the surveyed sites, once ``settle_surveys`` was called."""
        ...

    async def is_start(self, entry: Entry) -> bool:
        """Whether the entry is the start page of a section."""
        ...

    async def list_has(self, entry: Entry, listed: Sequence[str]) -> int:
        """How many of these list entries, each named once, the entry's list has already shown."""
        ...

    async def list_length(self, entry: Entry) -> int:
        """How many different list entries the entry's list has shown so far."""
        ...

    async def in_list(self, entry: Entry, key: str) -> bool:
        """Whether the page with that key is already a part of the entry's list."""
        ...

    async def counts(self) -> dict[tuple[int, int], int]:
        """How many entries there are, by section number and state."""
        ...

    async def counted(self) -> Counted:
        """What all workers have counted in the run."""
        ...

    async def lengths(self) -> dict[str, Lengths]:
        """How much of the journal is valid, by worker."""
        ...

    def edges(self) -> AsyncIterator[Sequence[tuple[str, str, str]]]:
        """Every edge to a page's objects: the IRI of the parent, and predicate and object as N-Triples text."""
        ...

    def unread_entries(self) -> AsyncIterator[Sequence[tuple[str, str, str]]]:
        """Pages that were not read properly: page IRI, key and the IRI of a parent that they belong to.

        The key of a page that used to redirect is the address that it led to: its object is known by that. It is empty
        where only the kind of page is known, because the link to it was missing.
        """
        ...

    def failures_by_section(self) -> AsyncIterator[Sequence[tuple[str, str, int]]]:
        """What kept each section from being complete: its address, the reason and how often."""
        ...

    async def forget(self) -> None:
        """Remove everything about a run that has ended except the pages it has seen; it cannot be resumed then."""
        ...


class HostMemory(Protocol):
    """What a run has learnt about its hosts, shared with its later starts and its other workers."""

    async def robots(self) -> dict[str, str]:
        """The robots.txt of every origin that was asked for it; an empty one where there is none."""
        ...

    async def note_robots(self, origin: str, rules: str) -> None:
        """Keep the robots.txt of an origin."""
        ...

    async def await_robots(self, origin: str) -> str | None:
        """The robots.txt that another worker has fetched or is about to; ``None`` if this one is to fetch it."""
        ...

    async def robots_failed(self, origin: str) -> None:
        """Let others try to fetch what this worker could not."""
        ...

    async def standings(self) -> dict[str, HostStanding]:
        """The standing of the hosts as last noted."""
        ...

    async def note(self, host: str, standing: HostStanding) -> None:
        """Keep the standing of a host."""
        ...

    async def public_hosts(self) -> frozenset[str]:
        """The hosts of sections that were in the public internet, in this run or in any before it."""
        ...

    async def note_public(self, host: str) -> None:
        """Keep, for all later runs, that a section's host is in the public internet."""
        ...

    async def reserve(self, machine: str, delay: float) -> float:
        """Reserve the next turn at a machine, ``delay`` seconds after the one before; returns how long until then."""
        ...

    @property
    def is_shared(self) -> bool:
        """Whether workers in other processes ask the same hosts."""
        ...

    async def share_out(self, needs: Mapping[str, HostNeed], unneeded: Collection[str] = ()) -> HostNews:
        """Share the requests that hosts get at once among the workers, and tell what others have learnt.

        ``unneeded`` are hosts that this worker asks no longer.
        """
        ...


class SeenPages(Protocol):
    """The pages that earlier runs of a model have read; commits of the frontier add to them."""

    async def page(self, entry: Entry, engine: Engine) -> SeenPage | None:
        """The page as it was when it was last read, unless its list then began at another address."""
        ...

    async def forget_others(self, whole_model: bool) -> None:
        """Forget the pages that a run of the whole model has not visited, and those that no run has visited for long.

        The run's frontier says which pages it has visited, so it must not have been forgotten yet.
        """
        ...


class Blocks(Protocol):
    """What the workers of a run have read and left in the queue, for whoever leads the run."""

    async def waiting(self) -> Sequence[Block]:
        """Some of the blocks that were not collected yet, each worker's in their order."""
        ...

    async def collected(self, blocks: Sequence[Block], valid: Lengths) -> None:
        """Remove blocks that are in the journal, of which so much counts from now on: all or nothing."""
        ...

    async def archives(self) -> dict[str, int]:
        """How much of the archive of each worker that has one is valid, in bytes."""
        ...


@dataclass(frozen=True, slots=True)
class OpenRun:
    """The parts of a run's queue; without ``blocks``, what is read is in the journal alone."""

    frontier: Frontier
    hosts: HostMemory
    seen: SeenPages
    blocks: Blocks | None = None


@dataclass(frozen=True, slots=True)
class SharedTask:
    """What workers need in order to take part in a run: ``text`` says it, ``most_pages`` holds for all together."""

    text: str
    most_pages: int | None = None


@dataclass(frozen=True, slots=True)
class OfferedRun:
    """A run that workers can take part in, and the version of the program that began it."""

    run: int
    version: str
    task: str


class CrawlQueue(Protocol):
    """The queues of all runs that are under way in one place."""

    @property
    def was_lost(self) -> bool:
        """Whether an earlier queue could not be read, so that no earlier run can be resumed."""
        ...

    async def unfinished(self, identity: str) -> int | None:
        """The run of that identity (the same model, sections and options) that has not ended, if there is one."""
        ...

    async def begin(self, identity: str, newest: int = 0) -> int:
        """Begin a run and return its number: the second in which it begins, but always one above all before it.

        ``newest`` is the highest number that is known elsewhere.
        """
        ...

    async def offer(self, run: int, task: SharedTask) -> None:
        """Let workers take part in a run, where they can."""
        ...

    async def open(self, run: int, *, worker: str, model: str) -> OpenRun:
        """The queue of a run, for one of its workers; ``model`` is the digest of its model."""
        ...

    async def aclose(self) -> None:
        """Close the queue; what was committed stays."""
        ...


@runtime_checkable
class SharedQueue(CrawlQueue, Protocol):
    """A queue whose runs workers on other machines take part in."""

    async def offered(self) -> Sequence[OfferedRun]:
        """The runs that workers can take part in."""
        ...

    async def sign_of_life(self) -> None:
        """Let everybody know that this process and what it has claimed are alive."""
        ...

    def leave(self) -> None:
        """Do not wait any longer for a queue that cannot be reached."""
        ...
