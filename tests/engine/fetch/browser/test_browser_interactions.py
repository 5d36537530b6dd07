"""Lists that need a reader's hand: next buttons, scrolling, more, consent, tabs, and pages that never rest."""

from __future__ import annotations

import asyncio

import pytest
from browser_site import LIST, Site, documents, links, thing
from lxml import html

from rdfcrawl.engine.fetch.browser.fetcher import BrowserFetcher
from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.problem import ProblemKind
from tests.sampling import sampled

pytestmark = pytest.mark.asyncio(loop_scope="session")
NEXT = "//*[@id='next']"
SCROLLED = ["by=timer&after=0", "by=timer&after=495", "by=server&after=400", "box"]
ENDS = ["disabled", "aria", "class", "item", "none", "faded", "dead", "gone"]
TOO_LONG = (ProblemKind.LIMIT, "the list has more than 8 pages; it ends here")


def entries(fetched: Fetched) -> list[str]:
    """The texts of the list's elements."""
    return [link.text_content() for link in html.document_fromstring(fetched.body.decode()).xpath(LIST)]


def kinds(fetched: Fetched) -> list[ProblemKind]:
    return [kind for kind, _ in fetched.notes]


@pytest.mark.parametrize("end", sampled(ENDS, ["disabled", "faded", "gone"]))
async def test_next_button_is_clicked_until_it_is_gone_or_cannot_be_used(
    site: Site, browser: BrowserFetcher, end: str
) -> None:
    """A button may stay where it is; disabled or hidden it ends the list, without a note."""
    found = await documents(browser, site.address(f"/pages/next?end={end}"), links(next=NEXT))
    assert [entries(one) for one in found] == [["1a", "1b", "1c"], ["2a", "2b", "2c"], ["3a", "3b", "3c"]]
    assert [one.notes for one in found] == [(), (), ()]
    assert {one.address for one in found} == {site.address(f"/pages/next?end={end}")}


async def test_next_button_that_moves_is_found_again(site: Site, browser: BrowserFetcher) -> None:
    """Each part has a button of its own, somewhere else."""
    found = await documents(browser, site.address("/pages/next-moves"), links(next=NEXT))
    assert [entries(one) for one in found] == [["1"], ["2"], ["3"], ["4"]]


async def test_spinner_in_place_of_the_list_is_not_taken_for_a_part(site: Site, browser: BrowserFetcher) -> None:
    """While a request is pending the list is not still."""
    found = await documents(browser, site.address("/pages/next-spinner"), links(next=NEXT))
    assert [entries(one) for one in found] == [["1"], ["2"], ["3"]]
    assert not any(html.document_fromstring(one.body.decode()).xpath("//p[@class='spinner']") for one in found)


async def test_next_button_with_an_address_is_left_to_the_crawl(site: Site, browser: BrowserFetcher) -> None:
    """The page behind it is a page of its own."""
    (found,) = await documents(browser, site.address("/pages/next-address"), links(next=NEXT))
    assert not html.document_fromstring(found.body.decode()).xpath("//body/text()[contains(., 'clicked')]")


async def test_next_button_whose_address_is_a_script_is_clicked(site: Site, browser: BrowserFetcher) -> None:
    """Also where the page would open links in a new window."""
    found = await documents(browser, site.address("/pages/next-script"), links(next=NEXT))
    assert [entries(one) for one in found] == [["1"], ["2"]]


async def test_next_button_that_submits_a_form_leads_on_in_the_same_tab(site: Site, browser: BrowserFetcher) -> None:
    """The parts then have addresses, which the documents carry; the form keeps its target."""
    found = await documents(browser, site.address("/pages/next-form"), links(next=NEXT))
    assert [entries(one) for one in found] == [["1"], ["2"], ["3"]]
    assert [one.address.rpartition("/")[2] for one in found] == ["next-form", "next-form?part=2", "next-form?part=3"]


async def test_list_that_begins_again_ends_with_a_note(site: Site, browser: BrowserFetcher) -> None:
    """Every part is given once."""
    found = await documents(browser, site.address("/pages/next-circle"), links(next=NEXT))
    assert [entries(one) for one in found] == [["0"], ["1"], ["2"]]
    assert [kinds(one) for one in found] == [[], [], [ProblemKind.LOOP]]


async def test_next_button_that_brings_nothing_ends_with_a_note(site: Site, browser: BrowserFetcher) -> None:
    """The bound is the model's."""
    (found,) = await documents(browser, site.address("/pages/next-dead"), links(next=NEXT, wait=200))
    assert found.notes == ((ProblemKind.LOOP, "a click on //*[@id='next'] loaded nothing new within 200 ms"),)


async def test_parts_have_a_limit(site: Site, browser: BrowserFetcher) -> None:
    """A list without an end ends with a note."""
    found = await documents(browser, site.address("/pages/next?parts=1000"), links(next=NEXT))
    assert [entries(one)[0] for one in found] == [f"{number}a" for number in range(1, 9)]
    assert [one.notes for one in found] == [()] * 7 + [(TOO_LONG,)]


async def test_a_list_of_as_many_parts_as_allowed_is_whole(site: Site, browser: BrowserFetcher) -> None:
    """The limit is for what is beyond it."""
    found = await documents(browser, site.address("/pages/next?parts=8"), links(next=NEXT))
    assert [one.notes for one in found] == [()] * 8


