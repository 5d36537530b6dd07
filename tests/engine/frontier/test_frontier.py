"""The queue of a run, whoever keeps it: what is read once, what hangs from what, and what is left after a crash."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
import pytest_asyncio

from rdfcrawl.engine.extract.extraction import Follow
from rdfcrawl.engine.frontier.entries import (
    NOTHING_VALID,
    Counted,
    Entry,
    EntryState,
    Lead,
    Lengths,
    Outcome,
    PageResult,
    Surveyed,
)
from rdfcrawl.engine.frontier.protocol import CrawlQueue, Frontier
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.metamodel.model import Section
from tests.engine.frontier.conftest import LIST, OpenRunOf

BEST = "http://site.example/best"
THING = "page://thing"
NOTHING = Counted()


async def commit(
    frontier: Frontier,
    *outcomes: Outcome,
    valid: Lengths = NOTHING_VALID,
    counted: Counted = NOTHING,
    in_rounds: bool = False,
) -> Counter[int]:
    results = [PageResult(outcome, "http") for outcome in outcomes]
    return await frontier.commit(results, valid=valid, counted=counted, in_rounds=in_rounds)


async def claimed(frontier: Frontier) -> Entry:
    (entry,) = await frontier.claim(1)
    return entry


def to(name: str, parent: str | None = None, page: str = THING) -> Follow:
    address = f"http://site.example/{name}"
    return Follow(page, address, address, parent)


def lead(name: str, score: float = 0.0, page: str = THING, **about: Any) -> Lead:
    address = f"http://site.example/{name}"
    return Lead(page, address, address, score, **about)


def top(name: str) -> tuple[str, str]:
    return "<item://thing>", f"<http://site.example/{name}>"


async def rows(found: AsyncIterator[Sequence[tuple[Any, ...]]]) -> set[tuple[Any, ...]]:
    return {row async for some in found for row in some}


async def addresses(frontier: Frontier) -> set[tuple[Any, ...]]:
    """Every address of a survey: its name, kind, depth, reason, and the name of what it duplicates."""
    return {
        (one.address[20:], one.kind, one.depth, one.reason, one.original and one.original[20:])
        async for some in frontier.surveyed()
        for one in some
    }


async def edges(frontier: Frontier) -> set[tuple[str, str]]:
    return {(parent, target) for parent, _, target in await rows(frontier.edges())}


class TestClaims:
    """Who reads what."""

    async def test_an_entry_is_claimed_once(self, frontier: Frontier) -> None:
        """A claimed entry is not given to anybody else."""
        assert [entry.address for entry in await frontier.claim(5)] == [LIST]
        assert await frontier.claim(5) == []

    async def test_the_oldest_entries_come_first(self, frontier: Frontier) -> None:
        """Claims follow the order in which pages were found."""
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("b"), to("a"), to("c")]))
        names = [entry.address[-1] for entry in (*await frontier.claim(2), *await frontier.claim(2))]
        assert names == ["b", "a", "c"]

    async def test_busy_hosts_are_passed_over(self, frontier: Frontier) -> None:
        """Entries of a host that has enough to do stay in the queue."""
        other = Follow(THING, "http://other.example/a", "http://other.example/a")
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("a"), other]))
        assert [entry.host for entry in await frontier.claim(5, busy_hosts=["site.example"])] == ["other.example"]
        assert [entry.host for entry in await frontier.claim(5)] == ["site.example"]

    async def test_claims_of_a_process_that_is_gone_are_given_back(
        self, frontier: Frontier, open_run: OpenRunOf
    ) -> None:
        """The next start of the worker reads what was claimed and not acknowledged."""
        await frontier.claim(1)
        second = (await open_run()).frontier
        await second.release_claims()
        assert (await claimed(second)).address == LIST

    async def test_claims_of_another_worker_are_left_to_it(self, frontier: Frontier, open_run: OpenRunOf) -> None:
        """Nobody else gets them, and as long as they are open the run has not ended."""
        mine = await claimed(frontier)
        other = (await open_run(worker="other")).frontier
        await other.release_claims()
        assert await other.claim(5) == []
        assert await other.seconds_until_due() is not None
        await commit(frontier, Outcome(mine))
        assert await other.seconds_until_due() is None

    async def test_entries_of_several_hosts_come_in_their_order(self, frontier: Frontier) -> None:
        """However many there are of each; a host that is busy leaves no gap."""
        hosts = [f"{letter}.example" for letter in "cabacbbbbbbbbbbca"]
        links = [Follow(THING, f"http://{host}/{n}", f"{n}") for n, host in enumerate(hosts)]
        await commit(frontier, Outcome(await claimed(frontier), follows=links))
        first = await frontier.claim(9, busy_hosts=["c.example", "nowhere.example"])
        then = [entry for _ in range(4) for entry in await frontier.claim(2)]
        assert [entry.key for entry in first] == [f"{n}" for n in (1, 2, 3, 5, 6, 7, 8, 9, 10)]
        assert [entry.key for entry in then] == [f"{n}" for n in (0, 4, 11, 12, 13, 14, 15, 16)]

    async def test_acknowledged_entries_are_not_read_again(self, frontier: Frontier) -> None:
        """Neither a page that was read nor one that failed comes back."""
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("a")]))
        await commit(frontier, Outcome(await claimed(frontier), failure="gone"))
        await frontier.release_claims()
        assert await frontier.claim(5) == []
        assert await frontier.counts() == {(0, EntryState.DONE): 1, (0, EntryState.FAILED): 1}

    async def test_an_entry_to_be_tried_again_waits_for_its_time(self, frontier: Frontier) -> None:
        """It is not due before, and says how long that will be."""
        await commit(frontier, Outcome(await claimed(frontier), retry_at=time.time() + 600))
        assert await frontier.claim(5) == []
        waiting = await frontier.seconds_until_due()
        assert waiting is not None
        assert waiting > 0

    async def test_a_clock_that_was_set_back_does_not_stop_the_queue(self, frontier: Frontier) -> None:
        """A time that is farther away than anything is ever put off was written by another clock."""
        await commit(frontier, Outcome(await claimed(frontier), retry_at=time.time() + 10 * 24 * 3600))
        assert await frontier.seconds_until_due() == 0
        assert len(await frontier.claim(5)) == 1

    async def test_an_entry_that_was_not_tried_has_all_its_attempts(self, frontier: Frontier) -> None:
        """Its host was left alone; the page had no part in that."""
        await commit(frontier, Outcome(await claimed(frontier), retry_at=0.0, tried=False))
        assert (await claimed(frontier)).attempts == 0

    async def test_the_waiting_pages_of_a_host_can_be_put_off_together(self, frontier: Frontier) -> None:
        """Those of other hosts stay due."""
        start = await claimed(frontier)
        links = [Follow(start.page, f"http://{host}.example/{n}", f"{host}{n}") for host in "ab" for n in range(3)]
        await commit(frontier, Outcome(start, follows=links))
        await frontier.postpone("a.example", time.time() + 600)
        await frontier.postpone("a.example", time.time() + 300)
        others = await frontier.claim(10)
        assert {entry.host for entry in others} == {"b.example"}
        await commit(frontier, *map(Outcome, others))
        assert 300 < (await frontier.seconds_until_due() or 0) <= 600

    async def test_a_host_that_was_put_off_by_another_clock_is_asked(self, frontier: Frontier) -> None:
        """As with entries, nothing is put off for days."""
        await frontier.postpone("site.example", time.time() + 10 * 24 * 3600)
        assert await frontier.seconds_until_due() == 0
        assert len(await frontier.claim(5)) == 1

    async def test_an_entry_to_be_tried_again_counts_its_attempts(self, frontier: Frontier) -> None:
        """Each try is remembered with the entry."""
        await commit(frontier, Outcome(await claimed(frontier), retry_at=0.0))
        again = await claimed(frontier)
        assert again.attempts == 1
        await commit(frontier, Outcome(again, retry_at=0.0))
        assert (await claimed(frontier)).attempts == 2

    async def test_runs_do_not_see_each_other(self, frontier: Frontier, open_run: OpenRunOf) -> None:
        """Two runs in one place have a queue each."""
        other = (await open_run("another")).frontier
        assert await other.claim(5) == []
        await other.start([Section(LIST, "page://list")])
        assert len(await other.claim(5)) == len(await frontier.claim(5)) == 1


class TestCommits:
    """Acknowledging pages and queueing what they brought."""

    async def test_starting_again_changes_nothing(self, frontier: Frontier) -> None:
        """The start pages are queued once."""
        await frontier.start([Section(LIST, "page://list")])
        assert await frontier.counts() == {(0, EntryState.QUEUED): 1}

    async def test_committing_again_changes_nothing(self, frontier: Frontier) -> None:
        """A page that was read twice after a crash leaves what it would have left once."""
        outcome = Outcome(await claimed(frontier), follows=[to("a", LIST)], tops=[top("list")], entries=["a"])
        assert await commit(frontier, outcome) == {0: 1}
        once = (await frontier.counts(), await edges(frontier))
        assert not await commit(frontier, outcome)
        assert (await frontier.counts(), await edges(frontier)) == once

    async def test_pages_are_queued_by_kind_and_key(self, frontier: Frontier) -> None:
        """Two addresses with one key are one entry; one address as two kinds of page is two."""
        with_parameter = Follow(THING, "http://site.example/a?ref=1", "http://site.example/a")
        queued = await commit(
            frontier, Outcome(await claimed(frontier), follows=[to("a"), with_parameter, to("a", page="page://other")])
        )
        assert queued == {0: 2}
        assert [(entry.page, entry.address) for entry in await frontier.claim(5)] == [
            (THING, "http://site.example/a"),
            ("page://other", "http://site.example/a"),
        ]

    async def test_lengths_of_the_files_are_kept_with_the_acknowledgement(
        self, frontier: Frontier, open_run: OpenRunOf
    ) -> None:
        """The next start learns how much of each worker's journal is valid."""
        assert await frontier.lengths() == {}
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("a")]), valid=Lengths(120, 30))
        other = (await open_run(worker="other")).frontier
        await commit(other, Outcome(await claimed(other)), valid=Lengths(7, 0))
        await commit(frontier, valid=Lengths(150, 30))
        again = (await open_run()).frontier
        assert await again.lengths() == {"main": Lengths(150, 30), "other": Lengths(7, 0)}

    async def test_what_workers_count_is_added_up(self, frontier: Frontier, open_run: OpenRunOf) -> None:
        """Each commit brings what is new since the one before; of reasons the latest counts."""
        other = (await open_run(worker="other")).frontier
        await commit(frontier, counted=Counted({("pages", "http"): 2, ("seconds", ""): 0.5}, {"page://a": "first"}))
        await commit(other, counted=Counted({("pages", "http"): 3, ("pages", "browser"): 1}))
        await commit(frontier, counted=Counted({("seconds", ""): 0.25}, {"page://a": "then", "page://b": "also"}))
        total = await (await open_run()).frontier.counted()
        assert total.amounts == {("pages", "http"): 5, ("pages", "browser"): 1, ("seconds", ""): 0.75}
        assert total.reasons == {"page://a": "then", "page://b": "also"}

    async def test_what_is_left_can_be_given_up(self, frontier: Frontier) -> None:
        """Queued or claimed, it is unread for the reason that is given; the counts come with it."""
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("a"), to("b")]))
        await claimed(frontier)
        problem = Problem(ProblemKind.LIMIT, LIST, "page://list", "that was all")
        counted = Counted({("problems", "limit"): 1})
        await frontier.leave_rest("limit", [problem], valid=Lengths(0, 80), counted=counted)
        assert await frontier.claim(5) == []
        assert await frontier.seconds_until_due() is None
        assert await frontier.counts() == {(0, EntryState.DONE): 1, (0, EntryState.FAILED): 2}
        assert await rows(frontier.failures_by_section()) == {(LIST, "limit", 2)}
        assert await frontier.lengths() == {"main": Lengths(0, 80)}
        assert await frontier.counted() == counted

    async def test_a_run_that_was_forgotten_is_not_taken_up_again(self, frontier: Frontier, queue: CrawlQueue) -> None:
        """What has ended leaves nothing in the queue."""
        counted = Counted({("pages", "http"): 1}, {"page://a": "reason"})
        outcome = Outcome(await claimed(frontier), follows=[to("a")], leads=[lead("b")], tops=[top("a")])
        await commit(frontier, outcome, valid=Lengths(1, 1), counted=counted)
        assert await queue.unfinished("identity") == frontier.run
        await frontier.forget()
        assert await frontier.counts() == {}
        assert await rows(frontier.edges()) == set()
        assert await frontier.lengths() == {}
        assert await frontier.counted() == Counted()
        assert not await frontier.next_level()
        assert await queue.unfinished("identity") is None

    async def test_only_the_same_run_is_taken_up_again(self, queue: CrawlQueue) -> None:
        """Another model, other sections or other options are another run."""
        await queue.begin("identity")
        assert await queue.unfinished("another") is None

    async def test_runs_that_begin_in_the_same_second_have_different_numbers(self, queue: CrawlQueue) -> None:
        """A number is never used twice, and is above all that are known elsewhere."""
        numbers = [await queue.begin("identity") for _ in range(3)]
        assert len(set(numbers)) == 3
        assert await queue.begin("identity", newest=max(numbers) + 1000) == max(numbers) + 1001


