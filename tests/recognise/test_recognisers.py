"""Which recognisers there are: built-in, from plugins, and none of that name; e-mail addresses; QLever's files."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.check.recognisers import PLUGINS, RECOGNISERS
from rdfcrawl.recognise.lines import plain_lines
from rdfcrawl.recognise.qlever import PageText, QLeverFiles, sentences
from rdfcrawl.recognise.recognisers import BUILT_IN, GROUP, known_recognisers, recogniser

PLUGIN = "https://example.org/recognise/isbn"
MODULE = """
import re
from rdfcrawl.recognise.finds import Find

class Isbn:
    what = "an ISBN"
    def __init__(self, names): pass
    def finds(self, lines, *, reasons=False):
        return [Find(m[0], m[0], 0, 0) for line in lines for m in re.finditer(r"978[0-9]{10}", line.text)]
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package that announces a recogniser, installed for this test."""
    (tmp_path / "isbn_plugin.py").write_text(MODULE)
    about = tmp_path / "isbn_plugin-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: isbn-plugin\nVersion: 1\n")
    (about / "entry_points.txt").write_text(f"[{GROUP}]\n{PLUGIN} = isbn_plugin:Isbn\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    recogniser.cache_clear()
    yield PLUGIN
    recogniser.cache_clear()
    sys.modules.pop("isbn_plugin", None)


def test_the_metamodel_knows_the_recognisers_that_there_are() -> None:
    """Two rooms say it, since neither sees the other."""
    assert sorted(RECOGNISERS) == sorted(BUILT_IN)
    assert PLUGINS == GROUP


def test_a_plugin_is_found_by_its_iri(plugin: str) -> None:
    """Its entry point is the IRI under which models ask for it."""
    assert plugin in known_recognisers()
    assert [find.value for find in recogniser(plugin).finds(plain_lines("ISBN 9783161484100."))] == ["9783161484100"]


def test_an_unknown_recogniser_is_an_error_that_names_the_known_ones() -> None:
    """Which would be right."""
    with pytest.raises(UsageError, match="recognise://person"):
        recogniser("recognise://nobody")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Write to dennis@Uni.Example.", ["dennis@uni.example"]),
        ("dennis (at) uni.example, anna [at] uni [dot] example", ["dennis@uni.example", "anna@uni.example"]),
        ("a@b, @home, user@localhost, 3@4.5", []),
    ],
)
def test_email_addresses(text: str, found: list[str]) -> None:
    """Also those that are written to escape machines."""
    assert [find.value for find in recogniser("recognise://email").finds(plain_lines(text))] == found


def test_qlever_files_have_the_words_of_every_sentence_with_the_tags_of_names() -> None:
    """Titles have no tag; a triple says where a name appears, and one where each record is from."""
    files = QLeverFiles(io.BytesIO(), io.BytesIO(), io.BytesIO())
    line = "Sir Alexander Fleming found it. It was a mould."
    files.add(PageText("http://source.url", (line,), (("Alexander Fleming", "Alexander Fleming"),)))
    words, docs, triples = (file.getvalue().decode() for file in (files.words, files.docs, files.triples))  # type: ignore[attr-defined]
    assert words.splitlines()[:5] == [
        "sir\t0\t1\t1",
        "alexander\t0\t1\t1",
        "<Alexander_Fleming>\t1\t1\t1",
        "fleming\t0\t1\t1",
        "<Alexander_Fleming>\t1\t1\t1",
    ]
    assert docs == "1\tSir Alexander Fleming found it.\n2\tIt was a mould.\n"
    assert triples.splitlines() == [
        "<Alexander_Fleming> <appears-in> <http://source.url> .",
        "<QLever-internal-function/record-1> <source-url> <http://source.url> .",
        "<QLever-internal-function/record-2> <source-url> <http://source.url> .",
    ]


def test_titles_and_initials_end_no_sentence() -> None:
    """Their full stops are theirs."""
    text = "Prof. Dr. Bast met D. Armbruster. They talked."
    assert list(sentences(text)) == ["Prof. Dr. Bast met D. Armbruster.", "They talked."]
