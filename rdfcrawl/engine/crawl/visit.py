"""One visit to one page: fetched as its host allows, and read unless it has not changed since the last time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.address import host_of
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.forms import fills_of, with_form_sent
from rdfcrawl.engine.extract.extraction import Extraction
from rdfcrawl.engine.fetch.answers import NOT_MODIFIED
from rdfcrawl.engine.fetch.fetchers import Fetchers
from rdfcrawl.engine.fetch.large_bodies import LargeBodies
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed, Request
from rdfcrawl.engine.frontier.seen import SeenPage, fingerprint, seen_page
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.manners.pace import HostGates
from rdfcrawl.engine.manners.robots import Robots
from rdfcrawl.engine.manners.window import Hours
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.metamodel.model import Page

if TYPE_CHECKING:
    from rdfcrawl.engine.crawl.logins import Logins
    from rdfcrawl.engine.fetch.warc.recorder import WarcRecorder
    from rdfcrawl.engine.frontier.entries import Entry
    from rdfcrawl.engine.frontier.protocol import SeenPages


@dataclass(frozen=True, slots=True)
class Means:
    """What a crawl works with: what fetches and reads pages, what sets the pace, and the limits.

    ``homes`` are the origins of the sections, by their number. ``follows_all`` is for those who survey their own site:
    links that ask not to be followed are followed.
    """

    fetchers: Fetchers
    pool: WorkerPool
    gates: HostGates
    robots: Robots | None = None
    seen: SeenPages | None = None
    limits: RunLimits = field(default_factory=RunLimits)
    hours: Hours = field(default_factory=Hours)
    recorder: WarcRecorder | None = None
    homes: Sequence[str] = ()
    large_bodies: LargeBodies = field(default_factory=LargeBodies)
    follows_all: bool = False
    logins: Logins | None = None
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The values that forms take from the environment."""


@dataclass(frozen=True, slots=True)
class Visit:
    """What was extracted from a page, where it was in the end, and what to remember of it if it has changed."""

    extraction: Extraction
    address: str
    page: SeenPage | None = None
    unchanged: bool = False


_MOST_LOGINS: Final = 4
"""How often one page is asked for anew because the session was lost; other pages may use up a new one at once."""


async def visit(means: Means, entry: Entry, page: Page, engine: Engine) -> Visit:
    """Fetch and read a page; raises ``FetchFailed``, ``HostAside``, ``LoginFailed`` or ``DocumentError``."""
    logins, section = means.logins, entry.section
    if logins is None:
        return (await _visited(means, entry, page, engine))[0]
    generation = await logins.ensure(section)
    for _ in range(_MOST_LOGINS):
        documents: Sequence[Fetched] = ()
        read: Visit | FetchFailed
        try:
            read, documents = await _visited(means, entry, page, engine)
        except FetchFailed as failure:
            read = failure
        found = read if isinstance(read, FetchFailed) else read.extraction
        if not await logins.is_lost(section, entry.address, documents, found):
            if isinstance(read, FetchFailed):
                raise read
            logins.helped(section)
            return read
        renewed = await logins.renew(section, generation)
        if renewed is None:
            break
        generation = renewed
    raise FetchFailed(ProblemKind.LOGIN, "the page asks for a login, although there is a session")


async def _visited(means: Means, entry: Entry, page: Page, engine: Engine) -> tuple[Visit, list[Fetched]]:
    before = await means.seen.page(entry, engine) if means.seen is not None else None
    home = means.homes[entry.section] if means.homes else None
    # The later parts of a list are what a form has returned: they are not filled in again.
    fills = () if entry.part else fills_of(page, means.values)
    known = before.known if before and not fills else None
    # What is held of a page is held until it is read.
    async with means.large_bodies.visit() as place:
        request = Request(entry.address, page, known, home, room=place.take, fills=fills)
        documents = await fetch_documents(means, request, engine)
        if before is not None and _is_unchanged(documents, before):
            return Visit(before.extraction(), documents[0].address, unchanged=True), documents
        read = await means.pool.read(page, documents, entry.list_address)
    seen = None if means.seen is None else seen_page(documents, read.content)
    return Visit(read.extraction, documents[0].address, seen), documents


async def fetch_documents(means: Means, request: Request, engine: Engine) -> list[Fetched]:
    """The documents of a page, fetched as its host allows; raises ``FetchFailed`` or ``HostAside``."""
    robots, gates, host = means.robots, means.gates, host_of(request.address)
    if robots is not None:
        await robots.check(request.address)
    async with means.fetchers.place(engine, host), gates.turn(host) as turn:

        async def led_to(address: str) -> None:
            """Go on to another address as to any page: allowed by its robots.txt, and at its host's pace."""
            turn.give_back()
            if robots is not None:
                await robots.check(address)
            await turn.take(host_of(address))

        try:
            asked, fetcher = request.asking(led_to), means.fetchers[engine]
            documents = [fetched async for fetched in fetcher.open(asked)]
            if asked.fills and engine is Engine.HTTP:
                sending = await with_form_sent(means.pool, asked, documents[0], means.values)
                documents = [fetched async for fetched in fetcher.open(sending)]
        except FetchFailed as failure:
            failure.host = failure.host or turn.host
            raise
    await gates.answered(host)
    if turn.host != host:
        await gates.answered(turn.host)
    if robots is not None:
        # Scripts may have led a browser on to where it must not be, without asking for another document.
        for address in {fetched.address for fetched in documents if fetched.address != request.address}:
            await robots.check(address)
    return documents


def _is_unchanged(documents: list[Fetched], before: SeenPage) -> bool:
    return documents[0].status == NOT_MODIFIED or fingerprint(documents) == before.fingerprint
