"""The queue of a survey, whoever keeps it: level by level, with every address accounted for."""

from __future__ import annotations

import pytest
import pytest_asyncio

from rdfcrawl.engine.frontier.entries import (
    NOTHING_VALID,
    Counted,
    EntryState,
    Outcome,
    Surveyed,
)
from rdfcrawl.engine.frontier.protocol import Frontier
from rdfcrawl.metamodel.model import Section
from tests.engine.frontier.conftest import LIST, OpenRunOf
from tests.engine.frontier.frontier_steps import (
    NOTHING,
    THING,
    addresses,
    claimed,
    commit,
    edges,
    lead,
    rows,
    to,
    top,
)


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
