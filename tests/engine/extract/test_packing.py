"""An extraction as bytes: it is restored exactly, and anything else is refused."""

from __future__ import annotations

import json
import zlib
from dataclasses import fields, replace

import pytest

from rdfcrawl.engine.extract import packing
from rdfcrawl.engine.extract.extraction import Extraction, Follow
from rdfcrawl.engine.extract.packing import TooLong, as_plain, packed, to_bytes, unpacked
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.engine.strict import Nonsense

FULL = Extraction(
    triples=['<a> <b> "\u00fc\\n"'],
    tops=[("<p>", "<o>")],
    follows=[Follow("page://a", "http://a.example/?x=1", "http://a.example/", None)],
    entries=["e", "\U0001f600"],
    problems=[Problem(ProblemKind.MISSING, "http://a.example/", "page://a", "not there", path="//a", raw="x\ny")],
    unread=[(None, "page://b"), ("http://a.example/", "page://c")],
    next_address="http://a.example/?page=2",
    next_clicks=True,
    stated_total=7,
    found=1,
    complete_entries=1,
    list_address="http://a.example/",
    leads=["http://a.example/b\t\tnofollow\t\t"],
    links=["http://a.example/b"],
    images=["http://a.example/i.png"],
    link_texts='"[]"',
    digest="sha1:ABC",
    mentions=['<a> <b> "[]"'],
)


def compressed(value: object) -> bytes:
    return zlib.compress(json.dumps(value).encode())


@pytest.mark.parametrize("extraction", [Extraction(), FULL], ids=["empty", "full"])
def test_an_extraction_comes_back_as_it_was_packed(extraction: Extraction) -> None:
    """With everything that it has, half characters included."""
    assert unpacked(packed(to_bytes(extraction))) == extraction


def test_what_earlier_versions_have_kept_is_understood() -> None:
    """They had the triples in the JSON, like everything else."""
    assert unpacked(compressed(as_plain(FULL))) == FULL


@pytest.mark.parametrize("triples", [[], ["<a> <b> <c>"], ["<a> <b> <ä>", '<a> <b> "\\n"'], [""], ["", ""]])
def test_triples_come_back_line_by_line(triples: list[str]) -> None:
    """None of them, one or several."""
    assert unpacked(packed(to_bytes(Extraction(triples=triples)))).triples == triples


def test_the_full_one_has_no_default() -> None:
    """Each field is tried with a value of its own."""
    assert [
        field.name for field in fields(Extraction) if getattr(FULL, field.name) == getattr(Extraction(), field.name)
    ] == []


def test_what_is_not_said_is_as_if_nothing_was_found() -> None:
    """A field that came later is not in what was packed before."""
    assert unpacked(compressed({"found": 3})) == Extraction(found=3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("unknown", 1),
        ("triples", None),
        ("triples", "<a> <b> <c>"),
        ("triples", ["<a> <b> <c>", 1]),
        ("triples", ["<a> <b> <c> .\n<d> <e> <f>"]),
        ("tops", [["<p>"]]),
        ("tops", [["<p>", "<o>\n"]]),
        ("tops", {"<p>": "<o>"}),
        ("follows", [["page://a", "http://a.example/", "http://a.example/"]]),
        ("follows", [["page://a", "http://a.example/", None, None]]),
        ("entries", [["e"]]),
        ("problems", [["missing", "a", "b", "c", None, None, None, None]]),
        ("problems", [["unheard-of", "a", "b", "c", None, None, None, None, None]]),
        ("problems", [[None, "a", "b", "c", None, None, None, None, None]]),
        ("unread", [["a", None]]),
        ("next_address", 1),
        ("next_clicks", 1),
        ("stated_total", -1),
        ("stated_total", 1.5),
        ("found", True),
        ("found", None),
        ("complete_entries", "1"),
        ("list_address", 1),
    ],
)
def test_what_nobody_packed_is_nonsense(name: str, value: object) -> None:
    """Other types, other lengths, fields that are not there, lines that are several."""
    with pytest.raises(Nonsense):
        unpacked(compressed(as_plain(FULL) | {name: value}))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"garbage",
        packed(to_bytes(FULL))[:-1],
        packed(to_bytes(FULL)) + b"x",
        zlib.compress(b"\xff"),
        zlib.compress(b"{"),
        zlib.compress(b'{"found": NaN}'),
        zlib.compress(b"{}\n<a> <b> <\xff>"),
        zlib.compress(b"{}\n<a> <b> <c>\r\n<d> <e> <f>"),
        zlib.compress(b'{"found": ' + b"9" * 10_000 + b"}"),
        zlib.compress(b'{"triples": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
        compressed([]),
        compressed(None),
    ],
)
def test_bytes_that_are_no_packing_are_nonsense(content: bytes) -> None:
    """Cut, prolonged, no JSON, numbers without end, nested without end."""
    with pytest.raises(Nonsense):
        unpacked(content)


def test_there_is_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what is packed, and for what claims to be."""
    whole = len(to_bytes(FULL))
    content = packed(to_bytes(FULL))
    monkeypatch.setattr(packing, "MOST_BYTES", whole - 1)
    with pytest.raises(TooLong, match=f"takes {whole} bytes; the limit is {whole - 1}"):
        packed(to_bytes(FULL))
    with pytest.raises(Nonsense, match="more than"):
        unpacked(content)
    monkeypatch.setattr(packing, "MOST_BYTES", whole)
    assert unpacked(packed(to_bytes(FULL))) == FULL


def test_half_of_a_surrogate_pair_is_nonsense() -> None:
    """Nothing that reads pages makes one, and whoever writes the text would fail."""
    with pytest.raises(Nonsense, match="surrogates not allowed"):
        unpacked(packed(to_bytes(replace(FULL, entries=["\ud800"]))))
