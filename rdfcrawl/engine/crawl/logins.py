"""Logins: done when the first page of a section is read, and again when the session is lost.

The session is in the cookies, which both engines get. A login that fails is tried once: hosts lock accounts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import field, replace
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.address import host_of, origin_of, place_of
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.forms import FOR_A_BROWSER, filled_form
from rdfcrawl.engine.crawl.session_file import SessionFile
from rdfcrawl.engine.extract.extraction import Extraction
from rdfcrawl.engine.fetch.answers import refuse_errors
from rdfcrawl.engine.fetch.fetchers import Fetchers
from rdfcrawl.engine.fetch.http.following import Following
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed
from rdfcrawl.engine.fetch.session_cookies import StoredCookie
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.metamodel.forms import Login
from rdfcrawl.metamodel.model import Section

_UNAUTHORISED: Final = 401
_UNRECORDED: Final = Following(recorded=False)
_MOST_IN_VAIN: Final = 3
"""How often a new login may be followed by the same question; then the page is the reason, not the session."""


class LoginFailed(Exception):
    """A login has failed for good; nothing of its section can be read."""


@dataclass(slots=True)
class _Session:
    """The session of an origin: how many logins it has had, where the last one led, and why none is possible."""

    generation: int = 0
    landing: str | None = None
    failure: str | None = None
    in_vain: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Logins:
    """The sessions of a run, one for each origin."""

    def __init__(
        self,
        sections: Sequence[Section],
        values: Mapping[str, str],
        fetchers: Fetchers,
        pool: WorkerPool,
        *,
        engine: Engine,
        turn: Callable[[str], AbstractAsyncContextManager[object]],
        kept: SessionFile | None = None,
    ) -> None:
        """``values`` are those of the environment variables; ``turn`` is a turn at a host."""
        self._sections = sections
        self._values = values
        self._fetchers = fetchers
        self._pool = pool
        self._engine = engine
        self._turn = turn
        self._kept = kept
        self._sessions = {origin_of(section.address): _Session() for section in sections if section.login}

    async def ensure(self, number: int) -> int:
        """Log in for a section unless that is done; returns which login counts. Raises ``LoginFailed``."""
        section = self._sections[number]
        session = self._sessions.get(origin_of(section.address))
        if section.login is None or session is None:
            return 0
        async with session.lock:
            if session.generation == 0 and not self._take_up(section, session):
                await self._log_in(section, section.login, session)
            return session.generation

    async def is_lost(
        self, number: int, address: str, documents: Sequence[Fetched], read: Extraction | FetchFailed
    ) -> bool:
        """Whether what a page returned is a question for the login, and not the page."""
        section = self._sections[number]
        login = section.login
        if login is None or _is_at(login, address):
            return False
        if isinstance(read, FetchFailed):
            return read.status == _UNAUTHORISED
        if any(_is_at(login, fetched.address) for fetched in documents):
            return True
        if not read.is_bare or not documents:
            return False
        return (await self._pool.login_state(section, documents[0])).asks

    async def renew(self, number: int, generation: int) -> int | None:
        """Log in again if the session is lost; nothing if it is not, so that the page itself must be the reason."""
        section = self._sections[number]
        session = self._sessions[origin_of(section.address)]
        assert section.login is not None
        async with session.lock:
            if session.generation != generation:
                return session.generation
            if session.in_vain >= _MOST_IN_VAIN or await self._is_alive(section, session):
                return None
            session.in_vain += 1
            await self._log_in(section, section.login, session)
            return session.generation

    def helped(self, number: int) -> None:
        """Note that a page could be read with the session."""
        if (session := self._sessions.get(origin_of(self._sections[number].address))) is not None:
            session.in_vain = 0

    def keep(self) -> None:
        """Keep the sessions for the next start of the run."""
        if self._kept is not None:
            hosts = {origin: place_of(origin).hostname for origin, one in self._sessions.items() if one.generation}
            self._kept.write({origin: self._fetchers.http.cookies(host) for origin, host in hosts.items()})

    def _take_up(self, section: Section, session: _Session) -> bool:
        """Go on with the session of the start before."""
        origin = origin_of(section.address)
        cookies = self._kept.read().get(origin) if self._kept is not None else None
        if not cookies:
            return False
        self._fetchers.add_cookies(cookies)
        session.generation = 1
        return True

    async def _log_in(self, section: Section, login: Login, session: _Session) -> None:
        if session.failure is not None:
            raise LoginFailed(session.failure)
        try:
            cookies, session.landing = await self._done(section, login)
        except FetchFailed as failure:
            if failure.transient:
                raise
            session.failure = f"the login at {login.address} fails: {failure.reason}"
            raise LoginFailed(session.failure) from None
        self._fetchers.add_cookies(cookies)
        session.generation += 1
        self.keep()

    async def _done(self, section: Section, login: Login) -> tuple[list[StoredCookie], str]:
        """Log in over plain HTTP where that is enough, else in the browser; returns the session and where it led."""
        async with self._turn(host_of(login.address)):
            if self._engine is not Engine.BROWSER:
                try:
                    return await self._over_http(section, login)
                except FetchFailed as failure:
                    if self._engine is Engine.HTTP or failure.kind not in FOR_A_BROWSER:
                        raise
            fills = [(fill.path, self._values.get(fill.value, fill.value)) for fill in login.fills]
            return await self._fetchers.browser.log_in(login, fills, origin_of(section.address))

    async def _over_http(self, section: Section, login: Login) -> tuple[list[StoredCookie], str]:
        http, home = self._fetchers.http, origin_of(section.address)
        form = await http.get(login.address, http.bounds, _UNRECORDED, home=home)
        refuse_errors(form.status, form.headers)
        origins = frozenset({home, origin_of(login.address)})
        sent = await filled_form(self._pool, section.page, form, login.fills, self._values, origins, section.address)
        after = await http.get(sent.address, http.bounds, replace(_UNRECORDED, sent=sent), home=home)
        if after.status != _UNAUTHORISED:
            refuse_errors(after.status, after.headers)
        state = await self._pool.login_state(section, after)
        if state.succeeded:
            return http.cookies(place_of(section.address).hostname), after.address
        if state.asks or after.status == _UNAUTHORISED:
            reason = f"{login.success} is not there afterwards, and the form is shown again; are the values right?"
            raise FetchFailed(ProblemKind.LOGIN, reason)
        raise FetchFailed(ProblemKind.NEEDS_BROWSER, f"{login.success} is not on the page that follows")

    async def _is_alive(self, section: Section, session: _Session) -> bool:
        """Whether the page to which the login has led still shows that it has succeeded."""
        if session.landing is None:
            return False
        http = self._fetchers.http
        async with self._turn(host_of(session.landing)):
            home = origin_of(section.address)
            page = await http.get(session.landing, http.bounds, _UNRECORDED, home=home)
        return page.status < 400 and (await self._pool.login_state(section, page)).succeeded


def _is_at(login: Login, address: str) -> bool:
    """Whether an address is that of a login; sites add to it where they lead back to."""
    front, _, query = address.partition("#")[0].partition("?")
    own, has_query, own_query = login.address.partition("#")[0].partition("?")
    return front == own and (not has_query or f"{query}&".startswith(f"{own_query}&"))
