"""What texts are, and what things are called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode, RdfFormat, parse

from rdfcrawl.drafting.writing.forms import Form, fits, form_of, named_numbers
from rdfcrawl.drafting.writing.naming import Names, distinct, item_names, local_name
from rdfcrawl.rdf import terms


@pytest.mark.parametrize(
    ("texts", "datatype"),
    [
        (["12", "7"], terms.INTEGER),
        (["007", "12"], terms.STRING),
        (["1,200", "350"], terms.INTEGER),
        (["$12.50", "$9.00"], terms.DECIMAL),
        (["100.000,00", "55.000", "474.022,00 1"], terms.DECIMAL),
        (["1.234,50 €", "9,99 €"], terms.DECIMAL),
        (["March 3, 2011", "June 17, 2009"], terms.DATE),
        (["12.10.2015", "03.09.2015"], terms.DATE),
        (["Season 1", "Season 2", "Season 12"], terms.INTEGER),
        (["1999", "2004"], terms.G_YEAR),
        (["12", "n/a"], terms.STRING),
        (["12"], terms.STRING),
    ],
)
def test_a_type_is_what_all_samples_have(texts: list[str], datatype: str) -> None:
    """And every sample fits it, as a run would make its value."""
    form = form_of(texts)
    assert form.datatype == datatype
    assert fits(form, texts)


def test_days_and_months_that_may_be_swapped_are_a_doubt() -> None:
    """3/4/2011 can be two days."""
    assert form_of(["3/4/2011", "5/6/2012"]).doubt
    assert form_of(["3/14/2011", "5/6/2012"]).doubt is None


def test_each_number_of_a_text_of_words_and_numbers_has_a_form() -> None:
    """If all texts have the same words."""
    forms = named_numbers(["Season 3, Episode 15", "Season 2, Episode 1", "Season 1 - Episode 7"])
    assert list(forms) == ["Season", "Episode"]
    assert all(fits(form, ["Season 3, Episode 15"]) for form in forms.values())
    assert named_numbers(["Season 3, Episode 15", "Season 2, Part 1", "Season 1, Episode 7"]) == {}
    assert named_numbers(["Season 3", "Season 2", "Season 1"]) == {}


def test_separators_are_left_out_by_a_pattern() -> None:
    """A piece of a line loses what divides it from the next piece."""
    form = form_of(["normal /", "simple /", "x"])
    assert form.pattern is not None
    assert fits(form, ["normal /", "x"])
    assert form_of(["either/or", "plain"]) == Form()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Working time:", "workingTime"),
        ("Größe", "groesse"),
        ("2nd edition", "n2ndEdition"),
        ("%", "percent"),
        ("…", ""),
        ("København, Łódź", "kobenhavnLodz"),
        ("№ 5", "no5"),
        ("Цена, руб.:", "ценаРуб"),
        ("السعر", "السعر"),
        ("मूल्य", "मूल्य"),
        ("价格：", "价格"),
        ("\N{MICRO SIGN}m", "μm"),
    ],
)
def test_labels_become_local_names(text: str, name: str) -> None:
    """Latin letters lose their accents, those of other scripts stay as they are."""
    assert local_name(text) == name


@given(st.text(max_size=20))
def test_every_name_can_be_written_in_turtle(text: str) -> None:
    """Whatever a site calls its columns; where nothing is left there is no name."""
    if name := local_name(text):
        (quad,) = parse(f"@prefix p: <p:> . p:{name} <p:> 1 .", format=RdfFormat.TURTLE)
        assert quad.subject == NamedNode(f"p:{name}")


def test_items_are_called_by_their_addresses() -> None:
    """By a parameter, a folder, or the page around them."""
    assert next(item_names(["http://x/books/1", "http://x/books/2"])) == "book"
    assert next(item_names(["http://x/t/1/e?season=1", "http://x/t/2/e?season=2"])) == "season"
    assert "episode" in item_names(["http://x/t/5", "http://x/t/6"], ["http://x/t/1/episodes", "http://x/t/2/episodes"])
    assert list(item_names(["http://x/1", "http://x/2"])) == ["object"]


def test_names_are_used_once_and_never_those_of_the_metamodel() -> None:
    """A prefix of the model itself cannot be the prefix of an item."""
    names = Names()
    assert [names.take("page"), names.take("book"), names.take("book")] == ["page2", "book", "book2"]
    assert distinct(["a", "a", "a2"]) == ["a", "a2", "a22"]
