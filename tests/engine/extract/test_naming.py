"""Who names an object: its page, its ``:id``, its values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rdfcrawl.engine.document.tree import parse
from rdfcrawl.engine.extract.extraction import Extraction
from rdfcrawl.engine.extract.identity import object_hash
from rdfcrawl.engine.extract.page import extract
from rdfcrawl.engine.extract.plan import build_plan
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.metamodel.model import Item, Link, Model, ObjectPage, ObjectsPage, Page, Property, Replacement

ADDRESS = "http://site.example/list?sid=7#top"
PAGE = "http://site.example/list"
NAME = Property("property://name", "./b")
PRICE = Property("property://price", "./i", optional=True)
VALUE = Property("property://value", "./td[2]")
TEXT = Property("property://text", ".")
INT = "http://www.w3.org/2001/XMLSchema#int"
ROW = "<li><b>A</b><i>2</i><a href='/a?sid=9'>a</a>"


def names(html: str, page: Page, *nested: Page, list_address: str | None = None) -> list[str]:
    return [name[1:-1] for _, name in read(html, page, *nested, list_address=list_address).tops]


def read(html: str, page: Page, *nested: Page, list_address: str | None = None) -> Extraction:
    plan = build_plan(Model((), {one.iri: one for one in (page, *nested)}, ""))
    document = parse(html.encode(), ADDRESS, "text/html; charset=utf-8")
    return extract(plan.pages[page.iri], document, list_address=list_address)


def kinds(found: Extraction) -> list[str]:
    return [problem.kind.value for problem in found.problems]


def rows(*, id_path: str | None = None, key: tuple[str, ...] = (), nested: tuple[str, ...] = ()) -> ObjectsPage:
    item = Item("item://row", "//li", (NAME, PRICE), id_path=id_path, key=key)
    return ObjectsPage(iri="page://rows", item=item, params=("sid",), subs=nested)


def hashed(**values: str) -> str:
    return f"{PAGE}#{object_hash([(f'property://{name}', value) for name, value in values.items()])}"


def test_an_object_page_names_its_object() -> None:
    """By its address, without parameters and fragment."""
    page = ObjectPage(iri="page://row", item=Item("item://row", "//li", (NAME,)), params=("sid",))
    assert names(ROW, page) == [PAGE]


def test_an_id_names_an_object_of_a_list() -> None:
    """By the address of that link, without the page's parameters; wherever it is shown, it is the same entry."""
    found = read(ROW, rows(id_path="./a"))
    assert found.tops == [("<item://row>", "<http://site.example/a>")]
    assert found.entries == ["http://site.example/a"]


def test_values_name_an_object_without_address() -> None:
    """All of them, or those of the :key; the hash alone is the entry of the list."""
    assert names(ROW, rows()) == [hashed(name="A", price="2")]
    assert names(ROW, rows(key=("property://name",))) == [hashed(name="A")]
    assert read(ROW, rows()).entries == [hashed(name="A", price="2").partition("#")[2]]


def test_an_id_without_address_is_told_and_the_values_name_the_object() -> None:
    """The object is not lost."""
    found = read(ROW, rows(id_path="./u"))
    assert found.tops == [("<item://row>", f"<{hashed(name='A', price='2')}>")]
    assert [(problem.kind, problem.path) for problem in found.problems] == [(ProblemKind.BAD_ADDRESS, "./u")]


def test_a_nested_object_is_named_by_its_own_id_or_values() -> None:
    """The page's address is the name of the object around it, also for a nested page of type:object."""
    tag = Item("item://tag", "./b", (Property("property://tag", "."),))
    nested = ObjectPage(iri="page://tag", item=tag, params=("sid",))
    outer = ObjectPage(
        iri="page://row", item=Item("item://row", "//li", (NAME,)), subs=("page://tag",), params=("sid",)
    )
    assert f"<{PAGE}> <item://tag> <{hashed(tag='A')}>" in read(ROW, outer, nested).triples


def test_an_id_keeps_its_fragment() -> None:
    """Permalinks name places on a page; an empty fragment names none."""
    html = "<li><b>A</b><a href='#a'>1</a><li><b>B</b><a href='/x?sid=2#a'>2</a><li><b>C</b><a href='/c#'>3</a>"
    assert names(html, rows(id_path="./a")) == [f"{PAGE}#a", "http://site.example/x#a", "http://site.example/c"]


def test_a_key_counts_as_it_is_after_pattern_and_replacement() -> None:
    """A table that is renumbered keeps its name; what the type makes of the text does not count."""
    title = Property(
        "property://name", "./b", pattern="Table.*", replacements=(Replacement(r"Table [\d.]+ ", ""),), datatype=INT
    )
    item = Item("item://table", "//li", (title, PRICE), key=("property://name",))
    page = ObjectsPage(iri="page://tables", item=item, params=("sid",))
    for number in ("9.11", "9.12"):
        assert names(f"<li><b>See Table {number} Ports</b><i>1</i>", page) == [hashed(name="Ports")]