class TestLevels:
    """Leads are barriers: they are followed when everything before them is read."""

    async def test_leads_wait_until_nothing_is_left(self, frontier: Frontier) -> None:
        """Neither while something is queued nor while it is claimed does the next level begin."""
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("a")], leads=[lead("b")]))
        assert not await frontier.next_level()
        page = await claimed(frontier)
        assert not await frontier.next_level()
        await commit(frontier, Outcome(page))
        assert await frontier.seconds_until_due() is None
        assert await frontier.next_level() == {0: 1}
        assert not await frontier.next_level()
        found = await claimed(frontier)
        assert (found.address, found.level) == ("http://site.example/b", 1)

    async def test_the_highest_score_comes_first_then_the_address(self, frontier: Frontier) -> None:
        """Whichever page brought a lead first; of several leads to a page the highest score counts."""
        start = await claimed(frontier)
        await commit(frontier, Outcome(start, follows=[to("x"), to("y")]))
        x, y = await frontier.claim(2)
        await commit(frontier, Outcome(y, leads=[lead("d", 1.0), lead("c", 2.0), lead("b", 1.0)]))
        await commit(frontier, Outcome(x, leads=[lead("d", 3.0), lead("a", 1.0), lead("x", 9.0)]))
        assert await frontier.next_level() == {0: 4}
        entries = await frontier.claim(10)
        assert [entry.address[-1] for entry in entries] == ["d", "c", "a", "b"]

    async def test_a_limit_of_pages_takes_the_first_of_a_level(self, frontier: Frontier) -> None:
        """By score and address; the others are still there when the run leaves the rest."""
        names = [lead("d"), lead("b"), lead("c", 2.0), lead("a", 1.0), lead("e", held="lead")]
        visited = Counted({("pages", "http"): 7})
        await commit(frontier, Outcome(await claimed(frontier), leads=names), counted=visited)
        assert await frontier.next_level(7) == {}
        assert await frontier.next_level(10) == {0: 3}
        assert [entry.address[-1] for entry in await frontier.claim(10)] == ["c", "a", "b"]
        assert await frontier.leave_leads() == {0: 1}

    @pytest.mark.parametrize("is_reversed", [False, True])
    async def test_rounds_come_in_the_order_of_pages_and_their_links(
        self, frontier: Frontier, is_reversed: bool
    ) -> None:
        """Whoever commits first; what two pages of a round lead to comes last of what the first of them leads to."""
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("b"), to("a")]), in_rounds=True)
        assert await frontier.claim(5) == []
        assert not await frontier.is_complete()
        assert await frontier.next_level() == {0: 0}
        b, a = await frontier.claim(5)
        assert b.address.endswith("/b")
        found = [Outcome(b, follows=[to("z"), to("both"), to("y")]), Outcome(a, follows=[to("both"), to("x"), to("w")])]
        for outcome in reversed(found) if is_reversed else found:
            await commit(frontier, outcome, counted=Counted({("pages", "http"): 1}), in_rounds=True)
        assert await frontier.next_level(2) == {}
        assert await frontier.next_level(6) == {0: 0}
        entries = await frontier.claim(10)
        assert [entry.address.rpartition("/")[2] for entry in entries] == ["z", "y", "both", "x"]
        assert (await frontier.counts())[0, EntryState.HELD] == 1
        await frontier.leave_rest("limit", [], valid=NOTHING_VALID, counted=NOTHING)
        assert await frontier.is_complete()

    async def test_the_texts_of_all_links_to_a_page_come_with_it(self, frontier: Frontier) -> None:
        """Of the pages of the level before that are no duplicates, in an order that nobody's timing decides."""
        start = await claimed(frontier)
        await commit(frontier, Outcome(start, follows=[to("x"), to("y"), to("z")]))
        x, y, z = await frontier.claim(3)
        anchors = ("two", "one", "of a duplicate")
        for page, text, content in zip((x, y, z), anchors, ("1", "2", "2"), strict=True):
            leads = [lead("a", anchors=text), lead("b"), lead("c", anchors=text, held="lead")]
            await commit(frontier, Outcome(page, leads=leads, surveyed=Surveyed("html", content)))
        await frontier.next_level()
        found = {entry.address[-1]: entry.anchors for entry in await frontier.claim(5)}
        assert found == {"a": "one\x1ftwo", "b": None}

    async def test_levels_come_before_scores(self, frontier: Frontier) -> None:
        """What a page of a level links to is read in that level; entries that were given back keep their place."""
        await commit(frontier, Outcome(await claimed(frontier), leads=[lead("b", 2.0), lead("a", 3.0)]))
        await frontier.next_level()
        a, b = await frontier.claim(2)
        await commit(frontier, Outcome(a, follows=[to("0")], leads=[lead("c", 9.0)]))
        await commit(frontier, Outcome(b, retry_at=0.0))
        names = [(entry.address[-1], entry.level) for entry in await frontier.claim(5)]
        assert names == [("b", 1), ("0", 1)]

    async def test_leads_that_fail_count_for_their_section(self, frontier: Frontier) -> None:
        """Through all levels."""
        await commit(frontier, Outcome(await claimed(frontier), leads=[lead("a")]))
        await frontier.next_level()
        await commit(frontier, Outcome(await claimed(frontier), leads=[lead("b")]))
        await frontier.next_level()
        await commit(frontier, Outcome(await claimed(frontier), failure="unreachable", incomplete=True))
        assert await rows(frontier.failures_by_section()) == {(LIST, "unreachable", 1)}


