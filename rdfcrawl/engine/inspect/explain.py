"""Where a value comes from: the archived page of a run is read again, and every step is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.choice import Choice, Engine
from rdfcrawl.engine.crawl.escalation import reason_for_browser
from rdfcrawl.engine.crawl.forms import fills_of, with_form_sent
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.extract.extraction import Extraction
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.extract.plan import ModelPlan, PagePlan, build_plan
from rdfcrawl.engine.fetch.fetchers import Fetchers
from rdfcrawl.engine.fetch.guard import NetworkAccess
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed, Request
from rdfcrawl.engine.inspect.explanation import PLAINLY, ExplainedValue, Explanation, Looking, NothingKept, NotShown
from rdfcrawl.engine.inspect.framing import framed_page
from rdfcrawl.engine.inspect.page_search import Whereabouts
from rdfcrawl.engine.inspect.trial import candidates
from rdfcrawl.engine.limits import LOOKING_ON
from rdfcrawl.engine.run.archives import archive_paths, open_replay
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.engine.workers.tracing import TracedPage, TracedValue
from rdfcrawl.engine.workers.weighing import WeighedPage, is_page
from rdfcrawl.errors import DamagedFile, UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.rdf.names import is_hash_name
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.current import current_runs
from rdfcrawl.store.files.lines import lines_about
from rdfcrawl.store.folder import Store
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.runs.problems import read_problems
from rdfcrawl.store.runs.record import REPLAYED_RUN, RunRecord, RunState


class _NoSuchProperty(UsageError):
    """The model of a run does not have the property; that of another run may have it."""


async def explain(
    store: Store,
    subject: str,
    wanted: str | None = None,
    *,
    run: str | None = None,
    looking: Looking = PLAINLY,
    notice: Callable[[str], None] = lambda text: None,
) -> Explanation:
    """Explain an object, or its property ``wanted``, from the archive of a run; no network is involved.

    By default that is the latest run that has seen the object.
    """
    if run is not None:
        return await _explain_in(store, store.runs.resolve(run), subject, wanted, looking, notice)
    records = sorted(store.runs.records(), key=lambda record: record.order, reverse=True)
    complete = [record for record in records if record.state is RunState.COMPLETE]
    failure: UsageError | None = None
    for record in _that_saw(store, complete, subject):
        try:
            return await _explain_in(store, record, subject, wanted, looking, notice)
        except _NoSuchProperty as error:
            failure = failure or error
    known = {record.id: record for record in complete}
    for current in () if failure else current_runs(complete):
        try:
            return await _explain_in(store, known[current.run], subject, wanted, looking, notice)
        except UsageError as error:
            failure = failure or error
    if failure is not None:
        raise failure
    return await _explain_in(store, store.runs.resolve("latest"), subject, wanted, looking, notice)


def _that_saw(store: Store, records: Iterable[RunRecord], subject: str) -> Iterator[RunRecord]:
    """The runs whose graphs say something of an object."""
    for record in records:
        path = store.runs.graph(record.id)
        try:
            if path.exists() and next(lines_about(path, iri(subject).encode()), None):
                yield record
        except DamagedFile as damage:
            say_once(str(damage))


async def _explain_in(
    store: Store,
    record: RunRecord,
    subject: str,
    wanted: str | None,
    looking: Looking,
    notice: Callable[[str], None],
) -> Explanation:
    plan = build_plan(load_model(store.runs.model(record.id)))
    if wanted and not _predicates(plan, wanted):
        raise _NoSuchProperty(f"the model of run {record.id} has no property {wanted}")
    try:
        replay = open_replay(kept_pages(store, record), store)
    except UsageError as error:
        raise NothingKept(str(error)) from error
    places = Whereabouts(store, record, plan, replay.source)
    async with (
        aclosing(WorkerPool.started(LOOKING_ON, plan.model, processes=1)) as pool,
        Fetchers(access=NetworkAccess(), replay=replay, notice=notice) as fetchers,
    ):
        search = _Search(record, plan, places, fetchers, pool, subject, wanted, looking)
        found = await search.run()
        if found is not None and found.document is not None and looking.framed:
            marked = [value.place for value in found.values]
            with_scripts = plan.pages[found.page.iri].reads_scripts
            framed = await framed_page(pool, found.document, found.root, marked, with_scripts=with_scripts)
            found = replace(found, framed=framed)
    if found is None:
        reported = "; ".join(_reported(store, record, subject))
        needs_browser = search.lacks_browser and not reported
        message = f"no saved page of run {record.id} shows {subject}: {reported or search.excuse}"
        raise NotShown(message, needs_browser=needs_browser)
    return found


def kept_pages(store: Store, record: RunRecord) -> str:
    """What holds the pages of a run, as ``--replay`` would name it."""
    is_archived = bool(archive_paths(store, record.observed))
    replay = record.settings.replay
    return replay if replay and not is_archived else f"{REPLAYED_RUN}{record.observed}"


def _reported(store: Store, record: RunRecord, subject: str) -> list[str]:
    """The problems that the run itself reported about an address or an object."""
    try:
        return [
            f"{problem.kind}: {problem.reason}"
            for problem in read_problems(store.runs, record)
            if subject in (problem.address, problem.subject)
        ]
    except DamagedFile as damage:
        return [str(damage)]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A kept page, read as one of the model's pages."""

    plan: PagePlan
    engine: Engine
    document: Fetched
    traced: TracedPage
    weighed: WeighedPage | None = None

    @property
    def address(self) -> str:
        """The address of the page, after redirects."""
        return self.document.address

    @property
    def needs_browser(self) -> bool:
        """Whether a browser might show more."""
        return reason_for_browser(self.traced.extraction) is not None


