"""Documents: how bytes become a tree, what XPaths find on it, and what the matches say."""

from __future__ import annotations

import pytest

from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.document.tree import (
    Document,
    Match,
    PathError,
    address_of,
    attribute_of,
    compile_path,
    element_path,
    parse,
)
from tests.sampling import sampled

ADDRESS = "http://example.org/a/b.html"


def page(markup: str, content_type: str | None = "text/html; charset=utf-8") -> Document:
    """The document of some markup."""
    return parse(markup.encode(), ADDRESS, content_type)


def found(document: Document, path: str) -> list[Match]:
    """What a path finds from the top of a document."""
    return document.select(compile_path(path), document.root)


def texts(document: Document, path: str) -> list[str]:
    """The texts of what a path finds."""
    return [document.text_of(match) for match in found(document, path)]


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("<p>Größe €".encode(), "text/html; charset=utf-8"),
        ("<p>Größe €".encode("cp1252"), "text/html; charset=ISO-8859-1"),
        ("<p>Größe €".encode("utf-16"), "text/html; charset=iso-8859-1"),
        ("\ufeff<p>Größe €".encode(), "text/html; charset=iso-8859-1"),
        ("<meta charset=windows-1252><p>Größe €".encode("cp1252"), "text/html"),
        (
            "<meta http-equiv=Content-Type content='text/html; charset=iso-8859-15'><p>Größe €".encode("iso-8859-15"),
            None,
        ),
        ("<p>Größe €".encode(), None),
        ("<p>Größe €".encode(), "text/html; charset=no-such-charset"),
        ("<p>Größe €".encode("utf-16-le"), "text/html; charset=utf-16le"),
    ],
    ids=["header", "latin-1", "utf-16-mark", "utf-8-mark", "meta", "http-equiv", "nothing-said", "unknown", "utf-16le"],
)
def test_character_sets_are_found_as_browsers_find_them(body: bytes, content_type: str | None) -> None:
    """A byte order mark counts before the header, the header before the page, and the rest is guessed."""
    assert texts(parse(body, ADDRESS, content_type), "//p") == ["Größe €"]


def test_undeclared_legacy_character_sets_are_guessed() -> None:
    """A page that names no character set and is no UTF-8 is still read."""
    body = "<p>Привет, мир! Сегодня хорошая погода, и мы идём гулять.</p>".encode("cp1251")
    assert texts(parse(body, ADDRESS), "//p") == ["Привет, мир! Сегодня хорошая погода, и мы идём гулять."]


def test_html_is_the_tree_of_a_browser() -> None:
    """Implied elements are there and misnested ones are put right, so that XPaths from a browser fit."""
    document = page("<table><tr><td>1</table><p>a<p>b<b>c<p>d</b>e")
    assert texts(document, "/html/body/table/tbody/tr/td") == ["1"]
    assert texts(document, "/html/body/p") == ["a", "bc", "de"]
    assert texts(document, "//p[3]/b") == ["d"]


def test_names_that_xml_does_not_know_do_no_harm() -> None:
    """Attributes and characters that XML forbids are left out; everything around them stays."""
    document = page('<p @click="x" 1a=2 "q" class=k data-é=1>a\x00b\x0bc\x0cd &#1;<x:y z:w=1>e</x:y><i>f</i></p><p>g')
    assert texts(document, "//p[@class='k']") == ["abc d ef"]
    assert texts(document, "//p") == ["abc d ef", "g"]


def test_svg_and_prefixed_elements_are_found_by_plain_names() -> None:
    """Foreign elements have no namespace; ``xlink:href`` can be asked for as such."""
    document = page(
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:fb="u"><fb:like>x</fb:like><code>&lt;a xmlns="b"></code>'
        '<svg xmlns="http://www.w3.org/2000/svg"><use xlink:href="#i"/></svg>'
    )
    assert texts(document, "//*[name()='fb:like']") == ["x"]
    assert texts(document, "//code") == ['<a xmlns="b">']
    assert texts(document, "//svg/use/@xlink:href") == ["#i"]
    assert [attribute_of(match, "xlink:href") for match in found(document, "//use")] == ["#i"]


