"""The loop: claim pages, read them concurrently, commit the results, until nothing is left or it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from functools import cached_property, partial
from time import time
from typing import TYPE_CHECKING, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.address import host_of
from rdfcrawl.engine.crawl.boundary import ends_run, internal_reason
from rdfcrawl.engine.crawl.escalation import Escalation
from rdfcrawl.engine.crawl.headway import Headway
from rdfcrawl.engine.crawl.logins import LoginFailed
from rdfcrawl.engine.crawl.pending import Pending
from rdfcrawl.engine.crawl.progress import Observer, PageRead
from rdfcrawl.engine.crawl.tally import Tally
from rdfcrawl.engine.crawl.visit import Means, visit
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.frontier.entries import Entry, PageResult
from rdfcrawl.engine.frontier.hosts import HostAside
from rdfcrawl.engine.frontier.outcome import failed_result, page_result, postponed_result, retry_result
from rdfcrawl.engine.frontier.protocol import Frontier
from rdfcrawl.engine.limits import connections_at_once, ensure_room
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.engine.run.journal import Results
from rdfcrawl.errors import RdfcrawlError, Stopped
from rdfcrawl.metamodel.model import Model

if TYPE_CHECKING:
    from rdfcrawl.engine.crawl.surveys import Surveys

_COMMIT_PAGES: Final = 256
_COMMIT_SECONDS: Final = 0.5
_TELL_SECONDS: Final = 0.25
_LONGEST_NAP: Final = 60.0

_IDLE_SECONDS: Final = 0.5
"""How soon a worker looks again for work that others may find, and a leader for the end of theirs."""

_QUEUE_SECONDS: Final = 0.1
"""How long a queue that several share may take to answer: while a commit waits for its disk, nothing is claimed."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CrawlPart:
    """What a process does in a run: whoever ``leads`` ends it, whoever ``reads`` claims pages, so many at ``most``."""

    leads: bool = True
    reads: bool = True
    most: int | None = None


