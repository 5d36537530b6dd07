"""Visits to the addresses of a site: whatever is there is worth knowing, and every failure is a finding."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final

from rdfcrawl.engine.choice import Choice, Engine
from rdfcrawl.engine.crawl.places import ROBOTS_TAG, SitePlace, anchors_mark, mark, redirect_target, spelled
from rdfcrawl.engine.crawl.visit import Means
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.extract.extraction import Extraction
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.fetch.answers import NOT_MODIFIED, REDIRECTS
from rdfcrawl.engine.fetch.session import FailureCause, Fetched, FetchFailed, Glance, Request
from rdfcrawl.engine.frontier.entries import Entry, Lead, Outcome, PageResult, Surveyed
from rdfcrawl.engine.frontier.hosts import HostAside
from rdfcrawl.engine.frontier.outcome import postponed_result, retry_result
from rdfcrawl.engine.frontier.protocol import Frontier
from rdfcrawl.engine.frontier.seen import SeenPage, fingerprint, seen_page
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.engine.site.facts import (
    IMAGE,
    LINK,
    LINK_TEXTS,
    AnswerHead,
    SiteKind,
    binary_facts,
    facts,
    redirect_facts,
)
from rdfcrawl.engine.site.leads import LIGHT, NOFOLLOW, TOO_DEEP, TRAP, FoundLead
from rdfcrawl.engine.site.media import is_html, looks_like_html, media_type
from rdfcrawl.engine.site.scope import belongs_to
from rdfcrawl.engine.site.sitemaps import guesses, may_be_sitemap
from rdfcrawl.engine.site.traps import TrapKind
from rdfcrawl.errors import BrowserMissing
from rdfcrawl.metamodel.model import Page
from rdfcrawl.rdf.ntriples import iri

_SAME_PAGE_REDIRECTS: Final = 3
"""How often a page may redirect to itself: some do until they have set a cookie."""
_FIRST_OUTAGE: Final = 500
_KINDS: Final = {
    FailureCause.DISALLOWED: SiteKind.DISALLOWED,
    FailureCause.UNRESOLVED: SiteKind.UNRESOLVED,
    FailureCause.TIMEOUT: SiteKind.TIMEOUT,
}


class _BrowserFailed(Exception):
    """The page is there, but the browser could not show it."""

    def __init__(self, failure: FetchFailed) -> None:
        super().__init__(failure.reason)
        self.failure = failure


class Surveys:
    """Visits addresses of sites, one at a time; the results depend on nothing but what the site answers."""

    def __init__(self, means: Means, frontier: Frontier, choice: Choice, notice: Callable[[str], None]) -> None:
        self._means = means
        self._frontier = frontier
        self._choice = choice
        self._notice = notice
        self._browser_missing = False

    async def result(self, entry: Entry, page: Page) -> PageResult:
        """What is at the address of an entry."""
        extent = page.survey
        assert extent is not None
        place = SitePlace(entry, page, extent)
        key = clean_address(spelled(entry.address), page.params)
        if key != entry.key:
            # A section is written as people like it; pages link to it as browsers spell it.
            lead = Lead(entry.page, key, key, start=key if place.is_start else place.start, is_hop=True)
            return PageResult(Outcome(entry, leads=[lead], surveyed=Surveyed("")), Engine.HTTP, is_visit=False)
        engine = self._choice.engine_for(page)
        try:
            # What is held of a page is held until it is read.
            async with self._means.large_bodies.visit() as large:
                return await self._visit(place, engine, large.take)
        except HostAside as aside:
            if aside.host == entry.host:
                await self._frontier.postpone(entry.host, aside.until)
            return postponed_result(entry, aside.until, engine)
        except _BrowserFailed as failed:
            again = retry_result(entry, failed.failure, engine)
            kind = SiteKind.TIMEOUT if failed.failure.cause is FailureCause.TIMEOUT else SiteKind.BROWSER_ERROR
            return again or _failed(place, failed.failure, kind, engine)
        except FetchFailed as failure:
            gates, host = self._means.gates, failure.host or entry.host
            await gates.failed(host, failure)
            again = retry_result(entry, failure, engine, not_before=gates.aside_until(host))
            kind = SiteKind.ERROR if failure.cause is None else _KINDS[failure.cause]
            return again or _failed(place, failure, kind, engine)
        except DocumentError as error:
            unreadable = FetchFailed(ProblemKind.UNREADABLE, str(error), status=200)
            return _failed(place, unreadable, SiteKind.ERROR, engine)

    async def _visit(self, place: SitePlace, engine: Engine, room: Callable[[], Awaitable[None]]) -> PageResult:
        """Ask what an address is; raises ``FetchFailed``, ``HostAside``, ``DocumentError`` and ``_BrowserFailed``."""
        entry, means = place.entry, self._means
        before = await means.seen.page(entry, engine) if means.seen is not None else None
        if before is not None and not before.fingerprint.endswith(anchors_mark(place)):
            # Other links lead to the page by now, so that its score may be another one.
            before = None
        begun = time.monotonic()
        answer = await self._answer(place, engine, before, room)
        seconds = None if means.gates.is_offline else round(time.monotonic() - begun, 3)
        if answer.status in REDIRECTS and (location := answer.headers.get("location")) is not None:
            return self._redirected(place, answer.status, redirect_target(location, answer.address), seconds)
        if before is not None and answer.status == NOT_MODIFIED:
            return self._read(place, before.extraction(), engine, seconds, unchanged=True)
        is_page = is_html(answer.content_type) or (not media_type(answer.content_type) and looks_like_html(answer.body))
        is_sitemap = answer.is_whole and place.may_name_addresses and may_be_sitemap(answer.content_type)
        if not is_sitemap and not (is_page and (answer.is_whole or engine is Engine.BROWSER)):
            return await self._file(place, answer, before, seconds)
        if is_page and engine is Engine.BROWSER:
            return await self._rendered(place, answer, seconds)
        seen = None if before is None else _unchanged(before, answer, place)
        if seen is not None:
            return self._read(place, seen, engine, seconds, unchanged=True)
        robots = answer.headers.get(ROBOTS_TAG)
        read = await means.pool.survey(place.page, answer, entry.list_address, robots=robots, anchors=entry.anchors)
        if is_page and read.extraction.is_bare and (rendered := await self._helped(place, answer, seconds)):
            return rendered
        result = self._read(place, read.extraction, engine, seconds)
        self._remember(result, place, answer, read.content)
        return result

    def _remember(self, result: PageResult, place: SitePlace, answer: Fetched, content: bytes) -> None:
        if self._means.seen is not None:
            known = seen_page([answer], content)
            made = mark(known.fingerprint, answer.headers.get(ROBOTS_TAG), place)
            result.seen = SeenPage(made, known.known, known.packed)

    async def _answer(
        self, place: SitePlace, engine: Engine, before: SeenPage | None, room: Callable[[], Awaitable[None]]
    ) -> Fetched:
        """The answer of an address; one that only redirects to itself is asked again."""
        means, entry = self._means, place.entry
        wanted = place.reads_file if engine is Engine.BROWSER else place.wants
        with_body = engine is not Engine.BROWSER or place.page.focus is not None
        glance = Glance(wanted, means.limits.html_bytes, with_body=with_body)
        if place.may_name_addresses:
            glance = Glance(place.wants, means.limits.body_bytes)
        known = before.known if before and glance.with_body else None
        address = entry.address
        for _ in range(_SAME_PAGE_REDIRECTS + 1):
            if means.robots is not None:
                await means.robots.check(address)
            async with means.gates.turn(entry.host):
                request = Request(address, place.page, known, self._home(entry), room=room, glance=glance)
                (answer,) = [fetched async for fetched in means.fetchers[Engine.HTTP].open(request)]
            await means.gates.answered(entry.host)
            location = answer.headers.get("location") if answer.status in REDIRECTS else None
            if location is None:
                return answer
            target = redirect_target(location, answer.address)
            if clean_address(target, place.page.params) != entry.key:
                return answer
            address = target
        raise FetchFailed(ProblemKind.UNREACHABLE, "the page redirects to itself", status=answer.status)

    def _home(self, entry: Entry) -> str | None:
        return self._means.homes[entry.section] if self._means.homes else None

    async def _rendered(self, place: SitePlace, answer: Fetched, seconds: float | None) -> PageResult:
        """The page as a browser shows it; what its scripts lead to at once is a redirect."""
        means, entry = self._means, place.entry
        request = Request(entry.address, place.page, home=self._home(entry))
        try:
            async with means.fetchers.place(Engine.BROWSER, entry.host), means.gates.turn(entry.host):
                document = await anext(aiter(means.fetchers[Engine.BROWSER].open(request)))
        except FetchFailed as failure:
            raise _BrowserFailed(failure) from failure
        moved = clean_address(spelled(document.address), place.page.params)
        if moved != entry.key:
            return self._redirected(place, None, moved, seconds, Engine.BROWSER)
        robots = answer.headers.get(ROBOTS_TAG)
        read = await means.pool.survey(place.page, document, entry.list_address, robots=robots, anchors=entry.anchors)
        return self._read(place, read.extraction, Engine.BROWSER, seconds)

    async def _helped(self, place: SitePlace, answer: Fetched, seconds: float | None) -> PageResult | None:
        """The page as a browser shows it, if it may be used and has links there."""
        page = place.page
        if self._choice.engine is not Engine.AUTO or page.render is False or self._browser_missing:
            return None
        try:
            rendered = await self._rendered(place, answer, seconds)
        except (_BrowserFailed, DocumentError):
            return None
        except BrowserMissing as error:
            self._browser_missing = True
            self._notice(f"{place.entry.address}: it has scripts and no links; a browser might help. {error}")
            return None
        return rendered if rendered.outcome.leads or rendered.links else None

    def _read(
        self,
        place: SitePlace,
        extraction: Extraction,
        engine: Engine,
        seconds: float | None,
        *,
        unchanged: bool = False,
    ) -> PageResult:
        """The result of an HTML page, or of a file in which the site names its own addresses."""
        entry = place.entry
        kind = SiteKind.BINARY if extraction.digest is None else SiteKind.HTML
        surveyed = Surveyed(kind, extraction.digest, seconds=seconds)
        leads = self._leads(place, extraction.leads)
        if place.is_start and place.extent.sitemap:
            leads += [Lead(entry.page, guess, guess, start=place.start, is_hop=True) for guess in guesses(place.start)]
        outcome = Outcome(
            entry, follows=extraction.follows, leads=leads, tops=extraction.tops, unread=extraction.unread
        )
        outcome.surveyed = surveyed
        result = PageResult(
            outcome, engine, extraction.triples + extraction.mentions, extraction.problems, unchanged=unchanged
        )
        result.links = _edges(entry.key, extraction)
        return result

    def _leads(self, place: SitePlace, lines: Sequence[str]) -> list[Lead]:
        entry, limits, start = place.entry, self._means.limits, place.start
        too_deep = place.extent.depth is not None and entry.level >= place.extent.depth
        too_far = entry.level >= limits.levels
        found = []
        threshold = place.extent.lead_threshold
        for line in lines:
            key, address, held, family, is_hop, score, anchors = FoundLead.from_line(line)
            if held == NOFOLLOW and self._means.follows_all:
                held = None
            if held is None and not is_hop and (too_deep or too_far):
                held = TOO_DEEP if too_deep else f"{TRAP}{TrapKind.LEVELS}"
            if held is None and not is_hop and threshold is not None and score < threshold:
                held = LIGHT
            if is_hop and entry.part >= limits.redirects:
                held = f"{TRAP}{TrapKind.REDIRECTS}"
            most = _most(family, limits) if family else 0
            found.append(Lead(entry.page, address, key, score, start, held, family, most, anchors or None, is_hop))
        return found

    def _redirected(
        self, place: SitePlace, status: int | None, target: str, seconds: float | None, engine: Engine = Engine.HTTP
    ) -> PageResult:
        """The result of an address that leads elsewhere; where a site begins, it begins there instead."""
        entry = place.entry
        key = clean_address(target, place.page.params)
        leads = []
        if place.is_start or belongs_to(place.start, place.extent.scope, place.extent.skips)(key):
            held = f"{TRAP}{TrapKind.REDIRECTS}" if entry.part >= self._means.limits.redirects else None
            start = key if place.is_start else place.start
            leads.append(Lead(entry.page, target, key, start=start, held=held, anchors=entry.anchors, is_hop=True))
        surveyed = Surveyed("" if place.is_guess else SiteKind.REDIRECT, seconds=seconds)
        triples = [] if place.is_guess else redirect_facts(entry.key, status, key)
        return PageResult(Outcome(entry, leads=leads, surveyed=surveyed), engine, triples)

    async def _file(
        self, place: SitePlace, answer: Fetched, before: SeenPage | None, seconds: float | None
    ) -> PageResult:
        """The result of whatever is no page, known by its headers; criteria may ask for its text as well."""
        if place.page.focus is None:
            outcome = Outcome(place.entry, surveyed=Surveyed(SiteKind.BINARY, seconds=seconds))
            return PageResult(outcome, Engine.HTTP, binary_facts(place.entry.key, _head(answer)))
        is_read = answer.is_whole and place.reads_file(answer.content_type)
        if is_read and before is not None and (seen := _unchanged(before, answer, place)) is not None:
            return self._read(place, seen, Engine.HTTP, seconds, unchanged=True)
        head, entry = _head(answer), place.entry
        file = answer if is_read else replace(answer, body=b"")
        read = await self._means.pool.file(
            place.page, file, disposition=head.disposition, length=head.length, anchors=entry.anchors
        )
        result = self._read(place, read.extraction, Engine.HTTP, seconds)
        if is_read:
            self._remember(result, place, answer, read.content)
        elif place.reads_file(answer.content_type):
            reason = f"the document has more than {self._means.limits.html_bytes:,} bytes, and its text was not read"
            result.problems.append(Problem(ProblemKind.LIMIT, entry.address, entry.page, reason))
        return result


def _unchanged(before: SeenPage, answer: Fetched, place: SitePlace) -> Extraction | None:
    found = mark(fingerprint([answer]), answer.headers.get(ROBOTS_TAG), place)
    return before.extraction() if found == before.fingerprint else None


def _failed(place: SitePlace, failure: FetchFailed, kind: SiteKind, engine: Engine) -> PageResult:
    """The result of an address that could not be read; only what may be there after all counts as unread."""
    entry = place.entry
    if place.is_guess:
        return PageResult(Outcome(entry, surveyed=Surveyed("")), engine)
    status = failure.status
    triples = facts(entry.key, status=status)
    if kind is SiteKind.DISALLOWED:
        return PageResult(Outcome(entry, surveyed=Surveyed(kind)), engine, triples)
    is_outage = failure.kind is not ProblemKind.GONE and (status is None or status >= _FIRST_OUTAGE or status == 429)
    outcome = Outcome(entry, surveyed=Surveyed(kind))
    if is_outage:
        outcome.failure, outcome.incomplete = failure.kind.value, True
    problem = Problem(failure.kind, entry.address, entry.page, failure.reason)
    return PageResult(outcome, engine, triples, [problem])


def _edges(address: str, extraction: Extraction) -> list[str]:
    """The links and images of a page as statements."""
    subject = iri(address)
    link, image = f"{subject} {LINK} <", f"{subject} {IMAGE} <"
    edges = [f"{link}{target}>" for target in extraction.links]
    edges += [f"{image}{target}>" for target in extraction.images]
    if extraction.link_texts is not None:
        edges.append(f"{subject} {LINK_TEXTS} {extraction.link_texts}")
    return edges


def _head(answer: Fetched) -> AnswerHead:
    length = answer.headers.get("content-length", "")
    is_told = length.isdecimal() and "content-encoding" not in answer.headers
    known = len(answer.body) if answer.is_whole else int(length) if is_told else None
    return AnswerHead(answer.status, answer.content_type, known, answer.headers.get("content-disposition"))


def _most(family: str, limits: RunLimits) -> int:
    bounds = {
        TrapKind.CALENDAR: limits.calendar_pages,
        TrapKind.SESSION: limits.session_pages,
        TrapKind.QUERY_ORDER: limits.query_orders,
    }
    return bounds[TrapKind(family.partition(" ")[0])]
