"""What a crawl works with, for tests that look at single pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

from rdfcrawl.engine.address import host_of
from rdfcrawl.engine.extract.plan import ModelPlan, build_plan
from rdfcrawl.engine.fetch.fetchers import Fetchers, Replay
from rdfcrawl.engine.fetch.guard import NetworkAccess
from rdfcrawl.engine.frontier.entries import Entry
from rdfcrawl.engine.frontier.hosts import ShortMemory
from rdfcrawl.engine.frontier.protocol import SeenPages
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.manners.pace import HostGates, Manners
from rdfcrawl.engine.manners.robots import Robots
from rdfcrawl.engine.visit import Means
from rdfcrawl.engine.workers.pool import Extractor
from rdfcrawl.metamodel.model import Model


@asynccontextmanager
async def opened_means(
    model: Model, *, replay: Replay | None = None, seen: SeenPages | None = None
) -> AsyncIterator[tuple[ModelPlan, Means]]:
    """Fetchers, gates and reader as a run has them; without ``replay`` robots.txt counts."""
    fetchers = Fetchers(access=NetworkAccess(), replay=replay, notice=lambda text: None)
    extractor = Extractor(model, RunLimits())
    async with fetchers, aclosing(extractor):
        gates = HostGates(Manners({}, offline=replay is not None))
        robots = None if replay else Robots(fetchers.http, gates, ShortMemory())
        yield build_plan(model), Means(fetchers, extractor, gates, robots, seen)


def entry_at(address: str, page: str) -> Entry:
    """An entry for that address, as if it had been claimed."""
    return Entry(1, page, address, address, host_of(address), 0, 1, 0, 0)