async def test_list_that_only_the_extractor_can_find_is_followed_by_the_whole_document(
    site: Site, browser: BrowserFetcher
) -> None:
    """Paths with variables mean nothing to the browser."""
    found = await documents(browser, site.address("/pages/next"), thing(next=NEXT))
    assert [entries(one)[0] for one in found] == ["1a", "2a", "3a"]


@pytest.mark.parametrize("query", sampled(SCROLLED, ["by=timer&after=495", "box"]))
async def test_scrolling_brings_the_whole_list(site: Site, browser: BrowserFetcher, query: str) -> None:
    """Also from a loader that needs nearly all the time it may take, and in a box that scrolls by itself."""
    (found,) = await documents(browser, site.address(f"/pages/scroll?{query}"), links(scroll=500))
    assert len(entries(found)) == 75
    assert found.notes == ()


async def test_lists_scrolled_side_by_side_are_drawn_like_one_alone(site: Site, browser: BrowserFetcher) -> None:
    """What lies behind another tab, a browser draws once a second: a list that loads when it is seen would wait."""
    page = links(scroll=500, wait=8_000)
    asked = [documents(browser, site.address(f"/pages/drawn?{number}"), page) for number in range(2)]
    assert [entries(found) for (found,) in await asyncio.gather(*asked)] == [["one"], ["one"]]


async def test_endless_scrolling_ends_at_a_limit(site: Site, browser: BrowserFetcher) -> None:
    """What came until then is kept: the first ten entries, and ten more each of the seven times."""
    (found,) = await documents(browser, site.address("/pages/scroll-endless"), links(scroll=500))
    assert found.notes == (TOO_LONG,)
    assert len(entries(found)) == 80


async def test_more_is_clicked_until_the_button_is_gone(site: Site, browser: BrowserFetcher) -> None:
    """One document holds the whole list."""
    (found,) = await documents(browser, site.address("/pages/more"), links(more="//*[@id='more']"))
    assert entries(found) == ["1", "2", "3", "4", "5"]
    assert found.notes == ()


@pytest.mark.parametrize(
    ("parts", "notes"),
    [
        pytest.param(8, (), marks=pytest.mark.exhaustive),
        (9, (TOO_LONG,)),
        pytest.param(1000, (TOO_LONG,), marks=pytest.mark.exhaustive),
    ],
)
async def test_more_is_clicked_no_more_often_than_allowed(
    site: Site, browser: BrowserFetcher, parts: int, notes: tuple[object, ...]
) -> None:
    """A button that is still there tells that there is more; what it would load is not loaded."""
    loaded = sum(path.startswith("/slow?ms=30") for path in site.asked)
    (found,) = await documents(browser, site.address(f"/pages/more?parts={parts}"), links(more="//*[@id='more']"))
    assert entries(found) == [str(number) for number in range(1, 9)]
    assert found.notes == notes
    assert sum(path.startswith("/slow?ms=30") for path in site.asked) - loaded == 7


async def test_consent_layer_is_clicked_away(site: Site, browser: BrowserFetcher) -> None:
    """It comes late and the list comes after it; a click target that never shows is ignored."""
    page = links(clicks=("//*[@id='never']", "//*[@id='accept']"))
    (found,) = await documents(browser, site.address("/pages/consent"), page)
    assert entries(found) == ["7"]
    assert not html.document_fromstring(found.body.decode()).xpath("//*[@id='layer']")
    assert found.notes == ()


async def test_lazy_tab_is_opened(site: Site, browser: BrowserFetcher) -> None:
    """What it loads is shown, and what it hides is marked."""
    (found,) = await documents(browser, site.address("/pages/tabs"), thing(clicks=("//button[2]",)))
    root = html.document_fromstring(found.body.decode())
    assert root.xpath("string(//section[@id='two'])") == "2"
    assert root.xpath("//section[@data-rdfcrawl-hidden]/@id") == ["one"]


async def test_element_is_waited_for(site: Site, browser: BrowserFetcher) -> None:
    """A timer gives no sign that something will come; the model does."""
    (found,) = await documents(browser, site.address("/pages/late"), thing(wait_for="//p[@id='late']"))
    assert b"here" in found.body
    assert found.notes == ()


async def test_element_that_does_not_come_is_noted(site: Site, browser: BrowserFetcher) -> None:
    """The page is read as it is."""
    (found,) = await documents(browser, site.address("/pages/late"), thing(wait_for="//p[@id='x']", wait=100))
    assert found.notes == ((ProblemKind.UNREADABLE, "//p[@id='x'] did not appear within 100 ms"),)


@pytest.mark.parametrize("query", sampled(["", "?hanging"], ["?hanging"]))
async def test_page_that_never_becomes_idle_is_read(site: Site, browser: BrowserFetcher, query: str) -> None:
    """Its list is still although a clock ticks; an answer that never comes is waited for no longer than the bound."""
    (found,) = await documents(browser, site.address(f"/pages/restless{query}"), links(wait=600))
    assert entries(found) == ["1"]


async def test_boxes_are_dismissed_and_new_windows_closed(site: Site, browser: BrowserFetcher) -> None:
    """Twice, because the first page would not be left without a question."""
    for _ in range(2):
        (found,) = await documents(browser, site.address("/pages/boxes"), links())
        assert entries(found) == ["1"]
    (found,) = await documents(browser, site.address("/pages/next?parts=1"), links())
    assert entries(found) == ["1a", "1b", "1c"]
