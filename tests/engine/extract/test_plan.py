"""A model made ready to extract with."""

from __future__ import annotations

from rdfcrawl.engine.extract.plan import ModelPlan, build_plan
from rdfcrawl.metamodel.model import Item, Link, LinksPage, Model, ObjectPage, ObjectsPage, Page, Property


def plan_of(*pages: Page) -> ModelPlan:
    return build_plan(Model((), {page.iri: page for page in pages}, ""))


def thing(name: str, **more: object) -> ObjectPage:
    return ObjectPage(iri=f"page://{name}", item=Item(f"item://{name}", "//main"), **more)  # type: ignore[arg-type]


def test_the_properties_of_a_key_are_known() -> None:
    """An item without one has none of them."""
    properties = (Property("property://a", "./a"), Property("property://b", "./b"))
    free = ObjectsPage(iri="page://free", item=Item("item://free", "//li", properties))
    keyed = ObjectsPage(iri="page://keyed", item=Item("item://keyed", "//li", properties, key=("property://b",)))
    plan = plan_of(free, keyed)
    counting = {
        iri: [prop.is_key for prop in page.item.properties] for iri, page in plan.pages.items() if page.item is not None
    }
    assert counting == {"page://free": [False, False], "page://keyed": [False, True]}


def test_items_know_of_what_their_objects_have_one_value() -> None:
    """As the shapes of the model say it: neither of what is :multiple nor of what two properties write."""
    properties = (
        Property("property://a", "./a"),
        Property("property://b", "./b", multiple=True),
        Property("property://c", "./c", alias="schema:name"),
        Property("property://d", "./d", alias="schema:name"),
    )
    plan = plan_of(ObjectsPage(iri="page://list", item=Item("item://row", "//li", properties)))
    assert plan.pages["page://list"].required_item.single == {"<property://a>"}


def test_links_know_the_parameters_of_their_targets() -> None:
    """They do not count when duplicates are recognised."""
    links = LinksPage(
        iri="page://list", path="//a", target="page://a", links=(Link("link://b", "//b", "page://b", optional=True),)
    )
    plan = plan_of(links, thing("a", params=("ref",)), thing("b", params=("sid",)))
    assert plan.pages["page://list"].target_params == ("ref",)
    assert plan.pages["page://list"].links[0].target_params == ("sid",)


def test_nested_pages_are_planned_with_the_page_around_them() -> None:
    """Any depth."""
    inner = ObjectsPage(iri="page://inner", item=Item("item://inner", "./li"))
    middle = ObjectsPage(iri="page://middle", item=Item("item://middle", "./ul"), subs=("page://inner",))
    plan = plan_of(thing("outer", subs=("page://middle",)), middle, inner)
    assert plan.pages["page://outer"].subs[0].subs[0] is plan.pages["page://inner"]
