"""The queue of a run: what is read once, what hangs from what, and what is left after a crash."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rdfcrawl.engine.extract.page import Follow
from rdfcrawl.engine.frontier.sqlite import (
    Entry,
    EntryState,
    Frontier,
    Outcome,
    begin_run,
    unfinished_run,
)
from rdfcrawl.metamodel.model import Section

LIST = "http://site.example/list"
BEST = "http://site.example/best"
THING = "page://thing"

NewFrontier = Callable[..., Frontier]


@pytest.fixture
def new_frontier(tmp_path: Path) -> Iterator[NewFrontier]:
    """Opens the queue, as a process does that starts a run or takes it up again."""
    opened: list[Frontier] = []

    def open_frontier(run: int = 1) -> Frontier:
        opened.append(Frontier(tmp_path / "queue.sqlite", run))
        return opened[-1]

    yield open_frontier
    for frontier in opened:
        frontier.close()


@pytest.fixture
def frontier(new_frontier: NewFrontier) -> Frontier:
    """The queue of a run with one section."""
    started = new_frontier()
    started.start([Section(LIST, "page://list")])
    return started


def commit(frontier: Frontier, *outcomes: Outcome) -> Counter[int]:
    return frontier.commit(outcomes, lines=0, problems=0, tally="{}")


def claimed(frontier: Frontier) -> Entry:
    (entry,) = frontier.claim(1)
    return entry


def to(name: str, parent: str | None = None, page: str = THING) -> Follow:
    address = f"http://site.example/{name}"
    return Follow(page, address, address, parent)


def top(name: str) -> tuple[str, str]:
    return "<item://thing>", f"<http://site.example/{name}>"


def edges(frontier: Frontier) -> set[tuple[str, str]]:
    return {(parent, target) for parent, _, target in frontier.edges()}


class TestClaims:
    """Who reads what."""

    def test_an_entry_is_claimed_once(self, frontier: Frontier) -> None:
        """A claimed entry is not given to anybody else."""
        assert [entry.address for entry in frontier.claim(5)] == [LIST]
        assert frontier.claim(5) == []

    def test_the_oldest_entries_come_first(self, frontier: Frontier) -> None:
        """Claims follow the order in which pages were found."""
        commit(frontier, Outcome(claimed(frontier), follows=[to("b"), to("a"), to("c")]))
        names = [entry.address[-1] for entry in (*frontier.claim(2), *frontier.claim(2))]
        assert names == ["b", "a", "c"]

    def test_busy_hosts_are_passed_over(self, frontier: Frontier) -> None:
        """Entries of a host that has enough to do stay in the queue."""
        other = Follow(THING, "http://other.example/a", "http://other.example/a")
        commit(frontier, Outcome(claimed(frontier), follows=[to("a"), other]))
        assert [entry.host for entry in frontier.claim(5, busy_hosts=["site.example"])] == ["other.example"]
        assert [entry.host for entry in frontier.claim(5)] == ["site.example"]

    def test_claims_of_a_process_that_is_gone_are_given_back(self, new_frontier: NewFrontier) -> None:
        """The next start reads what was claimed and not acknowledged."""
        first = new_frontier()
        first.start([Section(LIST, "page://list")])
        first.claim(1)
        second = new_frontier()
        second.release_claims()
        assert claimed(second).address == LIST

    def test_acknowledged_entries_are_not_read_again(self, frontier: Frontier) -> None:
        """Neither a page that was read nor one that failed comes back."""
        commit(frontier, Outcome(claimed(frontier), follows=[to("a")]))
        commit(frontier, Outcome(claimed(frontier), failure="gone"))
        frontier.release_claims()
        assert frontier.claim(5) == []
        assert frontier.counts() == {(0, EntryState.DONE): 1, (0, EntryState.FAILED): 1}

    def test_an_entry_to_be_tried_again_waits_for_its_time(self, frontier: Frontier) -> None:
        """It is not due before, and says how long that will be."""
        commit(frontier, Outcome(claimed(frontier), retry_at=time.time() + 600))
        assert frontier.claim(5) == []
        waiting = frontier.seconds_until_due()
        assert waiting is not None
        assert waiting > 0

    def test_a_clock_that_was_set_back_does_not_stop_the_queue(self, frontier: Frontier) -> None:
        """A time that is farther away than anything is ever put off was written by another clock."""
        commit(frontier, Outcome(claimed(frontier), retry_at=time.time() + 10 * 24 * 3600))
        assert frontier.seconds_until_due() == 0
        assert len(frontier.claim(5)) == 1

    def test_an_entry_that_was_not_tried_has_all_its_attempts(self, frontier: Frontier) -> None:
        """Its host was left alone; the page had no part in that."""
        commit(frontier, Outcome(claimed(frontier), retry_at=0.0, tried=False))
        assert claimed(frontier).attempts == 0

    def test_the_waiting_pages_of_a_host_can_be_put_off_together(self, frontier: Frontier) -> None:
        """Those of other hosts stay due."""
        start = claimed(frontier)
        links = [Follow(start.page, f"http://{host}.example/{n}", f"{host}{n}") for host in "ab" for n in range(3)]
        commit(frontier, Outcome(start, follows=links))
        frontier.postpone("a.example", time.time() + 600)
        assert {entry.host for entry in frontier.claim(10)} == {"b.example"}

    def test_an_entry_to_be_tried_again_counts_its_attempts(self, frontier: Frontier) -> None:
        """Each try is remembered with the entry."""
        commit(frontier, Outcome(claimed(frontier), retry_at=0.0))
        again = claimed(frontier)
        assert again.attempts == 1
        commit(frontier, Outcome(again, retry_at=0.0))
        assert claimed(frontier).attempts == 2

    def test_runs_do_not_see_each_other(self, frontier: Frontier, new_frontier: NewFrontier) -> None:
        """Two runs in one database have a queue each."""
        other = new_frontier(run=2)
        assert other.claim(5) == []
        other.start([Section(LIST, "page://list")])
        assert len(other.claim(5)) == len(frontier.claim(5)) == 1


class TestCommits:
    """Acknowledging pages and queueing what they brought."""

    def test_starting_again_changes_nothing(self, frontier: Frontier) -> None:
        """The start pages are queued once."""
        frontier.start([Section(LIST, "page://list")])
        assert frontier.counts() == {(0, EntryState.QUEUED): 1}

    def test_committing_again_changes_nothing(self, frontier: Frontier) -> None:
        """A page that was read twice after a crash leaves what it would have left once."""
        outcome = Outcome(claimed(frontier), follows=[to("a", LIST)], tops=[top("list")], entries=["a"])
        assert commit(frontier, outcome) == {0: 1}
        once = (frontier.counts(), edges(frontier))
        assert not commit(frontier, outcome)
        assert (frontier.counts(), edges(frontier)) == once

    def test_pages_are_queued_by_kind_and_key(self, frontier: Frontier) -> None:
        """Two addresses with one key are one entry; one address as two kinds of page is two."""
        with_parameter = Follow(THING, "http://site.example/a?ref=1", "http://site.example/a")
        queued = commit(
            frontier, Outcome(claimed(frontier), follows=[to("a"), with_parameter, to("a", page="page://other")])
        )
        assert queued == {0: 2}
        assert [(entry.page, entry.address) for entry in frontier.claim(5)] == [
            (THING, "http://site.example/a"),
            ("page://other", "http://site.example/a"),
        ]

    def test_lengths_of_the_files_are_kept_with_the_acknowledgement(self, tmp_path: Path) -> None:
        """The next start learns how much of the run's files is valid."""
        queue = tmp_path / "queue.sqlite"
        run = begin_run(queue, "identity").run
        frontier = Frontier(queue, run)
        frontier.start([Section(LIST, "page://list")])
        frontier.commit([Outcome(claimed(frontier))], lines=120, problems=30, tally='{"triples": 2}')
        frontier.close()
        found = unfinished_run(queue, "identity")
        assert found is not None
        assert (found.run, found.lines, found.problems, found.tally) == (run, 120, 30, '{"triples": 2}')

    def test_a_run_that_was_forgotten_is_not_taken_up_again(self, tmp_path: Path) -> None:
        """What has ended leaves nothing in the queue."""
        queue = tmp_path / "queue.sqlite"
        frontier = Frontier(queue, begin_run(queue, "identity").run)
        frontier.start([Section(LIST, "page://list")])
        frontier.forget()
        assert frontier.counts() == {}
        assert list(frontier.edges()) == []
        frontier.close()
        assert unfinished_run(queue, "identity") is None

    def test_only_the_same_run_is_taken_up_again(self, tmp_path: Path) -> None:
        """Another model, other sections or other options are another run."""
        queue = tmp_path / "queue.sqlite"
        begin_run(queue, "identity")
        assert unfinished_run(queue, "another") is None

    def test_runs_that_begin_in_the_same_second_have_different_numbers(self, tmp_path: Path) -> None:
        """A number is never used twice."""
        queue = tmp_path / "queue.sqlite"
        numbers = [begin_run(queue, "identity").run for _ in range(3)]
        assert len(set(numbers)) == 3


