"""Text that nobody wrote for readers costs no more than its length, and no more than so much of it is searched."""

from __future__ import annotations

import pytest

from rdfcrawl.recognise.lines import MOST_CHARACTERS, plain_lines, searched
from rdfcrawl.recognise.lists.files import name_list
from rdfcrawl.recognise.person.candidates import MOST_WORDS, spans
from rdfcrawl.recognise.person.tokens import Vocabulary
from rdfcrawl.recognise.recognisers import known_recognisers, recogniser

PIECES = [
    "x",
    "A",
    "A ",
    "Anna ",
    "Anna, ",
    "Anna Smith, ",
    "A.",
    "A-",
    '"A ',
    "(",
    "a@",
    "von ",
    "Jr. ",
    "Dr. ",
    "ﬀ",
    "İ",
]


@pytest.mark.parametrize("piece", PIECES)
def test_the_work_grows_with_the_length_and_not_faster(piece: str) -> None:
    """However long a run of capitals is: candidates are counted, not seconds."""
    vocabulary = Vocabulary(name_list(None))

    def work(times: int) -> int:
        (line,) = plain_lines(piece * times)
        tokens = vocabulary.tokens(line)
        return len(tokens) + sum(1 for _ in spans(tokens))

    assert work(2000) <= 2 * work(1000) + 4 * MOST_WORDS**2
    assert work(2000) <= 30 * 2000


@pytest.mark.parametrize("iri", known_recognisers())
@pytest.mark.parametrize("piece", PIECES)
def test_every_recogniser_bears_it(iri: str, piece: str, is_exhaustive: bool) -> None:
    """In one line, and in many."""
    text = piece * (3000 if is_exhaustive else 1000)
    assert isinstance(recogniser(iri).finds(plain_lines(text), reasons=True), list)
    assert isinstance(recogniser(iri).finds(plain_lines(text.replace(" ", "\n"))), list)


def test_only_so_much_of_a_page_is_searched() -> None:
    """The rest of a page that is longer than any is left out; a page of usual length is searched whole."""
    lines = plain_lines("Anna Smith\n" * (MOST_CHARACTERS // 10))
    assert sum(len(line.text) for line in searched(lines)) <= MOST_CHARACTERS
    assert searched(lines[:1000]) == lines[:1000]
    assert searched(plain_lines("x" * (MOST_CHARACTERS + 1))) == []
