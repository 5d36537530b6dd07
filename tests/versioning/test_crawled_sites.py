"""The changes of the example sites, crawled before and after they changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyoxigraph as ox
import pytest

from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.rdf.ntriples import split
from rdfcrawl.store.folder import Store
from rdfcrawl.versioning.recording import record_changes
from tests.crawling import unloaded_store
from tests.sampling import sampled

_ROOT = Path(__file__).parents[2]
_SITES = {
    "A": ("bundestag", "www.bundestag.de"),
    "B": ("campus-tum", "campus.tum.de"),
    "C": ("chefkoch", "www.chefkoch.de"),
    "D": ("imdb", "www.imdb.com"),
    "E": ("muenchen", "www.muenchen.de"),
}


def _listing(name: str) -> set[str]:
    content = (_ROOT / f"tests/examples/listings/{name}.ttl").read_bytes()
    return {f"{quad.triple} ." for quad in ox.parse(content, format=ox.RdfFormat.TURTLE)}


async def _changes(model: Path, store: Store, pages: Path = _ROOT / "examples/sites") -> set[str]:
    report = await run_model(load_model(model), store, RunOptions(replay=str(pages), record=False))
    record_changes(store.runs, report.record.id)
    quads = store.runs.changes(report.record.id).read_text(encoding="utf-8").splitlines()
    return {"{} {} {} .".format(*split(quad)) for quad in quads}


@pytest.mark.slow
@pytest.mark.parametrize("letter", sampled(_SITES, "C"))
async def test_a_site_that_really_changed_gives_the_published_changes(letter: str, tmp_path: Path) -> None:
    """The goals of listings 6 and 10 and nothing of 7 and 11; the second run has nothing beyond its goals."""
    name, host = _SITES[letter]
    model = _ROOT / f"models/{name}.ttl"
    before = tmp_path / "before"
    shutil.copytree(_ROOT / "examples/sites" / host, before / host)
    shutil.copytree(_ROOT / "examples/sites-before" / host, before / host, dirs_exist_ok=True)
    store = unloaded_store(tmp_path / "store")
    first = await _changes(model, store, before)
    assert first >= _listing(f"{letter}6")
    assert not first & _listing(f"{letter}7")
    second = await _changes(model, store)
    assert second == _listing(f"{letter}10")
    assert not second & _listing(f"{letter}11")
    assert await _changes(model, store) == set()


@pytest.mark.parametrize(
    ("written", "edited", "reported"),
    [
        pytest.param(
            ":property  recipe:rating .",
            ':property  recipe:rating , recipe:heading .\nrecipe:heading :path ".//h2" .',
            {":added <property://recipe/heading>"},
            marks=pytest.mark.exhaustive,
        ),
        (
            "recipe:rating",
            "recipe:stars",
            {":added <property://recipe/stars>", ":removed <property://recipe/rating>"},
        ),
        (
            '"(?<=Schwierigkeitsgrad: ).+?(?=/)"',
            '"Schwierigkeitsgrad: .+?(?=/)"',
            {":changed <property://recipe/difficulty>"},
        ),
        (
            ":property  ingredient:label ;",
            ":property  ingredient:label ;\n    :key       ingredient:label ;",
            {":changed <item://ingredient>"},
        ),
        pytest.param(
            "//tr[not(.//b)]",
            "//tr[td[@class='name']]",
            {":changed <item://ingredient>"},
            marks=pytest.mark.exhaustive,
        ),
    ],
    ids=["property added", "property renamed", "pattern corrected", "key added", "root corrected"],
)
async def test_an_edited_model_over_an_unchanged_site_gives_edits_only(
    written: str, edited: str, reported: set[str], tmp_path: Path
) -> None:
    """A property added or renamed, a path corrected, a key introduced: none of it is a change of the site."""
    model = _ROOT / "models/chefkoch.ttl"
    text = model.read_text(encoding="utf-8")
    assert written in text
    changed = tmp_path / "model.ttl"
    changed.write_text(text.replace(written, edited), encoding="utf-8")
    store = unloaded_store(tmp_path / "store")
    await _changes(model, store)
    changes = await _changes(changed, store)
    assert changes == {f"<model:> {edit.replace(':', '<predicate://', 1).replace(' ', '> ', 1)} ." for edit in reported}
    assert await _changes(changed, store) == set()
