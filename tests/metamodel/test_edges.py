"""What hangs from what, however many links pages lie in between."""

from __future__ import annotations

from rdfcrawl.metamodel.edges import items_below, predicates_below, predicates_inside, trails_to
from rdfcrawl.metamodel.model import Item, Link, LinksPage, Model, ObjectPage, ObjectsPage, Page, Section

PART = ObjectsPage(iri="page://part", item=Item("item://part", "./li"))


def model_of(*pages: Page, start: str | None = None) -> Model:
    sections = (Section("http://site.example/", start),) if start else ()
    return Model(sections, {page.iri: page for page in pages}, "")


def thing(name: str, **more: object) -> ObjectPage:
    return ObjectPage(iri=f"page://{name}", item=Item(f"item://{name}", "//main"), **more)  # type: ignore[arg-type]


def links(name: str, target: str, **more: object) -> LinksPage:
    return LinksPage(iri=f"page://{name}", path=f"//{name}", target=f"page://{target}", **more)  # type: ignore[arg-type]


def test_the_predicate_of_a_page_with_objects_is_that_of_its_item() -> None:
    """Reading it brings edges of that one kind; what is nested in its objects hangs from them."""
    model = model_of(thing("a", subs=("page://part",)), PART)
    assert predicates_below(model, "page://a") == {"item://a"}
    assert predicates_inside(model, model.page("page://a")) == {"item://part"}


def test_an_alias_is_the_predicate() -> None:
    """``:as`` on an item names what is written."""
    page = ObjectPage(iri="page://a", item=Item("item://a", "//main", alias="https://schema.org/item"))
    assert predicates_below(model_of(page), "page://a") == {"https://schema.org/item"}


def test_links_pages_bring_what_they_lead_to() -> None:
    """Through any number of them, with all their kinds of links."""
    second = Link("link://b", "//b", "page://b", optional=True)
    model = model_of(links("years", "list"), links("list", "a", links=(second,)), thing("a"), thing("b"))
    assert [item.iri for item in items_below(model, "page://years")] == ["item://a", "item://b"]


def test_links_pages_in_circles_come_to_an_end() -> None:
    """A category that leads to categories."""
    circle = links("list", "a", links=(Link("link://up", "//b", "page://list"),))
    model = model_of(circle, thing("a"), start="page://list")
    assert predicates_below(model, "page://list") == {"item://a"}
    (trail,) = trails_to(model, "page://a")
    assert (trail.start, [step.path for step in trail.passed]) == (None, ["//list"])


def test_what_an_object_leads_to_hangs_from_the_object() -> None:
    """Nested in it or linked from it, also through a list of links, at its own address or nested."""
    reviews = Link("link://reviews", "./a", "page://reviews")
    model = model_of(
        thing("a", subs=("page://part", "page://makers"), links=(reviews,)),
        PART,
        links("makers", "maker"),
        thing("maker"),
        links("reviews", "review"),
        thing("review"),
    )
    assert predicates_inside(model, model.page("page://a")) == {"item://part", "item://maker", "item://review"}


def test_trails_begin_at_the_nearest_object_or_section() -> None:
    """They tell the XPaths on the way and the links pages that are passed, the last one first."""
    model = model_of(
        links("years", "months"),
        links("months", "day"),
        thing("day", links=(Link("link://next", "./a", "page://months"),), subs=("page://part",)),
        PART,
        start="page://years",
    )
    found = {
        (trail.start and trail.start.page.iri, tuple(step.path for step in trail.passed))
        for trail in trails_to(model, "page://day")
    }
    assert found == {(None, ("//months", "//years")), ("page://day", ("//months",))}
    (nested,) = trails_to(model, "page://part")
    assert nested.start is not None
    assert (nested.start.page.iri, nested.start.path, nested.passed) == ("page://day", None, ())
