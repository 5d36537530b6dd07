"""Which pages a run reads that may read only so many: the same ones, whichever of them are answered first."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.run.options import RunOptions
from rdfcrawl.engine.run.run import run_model
from rdfcrawl.metamodel.load import model_of_text
from rdfcrawl.store.folder import open_store
from tests.engine.frontier.conftest import IMPLEMENTATIONS
from tests.sampling import sampled
from tests.serving import serving

THINGS = "abcdef"
READ = {"/list", *(f"/{thing}" for thing in THINGS), "/maker/a2", "/maker/a1", "/maker/x", "/maker/b2", "/maker/b1"}
"""All things, and the first makers: by the place of the thing, then as it names them; those of several things last."""
MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix scope: <scope://> .
<model:> :section <{site}/list> . <{site}/list> :page <page://{first}> .
<page://list>  :type type:links ; :path "//li/a" ; :target <page://thing> .
<page://thing> :type type:object ; :item <item://thing> ; :link <link://maker> .
<page://site>  :type type:site ; :scope scope:host ; :skip "/maker/" ; :item <item://thing> ; :link <link://maker> .
<link://maker> :path ".//b/a" ; :target <page://maker> ; :optional true .
<page://maker> :type type:object ; :item <item://maker> .
<item://thing> :path "//main" ; :property <property://name> .
<item://maker> :path "//main" ; :property <property://name> .
<property://name> :path ".//h1" .
"""


def body(path: str) -> str:
    """A list of all things, or a thing with two makers of its own and one that all have."""
    if path == "/list":
        return "".join(f"<li><a href='/{thing}'>{thing}</a></li>" for thing in THINGS)
    makers = [f"{path[1:]}2", "x", f"{path[1:]}1"] if path[1:] in THINGS else []
    return f"<h1>{path}</h1>" + "".join(f"<b><a href='/maker/{maker}'>{maker}</a></b>" for maker in makers)


@pytest.mark.parametrize("queue", IMPLEMENTATIONS)
@pytest.mark.parametrize("first", ["list", "site"])
@pytest.mark.parametrize("slowest", sampled(["a", "f"], ["a"]))
async def test_a_limit_leaves_the_same_pages(
    queue: str, first: str, slowest: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """In surveys and in lists, with either queue."""
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        path = request.path
        asked.append(path)
        if path[1:] in THINGS:
            # The makers of all others are known before.
            await asyncio.sleep(0.7 if path[1:] == slowest else 0.0)
        if path == "/robots.txt":
            return web.Response(status=404)
        return web.Response(text=f"<title>{path}</title><main>{body(path)}</main>", content_type="text/html")

    location = IMPLEMENTATIONS[queue](request)
    options = RunOptions(
        engine=Engine.HTTP,
        record=False,
        limits=RunLimits(pages=len(READ)),
        queue=location if isinstance(location, str) else None,
    )
    async with serving(answer) as site:
        model = model_of_text(MODEL.format(site=site, first=first), "model.ttl")
        await run_model(model, open_store(tmp_path / "store"), options)
    assert sorted(asked) == sorted(READ | {"/robots.txt"})
