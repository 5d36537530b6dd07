"""Objects that an ``:iri`` names keep their history: an outage is not a removal."""

from __future__ import annotations

from pathlib import Path

from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.versioning.recording import record_changes
from tests.crawling import unloaded_store
from tests.serving import serving

_MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix book: <property://book/> .
<model:> :section <{start}> .
<{start}> :page page:list .
page:list :type type:links ; :path "//a" ; :target page:book .
page:book :type type:object ; :item item:book .
item:book :path "//main" ; :iri "https://data.example.org/{{book:isbn}}" ; :property book:isbn , book:title .
book:isbn :path "i" .
book:title :path "h1" .
"""


async def test_a_page_that_cannot_be_read_does_not_remove_the_object_that_it_names(tmp_path: Path) -> None:
    """Its name is not its address; it is recognised all the same."""
    down: set[str] = set()
    titles = {"1": "Momo", "2": "Krabat"}

    async def answer(request: web.Request) -> web.Response:
        name = request.path.strip("/")
        if name == "robots.txt":
            return web.Response(status=404)
        if name in down:
            return web.Response(status=403)
        body = (
            "<a href=1>1</a><a href=2>2</a>"
            if name == ""
            else f"<main><h1>{titles[name]}</h1><i>isbn {name}</i></main>"
        )
        return web.Response(text=body, content_type="text/html")

    store = unloaded_store(tmp_path / "store")
    async with serving(answer) as address:
        path = tmp_path / "model.ttl"
        path.write_text(_MODEL.format(start=f"{address}/"))
        model, options = load_model(path), RunOptions(engine=Engine.HTTP)
        record_changes(store.runs, (await run_model(model, store, options)).record.id)
        down.add("2")
        titles["1"] = "Momo, again"
        second = (await run_model(model, store, options)).record.id
        record_changes(store.runs, second)
    changes = store.runs.changes(second).read_text(encoding="utf-8")
    assert "<https://data.example.org/isbn%201> <predicate://changed> <property://book/title>" in changes
    assert "<predicate://unobserved> <https://data.example.org/isbn%202>" in changes
    assert "<predicate://removed>" not in changes
