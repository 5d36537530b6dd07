"""The loop: claim pages, read them side by side, commit what they brought, until nothing is left or it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from rdfcrawl.engine.choice import Choice, Engine
from rdfcrawl.engine.document.tree import DocumentError
from rdfcrawl.engine.extract.page import Extraction
from rdfcrawl.engine.extract.plan import ModelPlan, PagePlan
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.frontier.outcome import (
    PageResult,
    failed_result,
    page_result,
    postponed_result,
    retry_result,
)
from rdfcrawl.engine.frontier.sqlite import Entry, EntryState, Frontier
from rdfcrawl.engine.journal import Journal
from rdfcrawl.engine.limits import ensure_room
from rdfcrawl.engine.manners.pace import HostAside
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.engine.progress import Observer, Progress, SectionProgress
from rdfcrawl.engine.visit import Means, Visit, visit
from rdfcrawl.errors import BrowserMissing, RdfcrawlError

_COMMIT_PAGES: Final = 256
_COMMIT_SECONDS: Final = 0.5
_TELL_SECONDS: Final = 0.25
_LONGEST_NAP: Final = 60.0


@dataclass(slots=True)
class Tally:
    """What is counted along the way; it survives a restart with the queue."""

    choice: Choice
    pages: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)
    triples: int = 0
    seconds: float = 0.0
    unchanged: int = 0

    def to_json(self) -> str:
        """The text that the queue keeps."""
        counts = {"pages": self.pages, "problems": self.problems, "triples": self.triples, "unchanged": self.unchanged}
        return json.dumps({**counts, "seconds": self.seconds, "choice": self.choice.to_json()})

    @classmethod
    def from_json(cls, engine: Engine, text: str) -> Tally:
        """The tally as an earlier start left it."""
        values: dict[str, Any] = json.loads(text)
        return cls(
            Choice.from_json(engine, values.get("choice", {})),
            Counter(values.get("pages", {})),
            Counter(values.get("problems", {})),
            values.get("triples", 0),
            values.get("seconds", 0.0),
            values.get("unchanged", 0),
        )


class Crawl:
    """One start of a run, from its queue to the moment when nothing is left."""

    def __init__(
        self,
        plan: ModelPlan,
        frontier: Frontier,
        journal: Journal,
        tally: Tally,
        *,
        means: Means,
        sections: tuple[str, ...],
        observer: Observer,
    ) -> None:
        self._plan = plan
        self._frontier = frontier
        self._journal = journal
        self._tally = tally
        self._means = means
        self._gates = means.gates
        self._observer = observer
        self._finished: asyncio.Queue[PageResult | BaseException] = asyncio.Queue()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._at_host: Counter[str] = Counter()
        self._pending: list[PageResult] = []
        self._sections = sections
        self._done: Counter[int] = Counter()
        self._queued: Counter[int] = Counter()
        for (section, state), count in frontier.counts().items():
            (self._done if state in (EntryState.DONE, EntryState.FAILED) else self._queued)[section] += count
        self._read_now = 0
        self._clock = 0.0
        self._begun = asyncio.get_running_loop().time()
        self._told_closed = False
        self._browser_missing = False

    async def run(self, stop: asyncio.Event) -> bool:
        """Read until nothing is left; gives whether that was reached before ``stop`` was set.

        Raises ``Stopped`` when there is no room left on the disk.
        """
        loop = asyncio.get_running_loop()
        self._clock = committed = told = loop.time()
        stopping = asyncio.create_task(stop.wait())
        try:
            while not stop.is_set():
                if reason := self._limit_reached():
                    await self._leave_rest(reason)
                    break
                self._claim()
                if not self._tasks and not await self._wait_until_due(stop):
                    break
                if self._tasks:
                    await self._take_finished(stopping)
                now = loop.time()
                if len(self._pending) >= _COMMIT_PAGES or now - committed > _COMMIT_SECONDS:
                    self._commit()
                    committed = now
                    ensure_room(self._journal.folder, self._means.limits.free_bytes)
                if now - told > _TELL_SECONDS:
                    self._observer.progress(self._progress())
                    told = now
        finally:
            stopping.cancel()
            await self._cancel_tasks()
            self._commit()
            self._observer.progress(self._progress())
        return not stop.is_set()

    def _limit_reached(self) -> str | None:
        """The limit of the run that keeps it from reading on, in words."""
        limits = self._means.limits
        if limits.seconds is not None and self._seconds() >= limits.seconds:
            return f"the {limits.seconds / 3600:g} hours of this run are used up"
        if not self._tasks and self._pages_left() == 0:
            return f"the {limits.pages:,} pages of this run are used up"
        return None

    def _pages_left(self) -> int | None:
        """How many more pages may be asked for; nothing if there is no limit."""
        if self._means.limits.pages is None:
            return None
        read = self._tally.pages.total() + sum(result.outcome.retry_at is None for result in self._pending)
        return max(0, self._means.limits.pages - read - len(self._tasks))

    def _seconds(self) -> float:
        """How long the run has worked, in all its starts."""
        now = asyncio.get_running_loop().time()
        self._tally.seconds += now - self._clock
        self._clock = now
        return self._tally.seconds

    async def _leave_rest(self, reason: str) -> None:
        """Give up what is still queued: unread, with one problem for each section."""
        await self._cancel_tasks()
        self._commit()
        for number, count in sorted(self._frontier.leave_rest(ProblemKind.LIMIT.value).items()):
            address = self._sections[number]
            page = next(section.page for section in self._plan.model.sections if section.address == address)
            problem = Problem(ProblemKind.LIMIT, address, page, f"{reason}; {count:,} known pages were not read")
            self._journal.write((), (problem,))
            self._tally.problems[problem.kind.value] += 1
            self._done[number] += count
            self._queued[number] -= count
        lines, problems = self._journal.sync()
        self._frontier.commit((), lines=lines, problems=problems, tally=self._tally.to_json())

    def _claim(self) -> None:
        """Keep every host busy, with a few pages waiting for their turn."""
        # How many pages a host can take is only known once one of its pages is claimed.
        if self._seconds_until_open():
            return
        if self._told_closed:
            self._told_closed = False
            self._observer.notice(f"the window {self._means.window} is open again; the run goes on")
        while (wanted := self._free_slots()) > 0:
            entries = self._frontier.claim(wanted, busy_hosts=self._busy_hosts())
            if len(entries) < wanted and self._pending:
                self._commit()
                entries += self._frontier.claim(wanted - len(entries), busy_hosts=self._busy_hosts())
            for entry in entries:
                if entry.id not in self._tasks:
                    self._at_host[entry.host] += 1
                    self._tasks[entry.id] = asyncio.create_task(self._read(entry))
            if len(entries) < wanted:
                return

    def _free_slots(self) -> int:
        hosts = [host for host, count in self._at_host.items() if count]
        most = max((2 * self._gates.slots(host) for host in hosts), default=1)
        places = most * max(1, len(hosts))
        free = places - len(self._tasks)
        # A look into the queue takes time: a few pages at once, as long as others still wait for their turn.
        if free < places / 4:
            return 0
        left = self._pages_left()
        return free if left is None else min(free, left)

    def _seconds_until_open(self) -> float:
        window = self._means.window
        return window.seconds_until_open() if window else 0.0

    def _busy_hosts(self) -> list[str]:
        return [host for host, count in self._at_host.items() if count >= 2 * self._gates.slots(host)]

    async def _wait_until_due(self, stop: asyncio.Event) -> bool:
        """Wait for pages that are to be tried again; false when there are none."""
        self._commit()
        due = self._frontier.seconds_until_due()
        if due is None:
            return False
        closed = self._seconds_until_open()
        if (window := self._means.window) and closed and not self._told_closed:
            self._told_closed = True
            self._observer.notice(f"the window {window} is closed; the run goes on by itself at {window.begin:%H:%M}")
        # The clock may be set, and the machine may sleep: a long wait is looked at again now and then.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), min(max(due, closed), _LONGEST_NAP))
        if closed:
            self._clock = asyncio.get_running_loop().time()
        return True

    async def _take_finished(self, stopping: asyncio.Task[bool]) -> None:
        getting = asyncio.create_task(self._finished.get())
        await asyncio.wait({getting, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not getting.done():
            getting.cancel()
            return
        self._take(getting.result())
        while not self._finished.empty():
            self._take(self._finished.get_nowait())

    def _take(self, finished: PageResult | BaseException) -> None:
        if isinstance(finished, BaseException):
            raise finished
        entry = finished.outcome.entry
        del self._tasks[entry.id]
        self._at_host[entry.host] -= 1
        self._pending.append(finished)

    async def _read(self, entry: Entry) -> None:
        """Read one page; whatever happens, the loop hears of it."""
        try:
            result = await self._page_result(entry)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            if not isinstance(error, RdfcrawlError):
                error.add_note(f"while reading {entry.address} as {entry.page}")
            self._finished.put_nowait(error)
        else:
            self._finished.put_nowait(result)

    async def _page_result(self, entry: Entry) -> PageResult:
        plan = self._plan.pages[entry.page]
        engine = self._tally.choice.engine_for(plan.page)
        try:
            read = await visit(self._means, entry, plan, engine)
            if engine is Engine.HTTP and (better := await self._try_browser(entry, plan, read.extraction)):
                engine, read = Engine.BROWSER, better
        except HostAside as aside:
            self._frontier.postpone(entry.host, aside.until)
            return postponed_result(entry, aside.until, engine)
        except FetchFailed as failure:
            self._gates.failed(entry.host, failure)
            again = retry_result(entry, failure, engine, not_before=self._gates.aside_until(entry.host))
            return again or failed_result(entry, failure.kind, failure.reason, engine)
        except DocumentError as error:
            return failed_result(entry, ProblemKind.UNREADABLE, str(error), engine)
        result = page_result(self._frontier, entry, plan, read.extraction, engine, self._means.limits.list_pages)
        result.seen, result.unchanged = read.page, read.unchanged
        return result

    async def _try_browser(self, entry: Entry, plan: PagePlan, plain: Extraction) -> Visit | None:
        """Read a page again in the browser when plain HTTP did not bring what it must have and scripts may."""
        reason = (
            "its next button has no address"
            if plain.next_clicks
            else "plain HTTP brings none of what it must have"
            if plain.is_bare
            else None
        )
        choice = self._tally.choice
        if reason is None:
            choice.plain_was_enough(plan.page)
        if reason is None or self._browser_missing or not choice.may_try_browser(plan.page):
            return None
        try:
            rendered = await visit(self._means, entry, plan, Engine.BROWSER)
        except (FetchFailed, DocumentError):
            return None
        except BrowserMissing as error:
            self._browser_missing = True
            self._observer.notice(f"{entry.address}: {reason}; a browser might. {error}")
            return None
        if rendered.extraction.is_bare and not plain.next_clicks:
            choice.browser_did_not_help(plan.page)
            return None
        choice.browser_helped(plan.page, reason)
        return rendered

    def _commit(self) -> None:
        """Results first, acknowledgement after: a crash in between costs work, never data."""
        if not self._pending:
            return
        for result in self._pending:
            self._journal.write(result.triples, result.problems)
            self._count(result)
        if self._means.recorder is not None:
            self._means.recorder.sync()
        self._seconds()
        lines, problems = self._journal.sync()
        outcomes = [result.outcome for result in self._pending]
        queued = self._frontier.commit(outcomes, lines=lines, problems=problems, tally=self._tally.to_json())
        self._queued.update(queued)
        if (seen := self._means.seen) is not None:
            seen.remember((result.outcome.entry, result.engine, result.seen) for result in self._pending if result.seen)
        self._pending.clear()

    def _count(self, result: PageResult) -> None:
        if result.outcome.retry_at is not None:
            return
        section = result.outcome.entry.section
        self._done[section] += 1
        self._queued[section] -= 1
        self._read_now += 1
        self._tally.pages[result.engine] += 1
        self._tally.unchanged += result.unchanged
        self._tally.triples += len(result.triples)
        self._tally.problems.update(problem.kind.value for problem in result.problems)

    def _progress(self) -> Progress:
        return Progress(
            self._frontier.run,
            tuple(
                SectionProgress(address, self._done[number], self._queued[number])
                for number, address in enumerate(self._sections)
            ),
            problems=self._tally.problems.total(),
            triples=self._tally.triples,
            seconds=asyncio.get_running_loop().time() - self._begun,
            read_now=self._read_now,
        )

    async def _cancel_tasks(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        while not self._finished.empty():
            finished = self._finished.get_nowait()
            if isinstance(finished, PageResult):
                self._pending.append(finished)
