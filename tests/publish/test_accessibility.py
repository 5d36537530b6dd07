"""Every kind of page with axe in a real Chromium: nothing that keeps people with other eyes and hands from it.

A page that is not to be trusted is looked at in the same browser.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from rdfcrawl.engine.fetch.browser.chromium import find_chromium
from rdfcrawl.store.folder import Store, finish_run, open_store
from rdfcrawl.store.runs.record import ModelUsed, Predicates, RunRecord, RunState, SectionRecord
from rdfcrawl.versioning.recording import record_changes
from tests.commands import Command
from tests.navigation.conftest import fill
from tests.people_site import run_site, write_site
from tests.publish.conftest import RECIPE, SECOND, Server, asked, serving
from tests.publish.quote_site import HOSTILE, SITE, crawled, pages
from tests.publish.test_browser import ARGUMENTS
from tests.sampling import sampled
from tests.survey_site import LIMITS, survey, survey_site, without_network

SECTION = "http://wide.example.org/"
KINDS = {
    "string": ('"value {number} of many that are told apart by what they say"', ""),
    "int": ('"{number}00000"', "int"),
    "decimal": ('"-{number}.25"', "decimal"),
    "date": ('"2026-0{month}-11"', "date"),
    "duration": ('"PT{number}M"', "duration"),
    "few": ('"{month}"', ""),
}
WIDE, NARROW = 30, 3
# Of the narrow ones there are enough for a second page; axe looks at every cell, and a wide row has enough of them.
OBJECTS = {"wide": 4, "narrow": 60}
SERIOUS = ("serious", "critical")
SETTINGS = [(1280, "light"), (390, "dark"), (1280, "dark"), (390, "light")]


def model(columns: int, name: str) -> str:
    """A class of so many columns of all types."""
    lines = [f'<page://{name}> :type type:objects ; :item <item://{name}> . <item://{name}> :path "//li" ; :id "./a" .']
    for number in range(columns):
        kind = list(KINDS)[number % len(KINDS)]
        typed = f" ; :type xsd:{KINDS[kind][1]}" if KINDS[kind][1] else ""
        typed += ' ; :format "yyyy-MM-dd"' if kind == "date" else ""
        lines.append(f"<item://{name}> :property <property://{name}/{kind}{number}> .")
        lines.append(f'<property://{name}/{kind}{number}> :path "./i[{number + 1}]"{typed} .')
    return "\n".join(lines)


def statements(columns: int, name: str, objects: int) -> Iterator[str]:
    """Objects of it, with a value in most columns."""
    for number in range(objects):
        thing = f"<{SECTION}{name}/{number}>"
        yield f"<{SECTION}{name}> <item://{name}> {thing}"
        for place in range(columns):
            kind = list(KINDS)[place % len(KINDS)]
            text, datatype = KINDS[kind]
            typed = f"^^<http://www.w3.org/2001/XMLSchema#{datatype}>" if datatype else ""
            if place == 0 or (number + place) % 5:
                value = text.format(number=number + 1, month=number % 9 + 1)
                yield f"{thing} <property://{name}/{kind}{place}> {value}{typed}"


def add_tables(store: Store, run: int, folder: Path) -> None:
    """Bring a run of a wide and a narrow class into a store."""
    sizes = {"wide": WIDE, "narrow": NARROW}
    found = (one for name, size in sizes.items() for one in statements(size, name, OBJECTS[name]))
    quads = (f"{one} <run://{run}> .\n" for one in found)
    (folder / "lines").write_text("".join(quads), encoding="utf-8")
    head = "@prefix : <predicate://> . @prefix type: <type://> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
    head += "".join(
        f"<model:> :section <{SECTION}{name}> . <{SECTION}{name}> :page <page://{name}> .\n" for name in sizes
    )
    properties = tuple(
        f"property://{name}/{list(KINDS)[place % len(KINDS)]}{place}"
        for name, size in sizes.items()
        for place in range(size)
    )
    record = RunRecord(
        id=run,
        state=RunState.COMPLETE,
        started=datetime.fromtimestamp(run, UTC),
        model=ModelUsed(
            "wide", "wide.ttl", predicates=Predicates(tuple(f"item://{name}" for name in sizes), properties)
        ),
        sections=tuple(SectionRecord(f"{SECTION}{name}") for name in sizes),
    )
    finish_run(
        store, record, folder / "lines", b"", head + "\n".join(model(size, name) for name, size in sizes.items())
    )
    record_changes(store.runs, run)


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, int]]:
    """A server of wide tables, of people and of a survey with its menus, and the number of that."""
    folder = tmp_path_factory.mktemp("everything")
    store = open_store(folder / "store")
    add_tables(store, 100, folder)
    run_site(store, write_site(folder / "site"), record=False)

    async def surveyed() -> int:
        async with survey_site() as site:
            fill(site)
            found = await survey(site, store.folder, site.model(":scope scope:host"), limits=LIMITS, record=True)
            return found.report.record.id

    with pytest.MonkeyPatch.context() as patch:
        without_network(patch)
        number = asyncio.run(surveyed())
    Command("navigation", "--store", str(store.folder)).wait()
    (store.folder / "queries").mkdir()
    query = "# Numbers\nSELECT ?s ?n { ?s <property://wide/int1> ?n } LIMIT 20"
    (store.folder / "queries" / "numbers.rq").write_text(query, encoding="utf-8")
    store.refresh()
    with serving(store) as server:
        for path in (f"/run/{number}/survey", f"/run/{number}/sitemap"):
            # Every request waits for a while.
            while server.get(path, accept="text/html").status == 503:
                pass
        yield server, number


@pytest.fixture(scope="module")
def quotes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of quotes whose pages are kept; one of them is not to be trusted."""
    files = {name: text.replace("</ul>", f"{HOSTILE}</ul>") for name, text in pages().items()}
    with serving(crawled(tmp_path_factory.mktemp("quotes"), files)) as server:
        yield server


