"""The example sites in the browser, also where plain HTTP would do; of the examples of the language, one always is."""

from __future__ import annotations

from pathlib import Path

import pytest

from rdfcrawl.engine.choice import Engine
from tests.crawling import crawl

_ROOT = Path(__file__).parents[2]
_SITES = _ROOT / "examples/sites"


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["imdb", "chefkoch", "bundestag"])
async def test_the_browser_gives_the_same_graph_as_plain_http(name: str, tmp_path: Path) -> None:
    """Same model, either way the same triples."""
    model = _ROOT / f"models/{name}.ttl"
    read = await crawl(model, tmp_path / "http", _SITES, engine=Engine.HTTP)
    rendered = await crawl(model, tmp_path / "browser", _SITES, engine=Engine.BROWSER)
    assert rendered.triples == read.triples
    assert read.triples
    assert rendered.problems == ()
    assert set(rendered.record.counts.pages) == {"browser"}
