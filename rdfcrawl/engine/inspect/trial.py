"""One page tried out: what a model would extract from it, step by step; nothing is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager, nullcontext
from dataclasses import field
from functools import partial
from pathlib import Path

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.address import origin_of
from rdfcrawl.engine.choice import Choice, Engine, demand_of
from rdfcrawl.engine.crawl.boundary import internal_reason
from rdfcrawl.engine.crawl.escalation import Escalation
from rdfcrawl.engine.crawl.forms import fills_of, with_form_sent
from rdfcrawl.engine.crawl.logins import LoginFailed, Logins
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.extract.extraction import Extraction
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.extract.plan import ModelPlan, PagePlan, build_plan
from rdfcrawl.engine.fetch.fetchers import Fetchers
from rdfcrawl.engine.fetch.guard import AddressGuard, NetworkAccess
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed, Request
from rdfcrawl.engine.limits import LOOKING_ON
from rdfcrawl.engine.run.archives import open_replay
from rdfcrawl.engine.secrets import credentials_of, values_of_fills
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.engine.workers.tracing import TracedValue
from rdfcrawl.engine.workers.weighing import WeighedPage, is_page
from rdfcrawl.engine.workers.worker import WorkerFailure
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.model import Model, Page
from rdfcrawl.rdf.names import expand, shorten
from rdfcrawl.store.folder import Store


@dataclass(frozen=True, slots=True)
class Trial:
    """What a model makes of one page; ``stopped`` says how far its path leads if there are no objects or links."""

    page: Page
    address: str
    engine: Engine
    values: tuple[TracedValue, ...]
    extraction: Extraction
    stopped: str | None = None
    weighed: WeighedPage | None = None

    @property
    def is_empty(self) -> bool:
        """Whether neither a value nor a link was found, nor a score asked for."""
        return not self.extraction.triples and not self.extraction.follows and self.weighed is None


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture to be taken of the page; ``name`` returns the labels of items and properties."""

    path: Path
    name: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Means:
    """What fetches and what reads the page."""

    fetchers: Fetchers
    pool: WorkerPool
    values: Mapping[str, str] = field(default_factory=dict, repr=False)


async def try_page(
    model: Model,
    address: str,
    *,
    page: str | None = None,
    engine: Engine = Engine.AUTO,
    replay: str | None = None,
    store: Store | None = None,
    picture: Picture | None = None,
    allowed_variables: Sequence[str] = (),
    notice: Callable[[str], None] = lambda text: None,
) -> Trial:
    """Fetch an address and read it as the given page of the model, or as the page that fits best."""
    page = None if page is None else expand(page, model.prefixes)
    if page is not None and page not in model.pages:
        known = ", ".join(shorten(name, model.prefixes) for name in model.pages)
        raise UsageError(f"the model has no page {shorten(page, model.prefixes)}; it has {known}")
    plan = build_plan(model)
    possible = [plan.pages[page]] if page else candidates(plan, address)
    guard = AddressGuard((address, *(section.address for section in model.sections)))
    access = NetworkAccess(guard, {} if replay else credentials_of(model.sections, allowed_variables))
    values = {} if replay else values_of_fills(model, model.sections, allowed_variables)
    source = open_replay(replay, store) if replay else None
    async with (
        aclosing(WorkerPool.started(LOOKING_ON, model, processes=1)) as pool,
        Fetchers(access=access, replay=source, notice=notice) as fetchers,
    ):
        means = _Means(fetchers, pool, values)
        escalation = Escalation(Choice(engine), notice)
        first = possible[0].page
        with _failures_as_errors(address):
            if not replay:
                await _log_in(means, model, address, engine)
            _, trial = await escalation.read(
                first, address, escalation.first_engine(first), partial(_trial, means, possible, address)
            )
            if _reads_otherwise(first, trial.page):
                fitting = plan.pages[trial.page.iri]
                _, trial = await escalation.read(
                    fitting.page,
                    address,
                    escalation.first_engine(fitting.page),
                    partial(_trial, means, [fitting], address),
                )
        if picture is not None:
            await _take(picture, means, plan.pages[trial.page.iri], trial)
    return trial


