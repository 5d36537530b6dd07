"""What a queue knows when everything is read: what hangs from what, how lists went on, what was not read."""

from __future__ import annotations

from rdfcrawl.engine.extract.extraction import Follow
from rdfcrawl.engine.frontier.entries import (
    Outcome,
)
from rdfcrawl.engine.frontier.protocol import Frontier
from rdfcrawl.metamodel.model import Section
from tests.engine.frontier.conftest import LIST, OpenRunOf
from tests.engine.frontier.frontier_steps import (
    BEST,
    THING,
    claimed,
    commit,
    edges,
    rows,
    to,
    top,
)


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
