"""Names of persons on pages of many kinds: what counts, what does not, and how it is written down."""

from __future__ import annotations

import unicodedata

import pytest

from rdfcrawl.engine.document.lines import lines_of
from rdfcrawl.engine.document.tree import parse
from rdfcrawl.recognise.finds import Find
from rdfcrawl.recognise.lines import plain_lines
from rdfcrawl.recognise.recognisers import recogniser

PERSON = recogniser("recognise://person")


def in_text(text: str) -> list[str]:
    """The names in a text."""
    return [find.value for find in PERSON.finds(plain_lines(text))]


def on_page(markup: str) -> list[Find]:
    """The finds on a page."""
    document = parse(f"<!doctype html><html><body>{markup}</body></html>".encode(), "http://localhost/")
    return PERSON.finds(lines_of(document.root)[0], reasons=True)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The prize went to Dennis Armbruster and Maria Schmidt.", ["Dennis Armbruster", "Maria Schmidt"]),
        ("Die Leitung hat Prof. Dr. Hannah Bast inne.", ["Hannah Bast"]),
        ("De hoogleraar Jan van der Berg werkt met Pieter de Vries.", ["Jan van der Berg", "Pieter de Vries"]),
        ("Professor Åsa Lindström møtte Kjell Johansson i dag.", ["Åsa Lindström", "Kjell Johansson"]),
        ("Le professeur Jean-Pierre Dupont travaille avec nous.", ["Jean-Pierre Dupont"]),
        ("Il professor Giuseppe Di Lorenzo lavora con Francesca Rossi.", ["Giuseppe Di Lorenzo", "Francesca Rossi"]),
        ("Jiří Novák met Václav Havel in the evening.", ["Jiří Novák", "Václav Havel"]),
        ("The work by Zhang Wei and Yuki Tanaka was published.", ["Zhang Wei", "Yuki Tanaka"]),
        ("Dennis Armbruster's page", ["Dennis Armbruster"]),
        ("For details, contact Sarah Connor.", ["Sarah Connor"]),
    ],
)
def test_names_in_prose_of_many_languages(text: str, names: list[str]) -> None:
    """English, German, Dutch, Nordic, Romance, Slavic, and names of East Asia in Latin script."""
    assert in_text(text) == names


def test_letters_with_separate_accents_and_soft_hyphens_are_read_as_people_see_them() -> None:
    """Some programs write the accent of a letter as a character of its own; the name does not end there."""
    names = ["Anna Schäfer", "José Núñez", "Jörg Weber"]
    text = unicodedata.normalize("NFD", "".join(f"<li>{name}</li>" for name in names))
    assert [find.value for find in on_page(f"<ul>{text}</ul>")] == names
    assert [find.value for find in on_page("<p>The prize went to Anna Schä&shy;fer.</p>")] == names[:1]
    assert in_text(unicodedata.normalize("NFD", "The prize went to Anna Schäfer.")) == names[:1]


@pytest.mark.parametrize(
    "text",
    [
        "Home | About Us | Contact | Computer Science | Main Street",
        "She grew up on Abraham Lincoln Street near George Washington University in New York City.",
        "Martin Luther King Jr. Hall is next to the John F. Kennedy Library.",
        "Research Interests: Data Mining, Machine Learning, Operating Systems",
        "Monday, Tuesday and Wednesday in Room 101, from January to March",
        "The paper appeared in Annals of Statistics and Theoretical Computer Science.",
        "Besuchen Sie das Institut für Informatik in der Georges-Köhler-Allee.",
        "Fakultät für Angewandte Wissenschaften, Universität Freiburg",
    ],
)
def test_places_institutes_streets_months_journals_and_menus_are_no_names(text: str) -> None:
    """What is capitalised for other reasons."""
    assert in_text(text) == []


@pytest.mark.parametrize("text", ["Иван Петров", "Γιώργος Παπαδόπουλος", "山田太郎", "محمد علي", "", "  \n ", "\ud800"])
def test_other_scripts_do_no_harm(text: str) -> None:
    """They are not supported, and nothing breaks."""
    assert isinstance(in_text(text), list)


DIRECTORY = """<ul>
<li>Armbruster, Dennis</li><li>BAST, Hannah</li><li>van der Berg, Dr. Jan</li><li>O'Brien, Patrick J.</li>
<li>Müller-Lüdenscheidt, Anna-Lena</li><li>Moss, J. Eliot B.</li><li>Maloney, Jr., Ted</li></ul>"""


