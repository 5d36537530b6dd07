"""A model prepared for extraction: every XPath compiled, every value pipeline built, once per run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.document.json_tree import ROOT
from rdfcrawl.engine.document.tree import Path, compile_path
from rdfcrawl.engine.extract.sources import PropertySource, Stated, VisibleText, source_of, stated_by
from rdfcrawl.engine.values.pipeline import Pipeline
from rdfcrawl.expressions.selectors import names_element
from rdfcrawl.expressions.templates import Template, parse_template, placeholders
from rdfcrawl.metamodel.cardinality import single_valued
from rdfcrawl.metamodel.criteria import CriterionKind
from rdfcrawl.metamodel.model import Item, Link, Model, Page, Property
from rdfcrawl.rdf import ntriples

if TYPE_CHECKING:
    from rdfcrawl.engine.criteria.judging import Judge
    from rdfcrawl.metamodel.criteria import Criterion


@dataclass(frozen=True, slots=True)
class PropertyPlan:
    """A property with its compiled path, the source of its raw values and the pipeline that makes terms of them.

    ``is_key`` is whether its final text is part of the object's name, by ``:key`` or ``:iri``; ``stated`` finds what
    the page itself states about a value, where the model asks for that. ``ending`` is what follows the text in its
    term, where the property is no more than the visible text of one element; ``cell`` is the index of that element
    among the ``cells`` of its item.
    """

    property: Property
    path: Path
    source: PropertySource
    pipeline: Pipeline
    predicate: str
    is_key: bool
    stated: Stated | None = None
    ending: str | None = None
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class ItemPlan:
    """An item with its compiled paths; predicates are ready-made N-Triples text.

    Of the predicates in ``single`` its objects may have one value only. ``cells`` says how many children of which name,
    such as ``td``, are looked at together, because most of its properties are among them.
    """

    item: Item
    path: Path
    id_path: Path | None
    properties: tuple[PropertyPlan, ...]
    predicate: str
    type_triple: str | None
    single: frozenset[str]
    template: Template | None = None
    cells: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class LinkPlan:
    """A link with its compiled path and the parameters that do not count in its targets' addresses."""

    link: Link
    path: Path
    target_params: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FocusPlan:
    """What is looked for on a page, ready to be judged, and the score from which on the page is a find."""

    judge: Judge
    threshold: Decimal | None

    def is_find(self, score: Decimal) -> bool:
        """Whether a page with that score is a find."""
        return self.threshold is not None and score >= self.threshold


@dataclass(frozen=True, slots=True)
class PagePlan:
    """A page with everything that is evaluated on it.

    ``entries`` finds the links that the page itself consists of, ``target_params`` are the parameters that do not count
    in the addresses of what they lead to; ``subs`` are the plans of the nested pages. ``follow`` finds the elements
    whose links a survey follows.
    """

    page: Page
    item: ItemPlan | None
    entries: Path | None
    target_params: tuple[str, ...]
    links: tuple[LinkPlan, ...]
    subs: tuple[PagePlan, ...]
    next: Path | None
    total: Path | None
    follow: Path | None = None
    reads_scripts: bool = False
    """Whether a path leads into the JSON of a script."""
    focus: FocusPlan | None = None
    leads: Judge | None = None
    read_as: PagePlan | None = None
    """The plan by which a find is read as well."""

    @property
    def required_item(self) -> ItemPlan:
        """The item of a page that must have one."""
        if self.item is None:
            raise ValueError(f"{self.page.iri} has no item")
        return self.item


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """The plans of all pages, by the page's IRI."""

    model: Model
    pages: dict[str, PagePlan]


def build_plan(model: Model) -> ModelPlan:
    """Compile the whole model."""
    built: dict[str, PagePlan] = {}
    single = single_valued(model)

    def plan_of(iri: str) -> PagePlan:
        if iri not in built:
            page = model.page(iri)
            item = None if page.item is None else _item_plan(page.item, single[page.item.predicate])
            read_as = None if page.read_as is None else plan_of(page.read_as)
            built[iri] = _page_plan(model, page, item, tuple(plan_of(sub) for sub in page.subs), read_as)
        return built[iri]

    for iri in model.pages:
        plan_of(iri)
    return ModelPlan(model, built)


