"""What a user sees when a selector dies: on the command line, in queries, on the web, and after accepting it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rdfcrawl.store.folder import open_store
from tests.commands import Command
from tests.publish.conftest import serving

_FUNCTIONS = 40
_MODEL = """\
@prefix : <predicate://> .
@prefix type: <type://> .
@prefix page: <page://> .
@prefix item: <item://> .
@prefix function: <property://function/> .
@prefix argument: <property://argument/> .

<model:> :section <http://docs.example/list> .
<http://docs.example/list> :page page:list .
page:list :type type:links ; :path "//li/a" ; :target page:function .
page:function :type type:object ; :item item:function ; :sub page:arguments .
page:arguments :type type:objects ; :item item:argument .
item:function :path "//main" ; :property function:name , function:summary .
function:name :path ".//h1" .
function:summary
    :path ".//p[@class='summary']" .
item:argument
    :path ".//dl[@class='arguments']/dt" ;
    :property argument:name .
argument:name :path "." .
"""
_ARGUMENT_LINE, _SUMMARY_LINE, _LIST_LINE = 18, 16, 10


class _Site:
    """Functions with a summary and two arguments each, as files; one command crawls it as it is now."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.model = folder / "model.ttl"
        self.model.write_text(_MODEL, encoding="utf-8")
        self.store = folder / "store"

    def write(self, names: range, arguments: str = "arguments", summary: str = "summary") -> None:
        """Write the pages of some functions, with these classes."""
        pages = self.folder / "pages/docs.example"
        pages.mkdir(parents=True, exist_ok=True)
        links = "".join(f'<li><a href="/f{name}">f{name}</a>' for name in names)
        (pages / "list.html").write_text(f"<!DOCTYPE html><title>All</title><ul>{links}</ul>", encoding="utf-8")
        for name in names:
            (pages / f"f{name}.html").write_text(
                f'<!DOCTYPE html><title>f</title><main><h1>f{name}</h1><p class="{summary}">Does {name}</p>'
                f'<dl class="{arguments}"><dt>a{name}<dt>b{name}</dl></main>',
                encoding="utf-8",
            )

    def run(self, *options: str) -> tuple[int, str]:
        """Crawl; returns the exit code and what was reported."""
        pages = str(self.folder / "pages")
        return self.command("run", str(self.model), "--replay", pages, "--no-record", "--engine", "http", *options)

    def command(self, *arguments: str) -> tuple[int, str]:
        command = Command(*arguments, "--store", str(self.store))
        code = command.wait()
        return code, command.printed + command.said

    def count(self, predicate: str) -> int:
        """How many values of a predicate the current state has."""
        query = f"SELECT (COUNT(*) AS ?n) WHERE {{ ?s <{predicate}> ?o }}"
        return int(self.command("query", query, "--format", "csv")[1].split()[-1])


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site that was crawled once."""
    made = _Site(tmp_path_factory.mktemp("site"))
    made.write(range(_FUNCTIONS))
    assert made.run()[0] == 0
    return made.folder


@pytest.fixture
def site(crawled: Path, tmp_path: Path) -> _Site:
    """A copy of it, with which a test does what it likes."""
    shutil.copytree(crawled, tmp_path, dirs_exist_ok=True)
    return _Site(tmp_path)


def test_the_class_of_a_nested_list_is_renamed(site: _Site) -> None:
    """All arguments are missing on pages that were read: nothing is removed, and the report says what died."""
    site.write(range(_FUNCTIONS), arguments="parameters")
    code, said = site.run()
    assert code == 1
    assert "80 objects suspected." in said
    assert "80 of 80 objects of item:argument are missing since run" in said
    assert (
        f"item:argument :path \".//dl[@class='arguments']/dt\" has probably died ({site.model}:{_ARGUMENT_LINE})"
        in said
    )
    assert site.count("item://argument") == 80
    with serving(open_store(site.store)) as server:
        latest = open_store(site.store).runs.ids()[-1]
        page, feed = server.get(f"/run/{latest}", accept="text/html").text, server.get("/feed.atom").text
        for text, counted in ((page, "80 suspected"), (feed, "80 objects suspected")):
            assert counted in text
            assert f"model.ttl:{_ARGUMENT_LINE}" in text
    code, said = site.command("accept")
    assert (code, "80 of 80 objects of item:argument" in said) == (0, True)
    assert site.count("item://argument") == 0
    with serving(open_store(site.store)) as server:
        page = server.get(f"/run/{latest}", accept="text/html").text
        assert "accepted as removed on" in page
        assert "80 removed" in page
    assert site.run()[0] == 0


def test_the_class_of_a_mandatory_property_is_renamed(site: _Site) -> None:
    """It is reported as missing, and not as removed; when the site is as before, nothing was ever gone."""
    site.write(range(_FUNCTIONS), summary="lead")
    code, said = site.run()
    assert code == 1
    assert "40 values suspected." in said
    assert "40 of 40 objects of item:function have no function:summary since run" in said
    assert f"has probably died ({site.model}:{_SUMMARY_LINE})" in said
    assert site.count("property://function/summary") == 40
    site.write(range(_FUNCTIONS))
    code, said = site.run()
    assert (code, "Since the previous run: no changes." in said) == (0, True)


def test_a_list_that_was_emptied_on_purpose_is_accepted(site: _Site) -> None:
    """An empty start list is suspected, whatever the number; accepting it empties the current state."""
    site.write(range(0))
    code, said = site.run()
    assert (code, "40 objects suspected." in said) == (1, True)
    assert f'page:list :path "//li/a" has probably died ({site.model}:{_LIST_LINE})' in said
    assert site.count("item://function") == 40
    assert "40 of 40 objects of item:function" in site.command("accept", "--class", "item:function")[1]
    assert site.count("item://function") == 0
    assert site.count("property://argument/name") == 0
    assert site.command("diff")[1].rstrip().endswith("40 objects removed")


def test_real_removals_still_arrive(site: _Site) -> None:
    """Five of forty are removed at once."""
    site.write(range(35))
    code, said = site.run()
    assert (code, "5 objects removed." in said) == (0, True)
    assert site.count("item://function") == 35


def test_a_partial_run_suspects_only_what_it_has_read(site: _Site) -> None:
    """What a limit left unread is not observed; what was read without its arguments is suspected."""
    site.write(range(_FUNCTIONS), arguments="parameters")
    code, said = site.run("--limit", "11")
    assert code == 1
    assert "30 objects not observed, 20 suspected." in said
    assert site.count("item://argument") == 80
