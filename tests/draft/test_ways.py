"""The ways to values: what they find is what their XPaths find, and of several that say the same one stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rdfcrawl.drafting.reading.labels import find_labels
from rdfcrawl.drafting.reading.xpaths import texts_at
from rdfcrawl.drafting.ways.choice import choose
from rdfcrawl.drafting.ways.links import linking_path
from rdfcrawl.drafting.ways.paths import PathAnchor, Value, Way, as_xpath, follow
from rdfcrawl.drafting.ways.ranking import without_repetition
from rdfcrawl.drafting.ways.trial import Tried
from tests.draft.pages import book_samples, sample

PAGE = """<!DOCTYPE html><body><div id=box><h1>Emma</h1><ul><li>one</li><li>two</li></ul>
<p class=fact><b>Pages:</b> <i>312</i></p><p>Year: 1815</p><span itemprop=price>9</span></div>"""


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        (Way(PathAnchor.HEADING, "h1", ""), ["Emma"]),
        (Way(PathAnchor.ITEMPROP, "span", "price"), ["9"]),
        (Way(PathAnchor.ID, "div", "box", down=(("ul", 1), ("li", 2))), ["two"]),
        (Way(PathAnchor.ID, "div", "box", down=(("ul", 1), ("li", 0))), ["one", "two"]),
        (Way(PathAnchor.ID, "div", "box", down=(("ul", 1),), below="li"), ["one", "two"]),
        (Way(PathAnchor.LABEL, "b", "Pages:", across=("i", 1)), ["312"]),
        (Way(PathAnchor.CLASS, "p", "fact", down=(("i", 1),)), ["312"]),
        (Way(PathAnchor.ID, "div", "box", down=(("ol", 1), ("li", 1))), []),
    ],
)
def test_a_way_and_its_xpath_find_the_same(way: Way, expected: list[str]) -> None:
    """From every kind of anchor, across, down and to several values."""
    page = sample(PAGE)
    assert [value.text for value in follow(way, page)] == expected
    assert texts_at(as_xpath(way), page) == expected


def test_a_label_inside_a_text_is_no_part_of_the_value() -> None:
    """The XPath finds the whole text, the way what stands behind the label."""
    way = Way(PathAnchor.PREFIX, "p", "Year:")
    assert [value.text for value in follow(way, sample(PAGE))] == ["1815"]
    assert texts_at(as_xpath(way), sample(PAGE)) == ["Year: 1815"]


def test_equal_ways_are_one_key() -> None:
    """However they were made."""
    way = Way(PathAnchor.ID, "div", "box")
    assert {way: 1}[replace(way, text=0)] == 1
    assert replace(way, text=2) not in {way: 1}


def test_what_is_chosen_is_found_on_all_pages_that_have_it() -> None:
    """Every labelled fact of the books is among it, and nothing is found by two ways."""
    samples = book_samples()
    chosen = choose(samples, find_labels(samples))
    names = {one.way.name for one in chosen if one.way.anchor is PathAnchor.LABEL}
    assert names >= {"Author", "Price", "Pages", "Published"}
    assert len({one.found for one in chosen}) == len(chosen)


def _tried(way: Way, *texts: str) -> Tried:
    return Tried(way, 1.0, tuple((Value(text, 10 * page, 1),) for page, text in enumerate(texts)), 1.0)


def test_a_gathering_of_named_values_goes_and_they_stay() -> None:
    """A list around labelled values says nothing of its own; a nameless piece of a value goes, too."""
    author = _tried(Way(PathAnchor.LABEL, "b", "Author:", across=("i", 1)), "Ada Rowan", "Ben Stark")
    trail = _tried(Way(PathAnchor.CLASS, "td", "trail"), "Home Books Ada Rowan Cloth", "Home Books Ben Stark Paper")
    piece = _tried(Way(PathAnchor.CLASS, "i", "x", down=(("b", 1),)), "Rowan", "Stark")
    own, repeated = without_repetition([author, trail, piece])
    assert own == [author]
    assert set(map(id, repeated)) == {id(trail), id(piece)}


def test_a_labelled_word_of_the_title_stays() -> None:
    """The brand is part of what is sold, and a value of its own all the same."""
    title = _tried(
        Way(PathAnchor.HEADING, "h1", ""), "Acme T-100 camera with a long lens", "Zeta Q digital camera in red"
    )
    brand = _tried(Way(PathAnchor.LABEL, "td", "Brand", across=("td", 1)), "Acme", "Zeta")
    assert without_repetition([title, brand])[0] == [title, brand]


def test_links_to_known_addresses_have_a_path_of_their_own() -> None:
    """It finds them on all pages and no others; without such a path there is none."""
    markup = "<body><nav><a href=/>Home</a></nav><p><a class=by href=/people/{0}>A</a> <a href=/b>B</a></p>"
    samples = [sample(markup.format(number), number, "http://books.test/x") for number in range(3)]
    wanted = [[f"http://books.test/people/{number}"] for number in range(3)]
    assert linking_path(samples, wanted) == "//a[@class='by']"
    assert linking_path(samples, [["http://books.test/none"]] * 3) is None
