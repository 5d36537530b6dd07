"""Scores against values computed by hand, and which forms of a name are one person."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rdfcrawl.recognise.people import PersonForm, compatible, family_key, people
from rdfcrawl.recognise.scores import Corpus, bm25, inverse_frequency, tf_idf

CORPUS = Corpus(pages=4, words=400)


def test_tf_idf_is_the_count_times_the_logarithm_of_the_inverse_frequency() -> None:
    """3 mentions, on 1 of 4 pages: 3 · log2(4) = 6."""
    assert inverse_frequency(CORPUS, 1) == 2.0
    assert tf_idf(3, 2.0) == 6.0
    assert tf_idf(5, inverse_frequency(CORPUS, 4)) == 0.0


def test_bm25_with_the_usual_parameters() -> None:
    """tf 3, DL 50, AVDL 100: 3 · 2.75 / (1.75 · (0.25 + 0.75 · 0.5) + 3) · 2 = 16.5 / 4.09375."""
    assert bm25(3, 50, CORPUS, 2.0) == pytest.approx(16.5 / 4.09375)
    assert bm25(3, 100, CORPUS, 2.0) == pytest.approx(16.5 / 4.75)


def form(name: str, given: str, host: str = "a.example") -> PersonForm:
    """A form of somebody called Armbruster."""
    return PersonForm(name, given, "Armbruster", frozenset((host,)))


def groups(*forms: PersonForm) -> list[set[str]]:
    """The names of each person."""
    return [{one.name for one in person.forms} for person in people(forms)]


def test_short_and_long_forms_are_one_person() -> None:
    """The longest names the person."""
    forms = (
        form("D. Armbruster", "D."),
        form("Dennis Armbruster", "Dennis"),
        form("Dennis A. Armbruster", "Dennis A."),
    )
    (person,) = people(forms)
    assert person.label == "Dennis A. Armbruster"
    assert len(person.forms) == 3


def test_a_short_form_that_fits_two_people_is_given_to_neither() -> None:
    """Nobody knows whose it is."""
    forms = (form("D. Armbruster", "D."), form("Dennis Armbruster", "Dennis"), form("Daniel Armbruster", "Daniel"))
    assert sorted(map(sorted, groups(*forms))) == [["D. Armbruster"], ["Daniel Armbruster"], ["Dennis Armbruster"]]


def test_forms_on_other_hosts_are_other_people() -> None:
    """Without a host in common nothing says that they are the same."""
    assert len(groups(form("D. Armbruster", "D.", "b.example"), form("Dennis Armbruster", "Dennis"))) == 2


def test_forms_on_pages_that_link_to_each_other_are_one_person() -> None:
    """Whichever of the two pages has the link, and wherever the pages are."""
    short = replace(form("D. Armbruster", "D.", "b.example"), pages=frozenset("b"), linked=frozenset("a"))
    long = replace(form("Dennis Armbruster", "Dennis"), pages=frozenset("a"), linked=frozenset("b"))
    assert len(groups(short, long)) == 1
    assert len(groups(replace(short, linked=frozenset("x")), long)) == 2


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("D.", "Dennis", True),
        ("D. A.", "Dennis Albert", True),
        ("Dennis", "Dennis Albert", True),
        ("Dennis B.", "Dennis Albert", False),
        ("Jörg", "Jorg", True),
        ("Jean-Pierre", "J.-P.", True),
        ("Dennis", "Daniel", False),
    ],
)
def test_compatible_given_names(one: str, other: str, same: bool) -> None:
    """Word by word, as initials or whole; accents do not count."""
    assert compatible(one, other) is same


def test_family_names_are_compared_without_accents() -> None:
    """The key under which forms meet."""
    assert family_key("Müller-Lüdenscheidt") == family_key("Muller Ludenscheidt")