class TestSurveys:
    """Sites are read level by level, and a level is judged as a whole."""

    @pytest_asyncio.fixture
    async def frontier(self, open_run: OpenRunOf) -> Frontier:
        """The entries of a run with one site."""
        frontier = (await open_run()).frontier
        await frontier.start([Section(LIST, THING)])
        return frontier

    async def test_a_duplicate_is_the_deeper_one_then_the_later_one_by_address(self, frontier: Frontier) -> None:
        """Whichever was read first; and what only duplicates lead to is not read."""
        start = await claimed(frontier)
        await commit(frontier, Outcome(start, leads=[lead("c"), lead("b")], surveyed=Surveyed("html", "start")))
        await frontier.next_level()
        b, c = await frontier.claim(2)
        await commit(frontier, Outcome(c, leads=[lead("of-c"), lead("of-both")], surveyed=Surveyed("html", "same")))
        await commit(frontier, Outcome(b, leads=[lead("of-b"), lead("of-both")], surveyed=Surveyed("html", "same")))
        assert await frontier.next_level() == {0: 2}
        both, of_b = await frontier.claim(5)
        assert [both.address[20:], of_b.address[20:]] == ["of-b", "of-both"]
        await commit(frontier, Outcome(both, leads=[lead("x")], surveyed=Surveyed("html", "start")))
        await commit(frontier, Outcome(of_b, surveyed=Surveyed("html", "other")))
        assert not await frontier.next_level()
        assert await addresses(frontier) == {
            ("list", "html", 0, None, None),
            ("b", "html", 1, None, None),
            ("c", "duplicate", 1, None, "b"),
            ("of-b", "duplicate", 2, None, "list"),
            ("of-both", "html", 2, None, None),
        }

    async def test_what_a_duplicate_contains_belongs_to_nobody(self, frontier: Frontier) -> None:
        """Its page says it already; the address itself stays an object of the site."""
        start = await claimed(frontier)
        await commit(frontier, Outcome(start, leads=[lead("a")], tops=[top("list")], surveyed=Surveyed("html", "same")))
        await frontier.next_level()
        await commit(frontier, Outcome(await claimed(frontier), tops=[top("a")], surveyed=Surveyed("html", "same")))
        await frontier.next_level()
        assert await rows(frontier.edges()) == {
            (LIST, *top("list")),
            (LIST, "<predicate://site/page>", f"<{LIST}>"),
            (LIST, "<predicate://site/page>", "<http://site.example/a>"),
        }

    async def test_hops_are_read_before_the_level_ends(self, frontier: Frontier) -> None:
        """A redirect is no link: what it leads to is as deep, and it counts when duplicates are found."""
        start = await claimed(frontier)
        leads = [lead("b", start=LIST), lead("z", start=LIST)]
        await commit(frontier, Outcome(start, leads=leads, surveyed=Surveyed("html", "start")))
        await frontier.next_level()
        b, z = await frontier.claim(2)
        await commit(frontier, Outcome(b, leads=[lead("of-b")], surveyed=Surveyed("html", "same")))
        await commit(frontier, Outcome(z, leads=[lead("a", start=LIST, is_hop=True)], surveyed=Surveyed("redirect")))
        assert await frontier.next_level() == {0: 1}
        a = await claimed(frontier)
        assert (a.address[20:], a.level, a.part, a.list_address) == ("a", 1, 1, LIST)
        await commit(frontier, Outcome(a, leads=[lead("of-a")], surveyed=Surveyed("html", "same")))
        assert await frontier.next_level() == {0: 1}
        assert (await claimed(frontier)).address == "http://site.example/of-a"

    async def test_a_hop_to_a_known_page_does_not_end_the_run(self, frontier: Frontier) -> None:
        """The next level comes at once."""
        start = await claimed(frontier)
        leads = [lead("a"), lead("list", is_hop=True), lead("b", is_hop=True)]
        await commit(frontier, Outcome(start, follows=[to("b")], leads=leads))
        await commit(frontier, Outcome(await claimed(frontier)))
        assert await frontier.next_level() == {0: 1}
        assert (await claimed(frontier)).address == "http://site.example/a"

    async def test_what_is_held_is_read_only_if_something_else_leads_to_it(self, frontier: Frontier) -> None:
        """In the end it is known, and unread for its reason."""
        start = await claimed(frontier)
        leads = [lead("a"), lead("b", held="nofollow"), lead("c", held="nofollow"), lead("d", held="depth")]
        await commit(frontier, Outcome(start, leads=leads, surveyed=Surveyed("html", "1")))
        assert await frontier.next_level() == {0: 1}
        a = await claimed(frontier)
        leads = [lead("b"), lead("d", held="nofollow")]
        await commit(frontier, Outcome(a, leads=leads, surveyed=Surveyed("html", "2")))
        assert await frontier.next_level() == {0: 1}
        b = await claimed(frontier)
        assert (b.address[20:], b.level) == ("b", 2)
        await commit(frontier, Outcome(b, surveyed=Surveyed("error")))
        assert not await frontier.next_level()
        assert not await frontier.next_level()
        assert await frontier.seconds_until_due() is None
        assert await addresses(frontier) == {
            ("list", "html", 0, None, None),
            ("a", "html", 1, None, None),
            ("b", "error", 2, None, None),
            ("c", "unread", 1, "nofollow", None),
            ("d", "unread", 1, "depth", None),
        }
        assert await edges(frontier) >= {(LIST, "<http://site.example/c>"), (LIST, "<http://site.example/d>")}

    async def test_no_more_of_a_family_is_read_than_allowed(self, frontier: Frontier) -> None:
        """The first ones by address, over all levels; the others are in a trap."""
        start = await claimed(frontier)
        months = [lead(name, family="calendar *", most=3) for name in ("m2", "m1", "m4")]
        await commit(frontier, Outcome(start, leads=[*months[:2], lead("a")], surveyed=Surveyed("html", "0")))
        assert await frontier.next_level() == {0: 3}
        a, m1, m2 = await frontier.claim(5)
        later = lead("m3", family="calendar *", most=3)
        await commit(frontier, Outcome(m1, leads=[months[2], later], surveyed=Surveyed("html", "1")))
        await commit(frontier, Outcome(m2, leads=[months[2], later], surveyed=Surveyed("html", "2")))
        await commit(frontier, Outcome(a, surveyed=Surveyed("html", "3")))
        assert await frontier.next_level() == {0: 1}
        m3 = await claimed(frontier)
        assert m3.address == "http://site.example/m3"
        await commit(frontier, Outcome(m3, leads=[months[2]], surveyed=Surveyed("html", "4")))
        assert not await frontier.next_level()
        assert ("m4", "unread", 2, "trap: calendar", None) in await addresses(frontier)

    async def test_a_page_belongs_to_the_first_start_that_leads_to_it(self, open_run: OpenRunOf) -> None:
        """By the address of the start, whichever was read first."""
        frontier = (await open_run()).frontier
        starts = ["http://b.example/", "http://a.example/"]
        await frontier.start([Section(address, THING) for address in starts])
        for start in reversed(await frontier.claim(2)):
            outcome = Outcome(start, leads=[lead("x", start=start.address)], surveyed=Surveyed("html", start.host))
            await commit(frontier, outcome)
        await frontier.next_level()
        x = await claimed(frontier)
        assert x.list_address == "http://a.example/"
        await commit(frontier, Outcome(x, surveyed=Surveyed("html", "x")))
        assert ("http://a.example/", "<http://site.example/x>") in await edges(frontier)
        assert ("http://b.example/", "<http://site.example/x>") not in await edges(frontier)

    async def test_a_run_that_ends_early_knows_what_it_has_not_read(self, frontier: Frontier) -> None:
        """What is queued, what would have come next, and what was held back."""
        start = await claimed(frontier)
        leads = [lead("b"), lead("c", held="nofollow")]
        await commit(
            frontier, Outcome(start, follows=[to("a", page=THING)], leads=leads, surveyed=Surveyed("html", "1"))
        )
        assert await frontier.leave_leads() == {0: 1}
        counts = await frontier.counts()
        assert counts == {(0, EntryState.DONE): 2, (0, EntryState.QUEUED): 2}
        await frontier.leave_rest("limit", [], valid=NOTHING_VALID, counted=NOTHING)
        await frontier.settle_surveys([THING])
        await frontier.settle_surveys([THING])
        assert await addresses(frontier) == {
            ("list", "html", 0, None, None),
            ("a", "unread", 0, "limit", None),
            ("b", "unread", 1, "limit", None),
            ("c", "unread", 1, "nofollow", None),
        }

    async def test_an_address_that_nobody_has_named_is_none(self, frontier: Frontier) -> None:
        """A guess that came to nothing leaves no trace."""
        start = await claimed(frontier)
        leads = [lead("sitemap.xml", is_hop=True)]
        await commit(frontier, Outcome(start, leads=leads, surveyed=Surveyed("html", "1")))
        await frontier.next_level()
        await commit(frontier, Outcome(await claimed(frontier), surveyed=Surveyed("")))
        await frontier.settle_surveys([THING])
        assert await addresses(frontier) == {("list", "html", 0, None, None)}
        assert await edges(frontier) == {(LIST, f"<{LIST}>")}

    async def test_how_long_answers_took_is_kept(self, frontier: Frontier) -> None:
        """For the record of the run."""
        await commit(frontier, Outcome(await claimed(frontier), surveyed=Surveyed("html", "1", seconds=0.25)))
        assert [one.seconds async for some in frontier.surveyed() for one in some] == [0.25]


