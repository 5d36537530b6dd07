"""The kinds of pages: what each answers, and that nobody else needs to know which is which."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from rdflib import Literal, URIRef

from rdfcrawl.metamodel.kinds.links_page import LinksPage
from rdfcrawl.metamodel.kinds.object_page import ObjectPage
from rdfcrawl.metamodel.kinds.objects_page import ObjectsPage
from rdfcrawl.metamodel.kinds.page import Page
from rdfcrawl.metamodel.kinds.site_page import ADDRESSES, SitePage
from rdfcrawl.metamodel.kinds.table import KINDS
from rdfcrawl.metamodel.parts import Extent, Item, Link
from rdfcrawl.metamodel.statements.resource import Resource

PACKAGE = Path(__file__).parents[2] / "rdfcrawl"
OWN_MODULES = ("metamodel/kinds/", "engine/extract/kinds/", "metamodel/model.py")
"""Where a kind may be named: its own modules, the tables, and the list of the model's names."""

ITEM = Item("item://thing", "//main")
MORE = Link("link://more", "./a", "page://more")
OBJECT = ObjectPage(iri="page://object", item=ITEM, links=(MORE,))
OBJECTS = ObjectsPage(iri="page://objects", item=ITEM, links=(MORE,))
LINKS = LinksPage(iri="page://links", path="//h2/a", target="page://object", links=(MORE,))
SITE = SitePage(iri="page://site", depth=2, skips=("/print/",))
SITE_WITH_ITEM = SitePage(iri="page://site", item=ITEM, follow="//nav", sitemap=True)
ENTRIES = Link("page://links", "//h2/a", "page://object")


def test_the_table_names_every_kind_by_its_type() -> None:
    """As a model writes it."""
    assert list(KINDS.items()) == [
        ("type://object", ObjectPage),
        ("type://objects", ObjectsPage),
        ("type://links", LinksPage),
        ("type://site", SitePage),
    ]


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.__name__)
def test_a_kind_answers_every_question(kind: type[Page]) -> None:
    """Nothing is left abstract, and the answers that hold for all pages of the kind are given."""
    assert not kind.__abstractmethods__
    assert isinstance(kind.is_list, bool)
    assert isinstance(kind.address_names_object, bool)


@pytest.mark.parametrize(
    ("page", "reads", "is_list", "address_names_object"),
    [
        (OBJECT, "one object", False, True),
        (OBJECTS, "objects", True, False),
        (LINKS, "links at //h2/a", True, False),
        (SITE, "a site (domain) up to 2 links deep, without /print/", False, True),
        (SITE_WITH_ITEM, "a site (domain), with its sitemaps, following the links in //nav", False, True),
    ],
)
def test_what_a_page_is(page: Page, reads: str, is_list: bool, address_names_object: bool) -> None:
    """What is read from it, whether it is a list, and whether its address is an object's IRI."""
    assert (page.reads, page.is_list, page.address_names_object) == (reads, is_list, address_names_object)


@pytest.mark.parametrize(
    ("page", "root_path", "list_path"),
    [(OBJECT, "//main", ""), (OBJECTS, "//main", "//main"), (LINKS, "//h2/a", "//h2/a"), (SITE, "", "")],
)
def test_what_a_page_must_have(page: Page, root_path: str, list_path: str) -> None:
    """The path of what must be there, and that of the list's entries."""
    assert (page.root_path, page.list_path) == (root_path, list_path)


@pytest.mark.parametrize(
    ("page", "item", "entry_link", "all_links"),
    [
        (OBJECT, ITEM, None, (MORE,)),
        (OBJECTS, ITEM, None, (MORE,)),
        (LINKS, None, ENTRIES, (ENTRIES, MORE)),
    ],
)
def test_what_a_page_contains_and_leads_to(
    page: Page, item: Item | None, entry_link: Link | None, all_links: tuple[Link, ...]
) -> None:
    """A page without objects of its own is transparent."""
    assert (page.item, page.entry_link, page.all_links) == (item, entry_link, all_links)
    assert page.is_transparent is (item is None)


def test_a_site_contains_its_addresses_and_what_is_read_from_its_pages() -> None:
    """It is a class of its own, whatever item the model adds."""
    assert SITE.items == (ADDRESSES,)
    assert SITE_WITH_ITEM.items == (ADDRESSES, ITEM)
    assert not SITE.is_transparent
    assert [page.is_survey for page in (OBJECT, OBJECTS, LINKS, SITE)] == [False, False, False, True]


def test_only_a_site_says_how_far_it_extends() -> None:
    """Who changes that changes which objects there are."""
    assert SITE.survey == Extent(2, "scope://domain", ("/print/",), None, sitemap=False)
    assert SITE_WITH_ITEM.survey == Extent(None, "scope://domain", (), "//nav", sitemap=True)
    assert [page.survey for page in (OBJECT, OBJECTS, LINKS)] == [None] * 3


def test_a_kind_takes_its_own_terms_from_what_is_said() -> None:
    """What all pages have is not its business."""
    said = Resource({"path": (Literal("//a"),), "target": (URIRef("page://thing"),), "param": (Literal("ref"),)})
    assert LinksPage.own_terms(said) == {"path": "//a", "target": "page://thing"}
    assert ObjectPage.own_terms(said) == {}


def test_nobody_else_names_a_kind() -> None:
    """Who asks which kind a page is would have to be found and changed when a kind is added."""
    kinds = {kind.__name__ for kind in KINDS.values()}
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        place, text = path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8")
        if place.startswith(OWN_MODULES) or not any(name in text for name in kinds):
            continue
        for node in ast.walk(ast.parse(text)):
            said = {getattr(node, name, None) for name in ("id", "attr", "name", "value")}
            found += [f"{place} {name}" for name in kinds & said]
    assert found == []
