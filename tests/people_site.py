"""A tiny site about people, and the model that looks for their names: small enough to compute its scores by hand."""

from __future__ import annotations

import asyncio
from pathlib import Path

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.run.run import RunOptions, RunReport, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.folder import Store

SITE = "http://uni.example"
MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix recognise: <recognise://> .
<model:> :section <http://uni.example/index.html> .
<http://uni.example/index.html> :page <page://list> .
<page://list> :type type:links ; :path "//li/a" ; :target <page://person> .
<page://person> :type type:object ; :item <item://page> .
<item://page> :path "//main" ; :property <property://name> .
<property://name> :path "." ; :recognise recognise:person ; :optional true .
"""
PAGES = {
    "index.html": '<ul><li><a href="a.html">a</a></li><li><a href="b.html">b</a></li><li><a href="c.html">c</a></li>'
    '<li><a href="d.html">d</a></li></ul>',
    # 2 + 8 = 10 words; Dennis Armbruster twice, Hannah Bast once
    "a.html": "<main><h1>Dennis Armbruster</h1><p>Dennis Armbruster works with Prof. Dr. Hannah Bast.</p></main>",
    # 2 + 4 = 6 words; Hannah Bast twice
    "b.html": "<main><h1>Hannah Bast</h1><p>Hannah Bast teaches here.</p></main>",
    # 2 + 4 = 6 words; Maria Schmidt once, and a short form of her name
    "c.html": "<main><h1>Maria Schmidt</h1><p>Papers by M. Schmidt.</p></main>",
    # 2 words, nobody
    "d.html": "<main><p>nothing here</p></main>",
}


def write_site(folder: Path, pages: dict[str, str] | None = None) -> Path:
    """Write the site as a folder that can be replayed."""
    site = folder / "uni.example"
    site.mkdir(parents=True, exist_ok=True)
    for name, body in (pages or PAGES).items():
        (site / name).write_text(f"<!doctype html><html><body>{body}</body></html>", encoding="utf-8")
    (folder.parent / "people.ttl").write_text(MODEL, encoding="utf-8")
    return folder


def run_site(store: Store, folder: Path, *, record: bool = True) -> RunReport:
    """Run the model on the site."""
    # A page without anybody would be tried in the browser as well.
    options = RunOptions(engine=Engine.HTTP, replay=str(folder), record=record, source="people.ttl")
    return asyncio.run(run_model(load_model(folder.parent / "people.ttl"), store, options))