class TestEdges:
    """What hangs from what, once everything is read."""

    def test_objects_of_a_start_page_hang_from_the_section(self, frontier: Frontier) -> None:
        """The section is the parent."""
        commit(frontier, Outcome(claimed(frontier), tops=[top("a"), top("b")]))
        assert edges(frontier) == {(LIST, "<http://site.example/a>"), (LIST, "<http://site.example/b>")}

    def test_links_pages_are_transparent(self, frontier: Frontier) -> None:
        """Through any number of them the edge runs from the section."""
        commit(frontier, Outcome(claimed(frontier), follows=[to("year", page="page://year")]))
        commit(frontier, Outcome(claimed(frontier), follows=[to("a")]))
        commit(frontier, Outcome(claimed(frontier), tops=[top("a")]))
        assert edges(frontier) == {(LIST, "<http://site.example/a>")}

    def test_the_nearest_object_is_the_parent(self, frontier: Frontier) -> None:
        """A links page below an object hands on that object, not the section."""
        commit(frontier, Outcome(claimed(frontier), follows=[to("a")]))
        object_a = "http://site.example/a"
        outcome = Outcome(claimed(frontier), tops=[top("a")], follows=[to("parts", object_a, page="page://parts")])
        commit(frontier, outcome)
        commit(frontier, Outcome(claimed(frontier), follows=[to("b")]))
        commit(frontier, Outcome(claimed(frontier), tops=[top("b")]))
        assert edges(frontier) == {(LIST, "<http://site.example/a>"), (object_a, "<http://site.example/b>")}

    def test_every_parent_has_its_edge(self, frontier: Frontier) -> None:
        """A page found from three objects is read once and hangs from all of them."""
        parents = [f"http://site.example/parent/{number}" for number in range(3)]
        commit(frontier, Outcome(claimed(frontier), follows=[to("a", parent) for parent in parents]))
        commit(frontier, Outcome(claimed(frontier), tops=[top("a")]))
        assert frontier.claim(5) == []
        assert edges(frontier) == {(parent, "<http://site.example/a>") for parent in parents}

    def test_a_parent_that_is_found_after_the_page_was_read_has_its_edge(self, frontier: Frontier) -> None:
        """The order in which pages are read does not matter."""
        commit(frontier, Outcome(claimed(frontier), follows=[to("a"), to("late", page="page://late")]))
        page, late = frontier.claim(2)
        commit(frontier, Outcome(page, tops=[top("a")]))
        commit(frontier, Outcome(late, follows=[to("a", "http://site.example/late")]))
        assert edges(frontier) == {
            (LIST, "<http://site.example/a>"),
            ("http://site.example/late", "<http://site.example/a>"),
        }

    def test_the_parts_of_a_list_hang_from_its_parents(self, frontier: Frontier) -> None:
        """What the second and third part show hangs where the first part hangs."""
        entry = claimed(frontier)
        for number in range(3):
            following = to(f"list?page={number + 2}", page="page://list") if number < 2 else None
            commit(frontier, Outcome(entry, tops=[top(str(number))], next_part=following))
            if following:
                entry = claimed(frontier)
                assert entry.part == number + 1
        assert edges(frontier) == {(LIST, f"<http://site.example/{number}>") for number in range(3)}

    def test_links_pages_in_circles_come_to_an_end(self, frontier: Frontier) -> None:
        """Two categories that lead to each other give each book its one edge."""
        start = claimed(frontier)
        commit(frontier, Outcome(start, follows=[to("other", page="page://list"), to("a")]))
        other, thing = frontier.claim(2)
        back = Follow("page://list", LIST, LIST)
        commit(frontier, Outcome(other, follows=[back, to("a")]), Outcome(thing, tops=[top("a")]))
        assert frontier.claim(5) == []
        assert edges(frontier) == {(LIST, "<http://site.example/a>")}

    def test_lists_in_circles_pass_on_all_their_parents(self, frontier: Frontier) -> None:
        """Where list parts lead to each other, each parent reaches what any part shows."""
        parents = ("http://site.example/x", "http://site.example/y")
        commit(frontier, Outcome(claimed(frontier), follows=[to("1", parents[0]), to("2", parents[1])]))
        first, second = frontier.claim(2)
        commit(frontier, Outcome(first, tops=[top("a")], next_part=to("2")))
        commit(frontier, Outcome(second, tops=[top("b")], next_part=to("1")))
        assert edges(frontier) == {(parent, top(name)[1]) for parent in parents for name in "ab"}

    def test_sections_that_share_a_page_both_have_the_edge(self, new_frontier: NewFrontier) -> None:
        """Two sections, one page, two edges."""
        frontier = new_frontier()
        frontier.start([Section(LIST, "page://list"), Section(BEST, "page://list")])
        for entry in frontier.claim(2):
            commit(frontier, Outcome(entry, follows=[to("a")]))
        commit(frontier, Outcome(claimed(frontier), tops=[top("a")]))
        assert edges(frontier) == {(LIST, "<http://site.example/a>"), (BEST, "<http://site.example/a>")}


