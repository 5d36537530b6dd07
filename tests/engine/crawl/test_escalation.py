"""Plain HTTP first, the browser where that is not enough: by rule, and with a real browser on recorded pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from rdfcrawl.engine.choice import Choice, Engine
from rdfcrawl.engine.crawl.escalation import Escalation, reason_for_browser
from rdfcrawl.engine.crawl.visit import visit
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.extract.extraction import Extraction
from rdfcrawl.engine.fetch.fetchers import folder_replay
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.errors import BrowserMissing
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import LinksPage
from tests.visiting import entry_at, opened_means

PAGE = LinksPage(iri="page://a", path="//a", target="page://b")
ADDRESS = "http://site.example/a"
BARE = "plain HTTP returns none of its mandatory content"
NO_ADDRESS = "its next button has no address"


@dataclass(frozen=True)
class Reading:
    """What an engine brings."""

    extraction: Extraction


def full(**more: bool) -> Extraction:
    return Extraction(complete_entries=1, **more)  # type: ignore[arg-type]


class Site:
    """A page as each engine sees it; an exception is raised. ``asked`` says which engines have tried."""

    def __init__(self, plain: Extraction | Exception, rendered: Extraction | Exception | None = None) -> None:
        self._seen = {Engine.HTTP: plain, Engine.BROWSER: rendered}
        self.asked: list[Engine] = []

    async def read(self, engine: Engine) -> Reading:
        self.asked.append(engine)
        found = self._seen[engine]
        if isinstance(found, Exception):
            raise found
        assert found is not None
        return Reading(found)


async def escalated(
    site: Site, choice: Choice | None = None, notice: Callable[[str], None] = lambda text: None
) -> tuple[Engine, Extraction]:
    escalation = Escalation(choice or Choice(Engine.AUTO), notice)
    engine, reading = await escalation.read(PAGE, ADDRESS, escalation.first_engine(PAGE), site.read)
    return engine, reading.extraction


class TestTheRule:
    """Which of two readings counts, and what is learnt of it."""

    def test_the_reasons_are_said_in_words(self) -> None:
        """A list that cannot go on needs the browser even if it has entries."""
        assert reason_for_browser(full()) is None
        assert reason_for_browser(Extraction()) == BARE
        assert reason_for_browser(full(next_clicks=True)) == NO_ADDRESS

    async def test_a_page_that_has_what_it_must_is_read_once(self) -> None:
        """And its kind is known to be plain."""
        site, choice = Site(full()), Choice(Engine.AUTO)
        assert await escalated(site, choice) == (Engine.HTTP, full())
        assert site.asked == [Engine.HTTP]
        assert choice.plain == {PAGE.iri: 1}

    async def test_a_bare_page_is_read_in_the_browser(self) -> None:
        """What that brings counts, and the reason is kept."""
        site, choice = Site(Extraction(), full()), Choice(Engine.AUTO)
        assert await escalated(site, choice) == (Engine.BROWSER, full())
        assert (choice.helped, choice.reasons) == ({PAGE.iri: 1}, {PAGE.iri: BARE})

    async def test_a_page_that_is_bare_in_the_browser_too_stays_as_it_was(self) -> None:
        """The browser is not worth trying for ever."""
        plain, choice = Extraction(found=1), Choice(Engine.AUTO)
        assert await escalated(Site(plain, Extraction()), choice) == (Engine.HTTP, plain)
        assert (choice.in_vain, choice.helped) == ({PAGE.iri: 1}, {})

    async def test_a_list_whose_button_has_no_address_goes_to_the_browser(self) -> None:
        """Whatever it shows there: only the browser can click the button."""
        choice = Choice(Engine.AUTO)
        rendered = Extraction(found=2)
        assert await escalated(Site(full(next_clicks=True), rendered), choice) == (Engine.BROWSER, rendered)
        assert choice.reasons == {PAGE.iri: NO_ADDRESS}

    @pytest.mark.parametrize(
        "failure", [FetchFailed(ProblemKind.UNREACHABLE, "crashed"), DocumentError("not a document")]
    )
    async def test_a_page_that_the_browser_cannot_read_stays_as_it_was(self, failure: Exception) -> None:
        """That says nothing about its kind."""
        choice = Choice(Engine.AUTO)
        assert await escalated(Site(Extraction(), failure), choice) == (Engine.HTTP, Extraction())
        assert choice == Choice(Engine.AUTO)

    async def test_failures_over_plain_http_are_passed_on(self) -> None:
        """The browser does not hide them."""
        site = Site(FetchFailed(ProblemKind.GONE, "gone"), full())
        with pytest.raises(FetchFailed, match="gone"):
            await escalated(site)
        assert site.asked == [Engine.HTTP]

    async def test_without_a_browser_everything_stays_plain_and_that_is_said_once(self) -> None:
        """The sentence names the page, why it needs a browser and how to get one."""
        site, said = Site(Extraction(), BrowserMissing("Install one.")), list[str]()
        escalation = Escalation(Choice(Engine.AUTO), said.append)
        for _ in range(2):
            engine, _ = await escalation.read(PAGE, ADDRESS, Engine.HTTP, site.read)
            assert engine is Engine.HTTP
        assert said == [f"{ADDRESS}: {BARE}; a browser might help. Install one."]
        assert site.asked == [Engine.HTTP, Engine.BROWSER, Engine.HTTP]

    @pytest.mark.parametrize("engine", [Engine.HTTP, Engine.BROWSER])
    async def test_a_chosen_engine_is_the_only_one(self, engine: Engine) -> None:
        """However little it brings."""
        site = Site(Extraction(), Extraction())
        assert (await escalated(site, Choice(engine)))[0] is engine
        assert site.asked == [engine]

    async def test_a_kind_that_is_known_to_need_the_browser_begins_there(self) -> None:
        """Nobody asks twice for what was learnt."""
        choice = Choice(Engine.AUTO)
        for _ in range(3):
            choice.browser_helped(PAGE, BARE)
        site = Site(Extraction(), full())
        assert await escalated(site, choice) == (Engine.BROWSER, full())
        assert site.asked == [Engine.BROWSER]


MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix p: <property://> .

<model:> :section <http://site.example/plain.html> .
<http://site.example/plain.html> :page page:thing .
page:thing :type type:object ; :item item:thing .
item:thing :path "//main" ; :property p:name .
p:name     :path ".//h1" .
"""
WRITTEN = "<main><h1>Thing</h1></main>"
PAGES = {
    "plain.html": WRITTEN,
    "script.html": f"<div id=x></div><script>document.getElementById('x').innerHTML = '{WRITTEN}'</script>",
    "bare.html": "<p>Nothing here",
}


