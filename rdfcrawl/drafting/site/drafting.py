"""A site drafted from some of its addresses: looked at, sampled, and written down in a worker."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Final

from rdfcrawl.drafting.site.explorer import Explorer
from rdfcrawl.drafting.site.given import GivenPage, given_replay
from rdfcrawl.drafting.site.plan import MOST_PROPERTIES, SitePlan
from rdfcrawl.drafting.site.result import Draft
from rdfcrawl.drafting.site.tasks import DRAFT, drafted
from rdfcrawl.drafting.site.visitor import Visitor
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.visit import Means
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.fetch.fetchers import Fetchers, Replay
from rdfcrawl.engine.fetch.guard import AddressGuard, NetworkAccess
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.manners.pace import HostGates, Manners
from rdfcrawl.engine.manners.robots import Robots
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.engine.workers.worker import WorkerFailure
from rdfcrawl.errors import NothingToDraft, UsageError
from rdfcrawl.metamodel.model import Model

if TYPE_CHECKING:
    from rdfcrawl.store.folder import Store

_NO_MODEL: Final = Model((), {}, "")


def _silent(text: str) -> None:
    """Tell nobody."""


async def draft(
    pages: Sequence[str | GivenPage],
    *,
    properties: int = MOST_PROPERTIES,
    engine: Engine = Engine.AUTO,
    replay: str | None = None,
    store: Store | None = None,
    tell: Callable[[str], None] = _silent,
) -> Draft:
    """Look around on a site and draft its model; raises ``NothingToDraft`` with one sentence if there is nothing.

    ``pages`` are addresses, or addresses with their HTML: then nothing is fetched, and only they are looked at.
    """
    addresses = [page if isinstance(page, str) else page[0] for page in pages]
    given = [page for page in pages if not isinstance(page, str)]
    if not pages or (given and len(given) < len(pages)):
        raise UsageError("name the addresses of some pages, or give all of them with their content")
    for address in addresses:
        if not address.startswith(("http://", "https://")):
            raise UsageError(f"{address}: this is no address of a web page; it begins with http:// or https://")
    if given:
        engine = Engine.HTTP
    async with means_for(addresses, given_replay(given) if given else replay, store, tell) as means:
        visitor = Visitor(means, engine, tell)
        plan = await Explorer(visitor, tell).explore(addresses, properties)
        return await written(means, plan, visitor.documents, tell)


async def written(means: Means, plan: SitePlan, documents: Sequence[Fetched], tell: Callable[[str], None]) -> Draft:
    """The draft of what was found; raises ``NothingToDraft`` if there is nothing to write."""
    tell("writing the model")
    try:
        made = await means.pool.perform(DRAFT, documents, {"plan": plan.to_json()}, drafted)
    except (FetchFailed, DocumentError) as failure:
        raise UsageError(f"the sample pages cannot be drafted from: {failure}") from failure
    except WorkerFailure as failure:
        from rdfcrawl.engine.crawl.boundary import internal_reason

        raise UsageError(f"the sample pages cannot be drafted from: {internal_reason(failure)}") from failure
    if not made.model:
        raise NothingToDraft(f"{plan.starts[0]}: {'; '.join(made.doubts)}")
    return made


@asynccontextmanager
async def means_for(
    addresses: Sequence[str], replay: str | Replay | None, store: Store | None, tell: Callable[[str], None]
) -> AsyncIterator[Means]:
    """What pages are fetched and read with, outside a run; robots.txt and the pace of a host hold here, too."""
    limits = RunLimits()
    source = _source(replay, store) if isinstance(replay, str) else replay
    access = NetworkAccess(AddressGuard(tuple(addresses)), {})
    async with (
        aclosing(WorkerPool.started(limits, _NO_MODEL, processes=1)) as pool,
        Fetchers(access=access, replay=source, notice=tell) as fetchers,
    ):
        gates = HostGates(Manners({}, offline=source is not None))
        yield Means(fetchers, pool, gates, None if source else Robots(fetchers.http, gates), limits=limits)


def _source(replay: str, store: Store | None) -> Replay:
    """What is read instead of the network; nothing else needs what archives and stores import."""
    from rdfcrawl.engine.run.archives import open_replay

    return open_replay(replay, store)
