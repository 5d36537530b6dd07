"""A model made ready to extract with: every XPath compiled, every value pipeline built, once per run."""

from __future__ import annotations

from dataclasses import dataclass

from rdfcrawl.engine.document.tree import Path, compile_path
from rdfcrawl.engine.values.pipeline import Pipeline
from rdfcrawl.metamodel.model import Item, ItemPage, Link, LinksPage, Model, ObjectPage, Page, Property
from rdfcrawl.rdf import ntriples


@dataclass(frozen=True, slots=True)
class PropertyPlan:
    """A property with its compiled path and its value pipeline."""

    property: Property
    path: Path
    pipeline: Pipeline
    predicate: str
    is_key: bool


@dataclass(frozen=True, slots=True)
class ItemPlan:
    """An item with its compiled paths; predicates are ready-made N-Triples text."""

    item: Item
    path: Path
    id_path: Path | None
    properties: tuple[PropertyPlan, ...]
    predicate: str
    type_triple: str | None


@dataclass(frozen=True, slots=True)
class LinkPlan:
    """A link with its compiled path and the parameters that do not count in its targets' addresses."""

    link: Link
    path: Path
    target_params: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PagePlan:
    """A page with everything that is evaluated on it; ``subs`` are the plans of the nested pages."""

    page: Page
    item: ItemPlan | None
    entries: Path | None
    target_params: tuple[str, ...]
    links: tuple[LinkPlan, ...]
    subs: tuple[PagePlan, ...]
    next: Path | None
    total: Path | None


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """The plans of all pages, by the page's IRI."""

    model: Model
    pages: dict[str, PagePlan]

    def predicates_of(self, page_iri: str) -> frozenset[str]:
        """The predicates of the edges that reading this page can bring, through any number of links pages."""
        found: set[str] = set()
        waiting, seen = [page_iri], set[str]()
        while waiting:
            page = self.model.page(waiting.pop())
            if page.iri in seen:
                continue
            seen.add(page.iri)
            if isinstance(page, LinksPage):
                waiting += [page.target, *(link.target for link in page.links)]
            elif isinstance(page, ItemPage):
                found.add(page.item.predicate)
        return frozenset(found)


def build_plan(model: Model) -> ModelPlan:
    """Compile the whole model."""
    built: dict[str, PagePlan] = {}

    def plan_of(iri: str) -> PagePlan:
        if iri not in built:
            page = model.page(iri)
            built[iri] = _page_plan(model, page, tuple(plan_of(sub) for sub in subs_of(page)))
        return built[iri]

    for iri in model.pages:
        plan_of(iri)
    return ModelPlan(model, built)


def subs_of(page: Page) -> tuple[str, ...]:
    """The IRIs of the pages nested in this one."""
    return page.subs if isinstance(page, ItemPage) else ()


def is_list(page: Page) -> bool:
    """Whether the page is a list, that is: has entries rather than being one object."""
    return not isinstance(page, ObjectPage)


def _page_plan(model: Model, page: Page, subs: tuple[PagePlan, ...]) -> PagePlan:
    return PagePlan(
        page=page,
        item=_item_plan(page.item) if isinstance(page, ItemPage) else None,
        entries=compile_path(page.path) if isinstance(page, LinksPage) else None,
        target_params=model.page(page.target).params if isinstance(page, LinksPage) else (),
        links=tuple(LinkPlan(link, compile_path(link.path), model.page(link.target).params) for link in page.links),
        subs=subs,
        next=compile_path(page.next) if page.next else None,
        total=compile_path(page.total) if page.total else None,
    )


def _item_plan(item: Item) -> ItemPlan:
    return ItemPlan(
        item=item,
        path=compile_path(item.path),
        id_path=compile_path(item.id_path) if item.id_path else None,
        properties=tuple(
            PropertyPlan(
                property=prop,
                path=compile_path(prop.path),
                pipeline=Pipeline(prop),
                predicate=ntriples.iri(prop.predicate),
                is_key=not item.key or prop.iri in item.key,
            )
            for prop in item.properties
        ),
        predicate=ntriples.iri(item.predicate),
        type_triple=f"{ntriples.RDF_TYPE} {ntriples.iri(item.rdf_class)}" if item.rdf_class else None,
    )