def test_empty_texts_do_not_count_in_a_key() -> None:
    """As if the element were not there."""
    key = ("property://name", "property://price")
    assert names("<li><b>A</b><i></i>", rows(key=key)) == names("<li><b>A</b>", rows(key=key)) == [hashed(name="A")]


def test_an_empty_key_is_no_name() -> None:
    """All raw values name the object, as if there were no key, and a problem says so."""
    found = read("<li><b>A</b><i> </i>", rows(key=("property://price",)))
    assert found.tops == [("<item://row>", f"<{hashed(name='A', price='')}>")]
    (problem,) = found.problems
    assert (problem.kind, problem.property, problem.element) == (
        ProblemKind.NO_KEY,
        "property://price",
        "/html/body/li",
    )
    assert problem.subject == hashed(name="A", price="")


def test_keyed_objects_of_a_list_are_named_by_its_first_page() -> None:
    """An entry that moves to the next page keeps its name; objects without key are named by the page they are on."""
    first = "http://site.example/first"
    assert names(ROW, rows(key=("property://name",)), list_address=first) == [hashed(name="A").replace(PAGE, first)]
    assert names(ROW, rows(), list_address=first) == [hashed(name="A", price="2")]
    assert names("<li><b>A</b>", rows(key=("property://price",)), list_address=first) == [hashed(name="A")]


def test_a_list_says_under_which_address_it_goes_on() -> None:
    """That of the page before, or its own without parameters and fragment; what is no list has none."""
    first = "http://site.example/first"
    assert read(ROW, rows(), list_address=first).list_address == first
    assert read(ROW, rows()).list_address == PAGE
    assert read(ROW, ObjectPage(iri="page://row", item=Item("item://row", "//li", (NAME,)))).list_address is None


SELLER = Property("property://seller", "./u")
OFFERS = ObjectsPage(
    iri="page://offers",
    item=Item("item://offer", "./p", (SELLER, Property("property://cost", "./s")), key=("property://seller",)),
    params=("sid",),
)
OFFER = "<p><u>Mill</u><s>3</s></p>"


@pytest.mark.parametrize(
    ("outer", "holder"),
    [
        (rows(nested=("page://offers",)), hashed(name="A")),
        (rows(key=("property://name",), nested=("page://offers",)), hashed(name="A")),
        (rows(id_path="./a", nested=("page://offers",)), "http://site.example/a"),
    ],
)
def test_the_object_around_a_keyed_object_is_part_of_its_name(outer: Page, holder: str) -> None:
    """Two products on a page may both have an offer by the same seller."""
    found = read(f"<li><b>A</b><a href='/a'>a</a>{OFFER}", outer, OFFERS)
    name = object_hash([("predicate://in", holder), ("property://seller", "Mill")])
    assert f"<{holder}> <item://offer> <{PAGE}#{name}>" in found.triples


def test_what_is_nested_in_the_page_itself_needs_no_more_than_its_key() -> None:
    """The page's address is in the name already."""
    outer = ObjectPage(
        iri="page://row", item=Item("item://row", "//li", (NAME,)), subs=("page://offers",), params=("sid",)
    )
    found = read(f"<li><b>A</b>{OFFER}", outer, OFFERS)
    assert f"<{PAGE}> <item://offer> <{hashed(seller='Mill')}>" in found.triples


def test_rows_that_get_the_same_key_stay_different_objects() -> None:
    """A column was inserted into a table with a key: 261 settings are not one, and all but the first are reported."""
    item = Item("item://setting", "//tr", (Property("property://name", "./td[1]"), VALUE), key=("property://name",))
    page = ObjectsPage(iri="page://settings", item=item, params=("sid",))
    html = "<table>" + "".join(f"<tr><td>server<td>setting {number}" for number in range(261)) + "</table>"
    found = read(html, page)
    name = hashed(name="server")
    subjects = [name, *(f"{name}-{number}" for number in range(2, 262))]
    assert found.tops == [("<item://setting>", f"<{subject}>") for subject in subjects]
    assert {(problem.kind, problem.property) for problem in found.problems} == {
        (ProblemKind.COLLISION, "property://value")
    }
    assert [problem.subject for problem in found.problems] == subjects[1:]
    assert found.problems[0].element == "/html/body/table/tbody/tr[2]"
    assert found.problems[0].reason == (
        "another object of this page has the same :key (property://name); they differ in property://value, "
        f"so that this one is named {subjects[1].partition('#')[2]}"
    )


