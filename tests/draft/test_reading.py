"""What a draft sees on a page: texts, labels, rows, lists, how they go on, attributes and markup."""

from __future__ import annotations

import pytest

from rdfcrawl.drafting.reading.attributes import find_attributes
from rdfcrawl.drafting.reading.labels import find_labels
from rdfcrawl.drafting.reading.link_paths import link_paths
from rdfcrawl.drafting.reading.look import look_from_plain, look_to_plain
from rdfcrawl.drafting.reading.looking import look_at
from rdfcrawl.drafting.reading.markup import stated_values
from rdfcrawl.drafting.reading.paging import find_more, find_next
from rdfcrawl.drafting.reading.records import find_records
from rdfcrawl.drafting.reading.repeated import find_rows
from rdfcrawl.drafting.reading.tracking import tracking_parameters
from rdfcrawl.drafting.reading.xpaths import elements_at, literal, texts_at
from tests.draft.pages import BOOKS, book_samples, list_page, sample, table_page


def test_only_visible_texts_are_slots() -> None:
    """Scripts, hidden elements and lone punctuation show nothing."""
    page = sample("<body><script>x</script><p hidden>no<p style='display: none'>no<p>yes <b>and</b> | <i>no. 2</i>")
    assert [slot.text for slot in page.slots] == ["yes", "and", "no. 2"]


def test_a_box_is_the_highest_element_with_one_text() -> None:
    """An element around a single text stands for it; a text beside others has none."""
    page = sample("<body><div id='a'><p><b>one</b></p></div><div>two <b>three</b></div>")
    boxes = [None if slot.box is None else slot.box.tag for slot in page.slots]
    assert boxes == ["div", None, "b"]


def test_what_is_the_same_everywhere_is_a_label_and_what_differs_is_not() -> None:
    """Labels stand on all pages; values before and behind them do not."""
    samples = book_samples()
    labels = find_labels(samples)
    found = {slot.text for slot in samples[0].slots if labels.is_label(slot)}
    assert {"Author", "Price", "Pages", "Published"} <= found
    assert not found & {"The Long Way", "Ada Rowan", "$12.50", "312"}


def test_rows_have_fields_and_the_names_of_their_columns() -> None:
    """A table is its rows, without the row of headers."""
    (rows,) = [one for one in find_rows(sample(table_page())) if one.tag == "tr"]
    assert (len(rows.rows), len(rows.fields), rows.headers) == (len(BOOKS), 3, ("Title", "Price", "Since"))


def test_the_list_of_a_page_comes_before_its_menu() -> None:
    """The first list leads to the books, by a path that finds nothing else."""
    page = sample(list_page(0), address="http://books.test/list")
    best = find_records(page)[0]
    assert best.addresses == tuple(f"http://books.test/books/{number}" for number in range(4))
    assert link_paths(best, page)[0] == "//a[@class='hit-title']"


def test_one_link_to_elsewhere_is_left_out() -> None:
    """A video among recipes looks like them and is none of them."""
    links = "".join(f"<li class=r><a class=t href=/recipes/{n}/x>Recipe number {n}</a>" for n in range(6))
    page = sample(f"<body><ul class=a>{links}</ul><ul class=b><li class=r><a class=t href=/videos/1/x>A video</a></ul>")
    best = find_records(page)[0]
    assert all("/recipes/" in address for address in best.addresses)
    assert "videos" not in str(link_paths(best, page))
    assert link_paths(best, page)


@pytest.mark.parametrize(
    ("markup", "path"),
    [
        ("<a rel=next href=/2>2</a>", "//a[@rel='next']"),
        ("<div class=pager><a class='pg next' href=/2>weiter »</a></div>", "//a[@class='pg next']"),
        (
            "<ul><li class=on>1<li><a href=/2>2</a><li><a href=/3>3</a></ul>",
            "//li[@class='on']/following-sibling::li[1]//a",
        ),
        ("<a class=prev href=/0>Previous</a>", None),
    ],
)
def test_the_next_button_is_recognised(markup: str, path: str | None) -> None:
    """By its relation, its text or the numbers beside it."""
    button = find_next(sample(f"<body>{markup}", address="http://books.test/1"))
    assert (button.path if button else None) == path