class TestEdges:
    """What hangs from what, once everything is read."""

    async def test_objects_of_a_start_page_hang_from_the_section(self, frontier: Frontier) -> None:
        """The section is the parent."""
        await commit(frontier, Outcome(await claimed(frontier), tops=[top("a"), top("b")]))
        assert await edges(frontier) == {(LIST, "<http://site.example/a>"), (LIST, "<http://site.example/b>")}

    async def test_links_pages_are_transparent(self, frontier: Frontier) -> None:
        """Through any number of them the edge runs from the section."""
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("year", page="page://year")]))
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("a")]))
        await commit(frontier, Outcome(await claimed(frontier), tops=[top("a")]))
        assert await edges(frontier) == {(LIST, "<http://site.example/a>")}

    async def test_the_nearest_object_is_the_parent(self, frontier: Frontier) -> None:
        """A links page below an object hands on that object, not the section."""
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("a")]))
        object_a = "http://site.example/a"
        outcome = Outcome(
            await claimed(frontier), tops=[top("a")], follows=[to("parts", object_a, page="page://parts")]
        )
        await commit(frontier, outcome)
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("b")]))
        await commit(frontier, Outcome(await claimed(frontier), tops=[top("b")]))
        assert await edges(frontier) == {(LIST, "<http://site.example/a>"), (object_a, "<http://site.example/b>")}

    async def test_every_parent_has_its_edge(self, frontier: Frontier) -> None:
        """A page found from three objects is read once and hangs from all of them."""
        parents = [f"http://site.example/parent/{number}" for number in range(3)]
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("a", parent) for parent in parents]))
        await commit(frontier, Outcome(await claimed(frontier), tops=[top("a")]))
        assert await frontier.claim(5) == []
        assert await edges(frontier) == {(parent, "<http://site.example/a>") for parent in parents}

    async def test_a_parent_that_is_found_after_the_page_was_read_has_its_edge(self, frontier: Frontier) -> None:
        """The order in which pages are read does not matter."""
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("a"), to("late", page="page://late")]))
        page, late = await frontier.claim(2)
        await commit(frontier, Outcome(page, tops=[top("a")]))
        await commit(frontier, Outcome(late, follows=[to("a", "http://site.example/late")]))
        assert await edges(frontier) == {
            (LIST, "<http://site.example/a>"),
            ("http://site.example/late", "<http://site.example/a>"),
        }

    async def test_the_parts_of_a_list_hang_from_its_parents(self, frontier: Frontier) -> None:
        """What the second and third part show hangs where the first part hangs."""
        entry = await claimed(frontier)
        for number in range(3):
            following = to(f"list?page={number + 2}", page="page://list") if number < 2 else None
            await commit(frontier, Outcome(entry, tops=[top(str(number))], next_part=following))
            if following:
                entry = await claimed(frontier)
                assert entry.part == number + 1
        assert await edges(frontier) == {(LIST, f"<http://site.example/{number}>") for number in range(3)}

    async def test_links_pages_in_circles_come_to_an_end(self, frontier: Frontier) -> None:
        """Two categories that lead to each other give each book its one edge."""
        start = await claimed(frontier)
        await commit(frontier, Outcome(start, follows=[to("other", page="page://list"), to("a")]))
        other, thing = await frontier.claim(2)
        back = Follow("page://list", LIST, LIST)
        await commit(frontier, Outcome(other, follows=[back, to("a")]), Outcome(thing, tops=[top("a")]))
        assert await frontier.claim(5) == []
        assert await edges(frontier) == {(LIST, "<http://site.example/a>")}

    async def test_lists_in_circles_pass_on_all_their_parents(self, frontier: Frontier) -> None:
        """Where list parts lead to each other, each parent reaches what any part shows."""
        parents = ("http://site.example/x", "http://site.example/y")
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("1", parents[0]), to("2", parents[1])]))
        first, second = await frontier.claim(2)
        await commit(frontier, Outcome(first, tops=[top("a")], next_part=to("2")))
        await commit(frontier, Outcome(second, tops=[top("b")], next_part=to("1")))
        assert await edges(frontier) == {(parent, top(name)[1]) for parent in parents for name in "ab"}

    async def test_sections_that_share_a_page_both_have_the_edge(self, open_run: OpenRunOf) -> None:
        """Two sections, one page, two edges."""
        frontier = (await open_run()).frontier
        await frontier.start([Section(LIST, "page://list"), Section(BEST, "page://list")])
        for entry in await frontier.claim(2):
            await commit(frontier, Outcome(entry, follows=[to("a")]))
        await commit(frontier, Outcome(await claimed(frontier), tops=[top("a")]))
        assert await edges(frontier) == {(LIST, "<http://site.example/a>"), (BEST, "<http://site.example/a>")}