def test_noscript_is_reachable_and_breaks_nothing() -> None:
    """What a page offers without scripts can be selected, and the tree around it is that of a browser with scripts."""
    document = page(
        "<head><noscript><img src=pixel><p></noscript><title>T</title><body><noscript><img src=big></noscript>"
    )
    assert [attribute_of(match, "src") for match in found(document, "//body/noscript/img")] == ["big"]
    assert len(found(document, "/html/head/title")) == 1


@pytest.mark.parametrize(
    "content_type", ["application/atom+xml", "application/xml", "text/xml; charset=utf-8", None, "text/html"]
)
def test_feeds_are_xml_without_their_own_namespace(content_type: str | None) -> None:
    """A feed's elements are found by plain names, other vocabularies by their namespace; titles and links are texts."""
    document = page(
        '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        '<entry><title> Über\n uns&nbsp;</title><dc:title>DC</dc:title><link href="/1"/></entry></feed>',
        content_type,
    )
    assert texts(document, "//entry/title") == ["Über uns"]
    assert texts(document, "//*[local-name()='title']") == ["Über uns", "DC"]
    assert texts(document, "//*[local-name()='title' and namespace-uri()!='']") == ["DC"]
    assert [address_of(match, document.base) for match in found(document, "//link")] == ["http://example.org/1"]


def test_addresses_in_rss_and_sitemaps_are_element_content() -> None:
    """A link element that holds its address as text leads there."""
    document = page("<rss><channel><link> http://example.org/x </link></channel></rss>", "application/rss+xml")
    assert [address_of(match, document.base) for match in found(document, "//link")] == ["http://example.org/x"]


def test_xhtml_is_read_as_xml_where_it_is_well_formed() -> None:
    """An empty element written as such stays empty; broken XHTML is read as HTML."""
    head = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body>'
    document = page(f"{head}<div/><p>a&nbsp;b<br/>c</p></body></html>", "application/xhtml+xml")
    assert texts(document, "//div/following-sibling::p") == ["a\u00a0b\nc"]
    broken = page(f"{head}<p>a<br>b</body></html>", "application/xhtml+xml")
    assert texts(broken, "//p") == ["a\nb"]


@pytest.mark.parametrize(
    ("body", "content_type", "first"),
    [
        ("<f><e>Größe</e><e>2</e></f>".encode(), "text/xml; charset=us-ascii", "Größe"),
        ("<f><e>“5 €”</e><e>2</e></f>".encode("cp1252"), "text/xml; charset=iso-8859-1", "“5 €”"),
        (b"<?xml version='1.0' encoding='windows-1252'?><f><e>a\x81</e><e>2</e></f>", "text/xml", "a\ufffd"),
        ("<?xml version='1.0' encoding='GB2312'?><f><e>朱镕基</e><e>2</e></f>".encode("gbk"), "text/xml", "朱镕基"),
        (b"\r\n<?xml version='1.0' encoding='iso-8859-1'?><f><e>\xfc</e><e>2</e></f>", "text/xml", "ü"),
        ("<?xml version='1.0' encoding='utf-16'?><f><e>ü</e><e>2</e></f>".encode(), "text/xml", "ü"),
        ("<?xml version='1.0' encoding='utf-16'?><f><e>ü</e><e>2</e></f>".encode("utf-16"), "text/xml", "ü"),
        ("\n<f><e>ü</e><e>2</e></f>".encode("utf-16-le"), "text/xml; charset=utf-16le", "ü"),
        (b"<?xml version='1.0' encoding='punycode'?><f><e>a</e><e>2</e></f>", "text/xml", "a"),
    ],
    ids=[
        "ascii",
        "latin-1",
        "wrong-byte",
        "gbk",
        "late-declaration",
        "no-utf-16",
        "utf-16",
        "unmarked",
        "no-character-set",
    ],
)
def test_xml_is_read_to_its_end_whatever_it_says_of_its_characters(body: bytes, content_type: str, first: str) -> None:
    """A byte that the named character set does not have is one wrong character, and not the end of the document."""
    assert texts(parse(body, ADDRESS, content_type), "//e") == [first, "2"]


