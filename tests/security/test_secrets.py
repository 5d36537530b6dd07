"""Secrets that a model names: sent to their own origin and to nobody else, and written down nowhere."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import pytest
from aiohttp import web

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.progress import Silent
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.engine.secrets import credentials_of
from rdfcrawl.errors import ModelError, UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Section
from tests.crawling import unloaded_store
from tests.thing_site import thing_site

TERMS = '; :header "X-Token: env:SHOP_TOKEN" ; :cookie "session=env:SHOP_SESSION" '
TOKEN, SESSION = "token-5f3c9a", "session-81b2de"


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of whoever runs the model."""
    monkeypatch.setenv("SHOP_TOKEN", TOKEN)
    monkeypatch.setenv("SHOP_SESSION", SESSION)


def written(folder: Path) -> bytes:
    """Everything that is in the files of a folder, unpacked."""
    contents = []
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            contents.append(content)
            if path.suffix == ".gz":
                contents.append(gzip.decompress(content))
    return b"".join(contents)


@pytest.mark.parametrize("engine", [Engine.HTTP, Engine.BROWSER])
async def test_secrets_go_to_their_origin_only_and_stay_in_no_file(tmp_path: Path, engine: Engine) -> None:
    """Every page of the section's origin gets them, robots.txt included; a redirect to another name of it does not."""
    async with thing_site(2) as site:
        elsewhere = site.address.replace("127.0.0.1", "localhost")
        site.answers["/thing/1"] = [web.Response(status=302, headers={"Location": f"{elsewhere}/thing/0"})]
        store = unloaded_store(tmp_path / "store")
        options = RunOptions(engine=engine, allow_private=True)
        await run_model(site.model(tmp_path, TERMS), store, options, observer=Silent())
        assert {asked.path for asked in site.log} >= {"/robots.txt", "/list", "/thing/0", "/thing/1"}
    for asked in site.log:
        is_own = asked.headers["Host"].startswith("127.0.0.1")
        assert asked.headers.get("X-Token") == (TOKEN if is_own else None), asked
        assert (SESSION in asked.headers.get("Cookie", "")) is is_own, asked
    kept = written(store.folder)
    assert b"/thing/0" in kept
    assert b"SHOP_TOKEN" in kept
    assert TOKEN.encode() not in kept
    assert SESSION.encode() not in kept


def test_the_origin_is_scheme_host_and_port() -> None:
    """Sections of one origin share what they name."""
    sections = [
        Section("https://shop.example/a", "page://a", headers=("Authorization: env:A",)),
        Section("https://shop.example/b", "page://a", cookies=("x=env:B", "y=env:A")),
        Section("https://shop.example:8443/", "page://a", headers=("Authorization:env:B",)),
    ]
    assert credentials_of(sections, {"A": "1", "B": "2"}) == {
        "https://shop.example": {"Authorization": "1", "Cookie": "x=2; y=1"},
        "https://shop.example:8443": {"Authorization": "2"},
    }


@pytest.mark.parametrize(
    ("value", "reason"), [("", "not set"), ("  ", "not set"), ("a\r\nX-Evil: 1", "a header cannot hold")]
)
def test_a_variable_that_cannot_be_sent_is_named_without_its_value(value: str, reason: str) -> None:
    """Before anything is asked for."""
    section = Section("https://shop.example/", "page://a", headers=("Authorization: env:SHOP",))
    with pytest.raises(UsageError, match=reason) as error:
        credentials_of([section], {"SHOP": value})
    assert "SHOP" in str(error.value)
    assert "Evil" not in str(error.value)


@pytest.mark.parametrize(
    "term", [':header "Authorization: Bearer abc"', ':header "a b: env:X"', ':cookie "session=abc"']
)
async def test_a_secret_in_the_model_itself_is_an_error(tmp_path: Path, term: str) -> None:
    """Models are shared; the message shows how it is done."""
    async with thing_site(0) as site:
        path = tmp_path / "model.ttl"
        path.write_text(site.turtle(f"; {term} "))
    with pytest.raises(ModelError, match="never the value"):
        load_model(path)


def test_nothing_here_would_pass_by_a_wrong_spelling(tmp_path: Path) -> None:
    """The search through files finds what is in compressed ones."""
    (tmp_path / "a.gz").write_bytes(gzip.compress(TOKEN.encode()))
    (tmp_path / "b").write_bytes(zlib.compress(b"x"))
    assert TOKEN.encode() in written(tmp_path)