def test_equal_rows_are_one_object_silently() -> None:
    """Also those that are equal to a second one of the same name."""
    html = "<li><b>A</b><i>1</i><li><b>A</b><i>2</i><li><b>A</b><i>1</i><li><b>A</b><i>2</i>"
    name = hashed(name="A")
    found = read(html, rows(key=("property://name",)))
    assert [subject for _, subject in found.tops] == [f"<{name}>", f"<{name}-2>", f"<{name}>", f"<{name}-2>"]
    assert kinds(found) == ["collision"]


@pytest.mark.parametrize(
    ("first", "second", "differs"),
    [
        (OFFER, "", "their nested item://offer"),
        (OFFER, OFFER.replace("3", "4"), "their nested item://offer"),
        ("<a href='/a'>a</a>", "<a href='/b'>b</a>", "their links"),
        ("<a href='/a'>a</a>", "", "their links"),
    ],
)
def test_what_hangs_from_objects_tells_them_apart(first: str, second: str, differs: str) -> None:
    """Nested objects and links; the order of nested objects does not."""
    link = Link("link://a", "./a", "page://offers", optional=True)
    page = replace(rows(nested=("page://offers",)), links=(link,))
    found = read(f"<li><b>A</b>{first}</li><li><b>A</b>{second}</li>", page, OFFERS)
    name = hashed(name="A")
    assert [subject for _, subject in found.tops] == [f"<{name}>", f"<{name}-2>"]
    (problem,) = found.problems
    assert (problem.kind, problem.property) == (ProblemKind.COLLISION, None)
    assert f"they differ in {differs}, so that" in problem.reason
    both = f"{OFFER}{OFFER.replace('Mill', 'Shop')}"
    turned = f"{OFFER.replace('Mill', 'Shop')}{OFFER}"
    assert not read(f"<li><b>A</b>{both}</li><li><b>A</b>{turned}</li>", page, OFFERS).problems


def test_objects_of_two_classes_are_told_apart_by_their_type() -> None:
    """They have the same property and the same text, but are not the same."""
    tags = ObjectsPage(iri="page://tags", item=Item("item://tag", "./b", (TEXT,), rdf_class="schema:Tag"))
    words = ObjectsPage(iri="page://words", item=Item("item://word", "./b", (TEXT,), rdf_class="schema:Word"))
    found = read("<li><b>A</b>", rows(nested=("page://tags", "page://words")), tags, words)
    assert kinds(found) == ["collision"]
    assert "they differ in their rdf:type" in found.problems[0].reason
    alike = replace(words, item=replace(words.item, rdf_class="schema:Tag"))
    assert not read("<li><b>A</b>", rows(nested=("page://tags", "page://words")), tags, alike).problems


def test_an_address_that_is_named_twice_is_one_object() -> None:
    """It keeps all of its values; of a property that is not :multiple that is a conflict, where it is seen first."""
    html = "<li><b>A</b><i>1</i><a href='/a'>a</a>"
    found = read(html + html + html.replace("1", "2"), rows(id_path="./a"))
    assert {subject for _, subject in found.tops} == {"<http://site.example/a>"}
    (problem,) = found.problems
    assert (problem.kind, problem.subject) == (ProblemKind.CONFLICT, "http://site.example/a")
    assert (problem.property, problem.element) == ("property://price", "/html/body/li[3]")
    assert 'has 2 values of a property that is not :multiple: "1", "2"' in problem.reason
    assert read(html + html.replace("<i>1</i>", ""), rows(id_path="./a")).problems == []


def test_the_page_may_be_named_by_an_object_inside_it() -> None:
    """Then both are one object, with the rules of both classes."""
    same = Item("item://self", "./p", (Property("property://name", "./u"),), id_path="./a")
    nested = ObjectsPage(iri="page://self", item=same, params=("sid",))
    outer = ObjectPage(
        iri="page://row", item=Item("item://row", "//li", (NAME,)), subs=("page://self",), params=("sid",)
    )
    found = read("<li><b>A</b><p><u>B</u><a href='#'>here</a></p>", outer, nested)
    assert [(problem.kind, problem.subject) for problem in found.problems] == [(ProblemKind.CONFLICT, PAGE)]


def test_objects_without_value_take_no_name_from_others() -> None:
    """They are not written; one with a value of the same key is the first of its name."""
    price = replace(PRICE, datatype=INT)
    page = replace(rows(), item=Item("item://row", "//li", (price,), key=("property://price",)))
    found = read("<li><i>none</i><li><i>none</i>", page)
    assert (kinds(found), found.tops) == (["misfit", "no-values"] * 2, [])


def test_thousands_of_problems_do_not_all_name_their_element() -> None:
    """Among thousands of siblings, finding the path of each would take longer than everything else."""
    found = read("<li><b></b><i>1</i>" * 1500, rows())
    assert [problem.element is None for problem in found.problems] == [False] * 1000 + [True] * 500