def test_cdata_in_feeds_is_text() -> None:
    """Markup in a CDATA section is not touched."""
    document = page("<rss><d><![CDATA[<b>x</b>&nbsp;&amp;]]></d></rss>", "text/xml")
    assert texts(document, "//d") == ["<b>x</b>&nbsp;&amp;"]


@pytest.mark.parametrize("content_type", ["application/pdf", "image/png", "text/plain"])
def test_what_has_no_elements_is_no_document(content_type: str) -> None:
    """Downloads are refused with their type."""
    with pytest.raises(DocumentError, match=f"{content_type} has no elements"):
        parse(b"%PDF-1.4 {}", ADDRESS, content_type)


def test_an_empty_page_is_an_empty_document() -> None:
    """An empty HTML body has the elements that every page has; empty XML has none."""
    assert texts(parse(b"", ADDRESS, "text/html"), "//body") == [""]
    with pytest.raises(DocumentError, match="cannot be read"):
        parse(b"", ADDRESS, "text/xml")


@pytest.mark.parametrize("tag", sampled(["div", "b", "table><tr><td", "svg", "i><p"], ["b", "table><tr><td", "svg"]))
def test_deep_nesting_in_html_is_cut_as_browsers_cut_it(tag: str) -> None:
    """Fifty thousand open elements are read, with their text."""
    document = parse(f"<{tag}>".encode() * 50_000 + b"end", ADDRESS, "text/html")
    (innermost,) = found(document, "//*[text()='end']")
    assert not isinstance(innermost, str)
    assert len(list(innermost.iterancestors())) < 600
    # Loose text in a drawing is not shown.
    assert document.text_of(innermost) == ("" if tag == "svg" else "end")


def test_deep_nesting_in_xml_is_refused() -> None:
    """XML that is nested beyond measure is an error, not a crash."""
    with pytest.raises(DocumentError, match="Excessive depth"):
        parse(b"<a>" * 200_000 + b"</a>" * 200_000, ADDRESS, "text/xml")


def test_entities_neither_explode_nor_read_files() -> None:
    """Declared entities are not expanded, whether they multiply or point to a file."""
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    laughs = f'<!DOCTYPE l [<!ENTITY l0 "ha">{levels}]><l><a>x</a>&l11;</l>'
    with pytest.raises(DocumentError, match="amplification"):
        parse(laughs.encode(), ADDRESS, "text/xml")
    leak = page(f'<!DOCTYPE a [<!ENTITY e SYSTEM "file://{__file__}">]><a><b>x</b><c>&e;</c></a>', "text/xml")
    assert texts(leak, "//b | //c") == ["x", ""]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("//a", ["one", "two"]),
        ("//a/@href", ["/1", "/2"]),
        ("//p/text()", ["lead", "end"]),
        ("string(//a[2])", ["two"]),
        ("count(//a)", ["2"]),
        ("number('4.50')", ["4.5"]),
        ("0.0000001", ["0.0000001"]),
        ("1 div 0", ["Infinity"]),
        ("1 = 1", ["true"]),
        ("1 = 2", ["false"]),
        ("//img/@alt", [""]),
        ("string(//a[9])", []),
        ("number('x')", []),
        ("//a[9]", []),
        ("//comment()", []),
    ],
)
def test_paths_may_give_anything_that_xpath_knows(path: str, expected: list[str]) -> None:
    """Elements, attributes, text nodes, strings, numbers and booleans are values; nothing, blanks and NaN are not."""
    document = page("<p> lead <a href=/1>one</a>\n<a href=/2>two</a> <img alt=''><!-- c --> end</p>")
    assert texts(document, path) == expected


