"""What went wrong: grouped in the report of a run, and shown again by ``rdfcrawl problems`` and on the run's page."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from rdfcrawl.store.folder import open_store
from tests.commands import Command
from tests.publish.conftest import serving

MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix quote: <property://quote/> . @prefix author: <property://author/> . @prefix link: <link://> .
<model:> :section <http://quotes.example/> .
<http://quotes.example/> :page page:scroll .
page:scroll :type type:objects ; :item item:quote ; :link link:author .
link:author :path ".//a" ; :target page:author .
page:author :type type:object ; :item item:author .
item:quote :path "//q" ; :property quote:text , quote:author .
quote:text :path "./b" .
quote:author :path "./small" .
item:author :path "//main" ; :property author:name , author:born .
author:name :path ".//h1" .
author:born :path ".//time" .
"""
QUOTES, AUTHORS = 7, 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site on which no quote says who said it, and no author when they were born."""
    folder = tmp_path_factory.mktemp("problems")
    site = folder / "pages" / "quotes.example"
    site.mkdir(parents=True)
    quotes = "".join(f"<q><b>Words {n}</b><a href=/author/{n % AUTHORS}>who</a></q>" for n in range(QUOTES))
    (site / "index.html").write_text(f"<!doctype html><title>Quotes</title>{quotes}")
    for number in range(AUTHORS):
        page = site / "author" / f"{number}.html"
        page.parent.mkdir(exist_ok=True)
        page.write_text(f"<!doctype html><title>Author</title><main><h1>Author {number}</h1></main>")
    (folder / "model.ttl").write_text(MODEL)
    return folder


def run(folder: Path, store: str, *options: str) -> Command:
    replay = ("--engine", "http", "--replay", str(folder / "pages"), "--store", str(folder / store))
    command = Command("run", str(folder / "model.ttl"), *replay, *options)
    assert command.wait() == 1, command.said
    return command


@pytest.fixture(scope="module")
def told(folder: Path) -> str:
    """The report of a run, which every other test looks at again."""
    return run(folder, "store", "--report", str(folder / "report.json")).said


def problems(folder: Path, *options: str) -> Command:
    command = Command("problems", *options, "--store", str(folder / "store"))
    command.wait()
    return command


def test_a_report_groups_by_kind_property_and_page(told: str, folder: Path) -> None:
    """Each with its own number and an example; nothing that a model says becomes markup or a picture."""
    assert "10 problems:\n       7 × missing quote:author on page:scroll\n           e.g. " in told
    assert "       3 × missing author:born on page:author\n           e.g. " in told
    assert "at http://quotes.example/author/0\n" in told
    assert all(len(line) <= 80 for line in told.splitlines() if "http:" not in line and str(folder) not in line)


def test_the_same_view_of_any_run_is_there_again(told: str, folder: Path) -> None:
    """Word for word what the report said."""
    again = problems(folder)
    assert again.printed in told
    assert again.printed.count(" × ") == 2
    assert again.said.startswith("10 problems in run ")


def test_all_of_them_and_some_of_them_on_demand(told: str, folder: Path) -> None:
    """By kind and by property, which may be a name with a prefix."""
    assert problems(folder, "--all").printed.count("missing quote:author on page:scroll\n") == QUOTES
    assert problems(folder, "--property", "author:born").printed.startswith("       3 × missing author:born")
    assert problems(folder, "--kind", "loop").said.startswith("no problems in run")


def test_programs_get_json_and_csv(told: str, folder: Path) -> None:
    """Groups, or every problem."""
    groups = json.loads(problems(folder, "--format", "json").printed)
    assert [(group["kind"], group["property"], group["page"], group["count"]) for group in groups] == [
        ("missing", "property://quote/author", "page://scroll", QUOTES),
        ("missing", "property://author/born", "page://author", AUTHORS),
    ]
    assert groups[0]["example"]["address"] == "http://quotes.example/"
    rows = list(csv.DictReader(io.StringIO(problems(folder, "--format", "csv", "--all").printed)))
    assert len(rows) == QUOTES + AUTHORS
    assert {row["property"] for row in rows} == {"property://quote/author", "property://author/born"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--kind", "mising"), "there is no kind of problem 'mising'; the kinds are unreachable, gone"),
        (("--property", "quote:autor"), "has no property property://quote/autor; it has author:born, author:name"),
        (("17",), "there is no run 17"),
    ],
)
def test_what_does_not_exist_is_a_mistake(told: str, folder: Path, options: tuple[str, ...], message: str) -> None:
    """And not an empty answer."""
    command = Command("problems", *options, "--store", str(folder / "store"))
    assert command.wait() == 2
    assert message in command.said


def test_the_report_as_json_says_what_the_text_says(told: str, folder: Path) -> None:
    """Counts of pages, objects and changes, and the problems in the same groups."""
    report = json.loads((folder / "report.json").read_text())
    assert report["problems"]["count"] == 10
    assert [group["count"] for group in report["problems"]["groups"]] == [QUOTES, AUTHORS]
    assert report["problems"]["groups"] == json.loads(problems(folder, "--format", "json").printed)
    assert report["objects"] == {"item://quote": QUOTES, "item://author": AUTHORS}
    assert report["changes"]["first"] is True
    assert report["changes"]["objects"] == {"added": QUOTES}
    assert f"Run {report['run'].removeprefix('run://')} has ended" in told


def test_a_quiet_run_says_nothing_and_a_verbose_one_everything(folder: Path) -> None:
    """The exit code tells of problems either way."""
    assert run(folder, "quiet", "--quiet").said == ""
    said = run(folder, "verbose", "--verbose").said
    assert "http://quotes.example/  over HTTP, " in said
    assert "\n  missing: " in said
    assert said.count("  over HTTP, ") == 1 + AUTHORS
    both = Command("run", str(folder / "model.ttl"), "--quiet", "--verbose")
    assert both.wait() == 2
    assert "--quiet and --verbose contradict each other" in both.said


def test_a_report_that_cannot_be_written_is_noticed_before_the_run(folder: Path) -> None:
    """Not when hours of crawling are over."""
    report = folder / "nowhere" / "report.json"
    command = Command("run", str(folder / "model.ttl"), "--report", str(report), "--store", str(folder / "unused"))
    assert command.wait() == 2
    assert f"the folder {report.parent} does not exist" in command.said
    assert not (folder / "unused").exists()


def test_the_page_of_the_run_has_the_same_groups_above_the_changes(told: str, folder: Path) -> None:
    """With the same numbers and words."""
    store = open_store(folder / "store")
    store.refresh()
    with serving(store) as server:
        page = server.get(f"/run/{store.runs.resolve('latest').id}", accept="text/html").text
    groups = re.findall(r'<span class="badge problem">(\d+) ×</span>\s*<div><strong><bdi>([^<]*)</bdi></strong>', page)
    assert groups == [
        ("7", "missing quote:author on page:scroll"),
        ("3", "missing author:born on page:author"),
    ]
    assert page.index("missing author:born") < page.index("<h2>Changes")
