"""``rdfcrawl draft --from-archive``: a survey becomes a model, with the kinds of a site's pages and their links."""

from __future__ import annotations

from pathlib import Path

import pytest

import rdfcrawl
from rdfcrawl.drafting.site.clusters import by_shape
from rdfcrawl.drafting.site.from_archive import draft_from_archive
from rdfcrawl.drafting.site.shapes import shapes_of
from rdfcrawl.engine.choice import Engine
from rdfcrawl.errors import NothingToDraft, UsageError
from rdfcrawl.metamodel.load import check_text, model_of_text
from rdfcrawl.store.folder import open_store
from tests.commands import Command

HOST = "http://shop.example"
PEOPLE = ("Ada Stone", "Bela Rivers", "Cleo Hill", "Dora Marsh")
TITLES = ("Quiet", "Green", "Lost", "Silver", "Paper", "Winter", "Golden", "Hidden")
CITIES = ("Rome", "Oslo", "Bern", "Kiel")
NAVIGATION = "<nav><a href=/>Home</a> <a href=/about>About</a> <a href=/list>Books</a> <a href=/people>People</a></nav>"
SURVEY = f"""@prefix : <predicate://> . @prefix type: <type://> .
<model:> :section <{HOST}/> . <{HOST}/> :page <page://site> . <page://site> :type type:site .
"""


def _write(folder: Path, name: str, body: str) -> None:
    path = folder / "shop.example" / f"{name}.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    head = "<!DOCTYPE html><html lang=en><head><title>Shop</title></head>"
    path.write_text(f"{head}<body>{NAVIGATION}{body}<footer>Imprint and more</footer></body></html>")


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A shop: a list of two pages, eight books, their four authors, and pages that are none of these."""
    folder = tmp_path / "pages"
    _write(folder, "index", "<h1>A shop</h1><p>Welcome")
    _write(folder, "about", "".join(f"<p>Sentence {number} of a long story." for number in range(9)))
    for part in range(2):
        entries = "".join(
            f"<li class=entry><h3><a href=/books/{number}>The {TITLES[number]} House</a></h3><p class=short>A tale"
            for number in range(part * 4, part * 4 + 4)
        )
        button = "<a class=next href='/list?page=2'>Next</a>" if part == 0 else ""
        _write(folder, "list@page=2" if part else "list", f"<h1>All</h1><ul class=books>{entries}</ul>{button}")
    people = "".join(f"<li class=one><a href=/people/{number}>{name}</a>" for number, name in enumerate(PEOPLE))
    _write(folder, "people", f"<h1>People</h1><ul class=people>{people}</ul>")
    for number, title in enumerate(TITLES):
        writer = f"<a class=by href=/people/{number % 4}>{PEOPLE[number % 4]}</a>"
        facts = f"<dl class=facts><dt>Author</dt><dd>{writer}</dd><dt>Pages</dt><dd>{100 + 7 * number}</dd></dl>"
        _write(folder, f"books/{number}", f"<article class=book><h1>The {title} House</h1>{facts}</article>")
    for number, name in enumerate(PEOPLE):
        works = "".join(f"<li><a class=work href=/books/{book}>Book</a>" for book in (number, number + 4))
        about = f"<h1>{name}</h1><p class=born>{1940 + 3 * number}</p><p class=city>{CITIES[number]}</p>"
        _write(folder, f"people/{number}", f"<section class=person>{about}<ul>{works}</ul></section>")
    return folder


async def _surveyed(folder: Path, pages: Path) -> None:
    options = rdfcrawl.RunOptions(replay=str(pages), engine=Engine.HTTP)
    await rdfcrawl.run(model_of_text(SURVEY, "survey"), store=folder / "store", options=options)


async def test_a_survey_becomes_a_model_that_runs_on_its_own_archive(pages: Path, tmp_path: Path) -> None:
    """Both kinds of objects, the lists that lead to them, and the links from one to the other."""
    await _surveyed(tmp_path, pages)
    model = tmp_path / "model.ttl"
    command = Command("draft", "--from-archive", "latest", "--store", str(tmp_path / "store"), "-o", str(model))
    assert await command.ended() == 0, command.said
    assert "17 pages at addresses of" in command.said
    assert check_text(model.read_text(), "draft").findings == ()
    options = rdfcrawl.RunOptions(replay="run:latest", engine=Engine.HTTP)
    finished = await rdfcrawl.run(model, store=tmp_path / "store", options=options)
    assert finished.report.problems == ()
    assert finished.report.record.counts.objects == {"item://book": 8, "item://people": 4}
    text = model.read_text()
    assert ":next" in text
    assert "class='by'" in text
    assert "class='work'" in text


async def test_the_same_survey_gives_the_same_text(pages: Path, tmp_path: Path) -> None:
    """The order in which pages are stored or looked at does not matter."""
    await _surveyed(tmp_path, pages)
    store = open_store(tmp_path / "store")
    drafts = [(await draft_from_archive("latest", store)).model for _ in range(2)]
    assert drafts[0] == drafts[1]


async def test_only_a_survey_with_pages_of_one_kind_is_drafted_from(pages: Path, tmp_path: Path) -> None:
    """One sentence for a run that is no survey, and for a site without two pages of a kind."""
    for path in (pages / "shop.example").rglob("*.html"):
        if path.stem not in ("index", "about"):
            path.unlink()
    await _surveyed(tmp_path, pages)
    with pytest.raises(NothingToDraft, match="no two pages of this survey"):
        await draft_from_archive("latest", open_store(tmp_path / "store"))
    with pytest.raises(UsageError, match="there is no run"):
        await draft_from_archive("7", open_store(tmp_path / "store"))


def test_addresses_of_one_kind_have_one_shape() -> None:
    """Numbers and names that vary are left open, words of the site stay; parameters count by their names."""
    books = [f"{HOST}/books/{number}/{title}" for number, title in enumerate(TITLES)]
    others = [f"{HOST}/about", f"{HOST}/list", f"{HOST}/list?page=2", f"{HOST}/list?page=3&utm_source=x"]
    shapes = shapes_of([*books, *others])
    assert len({shapes[address] for address in books}) == 1
    assert shapes[books[0]][3:] == ("books", "0", "*")
    assert shapes[others[2]] == shapes[others[3]] != shapes[others[1]]
    assert shapes[others[0]] != shapes[others[1]]


def test_large_surveys_have_few_shapes() -> None:
    """Twenty thousand pages of three kinds are three clusters, the largest first, and their order does not matter."""
    addresses = [f"{HOST}/a/{number}" for number in range(12_000)]
    addresses += [f"{HOST}/b/{number % 50}/name-{number}" for number in range(6_000)]
    addresses += [f"{HOST}/c/{number}.html" for number in range(2_000)]
    depths = {address: len(address) for address in addresses}
    clusters = by_shape(depths)
    assert [len(cluster.addresses) for cluster in clusters] == [12_000, 6_000, 2_000]
    backwards = by_shape(dict(reversed(depths.items())))
    assert [cluster.addresses for cluster in backwards] == [cluster.addresses for cluster in clusters]
