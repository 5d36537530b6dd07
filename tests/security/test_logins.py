"""Sections behind a login: a real site with a hidden token, over plain HTTP and in the browser."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from urllib.parse import quote_plus

import pytest
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.logins import _is_at
from rdfcrawl.engine.inspect.trial import try_page
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.errors import Stopped, UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Login, Model
from tests.commands import Command
from tests.crawling import Crawled, crawl, read_run, unloaded_store
from tests.sampling import sampled
from tests.security.test_secrets import written
from tests.serving import serving

_EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path.append(str(_EXAMPLES))
from members_server import USER, MembersServer  # noqa: E402

PASSWORD = "sesame & öl"
HUSUM = ["Grete Lind", "Lea Kern", "Tom Hale"]


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The environment of whoever runs the model."""
    monkeypatch.setenv("RDFCRAWL_SECRET_USER", USER)
    monkeypatch.setenv("RDFCRAWL_SECRET_PASSWORD", PASSWORD)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def site() -> Iterator[MembersServer]:
    """The site of the example, on a free port."""
    server = MembersServer(password=PASSWORD)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def model_of(site: MembersServer, folder: Path) -> Model:
    """The example's model for this site."""
    text = (_EXAMPLES / "models/members.ttl").read_text(encoding="utf-8")
    path = folder / "members.ttl"
    path.write_text(text.replace("http://127.0.0.1:8765", site.address), encoding="utf-8")
    return load_model(path)


def assert_no_secret_is_kept(site: MembersServer, folder: Path) -> None:
    """What was read is in the files of a store, and nothing that opens the door."""
    files = written(folder / "store")
    assert b"Grete Lind" in files
    for secret in (*site.sessions, PASSWORD, quote_plus(PASSWORD)):
        assert secret.encode() not in files
    assert not list((folder / "state").rglob("*.json"))


def names(crawled: Crawled) -> list[str]:
    """The names of the members that were found."""
    return sorted(line.split('"')[1] for line in crawled.triples if "<property://member/name>" in line)


@pytest.mark.parametrize("engine", sampled([Engine.AUTO, Engine.HTTP, Engine.BROWSER], {Engine.AUTO}))
async def test_a_section_behind_a_login_is_read(site: MembersServer, tmp_path: Path, engine: Engine) -> None:
    """One login for the whole run, with the hidden token; the list of the search form goes on; no secret is kept."""
    crawled = await crawl(model_of(site, tmp_path), tmp_path / "store", engine=engine)
    assert names(crawled) == HUSUM
    assert crawled.problems == ()
    assert site.logins == [True]
    assert_no_secret_is_kept(site, tmp_path)


@pytest.mark.parametrize("engine", sampled([Engine.AUTO, Engine.BROWSER], {Engine.AUTO}))
async def test_a_login_that_fails_is_one_problem(site: MembersServer, tmp_path: Path, engine: Engine) -> None:
    """At the start, tried once, because accounts are locked after a few attempts; nothing else is read."""
    site.password = "another"
    crawled = await crawl(model_of(site, tmp_path), tmp_path / "store", engine=engine)
    assert [(problem["kind"], problem["address"]) for problem in crawled.problems] == [
        ("login", f"{site.address}/members")
    ]
    assert "are the values right?" in crawled.problems[0]["reason"]
    assert site.logins == [False]
    assert crawled.triples == frozenset()


@pytest.mark.parametrize("engine", sampled([Engine.HTTP, Engine.BROWSER], [Engine.HTTP]))
async def test_a_session_that_is_lost_is_renewed(site: MembersServer, tmp_path: Path, engine: Engine) -> None:
    """However often the site ends it; every page is read, and no secret is kept."""
    site.pages_per_session = 4
    crawled = await crawl(model_of(site, tmp_path), tmp_path / "store", engine=engine)
    assert names(crawled) == HUSUM
    assert crawled.problems == ()
    assert len(site.logins) > 1
    assert all(site.logins)
    assert_no_secret_is_kept(site, tmp_path)


async def test_the_next_start_of_a_run_goes_on_with_its_session(site: MembersServer, tmp_path: Path) -> None:
    """A run that is stopped keeps its session outside the store, for its user only; the end of the run removes it."""
    model, store = model_of(site, tmp_path), unloaded_store(tmp_path / "store")
    stop = asyncio.Event()
    shown = site.RequestHandlerClass._show_member

    def stopping(answer: object, *member: str) -> None:
        loop.call_soon_threadsafe(stop.set)
        shown(answer, *member)

    loop = asyncio.get_running_loop()
    site.RequestHandlerClass._show_member = stopping
    try:
        with pytest.raises(Stopped):
            await run_model(model, store, RunOptions(engine=Engine.HTTP), stop=stop)
    finally:
        site.RequestHandlerClass._show_member = shown
    (kept,) = (tmp_path / "state").rglob("*.json")
    assert kept.stat().st_mode & 0o077 == 0
    assert next(iter(site.sessions)) in kept.read_text()
    assert next(iter(site.sessions)).encode() not in written(tmp_path / "store")
    report = await run_model(model, store, RunOptions(engine=Engine.HTTP))
    assert names(read_run(store, report.record)) == HUSUM
    assert site.logins == [True]
    assert not kept.exists()


