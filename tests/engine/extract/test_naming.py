"""Who names an object: its page, its ``:id``, its values."""

from __future__ import annotations

from rdfcrawl.engine.document.tree import parse
from rdfcrawl.engine.extract.identity import object_hash
from rdfcrawl.engine.extract.page import Extraction, extract
from rdfcrawl.engine.extract.plan import build_plan
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.metamodel.model import Item, Model, ObjectPage, ObjectsPage, Page, Property

ADDRESS = "http://site.example/list?sid=7#top"
PAGE = "http://site.example/list"
NAME = Property("property://name", "./b")
PRICE = Property("property://price", "./i", optional=True)
ROW = "<li><b>A</b><i>2</i><a href='/a?sid=9'>a</a>"


def names(html: str, page: Page, *nested: Page) -> list[str]:
    return [name[1:-1] for _, name in read(html, page, *nested).tops]


def read(html: str, page: Page, *nested: Page) -> Extraction:
    plan = build_plan(Model((), {one.iri: one for one in (page, *nested)}, ""))
    return extract(plan.pages[page.iri], parse(html.encode(), ADDRESS, "text/html; charset=utf-8"))


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
