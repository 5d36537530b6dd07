"""Which addresses of a list a survey has reached, and why it has not reached the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rdfcrawl.errors import UsageError
from rdfcrawl.survey.coverage import loose, read_list
from tests.commands import Command
from tests.survey.conftest import Surveyed
from tests.survey_site import UNRESOLVED


def test_every_missing_address_has_its_reason(surveyed: Surveyed, tmp_path: Path) -> None:
    """What was read is reached, by whatever way; everything else says why not."""
    reached = ["/", "/a/", "/copy", "/file.pdf", "/moved", "/1"]
    missing = {
        surveyed.address("/never"): "never linked",
        surveyed.address("/deepest"): "too deep",
        surveyed.address("/secret"): "disallowed by robots.txt",
        surveyed.address("/broken"): "failed: 404",
        surveyed.address("/to-broken"): "failed: 404",
        surveyed.address("/round"): "failed: redirects in a circle",
        f"http://{UNRESOLVED}:{surveyed.site.port}/": "failed: unresolved",
    }
    listed = tmp_path / "list.txt"
    lines = ["# known pages", "", *(surveyed.address(path).replace("http:", "https:") for path in reached), *missing]
    lines.append(f"{surveyed.address('/a')}  # again")
    listed.write_text("\n".join(lines), encoding="utf-8")
    command = Command("coverage", str(listed), "--store", str(surveyed.folder), "--format", "json", "--at-least", "50")
    assert command.wait() == 1, command.said
    said = json.loads(command.printed)
    assert {one["address"]: one["reason"] for one in said["missing"]} == missing
    assert (said["listed"], said["reached"], said["percent"]) == (13, 6, 46.15)
    shown = Command("coverage", str(listed), "--store", str(surveyed.folder))
    assert shown.wait() == 0
    assert "46.15 %: 6 of 13 addresses reached" in shown.printed


def test_spellings_that_make_no_difference() -> None:
    """Scheme, www, ww2, ww3, the fragment and a slash at the end; the query does make one."""
    same = ("http://www.x.test/a/", "https://ww2.x.test/a", "http://ww3.x.test/a#b", "https://x.test/a")
    assert {loose(one) for one in same} == {"x.test/a"}
    assert loose("http://x.test/a?b=1") != loose("http://x.test/a")
    assert loose("http://www.test/") == "test"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "list has no addresses"),
        ("# only\n  # comments", "list has no addresses"),
        ("http://x.test/\ntwo words", "list:2: "),
        ("mailto:a@x.test", "list:1: "),
        ("http://x.test/\n\nhttp://[", "list:3: "),
    ],
)
def test_a_list_that_cannot_be_read_names_the_line(text: str, said: str) -> None:
    """And nothing is looked up."""
    with pytest.raises(UsageError, match=said):
        read_list(text, "list")
