"""Objects whose links lead to them by a redirect, on a server that is down for a while."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.recording import record_changes
from tests.crawling import unloaded_store
from tests.serving import serving

_MODEL = """
@prefix : <predicate://> . @prefix type: <type://> .
<model:> :section <{start}> .
<{start}> :page <page://list> .
<page://list> :type type:links ; :path "//a" ; :target <page://thing> .
<page://thing> :type type:object ; :item <item://thing> .
<item://thing> :path "//main" ; :property <property://thing/name> .
<property://thing/name> :path "./h1" .
"""


@asynccontextmanager
async def _site(down: set[str]) -> AsyncIterator[str]:
    """Two things under old addresses that redirect to new ones; what is in ``down`` answers 503."""

    async def handle(request: web.Request) -> web.Response:
        if request.path in down:
            return web.Response(status=503, headers={"Retry-After": "0"})
        match request.path.split("/")[1:]:
            case ["list"]:
                text = '<a href="/old/1">1</a> <a href="/old/2">2</a>'
            case ["old", number]:
                return web.Response(status=301, headers={"Location": f"/new/{number}"})
            case ["new", number]:
                text = f"<main><h1>Thing {number}</h1></main>"
            case _:
                return web.Response(status=404)
        return web.Response(text=text, content_type="text/html")

    async with serving(handle) as address:
        yield address


async def test_an_object_behind_a_redirect_is_unobserved_while_its_page_is_down(tmp_path: Path) -> None:
    """Not removed, in any number of runs, whether the old or the new address fails; nothing is new when it is back."""
    store = unloaded_store(tmp_path)
    down: set[str] = set()
    async with _site(down) as address:
        model = tmp_path / "model.ttl"
        model.write_text(_MODEL.format(start=f"{address}/list"), encoding="utf-8")
        counts = []
        for failing in (set(), {"/old/1"}, {"/new/1"}, set()):
            down.clear()
            down.update(failing)
            report = await run_model(load_model(model), store, RunOptions(engine=Engine.HTTP, record=False))
            counts.append(record_changes(store.runs, report.record.id).counts)
    assert counts == [{ChangeKind.ADDED: 2}, {ChangeKind.UNOBSERVED: 1}, {ChangeKind.UNOBSERVED: 1}, {}]
