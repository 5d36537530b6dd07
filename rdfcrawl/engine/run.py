"""A run from its first page to its place in the store; begun anew or taken up where it was stopped."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, aclosing, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from rdfcrawl.engine.address import host_of
from rdfcrawl.engine.archives import needed_archives, open_recorder, open_replay
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl import Crawl, Tally
from rdfcrawl.engine.extract.plan import build_plan
from rdfcrawl.engine.fetch.fetchers import Fetchers, user_agent_of
from rdfcrawl.engine.fetch.guard import AddressGuard, NetworkAccess
from rdfcrawl.engine.fetch.warc.recorder import WarcRecorder
from rdfcrawl.engine.frontier.hosts import HostMemory, forget_hosts
from rdfcrawl.engine.frontier.repair import put_aside_if_broken
from rdfcrawl.engine.frontier.seen import Seen
from rdfcrawl.engine.frontier.sqlite import Frontier, Unfinished, begin_run, unfinished_run
from rdfcrawl.engine.journal import Journal
from rdfcrawl.engine.limits import RunLimits, ensure_room
from rdfcrawl.engine.manners.pace import HostGates, Manners
from rdfcrawl.engine.manners.robots import Robots
from rdfcrawl.engine.manners.window import Window
from rdfcrawl.engine.problem import Problem
from rdfcrawl.engine.progress import Observer, Silent
from rdfcrawl.engine.record_rdf import record_lines
from rdfcrawl.engine.secrets import credentials_of
from rdfcrawl.engine.summary import summarise
from rdfcrawl.engine.visit import Means
from rdfcrawl.engine.workers.pool import Extractor
from rdfcrawl.errors import Stopped, StoreBusy, UsageError
from rdfcrawl.metamodel.model import Model, Section
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.folder import Store, finish_run
from rdfcrawl.store.locks import exclusive
from rdfcrawl.store.preloading import Ahead
from rdfcrawl.store.record import (
    ModelUsed,
    Predicates,
    RunCounts,
    RunRecord,
    RunSettings,
    RunState,
    SectionRecord,
)

_FULL = re.compile(r"disk is full|No space left|File too large")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a user can choose for a run."""

    sections: tuple[str, ...] = ()
    engine: Engine = Engine.AUTO
    replay: str | None = None
    record: bool = True
    fresh: bool = False
    concurrency: int | None = None
    source: str = ""
    limits: RunLimits = field(default_factory=RunLimits)
    window: Window | str | None = None
    contact: str | None = None
    ignore_robots: bool = False
    allow_private: bool = False
    insecure: bool = False


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a finished run is worth telling: its record, and an example for each kind of problem."""

    record: RunRecord
    examples: tuple[Problem, ...]
    reasons: dict[str, str]
    unchanged: int = 0


async def run_model(
    model: Model,
    store: Store,
    options: RunOptions | None = None,
    *,
    observer: Observer | None = None,
    stop: asyncio.Event | None = None,
    ahead: Ahead | None = None,
) -> RunReport:
    """Crawl a model into a store. An unfinished run of the same model, sections and options goes on.

    ``ahead`` loads what the run finds while it goes on.
    Raises ``Stopped`` when ``stop`` is set before the end or the disk is full; nothing that was read is lost.
    """
    options = options or RunOptions()
    observer = observer or Silent()
    sections = chosen_sections(model, options.sections)
    with _stopped_by_full_disk(store.folder), _sections_locked(store, sections):
        return await _Run(model, sections, store, options, observer, ahead).go(stop or asyncio.Event())


def chosen_sections(model: Model, addresses: Sequence[str]) -> tuple[Section, ...]:
    """The sections to run: all of the model's, or those that were named."""
    known = {section.address: section for section in model.sections}
    if unknown := [address for address in addresses if address not in known]:
        raise UsageError(f"the model has no section {unknown[0]}; it has {', '.join(known)}")
    return tuple(known[address] for address in addresses) if addresses else model.sections


