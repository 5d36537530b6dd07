"""``rdfcrawl navigation`` on the archive of a survey."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import lxml.html
import pyoxigraph as ox
import pytest

from rdfcrawl.navigation.results.reading import content_links, kept_rule, read_navigation
from rdfcrawl.navigation.results.tree import tree_lines
from rdfcrawl.store.contents import plan_data
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.folder import open_folder, open_store
from rdfcrawl.versioning.pruning import files_of
from tests.commands import Command
from tests.navigation.conftest import SurveyedMenus
from tests.survey_site import short, survey, survey_site, without_network


def navigation(folder: Path, *arguments: str) -> Command:
    command = Command("navigation", "--store", str(folder), *arguments)
    command.wait()
    return command


@pytest.fixture(scope="module")
def analysed(surveyed_menus: SurveyedMenus) -> SurveyedMenus:
    """The survey with its navigation."""
    assert navigation(surveyed_menus.folder).said == ""
    return surveyed_menus


def kept(surveyed: SurveyedMenus) -> list[str]:
    return [line.decode() for line in read_lines(surveyed.run.store.runs.navigation(surveyed.number))]


def links_of(surveyed: SurveyedMenus, page: str) -> dict[str, set[str]]:
    """The links of a page by what they are."""
    found: dict[str, set[str]] = {}
    for line in kept(surveyed):
        subject, predicate, value, _, _ = line.split(" ", 4) if '"' not in line else ("",) * 5
        name = predicate.removesuffix(">").rpartition("/")[2]
        if name.endswith("Link") and short(subject, surveyed.site) == page:
            found.setdefault(name.removesuffix("Link"), set()).add(short(value, surveyed.site))
    return found


def test_menus_are_told_from_content(analysed: SurveyedMenus) -> None:
    """On their own pages they are navigation, elsewhere outsiders; a redirect is what it leads to."""
    outside = {"/", "/old-imprint", "http://elsewhere.test/"}
    assert links_of(analysed, "/news") == {
        "navigation": {"/shop", "/about"},
        "outsider": outside,
        "content": {"/article1", "/article2", "/article3"},
    }
    assert links_of(analysed, "/books")["navigation"] == {"/maps", "/games"}
    assert links_of(analysed, "/article1")["outsider"] == outside | {"/shop", "/news", "/about"}
    assert links_of(analysed, "/framed") == {"content": {"/maps", "/books"}}


def test_every_link_of_the_survey_has_a_class(analysed: SurveyedMenus) -> None:
    """And nothing else has: the links are those that the survey has found."""
    surveyed = {tuple(line.split(" ")[::2]) for line in analysed.run.links if "/link>" in line}
    classed = {tuple(line.split(" ")[:3:2]) for line in kept(analysed) if "Link> <" in line}
    assert surveyed
    assert classed == surveyed


def test_the_site_map_is_a_tree_of_menus_and_then_of_content(analysed: SurveyedMenus) -> None:
    """Entries below the page where their menu opens, articles below their list, not below the news of the start."""
    runs, record = analysed.run.store.runs, analysed.run.report.record
    lines = [
        line.replace(f"http://127.0.0.1:{analysed.site.port}", "") for line in tree_lines(read_navigation(runs, record))
    ]
    assert lines == [
        "Page /  /",
        "├─ Shop  /shop",
        "│  ├─ Books  /books",
        "│  │  ├─ Page /article4  /article4",
        "│  │  ├─ Page /article5  /article5",
        "│  │  └─ Page /article6  /article6",
        "│  ├─ Maps  /maps",
        "│  ├─ Games  /games",
        "│  └─ Frames  /framed",
        "├─ News  /news",
        "│  ├─ Page /article1  /article1",
        "│  ├─ Page /article2  /article2",
        "│  └─ Page /article3  /article3",
        "├─ About  /about",
        "└─ Imprint  /imprint",
    ]
    assert list(tree_lines(read_navigation(runs, record), 1))[-1] == "└─ … and 3 more"


def test_the_report_has_tables_in_all_formats(analysed: SurveyedMenus) -> None:
    """The same as text, JSON and HTML; as Turtle the menus and the site map."""
    text = navigation(analysed.folder).printed
    assert "Shop · News · About" in text
    assert "└─ Imprint" in text
    said = json.loads(navigation(analysed.folder, "--format", "json").printed)
    assert said["rule"] == "tolerant"
    assert {row["what"]: row["count"] for row in said["counts"]}["pages"] == 15
    assert [page["depth"] for page in said["site_map"]][:3] == [0, 1, 2]
    assert {"PageRank", "content_PageRank", "authority", "content_authority"} <= said["ranks"][0].keys()
    page = lxml.html.document_fromstring(navigation(analysed.folder, "--format", "html").printed)
    assert page.xpath("count(//ul[@class='tree']//li)") == 15
    assert page.xpath("//script | //@onclick") == []
    turtle = navigation(analysed.folder, "--format", "ttl").printed
    parents = [one for one in ox.parse(turtle, ox.RdfFormat.TURTLE) if one.predicate.value.endswith("/parent")]
    assert len(parents) == 14


def test_the_exact_rule_is_compared_with_the_tolerant_one(analysed: SurveyedMenus) -> None:
    """It takes whole groups; the table says how many links the two call the same. Twice, the bytes are the same."""
    file = analysed.run.store.runs.navigation(analysed.number)
    tolerant = file.read_bytes()
    said = json.loads(navigation(analysed.folder, "--exact", "--format", "json").printed)
    agreement = {row["tolerant_rule"]: row for row in said["agreement"]}
    assert agreement["navigation"]["exact_navigation"] == 12
    assert agreement["content"]["exact_content"] > agreement["content"]["exact_navigation"] == 0
    first = file.read_bytes()
    file.unlink()
    navigation(analysed.folder, "--exact")
    assert file.read_bytes() == first
    navigation(analysed.folder)
    assert file.read_bytes() == tolerant


def test_the_result_is_part_of_the_store_and_not_of_the_run(analysed: SurveyedMenus) -> None:
    """Queries see it, the record does not know it, and pruning removes it."""
    store, record = open_store(analysed.folder), analysed.run.report.record
    assert f"navigation://{record.id}" in {file.graph for file in plan_data(store.runs).files}
    assert store.runs.read_record(record.id).checksums == record.checksums
    assert store.runs.navigation(record.id) in set(files_of(store, record.id))
    assert sum(len(page.links) for page in content_links(store.runs, record)) == 22


def test_a_damaged_or_older_result_is_made_again(analysed: SurveyedMenus, tmp_path: Path) -> None:
    """It is only computed, so nobody has to be told."""
    shutil.copytree(analysed.folder, tmp_path / "store")
    runs, record = open_store(tmp_path / "store").runs, analysed.run.report.record
    file = runs.navigation(record.id)
    whole = file.read_bytes()
    file.write_bytes(whole[:100])
    assert kept_rule(runs, record) is None
    navigation(tmp_path / "store")
    assert file.read_bytes() == whole


def test_without_an_archive_or_a_survey_one_sentence_says_so(analysed: SurveyedMenus, tmp_path: Path) -> None:
    """What is missing, and what would make it."""
    shutil.copytree(analysed.folder, tmp_path / "store")
    shutil.rmtree(tmp_path / "store" / "archive")
    open_store(tmp_path / "store").runs.navigation(analysed.number).unlink()
    assert "has no archive" in navigation(tmp_path / "store").said
    assert "there is no run 5" in navigation(tmp_path / "store", "5").said
    assert "did you mean --exact?" in navigation(tmp_path / "store", "--exakt").said


async def test_sites_without_navigation_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One page, with a link to itself and hostile text, and nothing to lead anywhere."""
    without_network(monkeypatch)
    async with survey_site() as site:
        site.put("/", "<title><b>\x1b]0;owned\x07&lt;script&gt;alert(1)&lt;/script&gt;</title><a href=/>self</a>")
        await survey(site, open_folder(tmp_path / "store"), record=True)
    shown = navigation(tmp_path / "store")
    assert "No links were recognised as a menu." in shown.printed
    assert "\x1b" not in shown.printed
    assert "<script" not in navigation(tmp_path / "store", "--format", "html").printed
