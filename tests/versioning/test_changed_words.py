"""The words that differ inside long texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rdfcrawl.versioning.changes import ChangeKind, PropertyChange
from rdfcrawl.versioning.pairing.words import CUT, PieceKind, WordPiece, changed_words, in_brackets

_LONG = "The library is open from Monday to Friday between nine and five, and on Saturdays until noon."


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (_LONG, _LONG.replace("five", "six"), "…to Friday between nine and [-five-]{+six+}, and on Saturdays until …"),
        (_LONG, "Now " + _LONG, "{+Now +}The library is open from …"),
        (_LONG, _LONG.replace(" until noon", ""), "…and five, and on Saturdays[- until noon-]."),
        (_LONG, _LONG, ""),
        (_LONG, "Something else altogether, which has hardly a word in common with what stood there.", ""),
        ("five", "six", ""),
    ],
)
def test_only_what_differs_is_shown_with_some_words_around_it(old: str, new: str, said: str) -> None:
    """Short texts, equal ones and those that have nothing to do with each other are better read as they are."""
    assert in_brackets(changed_words(old, new)) == said


def test_a_very_long_text_is_compared_at_its_ends_only() -> None:
    """Quadratic work has a bound: what lies between the first and the last difference differs."""
    words = [f"w{n}" for n in range(5000)]
    changed = [*words]
    changed[10], changed[-10] = "first", "last"
    half = ["x" if n % 2 else word for n, word in enumerate(words)]
    assert [piece.kind for piece in changed_words(" ".join(words), " ".join([*words[:-1], "end"]))] == [
        PieceKind.BOTH,
        PieceKind.OLD,
        PieceKind.NEW,
    ]
    assert changed_words(" ".join(words), " ".join(changed)) == ()
    assert changed_words(" ".join(words), " ".join(half)) == ()


@given(st.lists(st.sampled_from("ab .,\n"), min_size=60).map("".join), st.data())
def test_the_pieces_are_the_two_texts(old: str, data: st.DataObject) -> None:
    """Without what is cut, old and shared pieces are in the old text in this order, new and shared ones in the new."""
    place = data.draw(st.integers(0, len(old)))
    new = old[:place] + "inserted" + old[place:]
    pieces = changed_words(old, new)
    for text, lacking in ((old, PieceKind.NEW), (new, PieceKind.OLD)):
        at = 0
        for piece in pieces:
            for part in piece.text.split(CUT) if piece.kind is not lacking else ():
                assert (at := text.index(part, at) + len(part)) <= len(text)


def test_addresses_and_several_values_are_shown_as_they_are() -> None:
    """Only one text that became another has words that differ."""
    address = "<http://site.example/a-rather-long-address-that-has-more-than-sixty-characters/{}>"

    def change(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[WordPiece, ...]:
        return PropertyChange(ChangeKind.CHANGED, "<s:>", "<p:>", old, new).words

    assert change((f'"{_LONG}"',), (f'"{_LONG} Yes."',))
    assert change((address.format(1),), (address.format(2),)) == ()
    assert change((f'"{_LONG}"',), (f'"{_LONG} Yes."', '"more"')) == ()
    assert change((f'"{_LONG}"',), ()) == ()
