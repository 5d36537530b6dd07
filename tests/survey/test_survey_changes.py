"""A second survey says what is new, gone, changed, broken since and repaired since."""

from __future__ import annotations

import json
from pathlib import Path

import lxml.html

from rdfcrawl.store.folder import open_folder, open_store
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.recording import record_changes
from rdfcrawl.versioning.sites import SiteChange, of_fact
from tests.commands import Command
from tests.publish.conftest import serving
from tests.survey_site import LIMITS, SurveySite, survey

SITE = "predicate://site/"


async def test_two_surveys_are_compared_in_the_words_of_a_site(site: SurveySite, tmp_path: Path) -> None:
    """On the command line, for programs, at the end of a run and on the web."""
    folder = open_folder(tmp_path / "store")
    site.pages.clear()
    site.page("/", ["/a", "/b", "/c", "/old"], title="Start")
    for path in ("/a", "/b", "/old"):
        site.page(path)
    first = await survey(site, folder, limits=LIMITS)
    record_changes(first.store.runs, first.report.record.id)
    site.page("/", ["/a", "/b", "/c", "/fresh"], title="Start")
    del site.pages[1, "/b"]
    site.page("/a", title="A, revised")
    site.page("/c")
    site.page("/fresh", title="Fresh")
    second = await survey(site, folder, limits=LIMITS)
    summary = record_changes(second.store.runs, second.report.record.id)

    command = Command("diff", "--store", str(folder), "--format", "json")
    assert await command.ended() == 0, command.said
    said = json.loads(command.printed.replace(site.address(""), ""))["site"]
    assert said["addresses"] == {
        "new": ["/fresh"],
        "gone": ["/old"],
        "changed": ["/", "/a"],
        "broken since": ["/b"],
        "repaired since": ["/c"],
    }
    assert summary.site == said["counts"]
    assert str(summary).endswith("of the site, 1 new, 1 gone, 2 changed, 1 broken since, 1 repaired since")

    shown = Command("diff", "--store", str(folder))
    assert await shown.ended() == 0
    assert f"{site.address('/b')}  broken since" in shown.printed
    assert f"Fresh  {site.address('/fresh')}  new" in shown.printed

    with serving(open_store(folder)) as server:
        for path in ("/diff", f"/run/{second.report.record.id}"):
            page = lxml.html.document_fromstring(server.get(path, accept="text/html").text)
            badges = set(page.xpath("//ul[@class='changes']//span[contains(@class, 'badge')]/text()"))
            assert {"new", "gone", "changed", "broken since", "repaired since"} <= badges


def test_only_what_is_known_is_said() -> None:
    """From one failure to another nothing is repaired; what was not observed is no change of the site."""
    kinds = {name: [SITE + name] for name in ("html", "error", "timeout", "redirect")}
    changed = ChangeKind.CHANGED
    assert of_fact(changed, SITE + "kind", kinds["html"], kinds["timeout"]) is SiteChange.BROKEN
    assert of_fact(changed, SITE + "kind", kinds["error"], kinds["redirect"]) is SiteChange.REPAIRED
    assert of_fact(changed, SITE + "kind", kinds["error"], kinds["timeout"]) is SiteChange.CHANGED
    assert of_fact(ChangeKind.UNOBSERVED, SITE + "title", [], []) is None
    assert of_fact(changed, "http://x.test/price", ["1"], ["2"]) is None
