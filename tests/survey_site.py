"""A site of three hosts on loopback addresses, with whatever a test puts there; it keeps a log."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha1
from pathlib import Path

import pytest
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.run.options import RunOptions
from rdfcrawl.engine.run.run import RunReport, run_model
from rdfcrawl.metamodel.load import model_of_text
from rdfcrawl.metamodel.model import Model
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.folder import Store
from tests.crawling import unloaded_store

HOSTS = ("127.0.0.1", "127.0.0.2", "127.0.0.3")
UNRESOLVED = "nowhere.test"
_SITE = "predicate://site/"


@dataclass(slots=True)
class Reply:
    """What is answered: a body with its type and status, or nothing at all."""

    body: str | bytes = ""
    content_type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    never: bool = False

    @property
    def content(self) -> bytes:
        return self.body.encode() if isinstance(self.body, str) else self.body


@dataclass(slots=True)
class SurveySite:
    """Pages by host number and path; the hosts share a port."""

    port: int = 0
    pages: dict[tuple[int, str], Reply] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    conditional: Counter[str] = field(default_factory=Counter)
    on_request: Callable[[], None] | None = None

    def address(self, path: str = "/", host: int = 1) -> str:
        return f"http://{HOSTS[host - 1]}:{self.port}{path}"

    def put(self, path: str, body: str | bytes = "", host: int = 1, **about: object) -> None:
        self.pages[host, path] = Reply(body, **about)  # type: ignore[arg-type]

    def page(self, path: str, links: Iterable[str] = (), title: str | None = None, host: int = 1) -> None:
        """A page that says its own name, so that no other has the same content."""
        anchors = "".join(f'<p><a href="{link}">to {link}</a></p>' for link in links)
        self.put(path, f"<html lang=en><title>{title or path}</title><body>{path} {host}{anchors}</html>", host)

    def model(self, said: str = ":scope scope:web", starts: Iterable[str] = ("/",), page: str = "page://site") -> Model:
        addresses = [self.address(start) for start in starts]
        sections = "".join(f"<model:> :section <{start}> . <{start}> :page <{page}> .\n" for start in addresses)
        prefixes = "@prefix : <predicate://> . @prefix type: <type://> . @prefix scope: <scope://> ."
        return model_of_text(f"{prefixes}\n{sections}<page://site> :type type:site ; {said} .", "site.ttl")

    async def handle(self, request: web.Request) -> web.StreamResponse:
        host = request.host.partition(":")[0]
        path = request.raw_path
        self.asked[f"{host}{path}"] += 1
        if self.on_request is not None:
            self.on_request()
        reply = self.pages.get((HOSTS.index(host) + 1, path))
        if reply is None:
            return web.Response(status=404, text="nothing here", content_type="text/html")
        if reply.never:
            await asyncio.get_running_loop().create_future()
        etag = f'"{sha1(reply.content).hexdigest()}"'
        if request.headers.get("If-None-Match") == etag:
            self.conditional[f"{host}{path}"] += 1
            return web.Response(status=304)
        headers = {"ETag": etag, "Content-Type": reply.content_type, **reply.headers}
        return web.Response(status=reply.status, body=reply.content, headers=headers)


@asynccontextmanager
async def survey_site() -> AsyncIterator[SurveySite]:
    """A running site without pages."""
    site = SurveySite()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", site.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    for host in HOSTS:
        await web.TCPSite(runner, host, site.port).start()
        site.port = runner.addresses[0][1]
    try:
        yield site
    finally:
        await runner.cleanup()


def without_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no name but loopback addresses be resolved, and do not wait before something is tried again."""
    known = socket.getaddrinfo

    def getaddrinfo(host: str, *args: object, **kwargs: object) -> object:
        if host not in HOSTS:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return known(host, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr("rdfcrawl.engine.frontier.outcome._FIRST_PAUSE", 0.0)


Facts = dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class SurveyRun:
    """A survey that has ended: its report, the facts of each address, and its links."""

    report: RunReport
    store: Store
    facts: Facts
    links: list[str]

    @property
    def kinds(self) -> dict[str, str]:
        return {address: facts["kind"] for address, facts in self.facts.items()}

    @property
    def problems(self) -> dict[str, int]:
        return dict(self.report.record.counts.problems)


async def survey(site: SurveySite, folder: Path, model: Model | None = None, **options: object) -> SurveyRun:
    """Survey a site into a store, which may hold earlier runs."""
    chosen = {"engine": Engine.HTTP, "allow_private": True, "record": False, **options}
    store = unloaded_store(folder)
    report = await run_model(model or site.model(), store, RunOptions(**chosen))  # type: ignore[arg-type]
    return survey_run(report, store, site)


def survey_run(report: RunReport, store: Store, site: SurveySite) -> SurveyRun:
    """What the files of a run say; addresses are named without the port, those of the first host by their path."""
    run = report.record.id
    facts: Facts = {}
    for line in read_lines(store.runs.graph(run)):
        subject, predicate, rest = line.decode().split(" ", 2)
        value = rest.removesuffix(f" <run://{run}> .")
        if predicate != f"<{_SITE}page>":
            name = predicate[1:-1].removeprefix(_SITE)
            facts.setdefault(short(subject, site), {})[name] = short(value, site)
    links = store.runs.links(run)
    lines = [line.decode() for line in read_lines(links)] if links.exists() else []
    return SurveyRun(report, store, facts, [line.removesuffix(f" <links://{run}> .") for line in lines])


def short(term: str, site: SurveySite) -> str:
    """A term as a test likes to read it."""
    if term.startswith('"'):
        return term[1 : term.rindex('"')]
    return term[1:-1].replace(f"http://127.0.0.1:{site.port}", "").replace(f":{site.port}", "").removeprefix(_SITE)


LIMITS = RunLimits(response_seconds=1.0, calendar_pages=3, session_pages=2, html_bytes=5_000)
