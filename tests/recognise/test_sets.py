"""The state machine over sets of names, with the examples of the thesis that describes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rdfcrawl.recognise.lines import plain_lines
from rdfcrawl.recognise.recognisers import recogniser
from rdfcrawl.recognise.sets.machine import find_names, normalised, tagged, without_trailing
from rdfcrawl.recognise.sets.name_sets import NameSets, sets_from_full_names, write_name_sets

SETS = NameSets(
    frozenset(("christian", "edgar", "dennis", "alexander")),
    frozenset(("von", "und", "de")),
    frozenset(("armbruster", "fleming", "berg")),
)


def names(text: str, limit: int = -1) -> list[str]:
    """The names in a text."""
    return [name.text for name in find_names(text, SETS, limit)]


def test_middle_names_at_the_end_are_taken_off() -> None:
    """ "Christian Edgar von und" is "Christian Edgar"."""
    assert names("Christian Edgar von und zu") == ["Christian Edgar"]
    assert without_trailing(["Christian", "Edgar", "von", "und"], frozenset(("von", "und"))) == ["Christian", "Edgar"]


def test_names_are_normalised_without_titles() -> None:
    """ "Herr Dennis Armbruster" is <Dennis_Armbruster>."""
    assert normalised("Herr Dennis Armbruster") == "<Dennis_Armbruster>"
    (found,) = find_names("Herr Dennis Armbruster", SETS)
    assert (found.text, found.titles) == ("Dennis Armbruster", ("Herr",))


def test_titles_after_a_name_and_family_names_first_are_not_known() -> None:
    """As the thesis says: only titles before a name, and no "last, first"."""
    assert names("Dennis Armbruster, B.S.") == ["Dennis Armbruster"]
    assert names("Armbruster, Dennis") == ["Dennis"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Dennis", ["Dennis"]),
        ("Dennis Armbruster", ["Dennis Armbruster"]),
        ("Christian von Berg", ["Christian von Berg"]),
        ("Dr. Armbruster", ["Armbruster"]),
        ("Armbruster", []),
        ("the berg is high", []),
    ],
)
def test_the_forms_of_the_grammar(text: str, found: list[str]) -> None:
    """First names; first and last; first, middle and last; titles and last."""
    assert names(text) == found


def test_unknown_words_with_capitals_complete_a_name() -> None:
    """The heuristic, which also takes too much."""
    assert names("Alexander Unbekannt kam") == ["Alexander Unbekannt"]
    assert names("Alexander Fleming Institut") == ["Alexander Fleming Institut"]


def test_line_breaks_punctuation_and_the_limit_end_a_name() -> None:
    """A line break counts as a semicolon."""
    assert names("Dennis\nArmbruster") == ["Dennis"]
    assert names("Dennis Armbruster. Alexander Fleming") == ["Dennis Armbruster", "Alexander Fleming"]
    assert names("Dennis Armbruster Alexander", limit=2) == ["Dennis Armbruster", "Alexander"]


def test_names_become_tags_in_the_text() -> None:
    """The text with numbered tags, and the name of each."""
    assert tagged("Here is Dennis Armbruster, with Alexander Fleming.", SETS) == (
        "Here is <0>, with <1>.",
        {"<0>": "Dennis Armbruster", "<1>": "Alexander Fleming"},
    )


def test_sets_are_split_from_full_names() -> None:
    """One word is a last name; middle names that are first names too are no middle names; numbers do not count."""
    sets = sets_from_full_names(["Cher", "Ada Lovelace", "Grace Ada von Hopper", "Louis 14"])
    assert sets == NameSets(
        frozenset(("ada", "grace", "louis")), frozenset(("von",)), frozenset(("cher", "lovelace", "hopper"))
    )


def test_a_folder_with_the_three_files_is_used(tmp_path: Path) -> None:
    """``:names`` on a property names it."""
    write_name_sets(SETS, tmp_path / "sets")
    finds = recogniser("recognise://personBySets", str(tmp_path / "sets")).finds(
        plain_lines("Dr. Dennis Armbruster"), reasons=True
    )
    assert [find.value for find in finds] == ["Dennis Armbruster"]
    assert finds[0].facts == (("given", "Dennis"), ("family", "Armbruster"), ("title", "Dr."))
    assert "first" in finds[0].reasons[0].what
