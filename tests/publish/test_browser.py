"""A person with a real browser finds what they look for; with script off, too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from rdfcrawl.engine.fetch.browser.chromium import find_chromium
from tests.publish.conftest import RECIPE, Server, asked
from tests.sampling import sampled

# Without these two, the address bar of every window is a page that costs as much as what is looked at.
ARGUMENTS = ["--no-sandbox", "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup"]


SCRIPT = ["with script", "without script"]
also_without_script = pytest.mark.parametrize("window", sampled(SCRIPT, SCRIPT[1:]), ids=SCRIPT, indirect=True)
"""What only follows links and sends forms works with script if it does without."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real Chromium; what it shall show may take its time where others are busy."""
    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="module", params=SCRIPT)
def window(browser: Browser, server: Server, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """A window, in which each test has a tab of its own."""
    context = browser.new_context(base_url=server.address, java_script_enabled=request.param == "with script")
    yield context
    context.close()


@pytest.fixture
def page(window: BrowserContext) -> Iterator[Page]:
    """A tab at the start page; whatever the browser complains about fails the test."""
    tab = window.new_page()
    complaints: list[str] = []
    tab.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.goto("/")
    yield tab
    tab.close()
    assert complaints == []


@also_without_script
def test_a_person_finds_a_recipe_and_its_history(page: Page) -> None:
    """From the search to the recipe, its ingredients and what has changed."""
    page.get_by_role("searchbox").fill("konditorenart")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Donauwelle Konditorenart").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Donauwelle Konditorenart")
    expect(page.get_by_role("row", name="Puddingpulver")).to_contain_text("2 Pck.")
    page.get_by_role("link", name="History").click()
    expect(page.locator(".changes li", has_text="rating")).to_contain_text("4.5")
    expect(page.get_by_text("first seen")).to_be_visible()
    page.get_by_role("link", name="as it was then").last.click()
    expect(page.locator(".notice")).to_contain_text("has seen it")


@also_without_script
def test_a_person_orders_and_filters_a_table(page: Page) -> None:
    """A click on a column orders by it, another one turns the order round."""
    page.get_by_role("main").get_by_role("link", name="recipe").first.click()
    page.get_by_role("link", name="portions").click()
    expect(page.locator("tbody tr").first).to_contain_text("Donauwelle Konditorenart")
    page.get_by_role("link", name="portions").click()
    expect(page.locator("tbody tr").first).to_contain_text("Omas Donauwelle")
    page.get_by_label("Only those with").fill("schoko-kaiser")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("tbody tr")).to_have_count(1)


def test_a_person_runs_an_example_query(page: Page) -> None:
    """An example fills the editor and shows its answer as a table."""
    page.get_by_role("navigation", name="Site").get_by_role("link", name="SPARQL").click()
    page.get_by_role("link", name="How many ingredient objects per recipe").click()
    expect(page.locator("#answer tbody tr").first).to_be_visible()
    expect(page.locator("#answer")).to_contain_text("Donauwelle Konditorenart")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("#answer")).to_contain_text("26 rows")


@also_without_script
def test_a_person_opens_the_changes_between_the_last_two_runs(page: Page) -> None:
    """One click from the start page."""
    page.get_by_role("link", name="Changes", exact=True).click()
    expect(page.locator(".changes > li")).to_have_count(4)
    expect(page.get_by_text("4 changes from")).to_be_visible()


@pytest.mark.parametrize("window", ["with script"], indirect=True)
@pytest.mark.parametrize("scheme", sampled(["light", "dark"], ["dark"]))
def test_pages_fit_a_phone(page: Page, scheme: Literal["light", "dark"]) -> None:
    """No page is wider than a small screen, in either colour scheme."""
    page.set_viewport_size({"width": 360, "height": 740})
    page.emulate_media(color_scheme=scheme)
    recipe = asked(RECIPE)
    for path in ("/", "/class?item=item://recipe", f"/page?iri={recipe}", f"/page?iri={recipe}&tab=history", "/diff"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in background[4:-1].split(",")) < 300) == (scheme == "dark")


@pytest.mark.parametrize("script", sampled([True, False], [True]))
def test_a_person_asks_looks_downloads_and_shares(browser: Browser, server: Server, script: bool) -> None:
    """By keyboard and button, with script and without, on a phone."""
    window = browser.new_context(
        base_url=server.address, java_script_enabled=script, viewport={"width": 390, "height": 800}
    )
    tab = window.new_page()
    tab.goto("/sparql")
    tab.get_by_role("link", name="recipe objects by difficulty").press("Enter")
    expect(tab.locator("#answer .bar-rows tr").first).to_be_visible()
    with tab.expect_download() as download:
        tab.get_by_role("button", name="CSV").click()
    assert download.value.suggested_filename == "answer.csv"
    tab.get_by_label("Query").fill("ASK { ?s ?p ?o }")
    tab.get_by_role("button", name="Run").click()
    expect(tab.locator("#answer .lead")).to_have_text("Yes")
    tab.get_by_label("Query").fill("SELECT ?shared { }")
    tab.get_by_role("button", name="Share").click()
    expect(tab.get_by_label("opens it")).to_be_visible()
    expect(tab.get_by_label("opens it")).to_have_value(re.compile("shared.*run=no"))
    expect(tab.get_by_label("Query")).to_have_value("SELECT ?shared { }")
    if script:
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    window.close()
