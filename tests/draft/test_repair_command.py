"""``rdfcrawl draft --repair`` as it is typed: what it shows, what it writes, and what it says when there is nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

import rdfcrawl
from rdfcrawl.drafting.repair.repairing import repair
from rdfcrawl.engine.choice import Engine
from rdfcrawl.errors import UsageError
from rdfcrawl.store.folder import open_store
from tests.commands import Command
from tests.serving import serving

TITLES = ("Emma", "Dune", "Ulysses", "Middlemarch")
MODEL = """@prefix : <predicate://> .
@prefix type: <type://> .
@prefix book: <property://book/> .

<model:> :section <{site}/> .
<{site}/> :page <page://books> .
<page://books> :type type:links ; :path "//li/a" ; :target <page://book> .
<page://book> :type type:object ; :item <item://book> .
<item://book> :path "//main" ; :property book:title , book:pages .
book:title :path "./h1" .      # the name
book:pages :path ".//b[@class='pages']" .
"""


class Site:
    """Four books; ``name`` is what the class of the number of pages is called."""

    def __init__(self) -> None:
        self.name = "pages"
        self.address = ""

    async def answer(self, request: web.Request) -> web.Response:
        number = request.path.removeprefix("/")
        if not number:
            text = "".join(f"<li><a href=/{number}>{title}</a>" for number, title in enumerate(TITLES))
        elif number.isdecimal():
            text = f"<main><h1>{TITLES[int(number)]}</h1><p><b class={self.name}>{int(number) * 7 + 100}</b></main>"
        else:
            return web.Response(status=404)
        return web.Response(text=f"<!DOCTYPE html><body>{text}", content_type="text/html")


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    made = Site()
    async with serving(made.answer) as address:
        made.address = address
        yield made


async def _run(folder: Path, model: Path) -> rdfcrawl.Finished:
    options = rdfcrawl.RunOptions(engine=Engine.HTTP)
    return await rdfcrawl.run(model, store=folder / "store", options=options)


async def _command(folder: Path, *arguments: str) -> tuple[int, Command]:
    command = Command(arguments[0], "--store", str(folder / "store"), "--engine", "http", *arguments[1:])
    return await command.ended(), command


async def test_a_renamed_class_is_found_in_the_archive(site: Site, tmp_path: Path) -> None:
    """The proposal is a diff with its evidence; only -o writes, and then the run with it reports nothing."""
    model, mended = tmp_path / "model.ttl", tmp_path / "mended.ttl"
    model.write_text(MODEL.replace("{site}", site.address))
    before = model.read_bytes()
    await _run(tmp_path, model)
    site.name = "length"
    assert (await _run(tmp_path, model)).changes.suspicions
    status, shown = await _command(tmp_path, "draft", "--repair", str(model))
    assert status == 0, shown.said
    assert "finds 4 of 4 known values, 0 before: 100" in shown.said
    assert shown.printed.splitlines()[:2] == ["--- a/model.ttl", "+++ b/model.ttl"]
    assert "+book:pages :path \".//b[@class='length']\" ." in shown.printed
    assert model.read_bytes() == before
    assert not mended.exists()
    assert (await _command(tmp_path, "draft", "--repair", str(model), "-o", str(mended)))[0] == 0
    assert mended.read_bytes() == before.replace(b"'pages'", b"'length'")
    assert not (await _run(tmp_path, mended)).changes.suspicions
    with pytest.raises(UsageError, match="suspects nothing; there is nothing to repair"):
        await repair(mended, open_store(tmp_path / "store"))


async def test_css_selectors_are_repaired_as_css_selectors(site: Site, tmp_path: Path) -> None:
    """A renamed class is renamed in the selector."""
    model = tmp_path / "model.ttl"
    model.write_text(MODEL.replace("{site}", site.address).replace(".//b[@class='pages']", "css:p > b.pages"))
    await _run(tmp_path, model)
    site.name = "length"
    await _run(tmp_path, model)
    found = await repair(model, open_store(tmp_path / "store"), engine=Engine.HTTP)
    assert found.model == model.read_text().replace("css:p > b.pages", "css:p > b.length")


async def test_a_repair_needs_a_run_and_either_pages_or_a_model(site: Site, tmp_path: Path) -> None:
    """One sentence each."""
    model = tmp_path / "model.ttl"
    model.write_text(MODEL.replace("{site}", site.address))
    (tmp_path / "store").mkdir()
    for arguments, reason in (
        (("--repair", str(model), f"{site.address}/"), "name the addresses of some pages, or a model with --repair"),
        ((), "name the addresses of some pages"),
        (("--repair", str(tmp_path / "none.ttl")), "no such file"),
        (("--repair", str(tmp_path)), "this is a folder"),
    ):
        status, command = await _command(tmp_path, "draft", *arguments)
        assert status == 2
        assert reason in command.said