class _Run:
    def __init__(
        self,
        model: Model,
        sections: tuple[Section, ...],
        store: Store,
        options: RunOptions,
        observer: Observer,
        ahead: Ahead | None,
    ) -> None:
        self.model = model
        self.sections = sections
        self.store = store
        self.options = options
        self.observer = observer
        self.ahead = ahead
        self.extractor = Extractor(model, options.limits)
        self.plan = build_plan(model)
        # A replay asks nobody, so it needs no secret either.
        self.credentials = {} if options.replay else credentials_of(sections)
        self.window = Window.parse(options.window) if isinstance(options.window, str) else options.window
        self.replay = open_replay(options.replay, store) if options.replay else None

    async def go(self, stop: asyncio.Event) -> RunReport:
        ensure_room(self.store.folder, self.options.limits.free_bytes)
        state, resumed = self._state()
        record = replace(self._record(state), notes=self._notes(state.run))
        recorder = self._recorder(record)
        record = replace(record, needed_archives=needed_archives(self.store, record, recorder))
        if self.store.runs.find_record(state.run) is None:
            self.store.runs.write_record(record)
        self.observer.begin(state.run, resumed=resumed)
        frontier = Frontier(self.store.queue, state.run)
        journal = Journal(self._work_folder(state.run), iri(record.iri), lines=state.lines, problems=state.problems)
        if self.ahead is not None:
            self.ahead.follow(record.iri, journal.triples_path)
            journal.followed_by(self._load_ahead)
        tally = Tally.from_json(self.options.engine, state.tally)
        try:
            frontier.start(self.sections)
            frontier.release_claims()
            try:
                if not await self._crawl(frontier, journal, tally, recorder, stop):
                    raise Stopped(f"run {state.run} was stopped; the same command goes on where it was")
            except Stopped:
                self.store.runs.write_record(replace(record, state=RunState.STOPPED))
                raise
            if recorder:
                recorder.close()
            record = replace(record, needed_archives=needed_archives(self.store, record, recorder))
            return self._finish(record, frontier, journal, tally)
        finally:
            frontier.close()
            journal.close()
            if recorder:
                recorder.close()

    def _recorder(self, record: RunRecord) -> WarcRecorder | None:
        is_recorded = self.replay is not None and self.replay.is_archive
        return open_recorder(self.store, record) if self.options.record and not is_recorded else None

    def _state(self) -> tuple[Unfinished, bool]:
        """The unfinished run to go on with, or a new one."""
        self.store.queue.parent.mkdir(parents=True, exist_ok=True)
        if put_aside_if_broken(self.store.queue, self.observer.notice):
            self._abandon_unfinished()
        identity = self._identity()
        state = unfinished_run(self.store.queue, identity)
        if state is not None and self.options.fresh:
            self._abandon(state)
            state = None
        return (
            (state, True)
            if state
            else (begin_run(self.store.queue, identity, max(self.store.runs.ids(), default=0)), False)
        )

    def _abandon_unfinished(self) -> None:
        """Close the records of runs of these sections that nobody can go on with any more."""
        mine = {section.address for section in self.sections}
        for record in self.store.runs.records():
            is_open = record.state in (RunState.RUNNING, RunState.STOPPED)
            if is_open and mine.intersection(section.address for section in record.sections):
                ended = replace(record, state=RunState.ABANDONED, ended=datetime.now(UTC))
                self.store.runs.write_record(ended)
                Journal(self._work_folder(record.id), "").remove()

    def _abandon(self, state: Unfinished) -> None:
        record = self.store.runs.find_record(state.run) or self._record(state)
        self.store.runs.write_record(replace(record, state=RunState.ABANDONED, ended=datetime.now(UTC)))
        frontier = Frontier(self.store.queue, state.run)
        frontier.forget()
        frontier.close()
        forget_hosts(self.store.queue, state.run)
        Journal(self._work_folder(state.run), "").remove()

    async def _crawl(
        self, frontier: Frontier, journal: Journal, tally: Tally, recorder: WarcRecorder | None, stop: asyncio.Event
    ) -> bool:
        with closing(HostMemory(self.store.queue, frontier.run)) as memory, closing(self._seen(frontier.run)) as seen:
            async with self._fetchers(recorder) as fetchers, aclosing(self.extractor):
                gates = HostGates(self._manners(), memory)
                robots = None
                if self.replay is None and not self.options.ignore_robots:
                    robots = Robots(fetchers.http, gates, memory)
                    fetchers.http.admit = robots.check
                means = Means(
                    fetchers,
                    self.extractor,
                    gates,
                    robots,
                    # What a replay brings costs nothing to be read again, and --fresh means to.
                    seen if self.replay is None and not self.options.fresh else None,
                    self.options.limits,
                    self.window,
                    recorder,
                )
                sections = tuple(section.address for section in self.sections)
                crawl = Crawl(
                    self.plan, frontier, journal, tally, means=means, sections=sections, observer=self.observer
                )
                return await crawl.run(stop)

    def _load_ahead(self, length: int) -> None:
        """Let what is written so far be loaded, unless that would take a processor from those who read pages."""
        if self.ahead is not None and self.extractor.processes < (os.cpu_count() or 1):
            self.ahead.written(length)

    def _seen(self, run: int) -> Seen:
        return Seen(self.store.queue, run, self.model.digest)

    def _fetchers(self, recorder: WarcRecorder | None) -> Fetchers:
        guard = AddressGuard((section.address for section in self.sections), allow_private=self.options.allow_private)
        return Fetchers(
            access=NetworkAccess(guard, self.credentials, self.options.insecure),
            replay=self.replay,
            recorder=recorder,
            notice=self.observer.notice,
            user_agent=user_agent_of(self.options.contact),
            limits=self.options.limits,
        )

    def _manners(self) -> Manners:
        return Manners(
            {host_of(section.address): section.delay / 1000 for section in self.sections if section.delay is not None},
            self.options.concurrency,
            offline=self.replay is not None,
            longest_delay=self.options.limits.crawl_delay_seconds,
            longest_pause=self.options.limits.retry_after_seconds,
            aside_seconds=self.options.limits.aside_seconds,
        )

    def _finish(self, record: RunRecord, frontier: Frontier, journal: Journal, tally: Tally) -> RunReport:
        """Make the run part of the store, then forget its queue; each step can be done again after a crash."""
        problems = sorted(journal.problems(), key=repr)
        summary = summarise(self.plan, self.sections, frontier, journal)
        finished = replace(
            record,
            state=RunState.COMPLETE,
            ended=datetime.now(UTC),
            sections=summary.sections,
            counts=RunCounts(
                dict(tally.pages), summary.objects, dict(Counter(problem.kind.value for problem in problems))
            ),
        )
        lines = record_lines(finished, problems, self.model.turtle)
        finished = finish_run(self.store, finished, journal.triples_path, lines, self.model.turtle, summary.unread)
        if self.replay is None:
            with closing(self._seen(record.id)) as seen:
                seen.forget_others(whole_model=len(self.sections) == len(self.model.sections))
        frontier.forget()
        forget_hosts(self.store.queue, record.id)
        journal.remove()
        examples = {problem.kind: problem for problem in reversed(problems)}
        return RunReport(finished, tuple(examples.values()), dict(tally.choice.reasons), tally.unchanged)

    def _record(self, state: Unfinished) -> RunRecord:
        items = self.model.items()
        predicates = Predicates(
            tuple(sorted({item.predicate for item in items})),
            tuple(sorted({prop.predicate for item in items for prop in item.properties})),
        )
        return RunRecord(
            id=state.run,
            state=RunState.RUNNING,
            started=datetime.fromtimestamp(state.run, UTC),
            model=ModelUsed(self.model.digest, self.options.source, dict(self.model.prefixes), predicates),
            sections=tuple(SectionRecord(section.address, complete=False) for section in self.sections),
            settings=RunSettings(self.options.engine.value, self.replay.name if self.replay else None),
        )

    def _notes(self, run: int) -> dict[str, str]:
        """What was unusual about any start of the run, for whoever reads its record."""
        said = {
            "robots": "robots.txt was ignored" if self.options.ignore_robots else "",
            "insecure": "certificates were not verified" if self.options.insecure else "",
            "private": "private networks were allowed" if self.options.allow_private else "",
        }
        earlier = self.store.runs.find_record(run)
        return {**(earlier.notes if earlier else {}), **{name: text for name, text in said.items() if text}}

    def _identity(self) -> str:
        """What makes two starts the same run."""
        addresses = sorted(section.address for section in self.sections)
        replay = self.replay.name if self.replay else None
        return json.dumps([self.model.digest, addresses, self.options.engine.value, replay])

    def _work_folder(self, run: int) -> Path:
        return self.store.folder / "work" / str(run)


@contextmanager
def _stopped_by_full_disk(folder: Path) -> Iterator[None]:
    """Say in one sentence what a full disk means, whoever has met it first."""
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or _FULL.search(str(error)):
            reason = f"the disk of {folder} is full; make room, and the same command goes on where it was"
            raise Stopped(reason) from error
        raise


@contextmanager
def _sections_locked(store: Store, sections: Sequence[Section]) -> Iterator[None]:
    """Be the only run of these sections; the lock goes with the process, however it ends."""
    folder = store.folder / "work"
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as locks:
        for address in sorted(section.address for section in sections):
            name = hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()
            if not locks.enter_context(exclusive(folder / f"{name}.lock", wait=0)):
                raise StoreBusy(
                    f"another rdfcrawl is just running the section {address} in {store.folder}; "
                    "wait until it has ended, or use another --store"
                )
        yield