@pytest.fixture(scope="module")
def places(server: Server, everything: tuple[Server, int], quotes: Server) -> dict[str, str]:
    """A page of every kind."""
    recipe, (other, number) = asked(RECIPE), everything
    value = f"iri={asked(SITE + '/quote/3')}&property=property://quote/words"
    wide = f"{other.address}/class?item=item://wide"
    query = quote("SELECT ?s ?n { ?s <property://wide/int1> ?n } LIMIT 20")
    return {
        "home": f"{server.address}/",
        "three columns": f"{other.address}/class?item=item://narrow",
        "thirty columns": wide,
        "filtered": f"{wide}&is=property://wide/few5+3&from=property://wide/int1+1000&sort=property://wide/int1",
        "nothing found": f"{wide}&q=nothing+at+all",
        "object": f"{server.address}/page?iri={recipe}",
        "history": f"{server.address}/page?iri={recipe}&tab=history",
        "why": f"{quotes.address}/why?{value}",
        "tag": f"{quotes.address}/page?iri={asked(SITE + '/tag/all')}",
        "run": f"{server.address}/run/{SECOND}",
        "diff": f"{server.address}/diff",
        "sparql": f"{server.address}/sparql",
        "answer": f"{other.address}/sparql?query={query}",
        "saved query": f"{other.address}/query/numbers",
        "search": f"{server.address}/search?q=schmand",
        "survey": f"{other.address}/run/{number}/survey",
        "site map": f"{other.address}/run/{number}/sitemap",
        "people": f"{other.address}/people",
        "missing": f"{server.address}/page?iri=http://example.org/Donauwele",
    }


@pytest.fixture(scope="module")
def browser(places: dict[str, str]) -> Iterator[Browser]:
    """A real Chromium, which is started last: a survey needs the loop that it would occupy."""
    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        yield started
        started.close()


