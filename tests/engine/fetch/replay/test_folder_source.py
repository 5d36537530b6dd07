"""A folder ``host/path`` that answers in place of the network."""

from __future__ import annotations

from pathlib import Path

import pytest

from rdfcrawl.engine.fetch.replay.folder import FolderSource
from rdfcrawl.engine.fetch.session import Exchange
from rdfcrawl.errors import UsageError

SITE = "http://site.example"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small site."""
    site = tmp_path / "pages" / "site.example"
    for name in (
        "index.html",
        "list.html",
        "list@page=2.html",
        "list@page=2&sort=name.html",
        "plain",
        "deep/index.html",
        "deep/index@q=1.html",
        "feed.xml",
        "my page.html",
        "data.json@id=1",
    ):
        file = site / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    (tmp_path / "secret.html").write_text("secret")
    (tmp_path / "pages" / "responses.toml").write_text(
        f'["{SITE}/old"]\nstatus = 301\nheaders = {{ Location = "/list" }}\n'
        f'["{SITE}/plain"]\nheaders = {{ Content-Type = "text/plain" }}\n'
    )
    return tmp_path / "pages"


async def answer(folder: Path, address: str) -> Exchange | None:
    return await FolderSource(folder).answer(address)


@pytest.mark.parametrize(
    ("address", "file"),
    [
        ("/", "index.html"),
        ("", "index.html"),
        ("/list", "list.html"),
        ("/list.html", "list.html"),
        ("/list/", "list.html"),
        ("/list#part", "list.html"),
        ("/plain", "plain"),
        ("/deep", "deep/index.html"),
        ("/deep/", "deep/index.html"),
        ("/deep?q=1", "deep/index@q=1.html"),
        ("/my%20page", "my page.html"),
        ("/data.json?id=1", "data.json@id=1"),
    ],
)
async def test_an_address_is_a_file(folder: Path, address: str, file: str) -> None:
    """With and without ``.html``, with and without a slash at the end, or the index of a folder."""
    found = await answer(folder, SITE + address)
    assert found is not None
    assert found.body.decode() == file
    assert found.status == 200


@pytest.mark.parametrize(
    ("query", "file"),
    [
        ("?page=2", "list@page=2.html"),
        ("?ref=x&page=2", "list@page=2.html"),
        ("?sort=name&page=2", "list@page=2&sort=name.html"),
        ("?page=3", "list.html"),
        ("?sort=name", "list.html"),
    ],
)
async def test_the_file_with_the_most_parameters_answers(folder: Path, query: str, file: str) -> None:
    """A file needs its own parameters, in any order; others change nothing."""
    found = await answer(folder, f"{SITE}/list{query}")
    assert found is not None
    assert found.body.decode() == file


@pytest.mark.parametrize(
    "address",
    [
        f"{SITE}/unknown",
        f"{SITE}/deep/unknown/page",
        "http://other.example/list",
        f"{SITE}/../../secret",
        f"{SITE}/%2e%2e/%2e%2e/secret",
        "http://../secret",
        f"{SITE}/{'x' * 300}",
        f"{SITE}/{'x' * 300}/page",
        f"{SITE}/nul%00",
    ],
)
async def test_what_is_not_in_the_folder_has_no_answer(folder: Path, address: str) -> None:
    """Neither unknown addresses nor those that lead out of the folder nor names that no file can have."""
    assert await answer(folder, address) is None


@pytest.mark.parametrize(
    ("address", "kind"),
    [("/list", "text/html"), ("/feed.xml", "xml"), ("/data.json?id=1", "application/json"), ("/plain", "text/plain")],
)
async def test_the_name_of_the_file_says_its_kind(folder: Path, address: str, kind: str) -> None:
    """HTML unless the name says otherwise; ``responses.toml`` has the last word."""
    found = await answer(folder, SITE + address)
    assert found is not None
    assert dict(found.headers)["Content-Type"].endswith(kind)


async def test_answers_can_have_another_status_and_other_headers(folder: Path) -> None:
    """An address can be answered without any file."""
    found = await answer(folder, f"{SITE}/old#part")
    assert found is not None
    assert (found.status, dict(found.headers), found.body) == (301, {"Location": "/list"}, b"")


async def test_earlier_folders_go_before_later_ones(folder: Path, tmp_path: Path) -> None:
    """A second state of a site holds only the files that differ."""
    newer = tmp_path / "newer" / "site.example"
    newer.mkdir(parents=True)
    (newer / "list.html").write_text("new")
    source = FolderSource(tmp_path / "newer", folder)
    changed, same = await source.answer(f"{SITE}/list"), await source.answer(f"{SITE}/plain")
    assert changed is not None
    assert same is not None
    assert (changed.body, same.body) == (b"new", b"plain")


async def test_a_new_source_sees_new_files(folder: Path) -> None:
    """What one run has looked up does not bind the next."""
    assert await answer(folder, f"{SITE}/late") is None
    (folder / "site.example" / "late.html").write_text("late")
    assert await answer(folder, f"{SITE}/late") is not None


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """The message names it."""
    with pytest.raises(UsageError, match="missing"):
        FolderSource(tmp_path / "missing")
