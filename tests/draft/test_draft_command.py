"""``rdfcrawl draft`` on a real server and on the example sites: what it writes runs, useless pages get a sentence."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

import rdfcrawl
from rdfcrawl.errors import UsageError
from tests.commands import Command
from tests.draft.pages import BOOKS, book_page, list_page, table_page
from tests.sampling import sampled
from tests.serving import serving

SITES = Path(__file__).parents[2] / "examples/sites"
LINKS = [f'<a href="/x/{number}">link {number}</a> ' for number in range(20_001)]
USELESS = {
    "/login": "<h1>Welcome</h1><form><input name=user><input type=password></form><p>Please sign in<p>to go on",
    "/empty": "<p></p>",
    "/header": "<form><input type=password></form>" + "".join(f"<p>Fact {number} of many" for number in range(120)),
    "/farm": "".join(LINKS[:5_000]),
    "/flood": "".join(LINKS),
    "/essay": "<h1>On walking</h1>" + "".join(f"<p>Sentence number {number} of an essay." for number in range(30)),
}

DATA = {
    "/api": ("application/json", '{"books": [{"title": "Winter Light"}, {"title": "Summer Light"}]}'),
    "/export": ("text/csv", "title,price\nWinter Light,12\n"),
    "/feed": ("application/rss+xml", "<rss><channel><item><title>News</title></item></channel></rss>"),
}


async def _answer(request: web.Request) -> web.Response:
    path = request.path
    if path == "/list":
        return _page(list_page(int(request.query.get("page", "0"))))
    if path.startswith("/books/"):
        return _page(book_page(int(path.rpartition("/")[2])))
    if path == "/prices":
        return _page(table_page())
    if path in USELESS:
        return _page(f"<!DOCTYPE html><html><body>{USELESS[path]}</body></html>")
    if path in DATA:
        return web.Response(text=DATA[path][1], content_type=DATA[path][0])
    if path == "/picture":
        return web.Response(body=b"\x89PNG\r\n", content_type="image/png")
    if path == "/round":
        return web.Response(status=302, headers={"Location": path})
    if path == "/robots.txt":
        return web.Response(text="User-agent: *\nDisallow: /secret")
    return web.Response(status=404)


def _page(markup: str) -> web.Response:
    return web.Response(text=markup, content_type="text/html")


@pytest.fixture
async def site() -> AsyncIterator[str]:
    async with serving(_answer) as address:
        yield address


async def _drafted(model: Path, *arguments: str) -> Command:
    command = Command("draft", *arguments, "-o", str(model), "--engine", "http")
    assert await command.ended() == 0, command.said
    return command


async def test_a_list_becomes_a_model_that_runs_without_a_problem(site: str, tmp_path: Path) -> None:
    """From one address: the list, its next page, and every book behind it."""
    command = await _drafted(tmp_path / "model.ttl", f"{site}/list")
    assert "book:author" in command.said
    finished = await rdfcrawl.run(tmp_path / "model.ttl", store=tmp_path / "store")
    assert finished.report.problems == ()
    assert finished.changes is not None
    text = (tmp_path / "model.ttl").read_text()
    assert ":next" in text
    assert "# 6 of 6 pages: " in text


async def test_the_same_pages_give_the_same_text(site: str, tmp_path: Path) -> None:
    """Two drafts do not differ in a byte."""
    for name in ("one.ttl", "two.ttl"):
        await _drafted(tmp_path / name, f"{site}/list")
    assert (tmp_path / "one.ttl").read_bytes() == (tmp_path / "two.ttl").read_bytes()


async def test_some_pages_of_objects_are_enough(site: str, tmp_path: Path) -> None:
    """Without any list each of them is a section."""
    await _drafted(tmp_path / "model.ttl", *(f"{site}/books/{number}" for number in range(4)))
    finished = await rdfcrawl.run(tmp_path / "model.ttl", store=tmp_path / "store")
    assert finished.report.problems == ()


async def test_rows_without_pages_become_objects(site: str, tmp_path: Path) -> None:
    """The names of the columns are those of the properties."""
    await _drafted(tmp_path / "model.ttl", f"{site}/prices")
    text = (tmp_path / "model.ttl").read_text()
    assert "type:objects" in text
    assert all(f":{name}" in text for name in ("title", "price", "since"))
    assert rdfcrawl.load_model(tmp_path / "model.ttl")


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/login", "asks for a login"),
        ("/empty", "next to no text; perhaps a browser shows more"),
        ("/farm", "none of the pages that its list leads to shows anything, such as http"),
        ("/flood", "this page has 20,001 links, too many"),
        ("/essay", "no list of records"),
        ("/header", "no list of records"),
    ],
)
async def test_a_useless_page_gets_one_sentence_and_no_model(
    site: str, tmp_path: Path, path: str, sentence: str
) -> None:
    """Exit code 1, and no file."""
    command = Command("draft", f"{site}{path}", "-o", str(tmp_path / "model.ttl"), "--engine", "http")
    assert await command.ended() == 1, command.said
    assert sentence in command.said.splitlines()[-1]
    assert not (tmp_path / "model.ttl").exists()


@pytest.mark.parametrize(("path", "what"), [("/api", "JSON"), ("/export", "CSV"), ("/feed", "XML")])
async def test_data_for_programs_are_called_what_they_are(site: str, tmp_path: Path, path: str, what: str) -> None:
    """No browser is tried, which would not show more of them."""
    command = Command("draft", f"{site}{path}", "-o", str(tmp_path / "model.ttl"))
    assert await command.ended() == 1, command.said
    (said,) = command.said.splitlines()[1:]
    assert f"{path}: this is {what}; drafts are made of HTML pages, but a model can read it" in said


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/nowhere", "the server answered 404: there is no such page"),
        ("/picture", "image/png has no elements"),
        ("/round", "more than 10 redirects, last to"),
    ],
)
async def test_what_is_no_page_gets_one_sentence_before_another_page_is_read(
    site: str, tmp_path: Path, path: str, sentence: str
) -> None:
    """Exit code 2: with this address nothing can be done."""
    command = Command("draft", f"{site}{path}", f"{site}/list", "-o", str(tmp_path / "model.ttl"), "--engine", "http")
    assert await command.ended() == 2, command.said
    reading, said = command.said.splitlines()
    assert reading == f"reading {site}{path}"
    assert said.startswith(f"rdfcrawl: {site}{path}: {sentence}")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("http://127.0.0.1:9/", "-o", "no/such/model.ttl"), "there is no folder no/such"),
        (("ftp://127.0.0.1/list",), "this is no address of a web page"),
        (("127.0.0.1/list",), "this is no address of a web page"),
    ],
)
async def test_what_cannot_work_is_said_before_anything_is_read(arguments: tuple[str, ...], sentence: str) -> None:
    """One sentence, and no request."""
    command = Command("draft", *arguments)
    assert await command.ended() == 2
    assert sentence in command.said
    assert "reading" not in command.said


async def test_robots_are_heard(site: str, tmp_path: Path) -> None:
    """A page that robots.txt forbids is not looked at."""
    command = Command("draft", f"{site}/secret/list", "-o", str(tmp_path / "model.ttl"), "--engine", "http")
    assert await command.ended() == 2
    assert "robots.txt does not allow it" in command.said


EXAMPLES = {
    "chefkoch": (
        (
            "http://www.chefkoch.de/rs/s0/Donauwelle/Rezepte.html",
            "http://www.chefkoch.de/rs/s0/Kaiserschmarrn/Rezepte.html",
        ),
        ("rezepte:title", "rezepte:rating", "rezepte:arbeitszeit", "rezepte:portionen", ":sub  page:ingredientList"),
    ),
    "bundestag": (
        ("https://www.bundestag.de/bundestag/parteienfinanzierung/fundstellen50000",),
        ("type:objects", "xsd:decimal", "xsd:date", ":next"),
    ),
    "imdb": (
        ("http://www.imdb.com/chart/toptv/",),
        (":target page:title", ":target page:season", ":target page:episode", ":sub   page:episodes"),
    ),
}


@pytest.mark.parametrize("name", sampled(EXAMPLES, ["chefkoch"]))
async def test_the_example_sites_are_drafted_and_run(name: str, tmp_path: Path) -> None:
    """What the draft demands of all pages is announced; nothing else goes wrong in its run."""
    addresses, parts = EXAMPLES[name]
    command = await _drafted(tmp_path / "model.ttl", *addresses, "--replay", str(SITES))
    text = (tmp_path / "model.ttl").read_text()
    assert [part for part in parts if part not in text] == []
    options = rdfcrawl.RunOptions(replay=str(SITES), engine=rdfcrawl.Engine.HTTP)
    finished = await rdfcrawl.run(tmp_path / "model.ttl", store=tmp_path / "store", options=options)
    for group in finished.report.problems:
        assert group.kind == "missing"
        item, _, local = group.property.removeprefix("property://").partition("/")
        assert f"{item}:{local}" in command.said.partition("all samples have")[2]


async def test_python_gets_the_model_the_samples_and_the_doubts(site: str) -> None:
    """``rdfcrawl.draft`` is the same without a command."""
    draft = await rdfcrawl.draft([f"{site}/list"], engine=rdfcrawl.Engine.HTTP)
    titles = next(found for found in draft.samples if found.name == "title")
    assert titles.samples[0] == BOOKS[0][0]
    assert draft.model.startswith("# 127.0.0.1: book")
    assert [doubt for doubt in draft.doubts if "book:price" in doubt and "reported as missing" in doubt]
    assert [doubt for doubt in draft.doubts if "book:price" in doubt and "reported as misfit" in doubt]


async def test_pages_at_hand_are_drafted_without_fetching_anything() -> None:
    """As text or as bytes; they are either all given, or all named by their addresses."""
    texts = [(f"http://books.test/books/{number}", book_page(number)) for number in range(4)]
    as_bytes = [(address, text.encode()) for address, text in texts]
    drafts = [await rdfcrawl.draft(pages) for pages in (texts, as_bytes)]
    assert drafts[0] == drafts[1]
    assert {"author", "price", "pages", "published"} <= {found.name for found in drafts[0].samples}
    with pytest.raises(UsageError, match="give all of them with their content"):
        await rdfcrawl.draft([*texts, "http://books.test/list"])
