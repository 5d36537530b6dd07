"""A real site on loopback with a page for each trap."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from aiohttp import web

from rdfcrawl.engine.fetch.session import Fetched, Fetcher, Request
from rdfcrawl.metamodel.model import Item, LinksPage, ObjectPage, Page
from tests.serving import serving

PAGES = Path(__file__).parent / "pages"
LIST = "//*[@id='list']//a"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Site:
    """A server that counts what it was asked for; tests add the answers that they need."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answers: dict[str, Handler] = {}
        self.base = ""
        self._stopping = asyncio.Event()

    def address(self, path: str) -> str:
        return f"{self.base}{path}"

    async def respond(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path_qs)
        if handler := self.answers.get(request.path):
            return await handler(request)
        if request.path.startswith("/pages/"):
            text = (PAGES / f"{request.path.removeprefix('/pages/')}.html").read_text(encoding="utf-8")
            return web.Response(text=text, content_type="text/html")
        if request.path == "/slow":
            return await self._slow(request)
        if request.path == "/never":
            await self._stopping.wait()
        return web.Response(status=404, text="<p>no such page", content_type="text/html")

    async def _slow(self, request: web.Request) -> web.Response:
        await asyncio.sleep(float(request.query["ms"]) / 1000)
        part = request.query["part"]
        return web.Response(text=f'<p><a href="/entry/{part}">{part}</a></p>', content_type="text/html")

    async def serve(self) -> AsyncIterator[Site]:
        async with serving(self.respond) as self.base:
            yield self
            self._stopping.set()


def links(**terms: object) -> LinksPage:
    """A list of links, with further terms."""
    return LinksPage(iri="page://list", path=LIST, target="page://entry", **terms)  # type: ignore[arg-type]


def thing(path: str = "//body", **terms: object) -> ObjectPage:
    """A page with one object."""
    return ObjectPage(iri="page://thing", item=Item("item://thing", path), **terms)  # type: ignore[arg-type]


async def documents(fetcher: Fetcher, address: str, page: Page) -> list[Fetched]:
    """All documents of a page session."""
    return [fetched async for fetched in fetcher.open(Request(address, page))]
