"""CSS selectors find what a browser finds."""

from __future__ import annotations

import pytest
from lxml import etree

from rdfcrawl.expressions.css import CssError, xpath_of_css

PAGE = etree.fromstring(
    """<html><body><div class="a b" id="x"><p lang="en">one</p><p>two <b>bold</b></p></div>
    <DIV/><ul><li>1</li><li class="last">2</li></ul><a href="u.csv">u</a></body></html>"""
)


def found(selector: str, start: str = "/html") -> list[str]:
    """What a selector finds from an element, as tags or texts."""
    context = PAGE.xpath(start)[0]
    return [match if isinstance(match, str) else match.tag for match in context.xpath(xpath_of_css(f"css:{selector}"))]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("div.a > p", ["p", "p"]),
        ("#x p:first-child, li.last", ["p", "li"]),
        ("html", ["html"]),
        (":root > body ul li:nth-of-type(2)", ["li"]),
        ("p:not([lang])", ["p"]),
        ("p:has(> b)", ["p"]),
        ("DIV", ["DIV"]),
        ("li::text", ["1", "2"]),
        ("a[href$='.csv']::attr(href)", ["u.csv"]),
    ],
)
def test_selectors_find_what_they_name(selector: str, expected: list[str]) -> None:
    """Names are taken as they are written, because XML and JSON have capital letters."""
    assert found(selector) == expected


def test_a_selector_finds_nothing_at_the_element_where_it_starts() -> None:
    """As in browsers; only ``:scope`` is that element itself."""
    assert found("div", "//div") == []
    assert found(":scope > p", "//div") == ["p", "p"]
    assert found("p", "//div") == ["p", "p"]


@pytest.mark.parametrize("selector", ["", "a >", "a[", "a::before", "..x", "a:nth-child(x)"])
def test_what_is_no_selector_is_refused(selector: str) -> None:
    """Before a page is fetched, not in the middle of a run."""
    with pytest.raises(CssError):
        xpath_of_css(f"css:{selector}")
