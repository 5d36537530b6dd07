"""The report of a survey and of an ordinary run, in all formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import lxml.html
import pytest

from tests.commands import Command
from tests.survey.conftest import Surveyed
from tests.survey_site import UNRESOLVED


def report(folder: Path, *arguments: str) -> str:
    command = Command("report", "--store", str(folder), *arguments)
    assert command.wait() == 0, command.said
    return command.printed


@pytest.fixture(scope="module")
def said(surveyed: Surveyed) -> dict[str, Any]:
    """The report for programs, with addresses of the first host by their path."""
    text = report(surveyed.folder, "--format", "json")
    for host in (surveyed.address(""), f":{surveyed.site.port}"):
        text = text.replace(host, "")
    found: dict[str, Any] = json.loads(text)
    return found


def test_the_figures_are_those_of_the_graph(said: dict[str, Any]) -> None:
    """At the host where the survey began, and at all hosts."""
    figures = {row["what"].strip(): (row["at_the_start"], row["all"]) for row in said["figures"]}
    assert {name: counts for name, counts in figures.items() if counts != (0, 0)} == {
        "hosts": (1, 3),
        "addresses": (20, 23),
        "HTML pages": (6, 8),
        "duplicates": (1, 1),
        "binary files": (2, 2),
        "doc": (1, 1),
        "pdf": (1, 1),
        "images": (2, 2),
        "images per page": (0.33, 0.25),
        "redirects": (7, 7),
        "disallowed by robots.txt": (1, 1),
        "without IP address": (0, 1),
        "other errors": (2, 2),
        "unread": (1, 1),
    }
    assert [(row["level"], row["addresses"]) for row in said["levels"]] == [(0, 1), (1, 17), (2, 3), (3, 1), (4, 1)]


def test_broken_links_come_with_their_pages_and_texts(said: dict[str, Any]) -> None:
    """Also those that lead there by way of a redirect."""
    assert [tuple(row.values()) for row in said["broken_links"]] == [
        ("/broken", "404", "/", "to /broken", None),
        ("/broken", "404", "/a", "to /broken", None),
        ("/broken", "404", "/a", "to /to-broken", "/to-broken"),
        ("/down", "500", "/", "to /down", None),
        (f"http://{UNRESOLVED}/", "unresolved", "/", f"to http://{UNRESOLVED}/", None),
    ]


def test_chains_duplicates_and_pages_without_title_are_named(said: dict[str, Any]) -> None:
    """A chain has more than one redirect; a circle is named once."""
    assert said["redirect_chains"] == [
        {"address": "/1", "redirects": 3, "way": "/2 → /3 → /a", "found": ""},
        {"address": "/round", "redirects": 2, "way": "/round2 → /round", "found": "circle"},
    ]
    assert said["duplicates"] == [{"address": "/copy", "same_as": "/b"}]
    assert said["without_title"] == [{"address": "/untitled", "level": 1}]


def test_the_largest_slowest_and_most_linked_pages(said: dict[str, Any], surveyed: Surveyed) -> None:
    """The largest first; every address that answered has a time."""
    sizes = [row["bytes"] for row in said["largest"]]
    assert sizes == sorted(sizes, reverse=True)
    assert said["largest"][0]["address"] == "/"
    assert {row["address"] for row in said["slowest"]} > {"/", "/a", "/b", "/file.pdf"}
    assert said["most_linked"][0] == {"address": "/a", "linked_from": 3, "links": 4, "title": "A"}


def test_the_text_is_short_unless_all_is_asked_for(surveyed: Surveyed) -> None:
    """The same tables, and addresses that can be copied."""
    text = report(surveyed.folder)
    assert "Broken links\n" in text
    assert f"{surveyed.address('/broken')}  404" in text
    assert "Level" in report(surveyed.folder, "--all")


def test_the_page_has_every_table_and_runs_nothing(surveyed: Surveyed) -> None:
    """Titles of pages are text in it, whatever they contain."""
    page = lxml.html.document_fromstring(report(surveyed.folder, "--format", "html"))
    titles = page.xpath("//h2/text()")
    assert {"Site", "Broken links", "Duplicates", "Hosts", "Objects"} <= set(titles)
    assert page.xpath("//script") == []
    assert surveyed.address("/broken") in page.xpath("//section[h2/@id='broken_links']//a/@href")


def test_a_run_that_is_not_there_is_a_mistake(surveyed: Surveyed) -> None:
    """With one message."""
    command = Command("report", "12", "--store", str(surveyed.folder))
    assert command.wait() == 2
    assert "there is no run 12" in command.said
