"""Keyed objects of a list that continues over HTTP: their names do not depend on the page that shows them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest_asyncio
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.extract.identity import object_hash
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.folder import Store
from rdfcrawl.versioning.recording import record_changes
from tests.crawling import Crawled, read_run, unloaded_store
from tests.serving import serving

MODEL = """
@prefix :     <predicate://> .
@prefix type: <type://> .
@prefix item: <item://> .
@prefix book: <property://book/> .

<model:> :section <{site}/{first}> .
<{site}/{first}> :page <page://shelf> .

<page://shelf> :type type:objects ; :item item:book ; :next "//a" .
item:book :path "//li" ; :property book:title ; :key book:title .
book:title :path "./b" .
"""
PER_PAGE = 2


@dataclass(slots=True)
class Shelf:
    """A list of books with a few on each page, at two addresses; pages can be asked for if they have changed."""

    titles: list[str]
    address: str = ""

    async def page(self, request: web.Request) -> web.Response:
        if request.path != "/shelf":
            return web.Response(status=404)
        number = int(request.query.get("page", "1"))
        here = self.titles[(number - 1) * PER_PAGE : number * PER_PAGE]
        entries = "".join(f"<li><b>{title}</b>" for title in here)
        more = f"<a href='/shelf?page={number + 1}'>next</a>" if len(self.titles) > number * PER_PAGE else ""
        response = web.Response(text=f"<ul>{entries}</ul>{more}", content_type="text/html")
        tag = "-".join(here) + str(bool(more))
        response.headers["ETag"] = f'"{tag}"'
        if request.headers.get("If-None-Match") == f'"{tag}"':
            response = web.Response(status=304)
        return response

    def books(self, first: str, titles: list[str]) -> set[str]:
        """The edges to these books in a list that begins at ``first``."""
        start = f"{self.address}/{first}"
        names = [object_hash([("property://book/title", title)]) for title in titles]
        return {f"<{start}> <item://book> <{start}#{name}>" for name in names}


@pytest_asyncio.fixture
async def shelf() -> AsyncIterator[Shelf]:
    found = Shelf(["B", "C", "D", "E", "F"])
    async with serving(found.page) as found.address:
        yield found


async def run(shelf: Shelf, store: Store, first: str = "shelf") -> Crawled:
    model = store.folder.parent / f"{first}.ttl"
    model.write_text(MODEL.format(site=shelf.address, first=first))
    report = await run_model(load_model(model), store, RunOptions(engine=Engine.HTTP))
    return read_run(store, report.record)


async def test_one_new_entry_on_top_is_one_addition(shelf: Shelf, tmp_path: Path) -> None:
    """All others move, some of them to another page, and keep their names."""
    store = unloaded_store(tmp_path / "store")
    before = await run(shelf, store)
    assert {line for line in before.triples if "item://" in line} == shelf.books("shelf", ["B", "C", "D", "E", "F"])
    shelf.titles.insert(0, "A")
    after = await run(shelf, store)
    assert (before.problems, after.problems) == ((), ())
    assert str(record_changes(store.runs, after.record.id)) == "1 object added"
