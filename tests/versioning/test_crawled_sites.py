"""The changes of the example sites, crawled before and after they changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyoxigraph as ox
import pytest

from rdfcrawl.engine.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.folder import Store
from rdfcrawl.store.ntriples import split
from rdfcrawl.versioning.recording import record_changes
from tests.crawling import unloaded_store

_ROOT = Path(__file__).parents[2]
_SITES = {
    "A": ("bundestag", "www.bundestag.de"),
    "C": ("chefkoch", "www.chefkoch.de"),
    "D": ("imdb", "www.imdb.com"),
}


def _listing(name: str) -> set[str]:
    content = (_ROOT / f"tests/examples/listings/{name}.ttl").read_bytes()
    return {f"{quad.triple} ." for quad in ox.parse(content, format=ox.RdfFormat.TURTLE)}


async def _changes(letter: str, store: Store, pages: Path) -> set[str]:
    model = load_model(_ROOT / f"models/{_SITES[letter][0]}.ttl")
    report = await run_model(model, store, RunOptions(replay=str(pages), record=False))
    record_changes(store.runs, report.record.id)
    quads = store.runs.changes(report.record.id).read_text(encoding="utf-8").splitlines()
    return {"{} {} {} .".format(*split(quad)) for quad in quads}


@pytest.mark.parametrize("letter", _SITES)
async def test_a_site_that_really_changed_gives_the_published_changes(letter: str, tmp_path: Path) -> None:
    """The goals of listings 6 and 10 and nothing of 7 and 11; the second run has nothing beyond its goals."""
    host = _SITES[letter][1]
    before = tmp_path / "before"
    shutil.copytree(_ROOT / "examples/sites" / host, before / host)
    shutil.copytree(_ROOT / "examples/sites-before" / host, before / host, dirs_exist_ok=True)
    store = unloaded_store(tmp_path / "store")
    first = await _changes(letter, store, before)
    assert first >= _listing(f"{letter}6")
    assert not first & _listing(f"{letter}7")
    second = await _changes(letter, store, _ROOT / "examples/sites")
    assert second == _listing(f"{letter}10")
    assert not second & _listing(f"{letter}11")
    assert await _changes(letter, store, _ROOT / "examples/sites") == set()