class TestLists:
    """What a list has shown so far."""

    def test_a_list_knows_what_it_has_shown(self, frontier: Frontier) -> None:
        """Entries count over all parts, each once."""
        commit(
            frontier,
            Outcome(claimed(frontier), entries=["a", "b", "a"], next_part=to("list?page=2", page="page://list")),
        )
        second = claimed(frontier)
        assert frontier.list_length(second) == 2
        assert frontier.list_has(second, ["b", "c"]) == 1

    def test_a_list_knows_its_parts(self, frontier: Frontier) -> None:
        """The first part counts, and pages of another list do not."""
        commit(
            frontier,
            Outcome(
                claimed(frontier),
                next_part=to("list?page=2", page="page://list"),
                follows=[to("else", page="page://list")],
            ),
        )
        second = next(entry for entry in frontier.claim(5) if entry.part)
        assert frontier.in_list(second, LIST)
        assert not frontier.in_list(second, "http://site.example/else")
        assert not frontier.in_list(second, "http://site.example/unknown")

    def test_only_start_pages_are_start_pages(self, frontier: Frontier) -> None:
        """A page of the same kind further in is none."""
        start = claimed(frontier)
        commit(frontier, Outcome(start, follows=[to("else", page="page://list")]))
        assert frontier.is_start(start)
        assert not frontier.is_start(claimed(frontier))


