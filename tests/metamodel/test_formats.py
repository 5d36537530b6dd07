"""Date formats are taken apart into fields and texts."""

from __future__ import annotations

import pytest

from rdfcrawl.metamodel.formats import LETTERS, Field, FormatError, Text, letters_of, parse_format


def test_letters_are_fields_and_everything_else_is_text() -> None:
    """A run of one letter is one field."""
    assert parse_format("d. MMMM yyyy") == (
        Field("d", 1),
        Text(". "),
        Field("M", 4),
        Text(" "),
        Field("y", 4),
    )


def test_quoted_letters_are_text() -> None:
    """Quotes keep letters from being fields, and a doubled quote is a quote, inside and outside of them."""
    assert parse_format("HH 'o''clock' ''a") == (
        Field("H", 2),
        Text(" o'clock '"),
        Field("a", 1),
    )


def test_letters_of_other_scripts_are_text() -> None:
    """Only ASCII letters are reserved."""
    assert parse_format("yyyy年") == (Field("y", 4), Text("年"))


@pytest.mark.parametrize("letter", sorted(LETTERS))
def test_every_known_letter_is_a_field(letter: str) -> None:
    """The table of letters and the reader agree."""
    assert letters_of(parse_format(letter * 2)) == {letter}


@pytest.mark.parametrize("letter", ["j", "b", "Y", "w", "A", "t"])
def test_an_unknown_letter_is_named(letter: str) -> None:
    """Week years (Y) and the like are refused rather than read as something else."""
    with pytest.raises(FormatError, match=f"letter '{letter}' is not known") as caught:
        parse_format(f"dd.{letter}")
    assert caught.value.letter == letter


def test_an_open_quote_is_told() -> None:
    """A quote must end."""
    with pytest.raises(FormatError, match="not closed"):
        parse_format("HH 'Uhr")