def test_family_names_first_are_turned_and_written_as_usual() -> None:
    """ "Last, First", in capitals, with particles, hyphens, initials, titles between and a generation."""
    assert [find.value for find in on_page(DIRECTORY)] == [
        "Dennis Armbruster",
        "Hannah Bast",
        "Jan van der Berg",
        "Patrick J. O'Brien",
        "Anna-Lena Müller-Lüdenscheidt",
        "J. Eliot B. Moss",
        "Ted Maloney Jr.",
    ]


def test_titles_given_and_family_names_are_apart() -> None:
    """Before and after the name; the value has none of them."""
    (find,) = on_page("<p>Prof. Dr. Jan van der Berg, Ph.D.</p>")
    assert find.value == "Jan van der Berg"
    assert find.facts == (
        ("given", "Jan"),
        ("family", "van der Berg"),
        ("title", "Prof."),
        ("title", "Dr."),
        ("title", "Ph.D."),
    )


def test_the_edge_of_an_element_ends_a_name() -> None:
    """Where the text that a reader sees is glued."""
    finds = on_page("<div><b>Maria Abate</b><span>Associate Professor</span></div>" * 3)
    assert [find.value for find in finds] == ["Maria Abate"] * 3


def test_given_and_family_names_in_neighbouring_cells() -> None:
    """Under headings in either order, and without any, where all rows decide together."""
    headed = """<table><tr><th>Nachname</th><th>Vorname</th></tr>
    <tr><td>Bast</td><td>Hannah</td></tr><tr><td>Xqwzt</td><td>Vrblfk</td></tr></table>"""
    assert [find.value for find in on_page(headed)] == ["Hannah Bast", "Vrblfk Xqwzt"]
    bare = "<table><tr><td>Smith</td><td>John</td></tr><tr><td>Miller</td><td>Anna</td></tr></table>"
    assert [find.value for find in on_page(bare)] == ["John Smith", "Anna Miller"]


def test_two_cells_with_full_names_are_two_persons() -> None:
    """A grid of names is no table of halves."""
    grid = "<table>" + "<tr><td>Hannah Bast</td><td>Anna Miller</td></tr>" * 3 + "</table>"
    assert [find.value for find in on_page(grid)] == ["Hannah Bast", "Anna Miller"] * 3


def test_the_place_makes_a_name_of_unlisted_words() -> None:
    """Among nine known names in the same kind of place, an unknown one is a name; alone it is not."""
    known = ["Hannah Bast", "John Smith", "Maria Rossi", "Peter Miller", "Anna Schmidt", "Paul Jones", "Eva Braun"]
    rows = "".join(f"<li><a>{name}</a></li>" for name in (*known, "Qwrtzx Plmkjn"))
    assert "Qwrtzx Plmkjn" in [find.value for find in on_page(f"<ul>{rows}</ul>")]
    assert on_page("<p>The word Qwrtzx Plmkjn is not a name.</p>") == []


def test_a_short_form_of_somebody_on_the_page_is_found() -> None:
    """Initials with a family name that the page has with a given name as well."""
    values = [
        find.value for find in on_page("<h1>Dennis Armbruster</h1><p>The publications of D. Armbruster are here.</p>")
    ]
    assert values == ["Dennis Armbruster", "D. Armbruster"]


def test_the_reasons_add_up_to_the_score() -> None:
    """They name the evidence, the place and the entries of the list."""
    (find,) = on_page("<p>Hannah Bast</p>")
    assert sum(reason.weight for reason in find.reasons) == pytest.approx(find.score, abs=1e-3)
    said = [reason.what for reason in find.reasons]
    assert any(what.startswith("place: ") for what in said)
    assert any("Hannah is a given name" in what for what in said)


def test_what_is_hidden_is_not_searched() -> None:
    """As for every reader."""
    assert on_page('<p style="display:none">Hannah Bast</p><script>var Anna_Miller = "Anna Miller";</script>') == []


def test_finds_know_their_element() -> None:
    """The element in which a name begins."""
    document = parse(b"<html><body><ul><li>x</li><li><a>Hannah Bast</a></li></ul></body></html>", "http://localhost/")
    lines, elements = lines_of(document.root)
    assert [elements[find.where].tag for find in PERSON.finds(lines)] == ["a"]
