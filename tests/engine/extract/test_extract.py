"""One document read as one page of a model: what is found beside the triples, which the cases hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rdfcrawl.engine.document.tree import parse
from rdfcrawl.engine.extract.extraction import Extraction, Follow, Trace
from rdfcrawl.engine.extract.identity import object_hash
from rdfcrawl.engine.extract.page import extract
from rdfcrawl.engine.extract.plan import build_plan
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.metamodel.model import (
    Item,
    Link,
    LinksPage,
    Model,
    ObjectPage,
    ObjectsPage,
    Page,
    Property,
)

ADDRESS = "http://site.example/dir/list?sid=7"
NAME = Property("property://name", "./b")
PRICE = Property("property://price", "./i", optional=True)
ROW = Item("item://row", "//li", (NAME, PRICE))
ROWS = ObjectsPage(iri="page://rows", item=ROW)
THING = ObjectPage(iri="page://thing", item=Item("item://thing", "//main", (Property("property://title", ".//h1"),)))
LINKS = LinksPage(iri="page://links", path="//li/a", target="page://thing")


def read(html: str, page: Page, *others: Page, traces: list[Trace] | None = None) -> Extraction:
    """What the page is, in a model that has the others too."""
    plan = build_plan(Model((), {one.iri: one for one in (page, THING, *others)}, ""))
    return extract(plan.pages[page.iri], parse(html.encode(), ADDRESS, "text/html; charset=utf-8"), traces)


def named(*values: tuple[str, str]) -> str:
    return object_hash([(f"property://{name}", value) for name, value in values])


def test_links_keep_what_they_said_and_are_recognised_by_their_key() -> None:
    """The address is asked for as it is; fragment and parameters of the target do not count in its key."""
    target = ObjectPage(iri="page://thing", item=THING.item, params=("ref",))
    plan = build_plan(Model((), {page.iri: page for page in (LINKS, target)}, ""))
    document = parse(b'<li><a href="../a?ref=1&amp;n=2#part">A</a>', ADDRESS, "text/html")
    assert extract(plan.pages[LINKS.iri], document).follows == [
        Follow("page://thing", "http://site.example/a?ref=1&n=2#part", "http://site.example/a?n=2", None)
    ]


def test_links_of_a_page_hang_from_its_parents_and_those_of_an_object_from_the_object() -> None:
    """Without a parent of its own a link belongs to whatever the page hangs from."""
    with_link = ObjectsPage(iri="page://rows", item=ROW, links=(Link("link://a", "./a", "page://thing"),))
    html = '<li><b>A</b><a href="/a">a</a>'
    assert [follow.parent for follow in read(html, LINKS).follows] == [None]
    subject = f"{ADDRESS}#{named(('name', 'A'))}"
    assert [follow.parent for follow in read(html, with_link).follows] == [subject]


def test_objects_at_the_top_hang_from_the_parents_of_the_page() -> None:
    """They are given with their predicate; nested objects have their edge among the triples instead."""
    nested = ObjectsPage(iri="page://tags", item=Item("item://tag", "./u", (Property("property://tag", "."),)))
    outer = ObjectsPage(iri="page://rows", item=ROW, subs=("page://tags",))
    found = read("<li><b>A</b><u>red</u>", outer, nested)
    subject, tag = f"<{ADDRESS}#{named(('name', 'A'))}>", f"<{ADDRESS}#{named(('tag', 'red'))}>"
    assert found.tops == [("<item://row>", subject)]
    assert f"{subject} <item://tag> {tag}" in found.triples


def test_entries_of_a_list_are_the_same_wherever_they_are_shown() -> None:
    """Objects without address count by their hash alone: the same row on the next page is nothing new."""
    assert read("<li><b>A</b><li><b>B</b>", ROWS).entries == [named(("name", "A")), named(("name", "B"))]
    assert read('<li><a href="/a#x">A</a>', LINKS).entries == ["http://site.example/a"]


def test_nested_objects_are_no_entries() -> None:
    """Only what the list itself shows counts."""
    nested = ObjectsPage(iri="page://tags", item=Item("item://tag", "./u", (Property("property://tag", "."),)))
    outer = ObjectsPage(iri="page://rows", item=ROW, subs=("page://tags",))
    assert read("<li><b>A</b><u>red</u><u>blue</u>", outer, nested).entries == [named(("name", "A"))]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12 results", 12),
        ("about 1.234 results", 1234),
        ("1,234,567 hits", 1234567),
        ("1 234 Treffer", 1234),
        ("12'345", 12345),
        ("12’345 Treffer", 12345),
        ("12\u2009345", 12345),
        ("1\u00a0234\u00a0567 résultats", 1234567),
        ("12 of 300", 12),
        ("none", None),
        ("", None),
    ],
)
def test_the_stated_total_is_the_first_number(text: str, number: int | None) -> None:
    """With whatever a language puts between thousands."""
    page = ObjectsPage(iri="page://rows", item=ROW, total="//p")
    assert read(f"<p>{text}</p><li><b>A</b>", page).stated_total == number


@pytest.mark.parametrize(
    "button",
    [
        '<a class="next" href="#">next</a>',
        '<a class="next" href="#more">next</a>',
        '<a class="next" href="javascript:more()">next</a>',
        '<a class="next">next</a>',
        '<button class="next">next</button>',
        '<a href="#"><span class="next">next</span></a>',
        '<div class="next"><a href="#">next</a></div>',
    ],
)
def test_a_next_button_that_leads_nowhere_wants_to_be_clicked(button: str) -> None:
    """Only a script knows what comes next."""
    found = read(f"<li><b>A</b></li>{button}", ObjectsPage(iri="page://rows", item=ROW, next="//*[@class='next']"))
    assert found.next_clicks
    assert found.next_address is None


@pytest.mark.parametrize(
    ("button", "address"),
    [
        ('<a class="next" href="?page=2">next</a>', "http://site.example/dir/list?page=2"),
        ('<a class="next" href="list?sid=7">next</a>', ADDRESS),
        ('<a class="next" href="/other#part">next</a>', "http://site.example/other#part"),
        ('<a href="/2"><span class="next">next</span></a>', "http://site.example/2"),
    ],
)
def test_a_next_button_with_an_address_is_followed(button: str, address: str) -> None:
    """Also when the link is around the button, and also when it leads to the page itself: the list decides."""
    found = read(f"<li><b>A</b></li>{button}", ObjectsPage(iri="page://rows", item=ROW, next="//*[@class='next']"))
    assert found.next_address == address
    assert not found.next_clicks


def test_links_that_should_be_there_leave_their_targets_unread() -> None:
    """With the object that misses them; an :optional one leaves nothing open."""
    missing = Link("link://a", "./a", "page://thing")
    optional = Link("link://b", "./u", "page://thing", optional=True)
    found = read("<li><b>A</b>", ObjectsPage(iri="page://rows", item=ROW, links=(missing, optional)))
    assert found.unread == [(f"{ADDRESS}#{named(('name', 'A'))}", "page://thing")]
    assert [problem.kind for problem in found.problems] == [ProblemKind.NO_LINK]


def test_a_link_without_address_leaves_its_target_unread() -> None:
    """Nobody knows what it would have led to."""
    found = read("<li><a>A</a>", LINKS)
    assert found.unread == [(None, "page://thing")]
    assert [(problem.kind, problem.raw) for problem in found.problems] == [(ProblemKind.BAD_ADDRESS, "A")]


@pytest.mark.parametrize(
    ("html", "page", "bare"),
    [
        ("<p>nothing</p>", ROWS, True),
        ("<li><i>1</i>", ROWS, True),
        ("<li><i>1</i><li><b>A</b>", ROWS, False),
        ("<p>nothing</p>", LINKS, True),
        ("<li><a>no address</a>", LINKS, True),
        ('<li><a href="/a">A</a>', LINKS, False),
        ("<div></div>", THING, True),
        ("<main></main>", THING, True),
        ("<main><h1>A</h1></main>", THING, False),
    ],
)
def test_a_page_is_bare_when_nothing_of_what_it_must_have_is_there(html: str, page: Page, bare: bool) -> None:
    """Then a script may bring it: no entry, or not one object that has all that is mandatory."""
    assert read(html, page).is_bare is bare


def test_a_category_that_lists_only_categories_is_not_bare() -> None:
    """The second kind of links counts as well."""
    category = LinksPage(
        iri="page://links",
        path="//li/a",
        target="page://thing",
        links=(Link("link://c", "//p/a", "page://links", optional=True),),
    )
    found = read('<p><a href="/novels">Novels</a>', category)
    assert found.found == 1
    assert not found.is_bare


def test_problems_name_page_object_property_path_and_raw_text() -> None:
    """Everything that is needed to find the place."""
    price = Property("property://price", "./i", datatype="http://www.w3.org/2001/XMLSchema#int")
    page = ObjectsPage(iri="page://rows", item=Item("item://row", "//li", (NAME, price)))
    (problem,) = read("<li><b>A</b><i>free</i>", page).problems
    assert (problem.kind, problem.address, problem.page) == (ProblemKind.MISFIT, ADDRESS, "page://rows")
    assert problem.subject == f"{ADDRESS}#{named(('name', 'A'), ('price', 'free'))}"
    assert (problem.property, problem.path, problem.raw) == ("property://price", "./i", "free")


@pytest.mark.parametrize(
    ("html", "kind", "reason", "element"),
    [
        ("<li><b>A</b>", "missing", "the element is not there", None),
        ("<li><b>A</b><i></i>", "empty", "the element has no text", "/html/body/li/i"),
        ("<li><b>A</b><i>free</i>", "empty", 'the :pattern finds nothing in "free"', "/html/body/li/i"),
        ("<li><b>A</b><i>1.5</i>", "misfit", '"1.5" is not a valid xsd:int', None),
    ],
)
def test_what_is_mandatory_is_missing_empty_or_does_not_fit(
    html: str, kind: str, reason: str, element: str | None
) -> None:
    """Three different things; of an optional property only the last one is worth telling."""
    price = Property("property://price", "./i", pattern="[0-9.]+", datatype="http://www.w3.org/2001/XMLSchema#int")
    page = ObjectsPage(iri="page://rows", item=Item("item://row", "//li", (NAME, price)))
    (problem,) = read(html, page).problems
    assert (problem.kind.value, problem.property, problem.element) == (kind, "property://price", element)
    assert problem.reason.startswith(reason)
    optional = replace(page, item=Item("item://row", "//li", (NAME, replace(price, optional=True))))
    assert len(read(html, optional).problems) == (kind == "misfit")


def test_of_several_values_the_empty_ones_are_left_out() -> None:
    """Silently, as long as one is left; if none is, a notice says so once."""
    tags = Property("property://tag", "./u", multiple=True)
    page = ObjectsPage(iri="page://rows", item=Item("item://row", "//li", (NAME, tags)))
    found = read("<li><b>A</b><u></u><u>red</u>", page)
    assert [triple.rpartition(" ")[2] for triple in found.triples] == ['"A"', '"red"']
    assert found.problems == []
    (problem,) = read("<li><b>A</b><u></u><u> </u>", page).problems
    assert (problem.kind, problem.element) == (ProblemKind.EMPTY, "/html/body/li/u[1]")


def test_an_empty_attribute_that_a_path_finds_is_at_its_object() -> None:
    """It is no element itself."""
    page = ObjectsPage(iri="page://rows", item=Item("item://row", "//li", (NAME, Property("property://c", "./@class"))))
    (problem,) = read("<li class=''><b>A</b>", page).problems
    assert (problem.kind, problem.raw, problem.element) == (ProblemKind.EMPTY, "", "/html/body/li")


def test_a_page_with_empty_values_only_is_bare() -> None:
    """A script may fill them."""
    assert read("<li><b></b><i>1</i>", ROWS).is_bare


def test_traces_tell_what_became_of_every_property() -> None:
    """The raw text of each value, and nothing for those that are not there."""
    traces: list[Trace] = []
    read("<li><b>A</b><li><b>B</b><i>2</i>", ROWS, traces=traces)
    assert [(trace.plan.property.iri, trace.raw) for trace in traces] == [
        ("property://name", "A"),
        ("property://price", None),
        ("property://name", "B"),
        ("property://price", "2"),
    ]


@pytest.mark.parametrize(("path", "left"), [(".", "700,011"), ("string(.)", "1,600,022")])
def test_text_that_is_not_searched_for_names_is_reported(path: str, left: str) -> None:
    """A page that says more than a long novel is searched from its beginning, and says how much was left out."""
    mail = Property("property://mail", path, optional=True, recognise="recognise://email")
    page = ObjectPage(iri="page://team", item=Item("item://team", "//main", (mail,)))
    assert read("<main>a@b.example</main>", page).problems == []
    lines = "<br>".join(["z" * 100_000] * 16)
    found = read(f"<main>a@b.example<p>{lines}</p><p>c@d.example</p></main>", page)
    reasons = [problem.reason for problem in found.problems if problem.kind is ProblemKind.LIMIT]
    assert reasons == [f"a page is searched for names up to 1,000,000 characters; its last {left} were not"]