class TestLists:
    """What a list has shown so far."""

    async def test_a_list_knows_what_it_has_shown(self, frontier: Frontier) -> None:
        """Entries count over all parts, each once."""
        await commit(
            frontier,
            Outcome(await claimed(frontier), entries=["a", "b", "a"], next_part=to("list?page=2", page="page://list")),
        )
        second = await claimed(frontier)
        assert await frontier.list_length(second) == 2
        assert await frontier.list_has(second, ["b", "c"]) == 1

    async def test_a_list_knows_its_parts(self, frontier: Frontier) -> None:
        """The first part counts, and pages of another list do not."""
        await commit(
            frontier,
            Outcome(
                await claimed(frontier),
                next_part=to("list?page=2", page="page://list"),
                follows=[to("else", page="page://list")],
            ),
        )
        second = next(entry for entry in await frontier.claim(5) if entry.part)
        assert await frontier.in_list(second, LIST)
        assert not await frontier.in_list(second, "http://site.example/else")
        assert not await frontier.in_list(second, "http://site.example/unknown")

    async def test_only_start_pages_are_start_pages(self, frontier: Frontier) -> None:
        """A page of the same kind further in is none."""
        start = await claimed(frontier)
        await commit(frontier, Outcome(start, follows=[to("else", page="page://list")]))
        assert await frontier.is_start(start)
        assert not await frontier.is_start(await claimed(frontier))