async def test_a_login_that_fails_in_the_middle_stops_the_run(site: MembersServer, tmp_path: Path) -> None:
    """Ten thousand pages would have the same problem; when the password is mended, the same command goes on."""
    model, store = model_of(site, tmp_path), unloaded_store(tmp_path / "store")
    shown = site.RequestHandlerClass._show_found

    def ending(answer: object, place: str, page: int) -> None:
        shown(answer, place, page)
        site.sessions.clear()
        site.password = "another"

    site.RequestHandlerClass._show_found = ending
    try:
        with pytest.raises(Stopped, match=r"the login at .* fails: .* the same command resumes the run"):
            await run_model(model, store, RunOptions(engine=Engine.HTTP))
    finally:
        site.RequestHandlerClass._show_found = shown
    site.password = PASSWORD
    report = await run_model(model, store, RunOptions(engine=Engine.HTTP))
    crawled = read_run(store, report.record)
    assert names(crawled) == HUSUM
    assert crawled.problems == ()


async def test_an_archive_of_a_session_can_be_replayed_without_secrets(
    site: MembersServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pages are there, the form is sent to the archive, nobody logs in."""
    model, store = model_of(site, tmp_path), unloaded_store(tmp_path / "store")
    first = await run_model(model, store, RunOptions(engine=Engine.HTTP))
    monkeypatch.delenv("RDFCRAWL_SECRET_PASSWORD")
    again = await run_model(model, store, RunOptions(engine=Engine.HTTP, replay=f"run:{first.record.id}"))
    assert read_run(store, again.record).triples == read_run(store, first.record).triples
    assert site.logins == [True]


async def test_one_page_behind_a_login_can_be_tried(site: MembersServer, tmp_path: Path) -> None:
    """With a login before, and with a clear sentence where that fails."""
    model = model_of(site, tmp_path)
    trial = await try_page(model, f"{site.address}/members/1")
    assert [value.steps.raw for value in trial.values if value.steps] == ["Grete Lind", "Husum", "2019-04-01"]
    site.password = "another"
    with pytest.raises(UsageError, match=r"the login at .* fails"):
        await try_page(model, f"{site.address}/members/1")


@pytest.mark.parametrize(
    ("address", "is_login"),
    [
        ("http://a.example/login?next=/x#y", True),
        ("http://a.example/login", True),
        ("http://a.example/login/help", False),
        ("http://b.example/login", False),
    ],
)
def test_a_page_that_leads_to_the_login_is_recognised(address: str, is_login: bool) -> None:
    """Whatever the site adds to it, where the model's own address has no parameters."""
    assert _is_at(Login("http://a.example/login", (), "//b", "//c"), address) is is_login
    with_page = Login("http://a.example/login?page=7", (), "//b", "//c")
    assert not _is_at(with_page, "http://a.example/login?page=8")
    assert _is_at(with_page, "http://a.example/login?page=7&next=x")


async def test_a_variable_that_is_missing_or_not_meant_for_models_is_told(
    site: MembersServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is fetched, as for headers and cookies."""
    monkeypatch.delenv("RDFCRAWL_SECRET_PASSWORD")
    model = model_of(site, tmp_path)
    with pytest.raises(UsageError, match="needs the environment variable RDFCRAWL_SECRET_PASSWORD"):
        await crawl(model, tmp_path / "store")
    path = tmp_path / "members.ttl"
    path.write_text(path.read_text().replace("env:RDFCRAWL_SECRET_USER", "env:HOME"))
    with pytest.raises(UsageError, match="environment variable HOME, which models do not get"):
        await crawl(load_model(path), tmp_path / "store")


_FORM = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix p: <property://> .
<model:> :section <{start}> .
<{start}> :page page:found .
page:found :type type:objects ; :item item:row ; :submit "{submit}" ;
    :fill [ :path "{field}" ; :value "{value}" ] .
item:row :path "//li" ; :property p:name ; :key p:name .
p:name :path "." .
"""


@pytest.mark.parametrize(
    ("page", "field", "value", "kind", "reason"),
    [
        (
            "<form><input name=q><button>Go</button></form>",
            "//input[@name='x']",
            "a",
            "no-form",
            "the field //input[@name='x'] is not on the page",
        ),
        ("<form><input name=q></form>", "//input", "a", "no-form", "the button //button is not on the page"),
        (
            "<form><select name=q><option>b</select><button>Go</button></form>",
            "//select",
            "a",
            "no-form",
            "has no option a",
        ),
        (
            "<form><input name=q><button>Go</button></form>",
            "//input",
            "env:RDFCRAWL_SECRET_USER",
            "refused",
            "would show the value of env:RDFCRAWL_SECRET_USER in an address",
        ),
        (
            "<form method=post action='http://localhost:1/'><input name=q><button>Go</button></form>",
            "//input",
            "env:RDFCRAWL_SECRET_USER",
            "refused",
            "must not get the value of env:RDFCRAWL_SECRET_USER",
        ),
    ],
)
async def test_a_form_that_cannot_be_filled_is_a_problem_with_its_place(
    page: str, field: str, value: str, kind: str, reason: str, tmp_path: Path
) -> None:
    """The message names the path; a value from the environment goes neither into an address nor elsewhere."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=page, content_type="text/html")

    async with serving(answer) as address:
        path = tmp_path / "model.ttl"
        path.write_text(_FORM.format(start=f"{address}/", submit="//button", field=field, value=value))
        crawled = await crawl(path, tmp_path / "store")
    (problem,) = crawled.problems
    assert (problem["kind"], reason in problem["reason"]) == (kind, True), problem


@pytest.mark.parametrize(
    ("method", "engine"),
    [
        ("get", Engine.HTTP),
        ("post", Engine.HTTP),
        pytest.param("post", Engine.BROWSER, marks=pytest.mark.exhaustive),
        pytest.param("get", Engine.BROWSER, marks=pytest.mark.exhaustive),
    ],
)
async def test_a_form_is_sent_by_either_engine_alike(method: str, engine: Engine, tmp_path: Path) -> None:
    """With its hidden fields and its button; umlauts and reserved characters arrive as they are."""
    asked: list[dict[str, str]] = []

    async def answer(request: web.Request) -> web.Response:
        if request.path == "/found":
            sent = {
                name: str(value)
                for name, value in (await request.post() if method == "post" else request.query).items()
            }
            asked.append(sent)
            return web.Response(text=f"<ul><li>{sent['q']}</ul>", content_type="text/html")
        form = "<input type=hidden name=token value='a&amp;b'><input name=q><button name=go value=1>Go</button>"
        return web.Response(text=f"<form method={method} action=/found>{form}</form>", content_type="text/html")

    async with serving(answer) as address:
        path = tmp_path / "model.ttl"
        path.write_text(
            _FORM.format(start=f"{address}/", submit="css:button", field="css:input[name=q]", value="Zöpfe = 1&2")
        )
        crawled = await crawl(path, tmp_path / "store", engine=engine)
    assert asked == [{"token": "a&b", "q": "Zöpfe = 1&2", "go": "1"}]
    assert [line.rpartition("> ")[2] for line in crawled.triples if "property://name" in line] == ['"Zöpfe = 1&2"']
    assert crawled.problems == ()


@pytest.mark.parametrize("engine", sampled([Engine.HTTP, Engine.BROWSER], [Engine.HTTP]))
@pytest.mark.parametrize(
    ("attributes", "sent"),
    [
        ("", b"q=Z%F6pfe+%26%2320320%3B"),
        ("method=post", b"q=Z%F6pfe+%26%2320320%3B"),
        ("method=post enctype=multipart/form-data", b'name="q"\r\n\r\nZ\xf6pfe &#20320;\r\n'),
        ("accept-charset='no-such UTF-8'", b"q=Z%C3%B6pfe+%E4%BD%A0"),
    ],
    ids=["get", "post", "parts", "accepts"],
)
async def test_a_form_is_sent_in_the_characters_of_its_page(
    attributes: str, sent: bytes, engine: Engine, tmp_path: Path
) -> None:
    """As servers of old pages expect it; a character that is not among them is sent as browsers do."""
    asked: list[bytes] = []

    async def answer(request: web.Request) -> web.Response:
        if request.path == "/found":
            asked.append(await request.read() or request.raw_path.encode())
            return web.Response(text="<ul><li>x</ul>", content_type="text/html")
        body = f"<title>Größe</title><form {attributes} action=/found><input name=q><button>Go</button></form>"
        return web.Response(body=body.encode("latin-1"), headers={"Content-Type": "text/html; charset=iso-8859-1"})

    async with serving(answer) as address:
        path = tmp_path / "model.ttl"
        path.write_text(
            _FORM.format(start=f"{address}/", submit="css:button", field="css:input[name=q]", value="Zöpfe 你")
        )
        await crawl(path, tmp_path / "store", engine=engine)
    assert len(asked) == 1
    assert sent in asked[0]


def test_the_command_says_what_a_failed_login_means(site: MembersServer, tmp_path: Path) -> None:
    """One line about the login; the exit code says that there are problems."""
    site.password = "another"
    model_of(site, tmp_path)
    running = Command("run", str(tmp_path / "members.ttl"), "--store", str(tmp_path / "store"))
    assert running.wait() == 1
    assert running.said.count("the login at") == 1