def test_outer_and_root_are_variables() -> None:
    """All rows after a group's header, up to the next header, can be selected with ``$outer``."""
    document = page("<table><tr class=h><th>A<tr><td>1<tr><td>2<tr class=h><th>B<tr><td>3</table>")
    headers = [match for match in found(document, "//tr[@class='h']") if not isinstance(match, str)]
    rows = compile_path(
        "following-sibling::tr[td][count(preceding-sibling::tr[th]) = count($outer/preceding-sibling::tr[th]) + 1]"
    )
    groups = [[document.text_of(row) for row in document.select(rows, header, outer=header)] for header in headers]
    assert groups == [["1", "2"], ["3"]]
    name = compile_path("$root/th")
    assert [document.text_of(match) for match in document.select(name, document.root, root=headers[1])] == ["B"]
    assert document.select(name, document.root) == []


@pytest.mark.parametrize("path", ["//a[", "", "//x:a", "nonsense()", "$other/a", "re:test(., 'a')"])
def test_a_wrong_path_is_refused_when_it_is_compiled(path: str) -> None:
    """Syntax, unknown prefixes, functions and variables are found before any page is, and the path is quoted."""
    with pytest.raises(PathError) as caught:
        compile_path(path)
    assert str(caught.value).endswith(f" in {path}")


@pytest.mark.parametrize(
    ("markup", "base"),
    [
        ("<p>", ADDRESS),
        ("<base target=x><base href='/c/'><base href='/d/'>", "http://example.org/c/"),
        ("<base href='//cdn.example.net'>", "http://cdn.example.net/"),
        ("<base href='javascript:x'>", ADDRESS),
        ("<template><base href='/t/'></template><base href='/c/'>", "http://example.org/c/"),
        ("<noscript><base href='/n/'></noscript><svg><base href='/s/'/></svg>", ADDRESS),
    ],
)
def test_the_base_address_is_the_first_base_element_that_has_one(markup: str, base: str) -> None:
    """Relative addresses are resolved against it; without a usable one against the page."""
    assert page(markup).base == base


@pytest.mark.parametrize(
    ("path", "address"),
    [
        ("//a[1]", "http://example.org/a/x?y=1"),
        ("//a[1]/b", "http://example.org/a/x?y=1"),
        ("//a[1]/@href", "http://example.org/a/x?y=1"),
        ("//div[1]", "http://example.org/one"),
        ("//div[2]", None),
        ("//img", "http://example.org/i%20j.png"),
        ("//a[2]", None),
        ("//a[3]", None),
        ("//a[4]", "https://example.net/n"),
        ("//area", "http://example.org/area"),
        ("//iframe", "http://example.org/a/frame"),
        ("//em", None),
    ],
)
def test_the_address_of_a_match_is_where_it_leads(path: str, address: str | None) -> None:
    """A link's own address, the one around it, or the only one inside; scripts and mail are no addresses."""
    document = page(
        "<a href=' x?y=1\n'><b>in</b></a><a href='javascript:void(0)'>s</a><a href='mailto:a@b.c'>m</a>"
        "<a href='https://example.net/n'>n</a><div><p><a href=/one>1</a><a href=/one>again</a></div>"
        "<div><a href=/one>1</a><a href=/two>2</a></div><img src='/i j.png'><map><area href=/area></map>"
        "<iframe src=frame></iframe><em>e</em>"
    )
    assert address_of(found(document, path)[0], document.base) == address


def test_attributes_are_trimmed_and_may_be_missing() -> None:
    """A missing attribute is ``None``, an empty one empty; a match that is a text already stays that text."""
    document = page("<p title=' t ' lang='' xml:lang=de>x</p>")
    (match,) = found(document, "//p")
    assert [attribute_of(match, name) for name in ("title", "lang", "xml:lang", "class")] == ["t", "", "de", None]
    assert attribute_of(" y ", "title") == "y"


def test_an_element_path_leads_back_to_its_element() -> None:
    """Every element of a page has a path of its own."""
    document = page("<div><p>a<p>b<ul><li>c<li>d</ul></div><div><p>e<svg><g></g></svg></div>")
    elements = list(document.root.iter("*"))
    assert [found(document, element_path(element)) for element in elements] == [[element] for element in elements]
