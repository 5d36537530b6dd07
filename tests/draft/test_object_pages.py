"""The draft of pages with one object each, from pages of our own making."""

from __future__ import annotations

import pytest

from rdfcrawl.drafting.reading.slots import Sample
from rdfcrawl.drafting.writing.assembly import draft_object_page
from rdfcrawl.drafting.writing.modelling import model_of
from rdfcrawl.drafting.writing.outline import DraftedProperty, Outline
from rdfcrawl.drafting.writing.turtle import quoted, write_turtle
from rdfcrawl.metamodel.load import check_text, model_of_text
from rdfcrawl.rdf import terms
from tests.draft.pages import book_page, book_samples, sample

PLAYERS = ("Ada Rowan", "Ben Stark", "Cleo Marsh", "Dan Holm", "Eva Lind")


def _film(number: int, link: str) -> str:
    """The page of a film with some of the players, each in a link."""
    names = [PLAYERS[(number + place) % len(PLAYERS)] for place in range(3)]
    links = "".join(f"<li><a href='{link.format(name.split()[0])}'>{name}</a>" for name in names)
    return f"<!DOCTYPE html><body><h1>Film {'I' * (number + 1)}</h1><ul class=cast>{links}</ul></body>"


def _films(link: str) -> list[Sample]:
    return [sample(_film(number, link), number, f"http://films.test/films/{number}") for number in range(5)]


def _properties() -> dict[str, DraftedProperty]:
    item = draft_object_page(book_samples(), "book").item
    assert item is not None
    return {found.name: found for found in item.properties}


def test_labels_name_properties_and_lead_to_them() -> None:
    """Paths go by labels, values have types."""
    found = _properties()
    assert found["author"].path == ".//th[normalize-space()='Author']/following-sibling::td[1]"
    assert found["price"].form.datatype == terms.DECIMAL
    assert found["pages"].form.datatype == terms.INTEGER
    assert (found["published"].form.datatype, found["published"].form.format) == (terms.DATE, "MMMM d, yyyy")


@pytest.mark.parametrize(
    ("written", "name"),
    [("Price: {}", "price"), ("价格：{}", "价格"), ("价格： {}", "价格")],
    ids=["narrow", "wide", "spaced"],
)
def test_a_label_and_its_value_can_be_one_text(written: str, name: str) -> None:
    """The colon of Chinese and Japanese needs no space."""
    page = "<!doctype html><body><h1>Book {}</h1><p>" + written + "</p></body>"
    pages = [sample(page.format("ABCDE"[number], f"{number + 7}.50"), number) for number in range(5)]
    item = draft_object_page(pages, "book").item
    assert item is not None
    (found,) = (one for one in item.properties if not one.is_label)
    assert (found.name, found.form.datatype, found.samples[0]) == (name, terms.DECIMAL, "7.50")


def test_the_heading_is_the_label() -> None:
    """It is called title, not by the last entry of the menu before it."""
    found = _properties()
    assert [name for name, one in found.items() if one.is_label] == ["title"]


def test_what_some_pages_lack_is_optional_and_what_repeats_is_multiple() -> None:
    """By what the samples have."""
    found = _properties()
    assert found["subtitle"].optional
    assert not found["author"].optional
    assert found["subjects"].multiple


def test_attributes_are_properties_of_their_own() -> None:
    """The number in a class name and what stands in a field."""
    found = _properties()
    assert (found["stars"].attribute, found["stars"].form.datatype) == ("class", terms.DECIMAL)
    assert (found["copies"].attribute, found["copies"].form.datatype) == ("value", terms.INTEGER)


def test_rows_become_objects_and_are_no_properties_too() -> None:
    """What is nested is read once."""
    page = draft_object_page(book_samples(), "book")
    (sub,) = page.subs
    assert sub.item is not None
    assert {found.name for found in sub.item.properties} == {"shop", "stock"}
    assert page.item is not None
    assert not [found for found in page.item.properties if "shops" in found.path]


def test_values_that_lead_to_pages_of_their_own_become_objects_with_these_addresses() -> None:
    """What only says where a link was is no part of them; the texts are offered as a property all the same."""
    page = draft_object_page(_films("/people/{}?ref_=cast"), "film")
    (sub,) = page.subs
    assert sub.item is not None
    assert sub.params == ("ref_",)
    assert (sub.item.name, sub.item.id_path) == ("cast", ".//a")
    assert page.item is not None
    assert [found.active for found in page.item.properties if found.name == "cast"] == [False]


@pytest.mark.parametrize("link", ["https://elsewhere.test/{}", "/search", "#{}", "/files/{}.pdf"])
def test_links_that_name_nothing_on_the_site_stay_texts(link: str) -> None:
    """To other sites, all to one page, within the page, to files."""
    page = draft_object_page(_films(link), "film")
    assert page.subs == ()
    assert page.item is not None
    assert [found.active for found in page.item.properties if found.name == "cast"] == [True]


def test_the_root_is_the_narrowest_element_with_a_name_that_holds_everything() -> None:
    """Not the whole body."""
    item = draft_object_page(book_samples(), "book").item
    assert item is not None
    assert item.path == "//div[@id='book']"


def test_the_text_is_the_same_every_time_and_a_valid_model() -> None:
    """Whatever the order of sets in memory."""

    def text() -> str:
        page = draft_object_page(book_samples(), "book")
        return write_turtle(Outline((("http://books.test/books/1", "book"),), (page,)), "books.test")

    assert text() == text()
    assert check_text(text(), "draft").model is not None


def test_a_draft_is_tried_as_the_model_that_its_text_describes() -> None:
    """So that nobody has to read the text for it."""
    page = draft_object_page(book_samples(), "book")
    outline = Outline((("http://books.test/books/1", "book"),), (page,))
    told, read = model_of(outline), model_of_text(write_turtle(outline, "books.test"), "draft")
    assert (told.sections, dict(told.pages)) == (read.sections, dict(read.pages))


def test_at_most_so_many_properties_are_active() -> None:
    """The others are there as comments."""
    page = draft_object_page(book_samples(), "book", most=3)
    assert page.item is not None
    assert sum(found.active for found in page.item.properties) == 3
    text = write_turtle(Outline((("http://books.test/books/1", "book"),), (page,)), "books.test")
    model = check_text(text, "draft").model
    assert model is not None
    assert len(model.page("page://book").item.properties) == 3  # type: ignore[union-attr]
    assert "#   book:" in text


def test_text_of_a_page_cannot_leave_its_literal() -> None:
    """Quotes, backslashes and line ends are written as such."""
    assert quoted('a"b\\c\nd') == '"a\\"b\\\\c\\nd"'


def test_rows_that_only_keep_others_apart_are_no_objects() -> None:
    """The path of nested rows demands a text where some rows have none."""
    markup = book_page(0).replace('<table class="shops"><tbody>', '<table class="shops"><tbody><tr><td>\xa0</td></tr>')
    pages = [sample(markup, 0, "http://books.test/books/0"), *book_samples()[1:]]
    (sub,) = draft_object_page(pages, "book").subs
    assert sub.item is not None
    assert [len(page.document.root.xpath(sub.item.path[1:])) for page in pages] == [4] * 6