def _page_plan(
    model: Model, page: Page, item: ItemPlan | None, subs: tuple[PagePlan, ...], read_as: PagePlan | None
) -> PagePlan:
    entry_link = page.entry_link
    inside = subs if read_as is None else (*subs, read_as)
    return PagePlan(
        page=page,
        item=item,
        entries=compile_path(entry_link.path) if entry_link is not None else None,
        target_params=model.page(entry_link.target).params if entry_link is not None else (),
        links=tuple(LinkPlan(link, compile_path(link.path), model.page(link.target).params) for link in page.links),
        subs=subs,
        next=compile_path(page.next) if page.next else None,
        total=compile_path(page.total) if page.total else None,
        follow=compile_path(page.survey.follow) if page.survey and page.survey.follow else None,
        reads_scripts=any(plan.reads_scripts for plan in inside)
        or any(names_element(path, ROOT) for path in _paths(page)),
        focus=_focus_plan(page),
        leads=_judge(page.survey.leads) if page.survey and page.survey.leads else None,
        read_as=read_as,
    )


def _focus_plan(page: Page) -> FocusPlan | None:
    if page.focus is None:
        return None
    threshold = page.focus.threshold
    return FocusPlan(_judge(page.focus.criteria), None if threshold is None else Decimal(repr(threshold)))


def _judge(criteria: Sequence[Criterion]) -> Judge:
    """What judges by criteria; few models have any, and small runs consist of importing."""
    from rdfcrawl.engine.criteria.judging import Judge

    return Judge(criteria)


def _paths(page: Page) -> Iterator[str]:
    item = page.item
    texts = [link.path for link in page.all_links] + [page.next, page.total]
    if page.focus is not None:
        every = [inner for criterion in page.focus.criteria for inner in criterion.every()]
        texts += [inner.texts[0] for inner in every if inner.kind == CriterionKind.FOUND]
    if item is not None:
        texts += [item.path, item.id_path, *(prop.path for prop in item.properties)]
    return filter(None, texts)


def _item_plan(item: Item, single: frozenset[str]) -> ItemPlan:
    template = parse_template(item.template) if item.template else None
    named = placeholders(template) if template else ()
    properties = [_property_plan(prop, prop.iri in (*item.key, *named)) for prop in item.properties]
    cells = _cells(properties)
    return ItemPlan(
        item=item,
        path=compile_path(item.path),
        id_path=compile_path(item.id_path) if item.id_path else None,
        properties=tuple(_in_row(prop, cells) for prop in properties),
        predicate=ntriples.iri(item.predicate),
        type_triple=f"{ntriples.RDF_TYPE} {ntriples.iri(item.rdf_class)}" if item.rdf_class else None,
        single=frozenset(map(ntriples.iri, single)),
        template=template,
        cells=cells,
    )


def _cells(properties: Sequence[PropertyPlan]) -> tuple[str, int] | None:
    """Which cells of a row are worth being looked at together: those of which the properties take at least half."""
    asked = [prop.path.cell for prop in properties if prop.ending is not None and prop.path.cell is not None]
    if not asked:
        return None
    name = Counter(name for name, _ in asked).most_common(1)[0][0]
    indexes = {index for other, index in asked if other == name}
    count = max(indexes) + 1
    return (name, count) if 2 * len(indexes) >= count else None


def _in_row(prop: PropertyPlan, cells: tuple[str, int] | None) -> PropertyPlan:
    if cells is None or prop.ending is None or prop.path.cell is None or prop.path.cell[0] != cells[0]:
        return prop
    return replace(prop, cell=prop.path.cell[1])


def _property_plan(prop: Property, is_key: bool) -> PropertyPlan:
    source = source_of(prop)
    pipeline = Pipeline(prop, source.emptiness)
    return PropertyPlan(
        property=prop,
        path=compile_path(prop.path),
        source=source,
        pipeline=pipeline,
        predicate=ntriples.iri(prop.predicate),
        is_key=is_key,
        stated=stated_by(prop),
        ending=pipeline.ending if isinstance(source, VisibleText) and not prop.multiple else None,
    )