class _Search:
    """Reads kept pages again until one shows the object."""

    def __init__(
        self,
        record: RunRecord,
        plan: ModelPlan,
        places: Whereabouts,
        fetchers: Fetchers,
        pool: WorkerPool,
        subject: str,
        wanted: str | None,
        looking: Looking,
    ) -> None:
        self._looking = looking
        self._run = record.id
        self._choice = Choice(Engine(record.settings.engine))
        self._plan = plan
        self._places = places
        self._fetchers = fetchers
        self._pool = pool
        self._subject = subject
        self._wanted = wanted
        self._known_as = places.predicates_to(subject)
        self._is_said = wanted is not None and places.says(subject, _predicates(plan, wanted))
        self.lacks_browser = False

    @property
    def excuse(self) -> str:
        """Why nothing was found, as far as that can be told."""
        if self.lacks_browser:
            return "its page was read in a browser, and none is used here"
        if not is_hash_name(self._subject) and self._places.record_of(self._subject) is not None:
            return "it was read, but none of its values comes from an element of the page"
        return "it was not read in this run"

    async def run(self) -> Explanation | None:
        """The best explanation: of the wanted value, else of the object, else of the page on which it should be."""
        best = None
        for address in self._places.likely_pages(self._subject):
            found = await self._best_at(address)
            if found and found.values and not (self._is_said and all(value.triple is None for value in found.values)):
                return found
            if best is None or (found and found.root and not best.root):
                best = found
        if best is None and not is_hash_name(self._subject):
            for address in self._places.mentions(self._subject):
                if (found := await self._best_at(address, thorough=False)) and found.values:
                    return found
        return best

    async def _best_at(self, address: str, *, thorough: bool = True) -> Explanation | None:
        """The explanation with the most values, over all the pages of the model that this address may be.

        A search that is not ``thorough`` uses the browser only where the model demands it.
        """
        plans = [plan for plan in candidates(self._plan, address) if self._can_show(plan)]
        over_http = [plan for plan in plans if not self._needs_browser(plan)]
        in_browser = [plan for plan in plans if plan not in over_http]
        found: list[Explanation] = []
        for plan in over_http:
            readings = await self._readings(address, plan, Engine.HTTP)
            found += filter(None, map(self._explanation, readings))
            is_bare = thorough and any(reading.needs_browser for reading in readings)
            if is_bare and self._choice.may_try_browser(plan.page):
                in_browser.append(plan)
        if in_browser and not self._looking.in_browser:
            self.lacks_browser = True
            in_browser = []
            found = [replace(one, is_unrendered=True) for one in found]
        # A page that a run has read in a browser has there what it says; without one, perhaps a part of it.
        for plan in in_browser:
            found += filter(None, map(self._explanation, await self._readings(address, plan, Engine.BROWSER)))
        return max(found, key=_worth, default=None)

    def _needs_browser(self, plan: PagePlan) -> bool:
        """Whether a browser must read such a page; without one, what the server has sent may still do."""
        return self._looking.in_browser and self._choice.engine_for(plan.page) is not Engine.HTTP

    def _can_show(self, plan: PagePlan) -> bool:
        """Whether such a page can show the kind of object that the graph knows; any page can where it knows none."""
        if not self._known_as or (plan.item and plan.item.item.predicate in self._known_as):
            return True
        if plan.focus is not None and any(item.predicate in self._known_as for item in plan.page.items):
            return True
        return any(self._can_show(sub) for sub in plan.subs)

    async def _readings(self, address: str, plan: PagePlan, engine: Engine) -> list[_Reading]:
        """What is at an address and, because its first page names all entries of a list, on the parts that follow."""
        found: list[_Reading] = []
        part: str | None = address
        list_address: str | None = None
        passed: set[str] = set()
        while part is not None and clean_address(part) not in passed:
            passed.add(clean_address(part))
            readings = await self._read(part, plan, engine, list_address)
            found += readings
            last = readings[-1].traced.extraction if readings else Extraction()
            is_found = any(reading.traced.values for reading in readings)
            is_named_by_list = is_hash_name(self._subject) and clean_address(self._subject) == last.list_address
            part, list_address = last.next_address if is_named_by_list and not is_found else None, last.list_address
        return found

    async def _read(self, address: str, plan: PagePlan, engine: Engine, list_address: str | None) -> list[_Reading]:
        readings = []
        for fetched in await self._fetch(address, plan, engine):
            weighed = None
            try:
                if plan.focus is not None and clean_address(fetched.address, plan.page.params) == self._subject:
                    weighed = await self._pool.weigh(plan.page, fetched)
                if weighed is not None and not is_page(fetched):
                    traced = TracedPage(Extraction(complete_entries=1), (), None)
                else:
                    traced = await self._pool.trace(plan.page, fetched, self._subject, list_address)
            except (DocumentError, FetchFailed):
                continue
            list_address = traced.extraction.list_address
            readings.append(_Reading(plan, engine, fetched, traced, weighed))
        return readings

    async def _fetch(self, address: str, plan: PagePlan, engine: Engine) -> list[Fetched]:
        try:
            asked = Request(address, plan.page, fills=fills_of(plan.page, {}))
            documents = [fetched async for fetched in self._fetchers[engine].open(asked)]
            if asked.fills and engine is Engine.HTTP:
                # The archive has the names of the variables in place of their values.
                sending = await with_form_sent(self._pool, asked, documents[0], {})
                return [fetched async for fetched in self._fetchers[engine].open(sending)]
            return documents
        except FetchFailed:
            return []

    def _explanation(self, reading: _Reading) -> Explanation | None:
        values = reading.traced.values
        if self._known_as:
            values = tuple(value for value in values if value.item.predicate in self._known_as)
        if not values:
            return self._without_root(reading)
        first = values[0]
        asked = [
            value for value in _told(values) if self._wanted in (None, value.property.iri, value.property.predicate)
        ]
        return Explanation(
            self._run,
            self._subject,
            reading.plan.page,
            first.item,
            reading.address,
            reading.engine,
            self._places.record_of(reading.address),
            first.root,
            tuple(map(_explained, asked)),
            weighed=reading.weighed,
            document=reading.document,
        )

    def _without_root(self, reading: _Reading) -> Explanation | None:
        page, stopped = reading.plan.page, reading.traced.stopped
        if reading.weighed is not None:
            return self._of_address(reading)
        if page.item is None or not page.address_names_object or stopped is None:
            return None
        if clean_address(reading.address, page.params) != self._subject:
            return None
        return Explanation(
            self._run,
            self._subject,
            page,
            page.item,
            reading.address,
            reading.engine,
            self._places.record_of(reading.address),
            None,
            stopped=stopped,
        )

    def _of_address(self, reading: _Reading) -> Explanation:
        page = reading.plan.page
        record = self._places.record_of(reading.address)
        return Explanation(
            self._run,
            self._subject,
            page,
            page.items[0],
            reading.address,
            reading.engine,
            record,
            None,
            weighed=reading.weighed,
        )