class Crawl:
    """One start of a run, until its queue is empty; without leading, until it is stopped."""

    def __init__(
        self,
        model: Model,
        frontier: Frontier,
        journal: Results,
        tally: Tally,
        headway: Headway,
        *,
        means: Means,
        sections: tuple[str, ...],
        observer: Observer,
        part: CrawlPart | None = None,
    ) -> None:
        self._part = part or CrawlPart()
        self._model = model
        self._frontier = frontier
        self._journal = journal
        self._tally = tally
        self._headway = headway
        self._means = means
        self._gates = means.gates
        self._most_at_once = min(connections_at_once(means.limits), self._part.most or means.limits.connections)
        self._reading = asyncio.Semaphore(self._most_at_once)
        self._sections = sections
        self._observer = observer
        self._escalation = Escalation(tally.choice, observer.notice)
        in_rounds = means.limits.pages is not None
        self._pending = Pending(frontier, journal, means.recorder, tally, headway, in_rounds=in_rounds)
        self._ahead = 0
        self._read_since = 0
        self._finished: asyncio.Queue[PageResult | BaseException | None] = asyncio.Queue()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._at_host: Counter[str] = Counter()
        self._clock = 0.0
        self._told_closed = False
        self._told_sections: set[int] = set()

    @cached_property
    def _surveys(self) -> Surveys:
        # What looks into files and sitemaps takes long to import, and few models survey a site.
        from rdfcrawl.engine.crawl.surveys import Surveys

        return Surveys(self._means, self._frontier, self._tally.choice, self._observer.notice)

    async def run(self, stop: asyncio.Event) -> bool:
        """Read until nothing is left; returns whether that was reached before ``stop`` was set.

        Raises ``Stopped`` when there is no room left on the disk.
        """
        loop = asyncio.get_running_loop()
        self._clock = committed = told = loop.time()
        stopping = asyncio.create_task(stop.wait())
        stopping.add_done_callback(lambda _: self._finished.put_nowait(None))
        try:
            while not stop.is_set():
                if reason := await self._limit_reached():
                    await self._leave_rest(reason)
                    break
                if self._part.reads:
                    await self._claim()
                if not self._tasks and not await self._wait_until_due(stop):
                    break
                if self._tasks:
                    await self._take_finished()
                now = loop.time()
                if len(self._pending) >= _COMMIT_PAGES or now - committed > _COMMIT_SECONDS:
                    await self._commit()
                    committed = now
                    if self._journal.folder is not None:
                        ensure_room(self._journal.folder, self._means.limits.free_bytes)
                if now - told > _TELL_SECONDS:
                    self._observer.progress(self._headway.progress(self._tally))
                    self._look_ahead(now - told)
                    told = now
        finally:
            stopping.cancel()
            await self._cancel_tasks()
            await self._commit()
            # Other workers need not wait until the claims of this one expire.
            await self._frontier.release_claims()
            self._observer.progress(self._headway.progress(self._tally))
        return not stop.is_set()

    def _look_ahead(self, seconds: float) -> None:
        """Claim as many pages more as are read while a queue that is shared answers; no more, others want some, too."""
        if self._frontier.is_shared:
            self._ahead = round(_QUEUE_SECONDS * self._read_since / seconds)
        self._read_since = 0

    async def _limit_reached(self) -> str | None:
        """The limit that keeps the run from reading more pages, in words; whoever leads it says so."""
        limits = self._means.limits
        if not self._part.leads:
            return None
        if limits.seconds is not None and self._seconds() >= limits.seconds:
            return f"the {limits.seconds / 3600:g} hours of this run are used up"
        if limits.pages is None or self._tasks:
            return None
        is_shared = self._frontier.is_shared
        is_used_up = await self._frontier.is_used_up(limits.pages) if is_shared else self._pages_left() == 0
        return f"the {limits.pages:,} pages of this run are used up" if is_used_up else None

    def _pages_left(self) -> int | None:
        """How many more pages may be visited; ``None`` if there is no limit, or if the frontier sees to it."""
        if self._means.limits.pages is None or self._frontier.is_shared:
            return None
        read = self._tally.pages.total() + self._pending.settled
        return max(0, self._means.limits.pages - read - len(self._tasks))

    def _seconds(self) -> float:
        """How long the run has worked, over all its starts."""
        now = asyncio.get_running_loop().time()
        # Several workers work side by side: the time of the one that leads is that of the run.
        self._tally.seconds += now - self._clock if self._part.leads else 0.0
        self._clock = now
        return self._tally.seconds

    async def _leave_rest(self, reason: str) -> None:
        """Give up what is still queued: unread, with one problem for each section."""
        pages = {section.address: section.page for section in self._model.sections}

        def problem(number: int, count: int) -> Problem:
            address = self._sections[number]
            said = f"{reason}; {count:,} known pages were not read"
            return Problem(ProblemKind.LIMIT, address, pages[address], said)

        await self._cancel_tasks()
        self._seconds()
        await self._pending.leave_rest(ProblemKind.LIMIT.value, problem)

    async def _claim(self) -> None:
        """Keep every host busy, with a few pages waiting for their turn."""
        # How many pages a host can take is only known once one of its pages is claimed.
        if self._means.hours.seconds_until_open():
            return
        if self._told_closed:
            self._told_closed = False
            self._observer.notice(f"the window {self._means.hours.first} is open again; the run continues")
        while (wanted := self._free_slots()) > 0:
            entries = await self._frontier.claim(wanted, busy_hosts=self._busy_hosts())
            if len(entries) < wanted and self._pending:
                await self._commit()
                entries += await self._frontier.claim(wanted - len(entries), busy_hosts=self._busy_hosts())
            for entry in entries:
                if entry.id not in self._tasks:
                    self._at_host[entry.host] += 1
                    self._tasks[entry.id] = asyncio.create_task(self._read(entry))
            if len(entries) < wanted:
                return

    def _free_slots(self) -> int:
        hosts = [host for host, count in self._at_host.items() if count]
        most = max((self._places_at(host, len(hosts)) for host in hosts), default=1)
        # A page that waits keeps a place busy that would wait for the queue otherwise; it is not read meanwhile.
        places = min(most * max(1, len(hosts)), 2 * self._most_at_once + self._ahead)
        free = places - len(self._tasks)
        # Querying the queue takes time: claim a few pages at once, as long as others still wait for their turn.
        if free < places / 4:
            return 0
        left = self._pages_left()
        return free if left is None else min(free, left)

    def _places_at(self, host: str, hosts: int) -> int:
        """How many pages of one of some hosts are claimed: those that are read, and those that wait for their turn."""
        slots = self._gates.slots(host)
        return slots + max(slots, self._ahead // hosts)

    def _busy_hosts(self) -> list[str]:
        # A host that nothing is asked of may have been left to other workers; claiming is how to get it back.
        counts = [(host, count) for host, count in self._at_host.items() if count]
        busy = [host for host, count in counts if count >= self._places_at(host, len(counts))]
        return [*busy, *self._closed_hosts()]

    def _closed_hosts(self) -> set[str]:
        """The hosts of sections that may not be read now, although others may."""
        hours = self._means.hours
        closed = {number for number in range(len(self._sections)) if hours.closed(number)}
        for number in closed - self._told_sections:
            self._told_sections.add(number)
            window, address = hours.windows[number], self._sections[number]
            self._observer.notice(f"the window {window} of {address} is closed; it is read when that is open")
        hosts = [host_of(address) for address in self._sections]
        still_open = {host for number, host in enumerate(hosts) if number not in closed}
        return {hosts[number] for number in closed} - still_open

    async def _wait_until_due(self, stop: asyncio.Event) -> bool:
        """Wait for pages that are to be tried again, or begin the next level; false when there is neither."""
        await self._commit()
        due = await self._frontier.seconds_until_due()
        if due is None:
            queued = await self._frontier.next_level(self._means.limits.pages)
            self._headway.queued(queued)
            if queued or (self._part.leads and not self._frontier.is_shared):
                return bool(queued)
            if self._part.leads and await self._frontier.is_complete():
                return False
            due = _IDLE_SECONDS
        if not self._part.reads:
            due = max(due, _IDLE_SECONDS)
        hours = self._means.hours
        if hours.differ and self._part.reads:
            # What is due may be of a section that is closed, or have come with this commit.
            await self._claim()
            if self._tasks:
                return True
        closed = hours.seconds_until_open()
        if (window := hours.first) and closed and not self._told_closed:
            self._told_closed = True
            self._observer.notice(f"the window {window} is closed; the run continues at {window.begin:%H:%M}")
        # The clock may be changed, and the machine may sleep: a long wait is checked again now and then.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), min(max(due, closed) or hours.seconds_until_next(), _LONGEST_NAP))
        if hours.some_closed():
            self._clock = asyncio.get_running_loop().time()
        return True

    async def _take_finished(self) -> None:
        """Wait for the next page, or until the crawl is stopped, and take all that are there."""
        self._take(await self._finished.get())
        while not self._finished.empty():
            self._take(self._finished.get_nowait())

    def _take(self, finished: PageResult | BaseException | None) -> None:
        if finished is None:
            return
        if isinstance(finished, BaseException):
            raise finished
        entry = finished.outcome.entry
        del self._tasks[entry.id]
        self._at_host[entry.host] -= 1
        self._read_since += 1
        self._pending.add(finished)
        self._observer.page(
            PageRead(
                entry.address,
                entry.page,
                finished.engine,
                len(finished.triples),
                tuple(finished.problems),
                finished.unchanged,
                finished.outcome.retry_at is not None,
            )
        )

    async def _read(self, entry: Entry) -> None:
        """Read one page; whatever happens, the loop is told."""
        try:
            async with self._reading:
                result = await self._page_result(entry)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            if ends_run(error):
                if not isinstance(error, RdfcrawlError):
                    error.add_note(f"while reading {entry.address} as {entry.page}")
                self._finished.put_nowait(error)
                return
            _log.debug("while reading %s as %s", entry.address, entry.page, exc_info=error)
            engine = self._escalation.first_engine(self._model.page(entry.page))
            result = failed_result(entry, ProblemKind.INTERNAL, internal_reason(error), engine)
        self._finished.put_nowait(result)

    async def _page_result(self, entry: Entry) -> PageResult:
        page = self._model.page(entry.page)
        if self._means.hours.closed(entry.section):
            # Its host is not that of its section, or another section that is open has the same.
            engine = self._escalation.first_engine(page)
            return postponed_result(entry, time() + _LONGEST_NAP, engine)
        if page.is_survey:
            return await self._surveys.result(entry, page)
        engine = self._escalation.first_engine(page)
        reading = partial(visit, self._means, entry, page)
        try:
            engine, read = await self._escalation.read(page, entry.address, engine, reading)
        except HostAside as aside:
            if aside.host == entry.host:
                await self._frontier.postpone(entry.host, aside.until)
            return postponed_result(entry, aside.until, engine)
        except LoginFailed as failed:
            # One problem at the start says it all; in the middle of a run, nothing else of it could be read.
            if await self._frontier.is_start(entry):
                return failed_result(entry, ProblemKind.LOGIN, str(failed), engine)
            raise Stopped(f"{failed}; when that is mended, the same command resumes the run") from None
        except FetchFailed as failure:
            host = failure.host or entry.host
            await self._gates.failed(host, failure)
            again = retry_result(entry, failure, engine, not_before=self._gates.aside_until(host))
            return again or failed_result(entry, failure.kind, failure.reason, engine)
        except DocumentError as error:
            return failed_result(entry, ProblemKind.UNREADABLE, str(error), engine)
        result = await page_result(self._frontier, entry, page, read.extraction, engine, self._means.limits.list_pages)
        result.seen, result.unchanged, result.address = read.page, read.unchanged, read.address
        return result

    async def _commit(self) -> None:
        self._seconds()
        await self._pending.commit()

    async def _cancel_tasks(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        while not self._finished.empty():
            finished = self._finished.get_nowait()
            if isinstance(finished, PageResult):
                self._pending.add(finished)
