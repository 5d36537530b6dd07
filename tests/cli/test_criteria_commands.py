"""Criteria on the command line: one page tried out, a find explained, weights changed on what is archived, reports."""

from __future__ import annotations

import json
from pathlib import Path

import lxml.html
import pytest

from rdfcrawl.store.folder import open_store
from tests.commands import Command
from tests.office_files import pdf
from tests.publish.conftest import serving

MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix call: <property://call/> . @prefix is: <criterion://> .
<model:> :section <https://calls.example/> .
<https://calls.example/> :page page:site .
page:site :type type:site ; :criterion is:call , is:date , is:journal ; :threshold 3 ; :target page:call ;
    :lead [ :contains "call" ; :weight 2 ] , [ :contains "imprint" ; :weight -5 ] ; :leadThreshold 0 .
is:call :contains "call for papers" ; :weight WEIGHT .
is:date :containsDate true .
is:journal :contains "journal" ; :weight -1.5 .
page:call :type type:object ; :item item:call .
item:call :path "//body" ; :property call:title .
call:title :path ".//h1" .
"""
PAGES = {
    "index.html": '<h1>Start</h1><a href="/icse">call</a> <a href="/imprint">imprint</a> <a href="/call.pdf">PDF</a>',
    "icse": "<title>ICSE</title><h1>Call for<br>Papers</h1><p>The deadline is 5 October 2026, as ever.",
    "imprint": "<p>imprint",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site, a model of it, and a store with a run of it."""
    folder = tmp_path_factory.mktemp("criteria")
    host = folder / "site" / "calls.example"
    host.mkdir(parents=True)
    for name, body in PAGES.items():
        (host / name).write_text(f"<html><body>{body}")
    (host / "call.pdf").write_bytes(pdf("Call for papers until 1 May 2027"))
    for weight in (2, 0):
        (folder / f"weight-{weight}.ttl").write_text(MODEL.replace("WEIGHT", str(weight)))
    run(folder, "run", f"{folder}/weight-2.ttl", "--replay", f"{folder}/site", "--engine", "http", "--store", "STORE")
    return folder


def run(folder: Path, *arguments: str) -> str:
    """What a command prints; it must succeed."""
    command = Command(*(one.replace("STORE", f"{folder}/store") for one in arguments))
    assert command.wait() == 0, command.said
    return command.printed


def test_a_page_that_is_tried_shows_each_criterion_with_its_place(folder: Path) -> None:
    """Whether it is met, the match with what stands around it, its weight and the sum."""
    model, site = f"{folder}/weight-2.ttl", f"{folder}/site"
    lines = run(folder, "try", model, "https://calls.example/icse", "--replay", site, "--engine", "http").splitlines()
    assert lines[:7] == [
        "find: score 3, the threshold is 3",
        '    +2  contains "call for papers"',
        "        text: Call for Papers",
        "    +1  contains a date",
        "        text: The deadline is 5 October 2026, as ever.",
        '        not met: contains "journal" (-1.5)',
        "",
    ]
    printed = run(
        folder, "try", model, "https://calls.example/icse", "--replay", site, "--engine", "http", "--format", "json"
    )
    said = json.loads(printed)["score"]
    assert (said["score"], said["find"]) == ("3", True)
    date = next(verdict for verdict in said["verdicts"] if verdict["iri"] == "criterion://date")
    assert (date["before"], date["match"], date["after"]) == ("The deadline is ", "5 October 2026", ", as ever.")


def test_a_page_that_is_tried_shows_what_its_links_weigh(folder: Path) -> None:
    """The heaviest first, and those that would not be followed."""
    site = f"{folder}/site"
    printed = run(folder, "try", f"{folder}/weight-2.ttl", "https://calls.example/", "--replay", site)
    assert printed.splitlines()[-4:] == [
        "3 addresses of the site:",
        "       2  https://calls.example/icse",
        "       0  https://calls.example/call.pdf",
        "      -5  https://calls.example/imprint  (below :leadThreshold)",
    ]


@pytest.mark.parametrize("name", ["icse", "call.pdf"])
def test_a_find_is_explained_from_the_archive(folder: Path, name: str) -> None:
    """A page or a document, by the model of its run."""
    printed = run(folder, "explain", f"https://calls.example/{name}", "--store", "STORE")
    assert "find: score 3, the threshold is 3" in printed
    assert '    +2  contains "call for papers"' in printed
    assert "in " + str(folder / "store" / "archive") in printed


def test_the_page_of_a_survey_lists_its_finds(folder: Path) -> None:
    """With their titles, scores and criteria in words."""
    with serving(open_store(f"{folder}/store")) as server:
        (record,) = [one for one in open_store(f"{folder}/store").runs.records() if one.model.source.endswith("2.ttl")]
        while (answer := server.get(f"/run/{record.id}/survey", accept="text/html")).status == 503:
            pass
    rows = lxml.html.document_fromstring(answer.text).xpath("//section[h2/@id='finds']//tbody/tr")
    assert [row.xpath("string(td[1])") for row in rows] == ["3", "3"]
    assert [row.xpath("string(th/a)") for row in rows] == ["https://calls.example/call.pdf", "ICSE"]
    assert rows[1].xpath("th//li/bdi/text()") == ['contains "call for papers"', "contains a date"]


def test_an_archive_is_replayed_with_other_weights(folder: Path) -> None:
    """Nothing is fetched; what was a find is none any more, and that is no change of the site."""
    (first,) = json.loads(run(folder, "runs", "--store", "STORE", "--format", "json"))
    again = f"{folder}/weight-0.ttl"
    run(folder, "run", again, "--replay", f"run:{first['id']}", "--engine", "http", "--store", "STORE")
    question = "SELECT ?page ?score { ?page <predicate://site/score> ?score } ORDER BY ?page"
    rows = run(folder, "query", question, "--format", "csv", "--store", "STORE").splitlines()
    assert rows[1:] == ["https://calls.example/,0", "https://calls.example/call.pdf,1", "https://calls.example/icse,1"]
    finds = run(
        folder, "query", "SELECT ?page { ?page <predicate://site/find> true }", "--format", "csv", "--store", "STORE"
    )
    assert finds.splitlines() == ["page"]
    report = json.loads(run(folder, "report", str(first["id"]), "--format", "json", "--store", "STORE"))
    assert [(one["address"], one["score"], one["title"]) for one in report["finds"]] == [
        ("https://calls.example/call.pdf", 3, ""),
        ("https://calls.example/icse", 3, "ICSE"),
    ]
    assert report["finds"][1]["meets"] == 'contains "call for papers"; contains a date'
    assert json.loads(run(folder, "report", "--format", "json", "--store", "STORE"))["finds"] == []
