"""A server that sends exactly the bytes that a test gives it: what no well-behaved server would."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from tests.crawling import Crawled, read_run, unloaded_store

THING = b"<main><h1>Hello</h1></main>"
MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix p: <property://> .

<model:> :section <{section}> .
<{section}> :page page:{start} .
page:list  :type type:links ; :path "//li/a" ; :target page:thing {more} .
page:thing :type type:object ; :item item:thing .
item:thing :path "//main" ; :property p:name .
p:name     :path ".//h1" .
"""

Sending = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass(slots=True)
class RawSite:
    """A running server; ``answers`` are whole answers by path, or functions that write one."""

    answers: Mapping[str, bytes | Sending]
    address: str = ""
    asked: list[str] = field(default_factory=list)
    requests: list[bytes] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError), contextlib.closing(writer):
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                self.requests.append(request)
                path = request.split(b" ", 2)[1].decode()
                self.asked.append(path)
                self.at_once += 1
                self.most_at_once = max(self.most_at_once, self.at_once)
                try:
                    found = self.answers.get(path, answer(b"", status=404))
                    if not isinstance(found, bytes):
                        await found(writer)
                        return
                    writer.write(found)
                    await writer.drain()
                finally:
                    self.at_once -= 1


@asynccontextmanager
async def raw_site(answers: Mapping[str, bytes | Sending], host: str = "127.0.0.1") -> AsyncIterator[RawSite]:
    """Serve these answers on a free port of this machine."""
    site = RawSite(answers)
    server = await asyncio.start_server(site.serve, host, 0, backlog=1024)
    site.address = f"http://{host}:{server.sockets[0].getsockname()[1]}"
    try:
        yield site
    finally:
        server.close()


def answer(body: bytes, *headers: bytes, status: int = 200) -> bytes:
    """A whole answer; without a Content-Type among the headers it is HTML."""
    lines = [b"HTTP/1.1 %d X" % status, b"Content-Length: %d" % len(body), *headers]
    if not any(header.lower().startswith(b"content-type") for header in headers):
        lines.append(b"Content-Type: text/html; charset=utf-8")
    return b"\r\n".join((*lines, b"", body))


def listing(*links: str) -> bytes:
    """The answer of a list page with these links."""
    return answer("".join(f'<li><a href="{link}">x</a></li>' for link in links).encode())


async def crawled(
    site: RawSite, folder: Path, *settings: str, start: str = "thing", more: str = "", **options: object
) -> Crawled:
    """Crawl a site over HTTP, from its first page; ``settings`` are limits as on the command line."""
    model = folder / "model.ttl"
    model.write_text(MODEL.format(section=f"{site.address}/", start=start, more=more), encoding="utf-8")
    store = unloaded_store(folder / "store")
    limits = RunOptions().limits.with_settings(settings)
    wanted = RunOptions(engine=Engine.HTTP, limits=limits, **{"ignore_robots": True, **options})  # type: ignore[arg-type]
    report = await run_model(load_model(model), store, wanted)
    return read_run(store, report.record)


def told(run: Crawled) -> list[tuple[str, str]]:
    """The problems of a run: kind and reason of each."""
    return sorted((problem["kind"], problem["reason"]) for problem in run.problems)