async def _take(picture: Picture, means: _Means, plan: PagePlan, trial: Trial) -> None:
    """Take a picture in the browser; what plain HTTP found may be elsewhere there, so the page is read again."""
    with _failures_as_errors(trial.address):
        if trial.engine is not Engine.BROWSER:
            trial = await _trial(means, [plan], trial.address, Engine.BROWSER)
        await means.fetchers.browser.screenshot(
            _request(trial.address, plan.page, means.values), picture.path, _marks(trial, picture.name)
        )


def _reads_otherwise(first: Page, fitting: Page) -> bool:
    """Whether the page that fits best asks for another way of reading than the one by which it was found."""
    is_special = any(demand_of(page) or page.render is False or page.fills for page in (first, fitting))
    return is_special and fitting.iri != first.iri


def _marks(trial: Trial, name: Callable[[str], str]) -> list[tuple[str, str]]:
    """The elements to frame, with their label: those of one item or property together, so that they share a colour."""
    places: dict[str, dict[str, None]] = {}
    for value in trial.values:
        places.setdefault(name(value.item.iri), {})[value.root] = None
        if value.place is not None:
            places.setdefault(name(value.property.iri), {})[value.place] = None
    return [(" | ".join(paths), label) for label, paths in places.items()]


def candidates(plan: ModelPlan, address: str) -> list[PagePlan]:
    """The pages that the address may be: the section's own page, else every page that can be linked to."""
    for section in plan.model.sections:
        if clean_address(section.address) == clean_address(address):
            return [plan.pages[section.page]]
    nested = {sub.page.iri for page in plan.pages.values() for sub in page.subs}
    nested |= {page.read_as.page.iri for page in plan.pages.values() if page.read_as is not None}
    return [page for iri, page in plan.pages.items() if iri not in nested] or list(plan.pages.values())


async def _trial(means: _Means, possible: Sequence[PagePlan], address: str, engine: Engine) -> Trial:
    asked = _request(address, possible[0].page, means.values)
    documents = [fetched async for fetched in means.fetchers[engine].open(asked)]
    if asked.fills and engine is Engine.HTTP:
        sending = await with_form_sent(means.pool, asked, documents[0], means.values)
        documents = [fetched async for fetched in means.fetchers[engine].open(sending)]
    read = [await _read(means.pool, plan, documents[0], engine) for plan in possible]
    return max(read, key=_fit)


def _request(address: str, page: Page, values: Mapping[str, str]) -> Request:
    """The user names the address, so that it gets what the model has for its origin."""
    return Request(address, page, home=origin_of(address), fills=fills_of(page, values))


async def _log_in(means: _Means, model: Model, address: str, engine: Engine) -> None:
    """Log in where the model has a login for the origin of the address."""
    sections = [section for section in model.sections if origin_of(section.address) == origin_of(address)]
    logins = Logins(sections, means.values, means.fetchers, means.pool, engine=engine, turn=lambda host: nullcontext())
    for number in range(len(sections)):
        await logins.ensure(number)


@contextmanager
def _failures_as_errors(address: str) -> Iterator[None]:
    """Here one page is all there is, so that its failure is the command's."""
    try:
        yield
    except (FetchFailed, DocumentError, LoginFailed) as failure:
        raise UsageError(f"{address}: {failure}") from failure
    except WorkerFailure as failure:
        raise UsageError(f"{address}: {internal_reason(failure)}") from failure


async def _read(pool: WorkerPool, plan: PagePlan, fetched: Fetched, engine: Engine) -> Trial:
    weighed = None if plan.focus is None else await pool.weigh(plan.page, fetched)
    if weighed is not None and not is_page(fetched):
        return Trial(plan.page, fetched.address, engine, (), Extraction(), weighed=weighed)
    traced = await pool.trace(plan.page, fetched)
    return Trial(plan.page, fetched.address, engine, traced.values, traced.extraction, traced.stopped, weighed)


def _fit(trial: Trial) -> tuple[int, int]:
    """How well a page fits: by its values and links, then by how little is missing."""
    extraction = trial.extraction
    return len(extraction.triples) + len(extraction.follows), -len(extraction.problems)
