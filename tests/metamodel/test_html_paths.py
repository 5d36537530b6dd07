"""What the check says about paths in HTML holds for every page that the parser can make."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from lxml.etree import _Element as Element

from rdfcrawl.engine.document.tree import address_of
from rdfcrawl.metamodel.check.addresses import without_address
from rdfcrawl.metamodel.check.html.elements import CAPITAL_ATTRIBUTES, ELEMENTS, TEXT, is_element, never_inside
from rdfcrawl.metamodel.check.html.paths import Impossible, impossible_steps
from rdfcrawl.metamodel.check.html.steps import read_steps
from tests.metamodel.html_pages import (
    ADVERSARIAL,
    ATTRIBUTES,
    NAMES,
    TEXTS,
    elements,
    is_foreign,
    random_markup,
    read,
    start_tag,
)

IN_VAIN = [
    "//table/tr",
    "//table[@id='x']/tr[2]/td",
    "//table/td",
    "//table/div",
    "//table[tr]",
    "//table[tr and @id]/tbody",
    "//table[tr/td = 'x']",
    "(//table/tr)[1]",
    "(//table)[1]/tr",
    "(//table | //tbody)/td",
    "//table/tr | //tbody/td",
    "//div/following-sibling::table/tr",
    "//table/child::tr",
    "normalize-space(//table/tr[1])",
    "//td[contains(table/tr, 'x')]",
    "//tbody/td",
    "//thead/th",
    "//tr/tr",
    "//tr/div",
    "//tr/text()",
    "//td/td",
    "//td/tr",
    "//div/tr",
    "//ul/td",
    "//li/th",
    "//div/tbody",
    "//colgroup/tr",
    "//head/div",
    "//head/p/a",
    "//html/div",
    "/html/div",
    "/div",
    "/body/div",
    "//div/body",
    "//div//html",
    "//div/descendant::head",
    "//textarea/p",
    "//textarea//a",
    "//script/div",
    "//iframe//div",
    "//img/a",
    "//br/text()",
    "//input//span",
]
"""Paths that are warned of."""

NOT_IN_VAIN = [
    ("//table//tr", "<table><tr>"),
    ("//table/tbody/tr/td", "<table><td>"),
    ("//template/tr", "<template><tr>"),
    ("//template/td", "<template><td>"),
    ("//tr/form", "<table><tr><form>"),
    ("//table/script", "<table><script>"),
    ("//p/div", "<p><table><div>"),
    ("//p/ul", "<p><table><ul>"),
    ("//p//p", "<p><button><p>"),
    ("//p/p", "<p><table><p>"),
    ("//a//a", "<a><table><td><a>"),
    ("//a/a", "<a><table><a>"),
    ("//form//form", "<form><div></form><form>"),
    ("//form/form", "<form><table></form><div></table><form>"),
    ("//button//button", "<button><table><td><button>"),
    ("//button/button", "<button><table><button>"),
    ("//select/div", "<select><div>"),
    ("//option/span", "<select><option><span>"),
    ("//title/b", "<svg><title><b>"),
    ("//head/noscript/div", "<head><noscript><div>"),
    ("//head//div", "<head><noscript><div>"),
    ("//html/noframes", "<frameset></frameset><noframes>"),
    ("//plaintext/a", "<b><a></b><plaintext>x"),
    ("//table/tr | //table/tbody/tr", "<table><tr>"),
    ("//table[tr or tbody]", "<table><tr>"),
    ("//table[not(tr)]", "<table><tr>"),
    ("//table[count(tr) = 0]", "<table><tr>"),
    ("//table/*/tr", "<table><tr>"),
    ("//td/..", "<table><td>"),
    ("//td/ancestor::table", "<table><td>"),
    ("//table/descendant::td", "<table><td>"),
    ("//td/descendant-or-self::td", "<table><td>"),
    ("//tr//.", "<table><tr>"),
    ("//tr/self::tr", "<table><tr>"),
    ("//iframe/text()", "<iframe>x"),
]
"""Paths that look impossible, or nearly so, with markup that they match."""

NOT_JUDGED = ["/table/tr/td", "$root/tr", "id('x')/tr", "//*/tr", "//table/node()/td", "//svg/tr", "//a/@*"]
"""Paths of which too little is known."""


def in_vain(path: str, start: frozenset[str] | None = None) -> tuple[Impossible, ...]:
    xpath = read_steps(path)
    assert xpath is not None
    return impossible_steps(xpath.whole, start)


def pages(many: int) -> Iterator[Element]:
    """The adversarial markup as it is and within other elements, and so many pages of random tags."""
    for markup in ADVERSARIAL:
        for around in (
            "",
            "<!doctype html>",
            "<template>",
            "<svg>",
            "<svg><foreignObject>",
            "<table><td>",
            "<noscript>",
        ):
            yield read(around + markup)
    chance = random.Random(7)
    for _ in range(many):
        yield read(random_markup(chance))


@pytest.fixture(scope="module")
def many_pages(pytestconfig: pytest.Config) -> list[Element]:
    return list(pages(6_000 if pytestconfig.getoption("--all") else 1_500))


def impossible_places(root: Element) -> list[tuple[str, str]]:
    """What stands where the tables say that it never does, outside of SVG and MathML."""
    places = [("/", root.tag)] if never_inside("/", root.tag, deep=False) else []
    for element in elements(root):
        if is_foreign(element):
            continue
        around = [ancestor.tag for ancestor in element.iterancestors() if not is_foreign(ancestor)]
        parent = element.getparent()
        if parent is not None and never_inside(parent.tag, element.tag, deep=False):
            places.append((parent.tag, element.tag))
        places += ((above, element.tag) for above in around if never_inside(above, element.tag, deep=True))
        if never_inside(element.tag, TEXT, deep=False) and any(map(str.strip, element.xpath("text()"))):
            places.append((element.tag, TEXT))
    return places


TAGS = st.one_of(
    st.builds(start_tag, st.sampled_from(NAMES), st.booleans(), st.sampled_from(("", *ATTRIBUTES))),
    st.builds("</{}>".format, st.sampled_from(NAMES)),
    st.sampled_from(TEXTS),
)


@given(st.sampled_from(("", "<!doctype html>", *ADVERSARIAL)), st.lists(TAGS, max_size=30))
def test_the_tables_hold_for_any_markup(start: str, tags: list[str]) -> None:
    """Whatever tags follow each other, nothing comes to stand where the tables say that it cannot."""
    assert impossible_places(read(start + "".join(tags))) == []


def test_the_tables_hold_for_many_pages(many_pages: list[Element]) -> None:
    """Misnested tags, templates, foster parenting, SVG and MathML are no exceptions."""
    assert [places for page in many_pages if (places := impossible_places(page))] == []


@pytest.mark.parametrize("path", IN_VAIN)
def test_a_path_that_is_warned_of_matches_nothing(path: str, many_pages: list[Element]) -> None:
    """The check has something to say about the path, and no page has anything for it outside of SVG and MathML."""
    assert in_vain(path)
    xpath = etree.XPath(path, smart_strings=True)
    for page in many_pages:
        found = xpath(page)
        matches = found if isinstance(found, list) else [found] if found else []
        for match in matches:
            element = match.getparent() if isinstance(match, str) and hasattr(match, "getparent") else match
            assert not str(match).strip() or is_foreign(element), etree.tostring(page)


@pytest.mark.parametrize(("path", "markup"), NOT_IN_VAIN)
def test_a_path_that_can_match_is_not_warned_of(path: str, markup: str) -> None:
    """What broken markup, quirks mode or the latest standard make possible is left alone."""
    assert etree.XPath(path)(read(markup))
    assert in_vain(path) == ()


@pytest.mark.parametrize("path", NOT_JUDGED)
def test_a_path_that_is_not_understood_is_not_warned_of(path: str) -> None:
    """A variable may be anything, a table that is the whole document comes of no HTML, and so on."""
    assert in_vain(path) == ()


def test_a_relative_path_is_judged_by_the_elements_that_it_may_start_at() -> None:
    """One element in which it finds something is enough; without any nothing is known."""
    assert in_vain("./tr", frozenset(("table",)))
    assert in_vain("./tr", frozenset(("table", "div")))
    assert in_vain("./tr", frozenset(("table", "tbody"))) == ()
    assert in_vain("./tr") == ()
    assert in_vain("./tr", frozenset()) == ()


def test_a_path_to_something_that_is_there_is_never_warned_of(many_pages: list[Element]) -> None:
    """Paths are made of the elements above an element, with steps left out, predicates and relative starts."""
    chance = random.Random(11)
    for page in many_pages:
        there = list(elements(page))
        for element in chance.sample(there, min(2, len(there))):
            if any(ancestor.tag in ("svg", "math") for ancestor in (element, *element.iterancestors())):
                continue
            path, start = path_to(element, chance)
            context = page if start is None else start
            assert element in etree.XPath(path)(context), path
            names = None if start is None else frozenset((start.tag,))
            assert in_vain(path, names) == (), etree.tostring(page)


def path_to(element: Element, chance: random.Random) -> tuple[str, Element | None]:
    """A path that leads to an element, and the element that it starts at if it is relative."""
    line = [*element.iterancestors(), element]
    line.sort(key=lambda one: len(list(one.iterancestors())))
    start = chance.choice([None, *line[:-1]])
    path, joint = ("", "/") if start is None else (".", "/")
    for one in line if start is None else line[line.index(start) + 1 :]:
        if one is not element and chance.random() < 0.4:
            joint = "//"
            continue
        of_html = [inner for inner in elements(one) if inner is not one and not is_foreign(inner)]
        inside = [f"[{inner.tag}]" for inner in of_html if inner.getparent() is one]
        inside += [f"[.//{inner.tag}]" for inner in of_html]
        inside += ["[text()]"] if any(map(str.strip, one.xpath("text()"))) else []
        path += f"{joint}{one.tag}{chance.choice(['', *inside])}"
        joint = "/"
    return (path if chance.random() < 0.8 else f"({path})[1 or 2]"), start


def test_names_with_capital_letters_are_those_of_svg(many_pages: list[Element]) -> None:
    """No element that HTML knows has one, and no attribute but those that are listed."""
    tags = {element.tag for page in many_pages for element in elements(page)}
    attributes = {str(name) for page in many_pages for element in elements(page) for name in element.attrib}
    assert [tag for tag in tags if tag != tag.lower() and is_element(tag)] == []
    capitals = {name for name in attributes if name.rpartition("}")[2] != name.rpartition("}")[2].lower()}
    assert capitals <= CAPITAL_ATTRIBUTES


@pytest.mark.parametrize("name", sorted(CAPITAL_ATTRIBUTES))
def test_the_parser_gives_capital_letters_back_to_attributes_of_svg(name: str) -> None:
    """These are asked for with their capital letters."""
    foreign = "math" if name == "definitionURL" else "svg"
    assert read(f"<{foreign} {name.lower()}=1>").xpath(f"//{foreign}/@{name}") == ["1"]


@pytest.mark.parametrize("name", sorted(ELEMENTS - {"frame", "isindex", "svg", "math"}))
def test_every_listed_element_is_one_that_the_parser_makes(name: str) -> None:
    """In the right place each name makes an element, so that none of them tells of XML."""
    places = ("<{}>", "<table><{}>", "<table><tr><{}>", "<table><colgroup><{}>", "<frameset><{}>")
    assert any(read(place.format(name)).xpath(f"//{name}") for place in places)


@pytest.mark.parametrize(
    "path",
    [
        "./@class",
        ".//a/@title",
        "./text()",
        ".//a/text()",
        ".//comment()",
        "(.//a/text())[1]",
        "./option",
        "./@id | ./@name",
        "attribute::class",
    ],
)
def test_an_id_without_address_is_recognised(path: str) -> None:
    """Attributes that hold none, texts, and elements that are no links."""
    xpath = read_steps(path)
    assert xpath is not None
    assert without_address(xpath.whole) is not None


@pytest.mark.parametrize(
    "path",
    [
        ".",
        "./a",
        ".//a/@href",
        "./@data-url",
        "./td",
        "./span",
        ".//img/@src",
        "./a | ./text()",
        "$root",
        "./*",
        "./@*",
    ],
)
def test_an_id_that_may_have_an_address_is_left_alone(path: str) -> None:
    """A link may be around an element or inside it, and nobody knows what a page's own attributes hold."""
    xpath = read_steps(path)
    assert xpath is not None
    assert without_address(xpath.whole) is None


def test_elements_without_address_have_none() -> None:
    """What the check says of an element is what happens to an object that is named by it."""
    page = read("<div><select><option value=x>1</select><textarea>https://books.example/1</textarea></div>")
    for path in ("//option", "//textarea", "//select"):
        assert address_of(page.xpath(path)[0], "https://books.example/") is None
