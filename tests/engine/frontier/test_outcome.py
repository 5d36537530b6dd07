"""From what a page said to what becomes of its entry: lists, moved pages, failures and retries."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from rdfcrawl.engine.extract.extraction import Extraction, Follow
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.frontier.entries import NOTHING_VALID, Counted, Entry, PageResult
from rdfcrawl.engine.frontier.outcome import RETRIES, failed_result, page_result, postponed_result, retry_result
from rdfcrawl.engine.frontier.protocol import Frontier
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Page
from tests.engine.frontier.conftest import LIST

MODEL = f"""
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix p: <property://> .

<model:> :section <{LIST}> .
<{LIST}> :page page:list .
page:list  :type type:links ; :path "//li/a" ; :next "//a[@rel='next']" ; :total "//b" ; :param "ref" .
page:list  :target page:short .
page:short :type type:links ; :path "//li/a" ; :target page:thing .
page:thing :type type:object ; :item item:thing .
item:thing :path "//main" ; :property p:name .
p:name     :path ".//h1" .
"""
SECOND, THIRD = f"{LIST}?page=2", f"{LIST}?page=3"
MANY = 1000


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Page]:
    """A list that goes on, one that does not, and an object page."""
    path = tmp_path_factory.mktemp("model") / "model.ttl"
    path.write_text(MODEL)
    return dict(load_model(path).pages)


class Listing:
    """A list that is read part by part, as the crawl does it."""

    def __init__(self, frontier: Frontier, page: Page) -> None:
        self._frontier = frontier
        self._page = page

    async def read(
        self,
        *entries: str,
        following: str | None = None,
        clicks: bool = False,
        total: int | None = None,
        list_pages: int = MANY,
    ) -> PageResult:
        """Claim the next part, let it show these entries, and commit what comes of it."""
        (entry,) = await self._frontier.claim(1)
        extraction = Extraction(
            entries=list(entries), found=len(entries), next_address=following, next_clicks=clicks, stated_total=total
        )
        result = await page_result(self._frontier, entry, self._page, extraction, "http", list_pages)
        await self._frontier.commit([result], valid=NOTHING_VALID, counted=Counted())
        return result


@pytest.fixture
def listing(frontier: Frontier, pages: dict[str, Page]) -> Listing:
    """The start list of the section."""
    return Listing(frontier, pages["page://list"])


def said(result: PageResult) -> list[tuple[ProblemKind, str, str | None]]:
    return [(problem.kind, problem.reason, problem.path) for problem in result.problems]


class TestLists:
    """A list goes on until it ends, and never loops."""

    async def test_the_next_part_is_queued_under_its_cleaned_address(self, listing: Listing) -> None:
        """It is asked for as the button says it; parameters that do not count are no part of its key."""
        result = await listing.read("a", "b", following=f"{SECOND}&ref=1")
        assert result.outcome.next_part == Follow("page://list", f"{SECOND}&ref=1", SECOND)
        assert (result.problems, result.outcome.incomplete) == ([], False)
        assert (await listing.read("c")).outcome.next_part is None

    async def test_a_next_button_that_leads_back_ends_the_list(self, listing: Listing) -> None:
        """To the page itself, or to any part before it."""
        await listing.read("a", following=SECOND)
        result = await listing.read("b", following=f"{LIST}?ref=2")
        reason = f"the next button leads back to {LIST}, which is already part of the list; the list ends here"
        assert said(result) == [(ProblemKind.LOOP, reason, "//a[@rel='next']")]
        assert result.outcome.next_part is None
        assert result.outcome.incomplete

    async def test_a_page_that_follows_itself_ends_the_list(self, listing: Listing) -> None:
        """Even if the list has only this one."""
        assert [kind for kind, *_ in said(await listing.read("a", following=LIST))] == [ProblemKind.LOOP]

    async def test_a_part_that_brings_nothing_new_ends_the_list(self, listing: Listing) -> None:
        """However often its button leads on; what is known counts over all parts."""
        await listing.read("a", "b", following=SECOND)
        await listing.read("c", "a", following=THIRD)
        result = await listing.read("b", "c", following=f"{LIST}?page=4")
        assert said(result) == [(ProblemKind.LOOP, "this part of the list has nothing new; the list ends here", None)]
        assert result.outcome.next_part is None

    async def test_a_list_has_no_more_than_so_many_pages(self, listing: Listing) -> None:
        """What would come after them is left open."""
        await listing.read("a", following=SECOND, list_pages=2)
        result = await listing.read("b", following=THIRD, list_pages=2)
        assert said(result) == [(ProblemKind.LIMIT, "the list has more than 2 pages; it ends here", None)]
        assert result.outcome.incomplete

    async def test_a_button_without_address_needs_a_browser(self, listing: Listing) -> None:
        """Where none was used, the list is incomplete."""
        result = await listing.read("a", clicks=True)
        reason = "the next button has no address; only a browser can click it"
        assert said(result) == [(ProblemKind.NEEDS_BROWSER, reason, "//a[@rel='next']")]
        assert result.outcome.incomplete

    async def test_a_stated_total_is_compared_with_the_whole_list(self, listing: Listing) -> None:
        """At its last part, and with every entry counted once."""
        first = await listing.read("a", "b", "b", following=SECOND, total=4)
        assert first.problems == []
        result = await listing.read("b", "c", "c", total=4)
        assert said(result) == [(ProblemKind.INCOMPLETE, "the page states 4 results, 3 were found", "//b")]

    async def test_a_total_that_is_reached_is_no_problem(self, listing: Listing) -> None:
        """Nor is one that is exceeded."""
        await listing.read("a", "b", following=SECOND, total=3)
        assert (await listing.read("c", "d", total=3)).problems == []

    async def test_a_start_list_without_entries_is_a_problem(self, listing: Listing) -> None:
        """It names the path that found nothing."""
        result = await listing.read()
        assert said(result) == [(ProblemKind.EMPTY_LIST, "the start list has no entries", "//li/a")]
        assert result.outcome.incomplete

    async def test_a_list_further_in_may_be_empty(
        self, listing: Listing, frontier: Frontier, pages: dict[str, Page]
    ) -> None:
        """And one that cannot go on keeps no account of what it shows."""
        (start,) = await frontier.claim(1)
        follow = Follow("page://short", "http://site.example/short", "http://site.example/short")
        found = Extraction(entries=["a"], found=1, follows=[follow])
        result = await page_result(frontier, start, pages["page://list"], found, "http", MANY)
        await frontier.commit([result], valid=NOTHING_VALID, counted=Counted())
        (short,) = await frontier.claim(1)
        empty = await page_result(frontier, short, pages["page://short"], Extraction(), "http", MANY)
        assert (empty.problems, empty.outcome.incomplete) == ([], False)
        shown = await page_result(
            frontier, short, pages["page://short"], Extraction(entries=["x"], found=1), "http", MANY
        )
        assert shown.outcome.entries == ()

    async def test_problems_of_the_extraction_count_as_well(self, frontier: Frontier, pages: dict[str, Page]) -> None:
        """A list that could not be read to its end is incomplete; one with a missing value is not."""
        (entry,) = await frontier.claim(1)
        for kind, incomplete in ((ProblemKind.UNREADABLE, True), (ProblemKind.MISSING, False)):
            problem = Problem(kind, LIST, "page://list", "reason")
            extraction = Extraction(entries=["a"], found=1, problems=[problem])
            result = await page_result(frontier, entry, pages["page://list"], extraction, "http", MANY)
            assert (result.problems, result.outcome.incomplete) == ([problem], incomplete)


class TestObjectPages:
    """What is known of an object whose page could be read, or could not."""

    @staticmethod
    async def _result(frontier: Frontier, page: Page, tops: Sequence[tuple[str, str]]) -> PageResult:
        entry = _entry()
        return await page_result(frontier, entry, page, Extraction(tops=list(tops)), "browser", MANY)

    async def test_a_page_that_lies_elsewhere_is_noted(self, frontier: Frontier, pages: dict[str, Page]) -> None:
        """By the IRI of its object, so that an outage of the page does not lose it."""
        moved = await self._result(frontier, pages["page://thing"], [("<item://thing>", "<http://site.example/new>")])
        assert moved.outcome.moved_to == "http://site.example/new"
        stayed = await self._result(frontier, pages["page://thing"], [("<item://thing>", "<http://site.example/a>")])
        assert stayed.outcome.moved_to is None
        assert not stayed.outcome.incomplete

    async def test_a_page_without_its_object_is_unread(self, frontier: Frontier, pages: dict[str, Page]) -> None:
        """Nobody knows what became of the object."""
        result = await self._result(frontier, pages["page://thing"], [])
        assert result.outcome.incomplete
        assert result.engine == "browser"


class TestFailures:
    """Pages that could not be fetched."""

    def test_what_is_gone_was_seen(self) -> None:
        """Everything else leaves open what the page would have said."""
        gone = failed_result(_entry(), ProblemKind.GONE, "the server answered 404", "http")
        refused = failed_result(_entry(), ProblemKind.REFUSED, "the server answered 403", "http")
        assert (gone.outcome.failure, gone.outcome.incomplete) == ("gone", False)
        assert (refused.outcome.failure, refused.outcome.incomplete) == ("refused", True)
        assert gone.problems == [
            Problem(ProblemKind.GONE, "http://site.example/a?ref=1", "page://thing", "the server answered 404")
        ]

    def test_trouble_that_may_pass_is_tried_again_with_growing_pauses(self) -> None:
        """So many times and no more."""
        failure = FetchFailed(ProblemKind.UNREACHABLE, "trouble", transient=True)
        before = time.time()
        first, second = (retry_result(_entry(attempts), failure, "http") for attempts in (0, 1))
        assert first is not None
        assert second is not None
        assert 0.75 <= (first.outcome.retry_at or 0) - before <= 1.25 + (time.time() - before)
        assert 1.5 <= (second.outcome.retry_at or 0) - before <= 2.5 + (time.time() - before)
        assert first.problems == []
        assert retry_result(_entry(RETRIES - 1), failure, "http") is None

    def test_what_will_not_pass_is_not_tried_again(self) -> None:
        """Nor what would have to wait for a day."""
        assert retry_result(_entry(), FetchFailed(ProblemKind.REFUSED, "no"), "http") is None
        tomorrow = FetchFailed(ProblemKind.UNREACHABLE, "later", transient=True, retry_after=86400.0)
        assert retry_result(_entry(), tomorrow, "http") is None

    def test_a_server_says_when(self) -> None:
        """But not before its host is asked again anyway."""
        failure = FetchFailed(ProblemKind.UNREACHABLE, "later", transient=True, retry_after=20.0)
        before = time.time()
        result = retry_result(_entry(), failure, "http")
        assert result is not None
        assert before + 20 <= (result.outcome.retry_at or 0) <= time.time() + 20
        later = retry_result(_entry(), failure, "http", not_before=before + 100)
        assert later is not None
        assert later.outcome.retry_at == before + 100

    def test_a_page_that_was_not_tried_has_all_its_tries(self) -> None:
        """Its host is left alone; the page waits."""
        outcome = postponed_result(_entry(), 12345.0, "http").outcome
        assert (outcome.retry_at, outcome.tried) == (12345.0, False)


def _entry(attempts: int = 0) -> Entry:
    address = "http://site.example/a"
    return Entry(9, "page://thing", address, f"{address}?ref=1", "site.example", 0, 9, 0, attempts)
