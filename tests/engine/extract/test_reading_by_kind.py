"""How pages are read by their kind, and what it takes to add one."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from rdflib import Literal, URIRef

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.document.tree import compile_path, parse
from rdfcrawl.engine.extract.extraction import Extraction, Follow
from rdfcrawl.engine.extract.found import FoundObject
from rdfcrawl.engine.extract.kinds.table import READERS
from rdfcrawl.engine.extract.links import follow
from rdfcrawl.engine.extract.page import extract
from rdfcrawl.engine.extract.plan import PagePlan, build_plan
from rdfcrawl.engine.extract.reading import Reading
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.metamodel.build import build_model
from rdfcrawl.metamodel.data_shapes import data_shapes
from rdfcrawl.metamodel.edges import predicates_below
from rdfcrawl.metamodel.kinds.table import KINDS
from rdfcrawl.metamodel.model import Item, LinksPage, Model, ObjectPage, ObjectsPage, Page, Property
from rdfcrawl.metamodel.statements.description import MODEL, describe
from rdfcrawl.metamodel.statements.resource import Resource
from rdfcrawl.metamodel.statements.source import SourceGraph
from rdfcrawl.metamodel.tree import model_tree
from rdfcrawl.publish.data.schema import make_schema

ADDRESS = "http://site.example/thing"
NAME = Property("property://name", "./b")
TITLE = Property("property://title", ".//h1")


def read(html: str, page: Page, *others: Page) -> Extraction:
    plan = build_plan(Model((), {one.iri: one for one in (page, *others)}, ""))
    return extract(plan.pages[page.iri], parse(html.encode(), ADDRESS, "text/html; charset=utf-8"))


def thing(*subs: str) -> ObjectPage:
    return ObjectPage(iri="page://thing", item=Item("item://thing", "//main", (TITLE,)), subs=subs)


def test_every_kind_can_be_read() -> None:
    """The two tables have the same kinds."""
    assert set(READERS) == set(KINDS.values())


def test_an_object_page_is_its_first_root_element() -> None:
    """It is named by the page's address; it is no entry of a list."""
    found = read("<main><h1>A</h1></main><main><h1>B</h1></main>", thing())
    assert found.tops == [("<item://thing>", f"<{ADDRESS}>")]
    assert found.triples == [f'<{ADDRESS}> <property://title> "A"']
    assert (found.found, found.entries) == (2, [])


@pytest.mark.parametrize(
    ("html", "reason", "subject"),
    [
        ("<p>nothing</p>", "the root element of the object is not there", ADDRESS),
        ("<main><h1>A</h1></main>", "the root element of the nested object is not there", ADDRESS),
    ],
)
def test_an_object_page_must_have_its_root_element(html: str, reason: str, subject: str) -> None:
    """At its own address and nested in another object."""
    maker = ObjectPage(iri="page://maker", item=Item("item://maker", "./p", (NAME,)))
    (problem,) = read(html, thing("page://maker"), maker).problems
    assert (problem.kind, problem.reason, problem.subject) == (ProblemKind.NO_ROOT, reason, subject)


def test_a_nested_object_page_has_no_address() -> None:
    """The address of the document is that of the object around it."""
    maker = ObjectPage(iri="page://maker", item=Item("item://maker", "./p", (NAME,)))
    found = read("<main><h1>A</h1><p><b>M</b></p></main>", thing("page://maker"), maker)
    (edge,) = [triple for triple in found.triples if "<item://maker>" in triple]
    assert edge.startswith(f"<{ADDRESS}> <item://maker> <{ADDRESS}#")


def test_a_nested_list_may_be_empty() -> None:
    """Neither objects nor links have to be there."""
    parts = ObjectsPage(iri="page://parts", item=Item("item://part", "./li", (NAME,)))
    makers = LinksPage(iri="page://makers", path="./a", target="page://thing")
    assert read("<main><h1>A</h1></main>", thing("page://parts", "page://makers"), parts, makers).problems == []


def test_nested_links_hang_from_the_object_and_are_no_entries() -> None:
    """Only the links of the page itself are."""
    makers = LinksPage(iri="page://makers", path="./a", target="page://thing")
    found = read("<main><h1>A</h1><a href='/m'>M</a></main>", thing("page://makers"), makers)
    assert found.follows == [Follow("page://thing", "http://site.example/m", "http://site.example/m", ADDRESS)]
    assert (found.found, found.entries) == (1, [])


@dataclass(frozen=True, slots=True, kw_only=True)
class WanderPage(Page):
    """A made-up kind: it needs nothing, may have an item, and every link leads to a page of the same kind."""

    type_iri: ClassVar[str] = "type://wander"
    is_list: ClassVar[bool] = False
    address_names_object: ClassVar[bool] = True

    path: str

    @property
    def reads(self) -> str:
        return "whatever is there"

    @property
    def root_path(self) -> str:
        return ""

    @property
    def list_path(self) -> str:
        return ""

    @classmethod
    def own_terms(cls, resource: Resource) -> dict[str, Any]:
        return {"path": resource.text("path")}


class WanderPageReader:
    """Follows every link."""

    def read(self, reading: Reading, plan: PagePlan) -> None:
        page = plan.page
        assert isinstance(page, WanderPage)
        root = reading.document.root
        for match in reading.document.select(compile_path(page.path), root):
            follow(reading, match, page.iri, page.params, reading.top, page.path)
        reading.result.complete_entries = 1

    def read_nested(self, reading: Reading, plan: PagePlan, holder: FoundObject) -> None:
        raise NotImplementedError


@pytest.fixture
def wandering(monkeypatch: pytest.MonkeyPatch) -> Model:
    """A model with a page of the made-up kind, built from statements once the kind is in the two tables."""
    monkeypatch.setitem(KINDS, WanderPage.type_iri, WanderPage)
    monkeypatch.setitem(READERS, WanderPage, WanderPageReader())  # type: ignore[misc]
    section, page = URIRef(ADDRESS), URIRef("page://wander")

    def term(name: str) -> URIRef:
        return URIRef(f"predicate://{name}")

    statements = [
        (MODEL, term("section"), section),
        (section, term("page"), page),
        (page, term("type"), URIRef(WanderPage.type_iri)),
        (page, term("path"), Literal("//a")),
        (page, term("param"), Literal("ref")),
    ]
    return build_model(describe(statements), SourceGraph("a model", {}, dict.fromkeys(statements), text=""))


def test_another_kind_is_built_from_statements(wandering: Model) -> None:
    """With what all pages have and with what is its own."""
    assert wandering.page("page://wander") == WanderPage(iri="page://wander", path="//a", params=("ref",))


def test_another_kind_is_read_by_its_own_module(wandering: Model) -> None:
    """Whoever extracts does not know it."""
    plan = build_plan(wandering)
    document = parse(b"<a href='/x?ref=1'>x</a>", ADDRESS, "text/html")
    found = extract(plan.pages["page://wander"], document)
    assert found.follows == [Follow("page://wander", "http://site.example/x?ref=1", "http://site.example/x")]
    assert not found.is_bare


def test_another_kind_is_known_to_those_who_ask_the_page(wandering: Model) -> None:
    """Tree, edges, shapes and published classes go by its answers."""
    (section,) = model_tree(wandering).branches
    assert section.branches[-1].text == "<page://wander>: whatever is there, without ref"
    assert predicates_below(wandering, "page://wander") == frozenset()
    assert len(data_shapes(wandering)) == 0
    assert make_schema([wandering], {}).classes == {}
