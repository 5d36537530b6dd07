"""A survey on the web pages of ``serve``, and the picture of its links."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lxml.etree
import lxml.html
import pytest
from playwright.sync_api import expect, sync_playwright

from rdfcrawl.engine.fetch.browser.chromium import find_chromium
from rdfcrawl.publish.surveys.desk import SurveyDesk
from rdfcrawl.store.folder import open_store
from rdfcrawl.survey.centrality import DrawnPage, LinkPicture, picture_of
from rdfcrawl.survey.drawing import picture_svg
from rdfcrawl.survey.findings import Findings, findings_of
from tests.commands import Command
from tests.publish.conftest import Server, serving
from tests.survey.conftest import Surveyed

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def server(surveyed: Surveyed) -> Iterator[Server]:
    """A server of the survey, which it has read."""
    with serving(open_store(surveyed.folder)) as running:
        # Every request waits for a while.
        while running.get(path_of(surveyed), accept="text/html").status == 503:
            pass
        yield running


def path_of(surveyed: Surveyed) -> str:
    return f"/run/{surveyed.run.report.record.id}/survey"


def test_the_page_shows_charts_tables_and_broken_links(server: Server, surveyed: Surveyed) -> None:
    """The same numbers as in the report; the start page and the page of the run lead there."""
    answer = server.get(path_of(surveyed), accept="text/html")
    assert answer.status == 200
    page = lxml.html.document_fromstring(answer.text)
    charts = [
        {row.findtext("th"): row.xpath("string(td[2])") for row in table.xpath(".//tr")}
        for table in page.xpath("//table[@class='bars']")
    ]
    assert charts[0]["html"] == "8"
    assert charts[1] == {"0": "1", "1": "17", "2": "3", "3": "1", "4": "1"}
    broken = page.xpath("//section[h2/@id='broken']/ul/li")
    assert surveyed.address("/broken") in broken[0].text_content()
    assert "to /broken" in broken[0].text_content()
    assert page.xpath("//*[@style]") == []
    for path in ("/", path_of(surveyed).removesuffix("/survey")):
        assert path_of(surveyed) in server.get(path, accept="text/html").text


def test_a_survey_is_read_once_beside_the_requests(surveyed: Surveyed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who comes too early is told so, and does not wait."""
    go_on, asked = threading.Event(), []

    def findings(*about: Any) -> Findings:
        asked.append(about)
        assert go_on.wait(60)
        return findings_of(*about)

    monkeypatch.setattr("rdfcrawl.publish.surveys.desk.findings_of", findings)
    desk, runs, record = SurveyDesk(), surveyed.run.store.runs, surveyed.run.report.record
    assert desk.view(runs, record, 0.0) is None
    go_on.set()
    view = desk.view(runs, record, 60.0)
    assert view is not None
    assert view is desk.view(runs, record, 60.0)
    assert len(asked) == 1
    desk.close()


def test_only_surveys_have_such_a_page(server: Server) -> None:
    """Any other run is not found."""
    assert server.get("/run/12/survey", accept="text/html").status == 404


def test_a_person_zooms_the_picture_and_opens_a_page(server: Server, surveyed: Surveyed) -> None:
    """The pointer shows the title and marks the links of a page; a click opens its object; also without script."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        for script in (True, False):
            page = browser.new_context(java_script_enabled=script).new_page()
            complaints: list[str] = []
            page.on("console", lambda message, said=complaints: said.append(message.text))
            page.goto(server.address + path_of(surveyed))
            circle = page.locator("svg.links g[data-page='0'] circle")
            expect(page.locator("svg.links g[data-page='0'] title")).to_contain_text(surveyed.address("/a"))
            if script:
                page.get_by_label("Zoom in").click()
                assert page.locator("svg.links").get_attribute("viewBox") != "0 0 1000 700"
                page.get_by_label("Show all").click()
                assert page.locator("svg.links").get_attribute("viewBox") == "0 0 1000 700"
                circle.hover(force=True)
                expect(page.locator("svg.links path.marked")).to_have_count(1)
            circle.click(force=True)
            expect(page.get_by_role("heading", level=1)).to_have_text("A")
            assert complaints == []
        browser.close()


def test_central_pages_come_from_the_whole_site(surveyed: Surveyed) -> None:
    """The page that everything links to has the highest rank; two pictures of a survey are the same."""
    runs, record = surveyed.run.store.runs, surveyed.run.report.record
    most_linked = findings_of(runs, record).most_linked
    picture = picture_of(runs, record, most_linked)
    assert picture == picture_of(runs, record, most_linked)
    assert {page.address for page in picture.pages} == {page.address for page in most_linked}
    best = max(picture.pages, key=lambda page: page.authority)
    assert best.address == surveyed.address("/a")
    linked = {picture.pages[target].address for target in picture.links[0]}
    assert linked == {surveyed.address("/"), surveyed.address("/deep")}
    assert picture.groups == 1


def test_the_picture_is_a_file_too(surveyed: Surveyed, tmp_path: Path) -> None:
    """A circle for every page, which links to it."""
    target = tmp_path / "links.svg"
    command = Command("report", "--picture", str(target), "--store", str(surveyed.folder))
    assert command.wait() == 0, command.said
    drawn = lxml.etree.parse(target)
    assert surveyed.address("/a") in {link.get("href") for link in drawn.iter(f"{SVG}a")}
    assert len(list(drawn.iter(f"{SVG}circle"))) == 8


def test_what_pages_say_is_text_in_the_picture() -> None:
    """Titles with markup and control characters, and addresses that are scripts."""
    title = '</title><script>alert("1")</script>\x00\x1b'
    page = DrawnPage('http://x.test/"><script>', title, 1, 0.0, 0.0, 1.0, 0.0, 0.0)
    drawn = lxml.etree.fromstring(picture_svg(LinkPicture([page], [[]], 1), lambda address: address))
    assert list(drawn.iter(f"{SVG}script")) == []
    assert next(drawn.iter(f"{SVG}text")).text.startswith("</title><script>")