def window(browser: Browser, width: int, scheme: Any) -> Page:
    """A tab of that width, in light or dark colours."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(60_000)
    return context.new_page()


def widths(page: Page, first: int) -> Iterator[tuple[int, int]]:
    """The width of each kind of window, that of the tab first, and how wide its page is in it."""
    for width in sorted({width for width, _ in SETTINGS}, key=lambda width: width != first):
        page.set_viewport_size({"width": width, "height": 900})
        yield width, page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size({"width": first, "height": 900})


def findings(page: Page) -> list[str]:
    """What axe finds serious, with the elements."""
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(found => found.violations)")
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]} {one['nodes'][0].get('failureSummary', '')[:300]}"
        for one in found
        if one["impact"] in SERIOUS
    ]


@pytest.mark.parametrize("setting", sampled(SETTINGS, SETTINGS[:2]))
def test_axe_finds_nothing_serious(
    browser: Browser, places: dict[str, str], setting: tuple[int, Literal["light", "dark"]], is_exhaustive: bool
) -> None:
    """On any kind of page, wide and narrow, light and dark; and no page is wider than its window.

    All pages have the same style: axe looks at one half of them wide and light, at the other narrow and dark.
    """
    page = window(browser, *setting)
    page.context.add_init_script(path=str(files("axe_playwright_python") / "axe.min.js"))
    found: list[str] = []
    for number, (kind, address) in enumerate(places.items()):
        if is_exhaustive or number % 2 == SETTINGS.index(setting) % 2:
            page.goto(address)
            found += [f"{kind}: {one}" for one in findings(page)]
            found += [f"{kind} is {wide} wide" for width, wide in widths(page, setting[0]) if wide > width]
    page.context.close()
    assert not found, "\n".join(found)


def test_a_table_is_ordered_without_a_mouse(browser: Browser, places: dict[str, str]) -> None:
    """The first stop leads past the head of the page; every column can be reached, and shows that it is."""
    page = window(browser, 1280, "light")
    page.goto(places["three columns"])
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="To the content")).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('th')?.textContent.includes('int1') ?? false"):
            break
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.keyboard.press("Enter")
    heading = page.get_by_role("columnheader", name="int1", exact=True)
    expect(heading).to_have_attribute("aria-sort", "ascending")
    page.context.close()


def test_a_row_is_a_card_on_a_phone(browser: Browser, places: dict[str, str]) -> None:
    """Each value stands beside the name of its column, and is still the cell of a table for those who listen."""
    page = window(browser, 390, "light")
    page.goto(f"{places['thirty columns']}&sort=property://wide/int1")
    card = page.locator("tbody tr").first
    expect(card).to_have_css("display", "block")
    value = card.get_by_role("cell").and_(page.locator("[data-name=int1]"))
    assert value.evaluate("one => getComputedStyle(one, '::before').content") == '"int1"'
    expect(value).to_have_text("100 000".replace(" ", "\u202f"))
    expect(card.get_by_role("rowheader")).to_contain_text("11 Jan 2026")
    expect(page.get_by_role("columnheader", name="int1", exact=True)).to_be_visible()
    page.context.close()


def test_a_hostile_page_is_only_looked_at(browser: Browser, quotes: Server) -> None:
    """A real browser shows the marked element, asks nobody else for anything, and the title stays what it is."""
    page = window(browser, 1280, "light")
    asked_for: list[str] = []
    page.on("request", lambda request: asked_for.append(request.url))
    page.goto(f"{quotes.address}/why?iri={asked(SITE + '/quote/evil')}&property=property://quote/text")
    page.frame_locator("iframe").locator("q:target").wait_for()
    assert page.title().startswith("Why text of Evil")
    assert all(address.startswith(quotes.address) for address in asked_for)
    assert page.frames[1].evaluate("document.querySelectorAll('script, img, iframe, meta[http-equiv]').length") == 0
    page.context.close()
