"""A list of things on a server that keeps a log, with the answers that a test puts in place of its pages."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Model
from tests.serving import serving

MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix p: <property://> .

<model:> :section <{site}/list> .
<{site}/list> :page page:list {extra}.
page:list  :type type:links ; :path "//li/a" ; :next "//a[@rel='next']" ; :target page:thing .
page:thing :type type:object ; :item item:thing .
item:thing :path "//main" ; :property p:name .
p:name     :path ".//h1" .
"""

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True, slots=True)
class Asked:
    """One line of the server's log: what was asked for, when it began and ended, and what was sent along."""

    path: str
    begun: float
    ended: float
    headers: dict[str, str]


@dataclass(slots=True)
class ThingSite:
    """A running site of ``things`` things; ``answers`` come before its pages, one after the other."""

    things: int = 3
    address: str = ""
    robots: str | None = None
    answers: dict[str, list[web.Response | Answer]] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)
    log: list[Asked] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0

    @property
    def asked(self) -> Counter[str]:
        """How often each page was asked for."""
        return Counter(asked.path for asked in self.log)

    @property
    def objects(self) -> set[str]:
        """The addresses of all things."""
        return {f"{self.address}/thing/{number}" for number in range(self.things)}

    def model(self, folder: Path, extra: str = "") -> Model:
        """The model of the site."""
        path = folder / "things.ttl"
        path.write_text(self.turtle(extra), encoding="utf-8")
        return load_model(path)

    def turtle(self, extra: str = "") -> str:
        """The text of the model."""
        return MODEL.format(site=self.address, extra=extra)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        begun = time.monotonic()
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            # Others get the chance to ask before this one is answered.
            for _ in range(20):
                await asyncio.sleep(0)
            return await self._answer(request)
        finally:
            self.at_once -= 1
            self.log.append(Asked(request.raw_path, begun, time.monotonic(), dict(request.headers)))

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        path = request.raw_path
        if waiting := self.answers.get(path):
            answer = waiting.pop(0)
            return answer if isinstance(answer, web.Response) else await answer(request)
        if path == "/robots.txt" and self.robots is not None:
            return web.Response(text=self.robots)
        if path == "/list":
            links = [f"/thing/{number}" for number in range(self.things)] + self.links
            return page("".join(f'<li><a href="{link}">{link}</a>' for link in links))
        if path.startswith("/thing/") and path.removeprefix("/thing/").isdecimal():
            return page(f"<main><h1>Thing {path.removeprefix('/thing/')}</h1></main>")
        return web.Response(status=404)


def page(markup: str) -> web.Response:
    """A page with this content."""
    return web.Response(text=f"<!DOCTYPE html><title>Things</title>{markup}", content_type="text/html")


@asynccontextmanager
async def thing_site(things: int = 3) -> AsyncIterator[ThingSite]:
    """Serve things on a free port of this machine."""
    site = ThingSite(things)
    async with serving(site.handle) as site.address:
        yield site
