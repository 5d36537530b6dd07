"""A small site of quotes and their tags, crawled from a folder into a store with an archive."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.versioning.recording import record_changes

SITE = "http://quotes.example"
MODEL = f"""
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix quote: <property://quote/> . @prefix tag: <property://tag/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

<model:> :section <{SITE}/quotes> .
<{SITE}/quotes> :page page:quotes .
page:quotes :type type:objects ; :item item:quote ; :sub page:tags .
item:quote :path "//li" ; :id "./a" ; :property quote:text , quote:words , quote:picture .
quote:text :path "./q" ; :label true .
quote:words :path "./i" ; :type xsd:int ; :pattern "[0-9]+" ; :replace [ :old "^0+" ; :new "" ] .
quote:picture :path "./img" ; :attribute "src" ; :type xsd:anyURI ; :optional true .
page:tags :type type:objects ; :item item:tag .
item:tag :path "./span/a" ; :id "." ; :property tag:name .
tag:name :path "." ; :label true .
"""
HOSTILE = """<li><a href="/quote/evil">#</a><q>Evil</q><i>1 words</i><script>document.title = "taken over"</script>
<img src="http://127.0.0.1:9/x.png" onerror="parent.document.title = 'taken over'"><style>* { display: none }</style>
<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/"><iframe src="http://127.0.0.1:9/"></iframe></li>"""
LONG = "A long quote. " + "All words of it can be read in their place. " * 40
QUOTES = 14


def pages(quotes: int = QUOTES) -> dict[str, str]:
    """The pages of the site: one list, each quote with the tag of all and one of its own."""
    entries = "".join(
        f'<li><a href="/quote/{number}">#</a><q>Quote {number:02}</q><i>{number} words</i>'
        f'<img src="/files/pictures/{number}.png">'
        f'<span><a href="/tag/all">all</a> <a href="/tag/{number}">tag {number}</a></span></li>'
        for number in range(1, quotes + 1)
    )
    long = f'<li><a href="/quote/long">#</a><q>{LONG}</q><i>347 words</i></li>'
    return {"quotes": f"<!doctype html><title>Quotes</title><ul>{entries}{long}</ul>"}


def crawled(
    folder: Path, files: Mapping[str, str | bytes] | None = None, *, model: str = MODEL, record: bool = True
) -> Store:
    """A store with one run over these files of the site."""
    for name, content in (files or pages()).items():
        path = folder / "site" / "quotes.example" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "quotes.ttl").write_text(model, encoding="utf-8")
    store = open_store(folder / "store")
    options = RunOptions(replay=str(folder / "site"), record=record, source="quotes.ttl")
    report = asyncio.run(run_model(load_model(folder / "quotes.ttl"), store, options))
    record_changes(store.runs, report.record.id)
    store.refresh()
    return store
