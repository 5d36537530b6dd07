"""The queue of a run, whoever keeps it: what is read once, and what is left after a crash."""

from __future__ import annotations

import time

from rdfcrawl.engine.extract.extraction import Follow
from rdfcrawl.engine.frontier.entries import (
    Counted,
    EntryState,
    Lengths,
    Outcome,
)
from rdfcrawl.engine.frontier.protocol import CrawlQueue, Frontier
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.metamodel.model import Section
from tests.engine.frontier.conftest import LIST, OpenRunOf
from tests.engine.frontier.frontier_steps import (
    THING,
    claimed,
    commit,
    edges,
    lead,
    rows,
    to,
    top,
)


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