def test_a_row_of_years_that_ends_with_files_leads_only_to_pages() -> None:
    """What is no page is left out of the path, so that a run ends where the pages end."""
    years = "<li class=on>2015<li><a href=/2014>2014</a><li><a href=/2013.pdf>2013</a>"
    button = find_next(sample(f"<body><ul>{years}</ul>", address="http://books.test/2015"))
    assert button is not None
    assert button.path.endswith("//a[not(contains(@href, '.pdf'))]")


def test_a_button_that_loads_more_is_no_link() -> None:
    """A link with the same words leads to another page."""
    assert find_more(sample("<body><button id=more>Load more</button>")) == "//button[@id='more']"
    assert find_more(sample("<body><a href=/all>Load more</a>")) is None


def test_attributes_that_differ_are_values() -> None:
    """Input fields, and numbers in class names."""
    found = {(one.name, one.attribute): one.values for one in find_attributes(book_samples(3))}
    assert found["copies", "value"] == ("3", "4", "5")
    assert found["stars", "class"] == ("1", "2", "3")


def test_json_ld_says_what_values_are() -> None:
    """Values of the page's own markup have a term; broken markup has none, and the site itself is not meant."""
    good = '{"@type": "Book", "name": "Salt Road", "author": {"@type": "Person", "name": "Finn"}, "numberOfPages": 3}'
    site = '{"@type": "WebSite", "name": "Books"}'
    scripts = "".join(f'<script type="application/ld+json">{text}</script>' for text in (good, "{oops", site))
    assert stated_values(sample(f"<head>{scripts}</head><body>x")) == {
        "Salt Road": {"name"},
        "Finn": {"name"},
        "3": {"numberOfPages"},
    }


def test_a_look_survives_being_sent() -> None:
    """What a worker says of a page is the same on the other side."""
    look = look_at(sample(list_page(0)))
    assert look_from_plain(look_to_plain(look)) == look


@pytest.mark.parametrize("text", ["plain", "it's", 'say "so"', 'it\'s "both"'])
def test_any_text_can_be_written_in_an_xpath(text: str) -> None:
    """Also one with both kinds of quotes."""
    page = sample("<body>x")
    assert page.document.root.xpath(f"string({literal(text)})") == text


_NAMED = """<html id="top" class="wide"><body><div id="x" class="row odd"><p>one<p class="odd">two <b>three</b></div>
<div class="row"><div class="row\tfirst"><i hidden>one</i><p> one <!-- no --> </p><p>four</p></div></div>
<p id="x" class="row\u00a0odd">one</p><b itemprop="name">one</b> five <b>one</b> six"""


@pytest.mark.parametrize(
    "beginning",
    [
        "//*[@id='x']",
        "//div[@id='x']",
        "//html[@id='top']",
        "//div[@class='row']",
        "//*[@itemprop='name']",
        *(
            f"//{tag}[contains(concat(' ', normalize-space(@class), ' '), ' {name} ')]"
            for tag, name in (("div", "row"), ("div", "first"), ("p", "odd"), ("*", "odd"), ("p", "row\u00a0odd"))
        ),
        "//p[normalize-space()='one']",
        "//b[normalize-space()='one']",
        "//*[normalize-space()='one']",
        '//p[normalize-space()="one"]',
    ],
)
@pytest.mark.parametrize(
    "rest",
    ["", "/p", "/p[2]", "//p", "/p[2]/b", "/text()", "/following-sibling::p[1]", "/..", "/../p", "[2]", "/p | //i"],
)
def test_paths_find_what_libxml2_finds(beginning: str, rest: str) -> None:
    """Where they begin is looked up: also what is hidden, nested, or has the id of another element."""
    page = sample(_NAMED)
    for _ in range(3):
        for path, start in (
            (f"{beginning}{rest}", "//body"),
            (f".{beginning}{rest}", "//body/div"),
            (f".{beginning}", "//html"),
        ):
            begin = page.document.root.xpath(start)[0]
            found = begin.xpath(path)
            assert elements_at(path, page, begin) == [match for match in found if not isinstance(match, str)]
            shown = (match if isinstance(match, str) else page.text_of(match) for match in found)
            assert texts_at(path, page, begin) == [text for each in shown if (text := " ".join(each.split()))]


def test_a_parameter_that_no_model_can_name_is_not_named() -> None:
    """Its name has a percent-encoded ampersand in it."""
    assert tracking_parameters(["http://books.test/?utm_a%26b=1&utm_source=x&page=2"]) == ["utm_source"]