class TestWhatWasNotRead:
    """What the end of a run can say about its gaps."""

    def test_a_page_that_could_not_be_read_is_named_with_its_parents(self, frontier: Frontier) -> None:
        """Page, key and the IRI that it hangs from."""
        commit(frontier, Outcome(claimed(frontier), follows=[to("a")]))
        commit(frontier, Outcome(claimed(frontier), failure="unreachable", incomplete=True))
        assert set(frontier.unread_entries()) == {(THING, "http://site.example/a", LIST)}
        assert set(frontier.failures_by_section()) == {(LIST, "unreachable", 1)}

    def test_a_page_that_is_gone_was_seen(self, frontier: Frontier) -> None:
        """It failed, and yet nothing is unknown about it."""
        commit(frontier, Outcome(claimed(frontier), follows=[to("a")]))
        commit(frontier, Outcome(claimed(frontier), failure="gone"))
        assert list(frontier.unread_entries()) == []

    def test_links_that_were_not_there_leave_their_targets_unread(self, frontier: Frontier) -> None:
        """With the object that misses them, or with what the page itself hangs from."""
        unread = [("http://site.example/a", "page://maker"), (None, THING)]
        commit(frontier, Outcome(claimed(frontier), unread=unread))
        assert set(frontier.unread_entries()) == {("page://maker", "", "http://site.example/a"), (THING, "", LIST)}

    def test_failures_count_for_every_section_that_leads_to_them(self, new_frontier: NewFrontier) -> None:
        """A shared page that failed leaves both sections incomplete."""
        frontier = new_frontier()
        frontier.start([Section(LIST, "page://list"), Section(BEST, "page://list")])
        for entry in frontier.claim(2):
            commit(frontier, Outcome(entry, follows=[to("a")]))
        commit(frontier, Outcome(claimed(frontier), failure="unreachable", incomplete=True))
        assert set(frontier.failures_by_section()) == {(LIST, "unreachable", 1), (BEST, "unreachable", 1)}


def test_runs_that_begin_at_once_get_numbers_of_their_own(tmp_path: Path) -> None:
    """However many processes begin a run in the same second."""
    queue = tmp_path / "queue.sqlite"
    with ThreadPoolExecutor(12) as begin:
        begun = list(begin.map(lambda number: begin_run(queue, f"run {number}").run, range(36)))
    assert len(set(begun)) == 36


def test_a_claim_costs_the_same_however_long_the_queue_is(new_frontier: NewFrontier) -> None:
    """Counted in steps of the database: a list of 20,000 links is not looked through for every handful of pages."""
    steps = {}
    for run, count in ((1, 200), (2, 20_000)):
        frontier = new_frontier(run)
        frontier.start([Section(LIST, "page://list")])
        commit(frontier, Outcome(claimed(frontier), follows=[to(str(number)) for number in range(count)]))
        taken: list[int] = []
        frontier._db.set_progress_handler(lambda taken=taken: taken.append(1) or 0, 10)
        assert len(frontier.claim(16)) == 16
        frontier._db.set_progress_handler(None, 0)
        steps[count] = len(taken)
    assert 0 < steps[20_000] < 1.5 * steps[200]