async def test_pages_are_read_by_whatever_brings_their_content(tmp_path: Path) -> None:
    """A real browser renders what scripts write; the same page comes out, and its kind is learnt."""
    (tmp_path / "site.example").mkdir()
    for name, markup in PAGES.items():
        (tmp_path / "site.example" / name).write_text(f"<!DOCTYPE html><title>x</title>{markup}")
    (tmp_path / "model.ttl").write_text(MODEL)
    model = load_model(tmp_path / "model.ttl")
    choice, used = Choice(Engine.AUTO), {}
    async with opened_means(model, replay=folder_replay("site", tmp_path)) as means:
        escalation = Escalation(choice, lambda text: None)
        page = model.page("page://thing")
        for name in PAGES:
            entry = entry_at(f"http://site.example/{name}", "page://thing")
            reading = partial(visit, means, entry, page)
            engine, read = await escalation.read(page, entry.address, Engine.HTTP, reading)
            used[name] = engine, len(read.extraction.triples)
    assert used == {
        "plain.html": (Engine.HTTP, 1),
        "script.html": (Engine.BROWSER, 1),
        "bare.html": (Engine.HTTP, 0),
    }
    assert (choice.plain.total(), choice.helped.total(), choice.in_vain.total()) == (1, 1, 1)
    assert choice.reasons == {"page://thing": BARE}
