"""The examples of the language: each group of terms on a small site, read over plain HTTP and in the browser alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from rdfcrawl.engine.choice import Engine
from rdfcrawl.metamodel.load import check_model
from tests.crawling import crawl

_EXAMPLES = Path(__file__).parents[2] / "examples"
_EXPECTED = Path(__file__).parent / "language"
_NAMES = ["json-shop", "next-books", "csv-register", "docs-permalinks"]


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        *((name, Engine.HTTP) for name in _NAMES),
        ("json-shop", Engine.BROWSER),
        pytest.param("next-books", Engine.BROWSER, marks=pytest.mark.exhaustive),
        pytest.param("csv-register", Engine.BROWSER, marks=pytest.mark.exhaustive),
        pytest.param("docs-permalinks", Engine.BROWSER, marks=pytest.mark.exhaustive),
    ],
)
async def test_an_example_gives_what_it_promises(name: str, engine: Engine, tmp_path: Path) -> None:
    """Exactly these triples and no problem, whichever engine reads the pages."""
    crawled = await crawl(_EXAMPLES / f"models/{name}.ttl", tmp_path, _EXAMPLES / "sites", engine=engine)
    assert sorted(crawled.triples) == (_EXPECTED / f"{name}.nt").read_text(encoding="utf-8").splitlines()
    assert crawled.problems == ()
    assert all(section.complete for section in crawled.record.sections)


@pytest.mark.parametrize("path", sorted((_EXAMPLES / "models").glob("*.ttl")), ids=lambda path: path.stem)
def test_nothing_is_wrong_with_an_example(path: Path) -> None:
    """Not even a warning."""
    assert check_model(path).findings == ()


def test_the_reference_links_to_every_example() -> None:
    """Whoever looks for a term finds where it is used."""
    reference = (_EXAMPLES.parent / "docs/metamodel.md").read_text(encoding="utf-8")
    for path in (_EXAMPLES / "models").glob("*.ttl"):
        assert f"(../examples/models/{path.name})" in reference
