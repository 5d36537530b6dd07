"""Visible text: compared with a real Chromium, element by element, and the rules that are our own."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from rdfcrawl.engine.document.text import visible_text
from rdfcrawl.engine.document.tree import Element, parse
from rdfcrawl.engine.fetch.browser.chromium import find_chromium
from tests.sampling import sampled

PAGES = sorted((Path(__file__).parent / "text_pages").glob("*.html"))
READ_ALL = """() => [...document.querySelectorAll('*')].map((element) => [
    element.localName,
    element.checkVisibility({visibilityProperty: true}) ? (element.innerText ?? null) : null,
])"""


@pytest.fixture(scope="module")
def tab() -> Iterator[Page]:
    """A tab of a Chromium that lives as long as this module's tests."""
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        executable = find_chromium(playwright.chromium.executable_path)
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        yield browser.new_page()
        browser.close()


def elements_of(root: Element, *closed: str) -> list[Element]:
    """All elements in document order, without the content of elements that a browser keeps out of the tree."""
    return [
        element
        for element in root.iter("*")
        if not any(ancestor.tag in closed for ancestor in element.iterancestors(*closed))
    ]


def differences(tab: Page, body: bytes) -> tuple[int, list[str]]:
    """How many texts were compared, and those that differ; both trees must have the same elements."""
    ours = elements_of(parse(body, "http://example.org/").root, "template", "noscript")
    theirs = tab.evaluate(READ_ALL)
    assert [str(element.tag) for element in ours] == [name for name, _ in theirs]
    compared = [(element, text) for element, (_, text) in zip(ours, theirs, strict=True) if text is not None]
    return len(compared), [
        f"{element.getroottree().getpath(element)}: Chromium {text!r}, here {found!r}"
        for element, text in compared
        if (found := visible_text(element).strip()) != text.strip()
    ]


@pytest.mark.parametrize("path", sampled(PAGES, PAGES[::5]), ids=lambda path: path.stem)
def test_every_element_reads_as_in_chromium(tab: Page, path: Path) -> None:
    """On pages like those of real sites, the tree and the text of every rendered element are the browser's."""
    tab.goto(path.as_uri())
    compared, wrong = differences(tab, path.read_bytes())
    assert compared >= 12
    assert wrong == []


def test_pages_are_many_and_different() -> None:
    """The comparison stands on at least 25 pages and 300 elements."""
    assert len(PAGES) >= 25
    assert sum(len(elements_of(parse(path.read_bytes(), "http://x/").root)) for path in PAGES) >= 300


@pytest.mark.parametrize(
    "markup",
    [
        "<p hidden>x</p>",
        "<div hidden><p>x</p></div>",
        "<div style='display:none'><div><p>x</p></div></div>",
        "<p style='visibility:hidden'>x</p>",
        "<p data-rdfcrawl-hidden>x</p>",
        "<section data-rdfcrawl-hidden><p style='display:block'>x</p></section>",
        "<noscript><p>x</p></noscript>",
        "<template><p>x</p></template>",
        "<details><p>x</p></details>",
        "<video><p>x</p></video>",
    ],
)
def test_an_element_that_is_not_shown_has_no_text(markup: str) -> None:
    """An element that is hidden, by itself or by something around it, has no text."""
    (paragraph,) = parse(markup.encode(), "http://example.org/").root.iter("p")
    assert visible_text(paragraph) == ""


def test_marked_parts_are_left_out() -> None:
    """What a browser session marked as hidden is no part of the text around it, be it an option or in a drawing."""
    body = (
        b"<p>a <b data-rdfcrawl-hidden>x</b> b <select><option data-rdfcrawl-hidden>x<option>c</select>"
        b"<svg><text data-rdfcrawl-hidden>x</text></svg></p>"
    )
    (paragraph,) = parse(body, "http://example.org/").root.iter("p")
    assert visible_text(paragraph) == "a b \nc"


def test_xml_elements_are_inline() -> None:
    """In XML no name means anything to a reader: a title is shown, white space collapses, comments are left out."""
    body = b"<rss><item><title> A\n <b>b</b><!-- c --></title><script>d</script></item></rss>"
    root = parse(body, "http://example.org/", "application/rss+xml").root
    assert [visible_text(element).strip() for element in root.iter("title", "item")] == ["A bd", "A b"]


WORDS = ["Wort", "two words", "Öl ", " ß", "&nbsp;", " ", "\n", "  \n\t ", "12,5&nbsp;€", "a<!-- c -->b", "x&shy;y"]
PLAIN_NAMES = """
    div p span b a ul li pre blockquote h2 dl dt dd button form label sup code em section figure figcaption center
    font nobr video address article small strong i
"""
OTHER_NAMES = "q table tr td th tbody thead tfoot caption details summary fieldset legend dialog noscript template"
PLAIN, OTHERS = PLAIN_NAMES.split(), OTHER_NAMES.split()
ATOMS = [
    *("<br>", "<img>", "<input>", "<hr>", "<wbr>", "<input type=hidden>", "<br><br>", "<textarea> t\n</textarea>"),
    *(
        "<ruby>漢 <rp>(</rp><rt> kan </rt></ruby>",
        "<select><option> a </option><option>b</option></select>",
        "<svg><text> s </text></svg>",
    ),
]
STYLES = [
    *("display:none", "display:block", "display:inline", "display:inline-block", "visibility:hidden"),
    *("visibility:visible", "white-space:pre", "white-space:pre-line"),
    *("display:flex", "white-space:nowrap", "text-transform:uppercase", "color:red"),
]


def random_markup(random_source: random.Random, depth: int = 0) -> str:
    """Markup of any kind, nested and often malformed."""
    pieces = []
    for _ in range(random_source.randint(1, 5)):
        choice = random_source.random()
        if choice < 0.4 or depth > 6:
            pieces.append(random_source.choice(WORDS))
        elif choice < 0.5:
            pieces.append(random_source.choice(ATOMS))
        else:
            pieces.append(random_element(random_source, depth))
    return "".join(pieces)


def random_element(random_source: random.Random, depth: int) -> str:
    """An element with random content; some are styled, some hidden, some never closed."""
    tag = random_source.choice(PLAIN + OTHERS)
    extra = random_source.random()
    attributes = ""
    if extra < 0.2 and tag in PLAIN:
        attributes = f' style="{random_source.choice(STYLES)}"'
    elif extra < 0.25:
        attributes = random_source.choice([" hidden", " open"])
    closing = "" if random_source.random() < 0.1 else f"</{tag}>"
    return f"<{tag}{attributes}>{random_markup(random_source, depth + 1)}{closing}"


@pytest.mark.parametrize("block", sampled(range(8), (0,)))
def test_random_markup_reads_as_in_chromium(tab: Page, block: int) -> None:
    """Malformed and nested at random, a page still reads as in the browser."""
    for seed in range(block * 25, block * 25 + 25):
        body = f"<!DOCTYPE html><body>{random_markup(random.Random(seed))}"
        tab.set_content(body)
        _, wrong = differences(tab, body.encode())
        assert wrong == [], f"seed {seed}: {body}"
