"""Which engine reads a page: by what the model says, and by what was learnt of pages of its kind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rdfcrawl.engine.choice import Choice, Engine, demand_of
from rdfcrawl.metamodel.model import LinksPage, Page

PAGE: Page = LinksPage(iri="page://a", path="//a", target="page://b")
OTHER = replace(PAGE, iri="page://other")


class TestWhatIsDemanded:
    """The user and the model come first."""

    @pytest.mark.parametrize("engine", [Engine.HTTP, Engine.BROWSER])
    def test_a_chosen_engine_reads_everything(self, engine: Engine) -> None:
        """Whatever the model says; no other is tried."""
        choice = Choice(engine)
        assert choice.engine_for(replace(PAGE, render=True)) is engine
        assert choice.engine_for(replace(PAGE, render=False)) is engine
        assert not choice.may_try_browser(PAGE)

    @pytest.mark.parametrize(
        ("demand", "term"),
        [
            ({"render": True}, ":render true"),
            ({"scroll": 100}, ":scroll"),
            ({"wait": 100}, ":wait"),
            ({"wait_for": "//a"}, ":waitFor"),
            ({"clicks": ("//a",)}, ":click"),
            ({"more": "//a"}, ":more"),
        ],
    )
    def test_what_only_a_browser_can_do_needs_one(self, demand: dict[str, object], term: str) -> None:
        """At once, and the reason names the term."""
        page = replace(PAGE, **demand)  # type: ignore[arg-type]
        choice = Choice(Engine.AUTO)
        assert choice.engine_for(page) is Engine.BROWSER
        assert choice.reasons == {PAGE.iri: f"the model says {term}"}
        assert demand_of(PAGE) is None

    def test_render_false_forbids_the_browser(self) -> None:
        """Even where another term would need it."""
        page = replace(PAGE, render=False, more="//a")
        choice = Choice(Engine.AUTO)
        assert choice.engine_for(page) is Engine.HTTP
        assert not choice.may_try_browser(page)


class TestWhatIsLearnt:
    """Kinds of pages for which the model leaves it open."""

    def test_plain_http_comes_first(self) -> None:
        """And the browser may be tried where it brings nothing."""
        choice = Choice(Engine.AUTO)
        assert choice.engine_for(PAGE) is Engine.HTTP
        assert choice.may_try_browser(PAGE)

    def test_a_kind_that_mostly_needs_the_browser_gets_it_at_once(self) -> None:
        """After three pages, if plain HTTP was enough for no more; other kinds are not concerned."""
        choice = Choice(Engine.AUTO)
        for _ in range(2):
            choice.browser_helped(PAGE, "bare")
        assert choice.engine_for(PAGE) is Engine.HTTP
        choice.browser_helped(PAGE, "bare")
        assert choice.engine_for(PAGE) is Engine.BROWSER
        assert choice.reasons == {PAGE.iri: "bare"}
        assert choice.engine_for(OTHER) is Engine.HTTP
        for _ in range(4):
            choice.plain_was_enough(PAGE)
        assert choice.engine_for(PAGE) is Engine.HTTP

    def test_a_browser_that_never_helps_is_not_tried_for_ever(self) -> None:
        """Three times in vain are enough; a kind for which it has helped has more patience."""
        choice = Choice(Engine.AUTO)
        for _ in range(3):
            assert choice.may_try_browser(PAGE)
            choice.browser_did_not_help(PAGE)
        assert not choice.may_try_browser(PAGE)
        assert choice.may_try_browser(OTHER)
        choice.browser_helped(PAGE, "bare")
        assert choice.may_try_browser(PAGE)