def _predicates(plan: ModelPlan, wanted: str) -> frozenset[str]:
    """What the properties write that are wanted, by their own name or by that predicate."""
    properties = (prop for item in plan.model.items() for prop in item.properties)
    return frozenset(prop.predicate for prop in properties if wanted in (prop.iri, prop.predicate))


def _told(values: Sequence[TracedValue]) -> Iterator[TracedValue]:
    """Of an object that a page may show several times, all from where it first occurs, and what is only elsewhere."""
    terms = [value.steps.term if value.steps else None for value in values]
    given = {value.property.iri for value, term in zip(values, terms, strict=True) if term is not None}
    told: set[tuple[str, str | None]] = set()
    for value, term in zip(values, terms, strict=True):
        prop, name = value.property, (value.property.iri, term)
        if value.root == values[0].root:
            is_told = value.steps is not None or not prop.optional or prop.iri not in given
        else:
            is_told = term is not None and name not in told
        if is_told:
            told.add(name)
            yield value


def _explained(value: TracedValue) -> ExplainedValue:
    prop, steps = value.property, value.steps
    if steps is None:
        return ExplainedValue(prop, value.place, None, None, value.stopped)
    triple = f"{iri(value.subject)} {iri(prop.predicate)} {steps.term} ." if steps.term else None
    stopped = f"no value: {steps.reason}" if steps.is_empty else steps.reason
    return ExplainedValue(prop, value.place, steps, triple, stopped, value.reasons)


def _worth(explanation: Explanation) -> tuple[int, int, bool]:
    triples = sum(value.triple is not None for value in explanation.values)
    # Where several pages show the same values, the one with fewer missing values fits better.
    return triples, -len(explanation.values), explanation.root is not None
