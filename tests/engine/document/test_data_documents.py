"""JSON and CSV as trees, also where they are broken, hostile or huge."""

from __future__ import annotations

import json

import pytest
from lxml import etree

from rdfcrawl.engine.document.errors import DocumentError, DocumentLimit
from rdfcrawl.engine.document.tree import TreeBounds, compile_path, parse

ADDRESS = "http://site.example/data"


def tree(body: str | bytes, content_type: str = "application/json", **options: int) -> str:
    """The tree of a document as XML."""
    content = body.encode() if isinstance(body, str) else body
    document = parse(content, ADDRESS, content_type, bounds=TreeBounds(**options))
    return etree.tostring(document.root, encoding="unicode")


def test_json_is_a_tree() -> None:
    """Every kind of value, each spelt as the document spells it."""
    assert tree('{"a": [1, -2.50, 1E3], "b": {"c d": "x & y"}, "t": true, "n": null, "e": [], "o": {}}') == (
        '<json><a><item type="number">1</item><item type="number">-2.50</item><item type="number">1E3</item></a>'
        '<b><_ key="c d">x &amp; y</_></b><t type="boolean">true</t><n null="true"/><e/><o/></json>'
    )


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "application/json; charset=utf-8", "application/vnd.api+json", "text/json", "text/plain"],
)
def test_json_is_recognised_by_its_type_or_by_its_beginning(content_type: str) -> None:
    """Raw files are often served as plain text."""
    assert tree('[{"a": 1}]', content_type) == '<json><item><a type="number">1</a></item></json>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_json_is_read_in_the_encodings_that_it_may_have(encoding: str) -> None:
    """Whatever the server says about it."""
    assert tree('{"a": "ü"}'.encode(encoding), "application/json; charset=latin-1") == "<json><a>ü</a></json>"


def test_json_that_is_no_unicode_is_in_the_character_set_that_the_server_names() -> None:
    """It should not be, but old programs write it."""
    assert tree('{"a": "5 €"}'.encode("cp1252"), "application/json; charset=iso-8859-1") == "<json><a>5 €</a></json>"
    assert tree(b'{"a": "\xfc"}', "application/json; charset=no-such-charset") == "<json><a>\ufffd</a></json>"
    assert tree(b'{"a": "\xfc"}') == "<json><a>\ufffd</a></json>"


def test_characters_that_no_xml_can_hold_are_left_out() -> None:
    """Control characters go, lone surrogates become a replacement character; names are no exception."""
    assert tree('{"a\\u0000": "b\\u0001c\\ud800"}') == '<json><_ key="a">bc\ufffd</_></json>'


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('{"a": 1', r"ends too early, at line 1, column 8"),
        ('{"a": "b', r"ends too early: the string that begins at line 1, column 7 is not closed"),
        ('{\n"a": x}', r"not valid at line 2, column 6: expecting value"),
        ('{"a": NaN}', r"the JSON has NaN, which is not a value of JSON"),
        ("[1,]", r"not valid at line 1, column 4"),
        ("", r"ends too early"),
        ("<html>", r"not valid at line 1, column 1"),
    ],
)
def test_json_that_is_cut_or_wrong_is_told_with_its_place(body: str, reason: str) -> None:
    """A page of which half is missing is not a page with fewer values."""
    with pytest.raises(DocumentError, match=reason):
        tree(body)


def test_json_that_is_too_deep_or_too_large_is_a_limit() -> None:
    """Neither takes the worker's memory: counting ends at the limit."""
    with pytest.raises(DocumentLimit, match="nested too deeply"):
        tree("[" * 200_000 + "]" * 200_000)
    with pytest.raises(DocumentLimit, match="more than 10 levels deep"):
        tree("[" * 20 + "]" * 20, depth=10)
    with pytest.raises(DocumentLimit, match="more than 1,000 elements"):
        tree(json.dumps([0] * 2_000), elements=1_000)


