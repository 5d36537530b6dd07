"""Texts made for searching: white space, case, blocks and places."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rdfcrawl.engine.criteria.part_text import _MAY_GROW, PartText, normal


def test_white_space_and_what_is_invisible_make_no_difference() -> None:
    """No-break spaces, line breaks, soft hyphens, zero-width spaces and decomposed letters."""
    assert normal(" Call\u00a0for\n  Pa\u00adpers\u200b ") == "Call for Papers"
    assert normal("Mu\u0308nchen") == "München"


def test_blocks_are_kept_apart() -> None:
    """Those without any text are none."""
    text = PartText(["one  two", " ", "three"])
    assert text.text == "one two\nthree"
    assert list(text.blocks) == [(0, "one two"), (8, "three")]
    assert text.variant(case_sensitive=False, across=True) == "one two three"


def test_every_character_that_grows_without_its_case_is_known() -> None:
    """By Unicode's tables of this version of Python."""
    growing = [char for char in map(chr, range(sys.maxunicode + 1)) if len(char.casefold()) > 1]
    assert growing
    assert all(_MAY_GROW.fullmatch(char) for char in growing)


@given(st.text(alphabet="aß İŉABﬁΐ \n"))
def test_places_in_the_folded_text_are_places_in_the_text(text: str) -> None:
    """However many characters have grown before it."""
    part = PartText([text])
    folded = 0
    for place, char in enumerate(part.text):
        assert part.place(folded) == place
        folded += len(char.casefold())
    assert part.place(folded) == len(part.text)


@pytest.mark.parametrize(
    ("start", "end", "shown"),
    [
        (0, 4, ("", "Call", " for papers")),
        (9, 15, ("Call for ", "papers", "")),
        (100, 103, ("…" + "x" * 60, "end", "")),
    ],
)
def test_an_excerpt_stays_on_its_line(start: int, end: int, shown: tuple[str, str, str]) -> None:
    """What is cut off is marked."""
    text = PartText(["Call for papers", "x" * 84 + "end"])
    assert text.excerpt(start, end) == shown