class TestWhatWasNotRead:
    """What the end of a run can say about its gaps."""

    async def test_a_page_that_could_not_be_read_is_named_with_its_parents(self, frontier: Frontier) -> None:
        """Page, key and the IRI that it hangs from."""
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("a")]))
        await commit(frontier, Outcome(await claimed(frontier), failure="unreachable", incomplete=True))
        assert await rows(frontier.unread_entries()) == {(THING, "http://site.example/a", LIST)}
        assert await rows(frontier.failures_by_section()) == {(LIST, "unreachable", 1)}

    async def test_a_page_that_is_gone_was_seen(self, frontier: Frontier) -> None:
        """It failed, and yet nothing is unknown about it."""
        await commit(frontier, Outcome(await claimed(frontier), follows=[to("a")]))
        await commit(frontier, Outcome(await claimed(frontier), failure="gone"))
        assert await rows(frontier.unread_entries()) == set()

    async def test_links_that_were_not_there_leave_their_targets_unread(self, frontier: Frontier) -> None:
        """With the object that misses them, or with what the page itself hangs from."""
        unread = [("http://site.example/a", "page://maker"), (None, THING)]
        await commit(frontier, Outcome(await claimed(frontier), unread=unread))
        assert await rows(frontier.unread_entries()) == {
            ("page://maker", "", "http://site.example/a"),
            (THING, "", LIST),
        }

    async def test_failures_count_for_every_section_that_leads_to_them(self, open_run: OpenRunOf) -> None:
        """A shared page that failed leaves both sections incomplete."""
        frontier = (await open_run()).frontier
        await frontier.start([Section(LIST, "page://list"), Section(BEST, "page://list")])
        for entry in await frontier.claim(2):
            await commit(frontier, Outcome(entry, follows=[to("a")]))
        await commit(frontier, Outcome(await claimed(frontier), failure="unreachable", incomplete=True))
        assert await rows(frontier.failures_by_section()) == {(LIST, "unreachable", 1), (BEST, "unreachable", 1)}