def test_only_a_page_that_asks_for_it_has_the_json_of_its_scripts() -> None:
    """Whoever reads the text of a script reads it as ever."""
    page = b'<script type="application/json">{"a": 1}</script><script type="application/json">{"a": </script>'
    script = compile_path("string(//script)")
    for with_scripts in (False, True):
        document = parse(page, ADDRESS, "text/html", with_scripts=with_scripts)
        assert len(document.root.findall(".//json")) == with_scripts
        expected = '{"a": 1}1' if with_scripts else '{"a": 1}'
        assert document.select(script, document.root) == [expected]


def test_the_text_of_an_object_is_that_of_its_values() -> None:
    """One line each, so that nothing is glued together."""
    document = parse(b'{"a": {"b": "x", "c": ["y", 1]}}', ADDRESS, "application/json")
    (found,) = document.select(compile_path("/json/a"), document.root)
    assert document.text_of(found) == "x\ny\n1"


def test_csv_is_a_table_with_named_cells() -> None:
    """Quotes, doubled quotes, line breaks in cells and blank lines are read as spreadsheets write them."""
    assert tree('a,"b, c"\r\n1,"x ""y"""\r\n\r\n"p\nq",2\r\n', "text/csv") == (
        '<table><tr><th>a</th><th>b, c</th></tr><tr><td name="a">1</td><td name="b, c">x "y"</td></tr>'
        '<tr><td name="a">p\nq</td><td name="b, c">2</td></tr></table>'
    )


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_that_of_the_first_line(separator: str) -> None:
    """A comma inside quotes does not count."""
    text = f'"a,b,c,d"{separator}e\n1{separator}2\n'
    assert '<td name="e">2</td>' in tree(text, "text/csv")


@pytest.mark.parametrize("stated", ["sep=;\r\n", '"sep=;"\n', "SEP=; \r"])
def test_a_line_before_the_header_can_state_the_separator(stated: str) -> None:
    """Excel writes it so; it is no header, and the lines after it keep their numbers."""
    document = parse(f"{stated}a,b;c\n1;2\n3\n".encode(), "http://site.example/x", "text/csv")
    assert etree.tostring(document.root).startswith(b'<table><tr><th>a,b</th><th>c</th></tr><tr><td name="a,b">1</td>')
    with pytest.raises(DocumentError, match="the CSV is empty"):
        parse(stated.encode(), "http://site.example/x", "text/csv")
    assert document.complaints == ("line 4 has 1 cell instead of 2; check its quotes and separators",)


@pytest.mark.parametrize(
    ("encoding", "charset"),
    [
        ("cp1252", "iso-8859-1"),
        ("utf-8", "us-ascii"),
        ("utf-8", "undefined"),
        ("utf-8", "idna"),
        ("utf-16-le", "utf-16le"),
    ],
)
def test_csv_is_in_the_character_set_that_the_server_names(encoding: str, charset: str) -> None:
    """As browsers understand the name; one that is none does no harm."""
    assert ">5 €</td>" in tree("a,b\n5 €,ü\n".encode(encoding), f"text/csv; charset={charset}")


def test_csv_is_recognised_by_its_address_where_the_server_says_nothing() -> None:
    """Raw files are often served as plain text."""
    document = parse(b"a,b\n1,2\n", "http://site.example/x.csv?raw=1", "text/plain")
    assert document.root.tag == "table"


def test_ragged_rows_are_named_and_counted() -> None:
    """The first twenty by their line, the others by their number."""
    document = parse(b"a,b\n" + b"1\n" * 50, ADDRESS, "text/csv")
    assert len(document.complaints) == 21
    assert document.complaints[0].startswith("line 2 has 1 cell instead of 2")
    assert document.complaints[-1] == "30 more lines do not have 2 cells"


def test_csv_that_is_broken_or_too_large_is_told() -> None:
    """An open quote would swallow every row after it."""
    with pytest.raises(DocumentError, match="from line 3 on: a quote that opens there is not closed"):
        tree('a,b\n1,2\n3,"4\n5,6\n', "text/csv")
    with pytest.raises(DocumentError, match="empty"):
        tree(" \n", "text/csv")
    with pytest.raises(DocumentLimit, match="more than 100 elements"):
        tree("a,b\n" + "1,2\n" * 100, "text/csv", elements=100)
