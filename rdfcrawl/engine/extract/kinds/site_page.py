"""``type:site``: the page is an address of a site, and what it links to are others."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from math import inf
from typing import Final

from rdfcrawl.engine.criteria.page_parts import joined_anchors
from rdfcrawl.engine.document.tree import Element, attribute_of
from rdfcrawl.engine.extract.focus import read_focus, reads_anchors, weights_of
from rdfcrawl.engine.extract.found import FoundObject
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.extract.kinds.objects import read_objects
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.extract.reading import Reading
from rdfcrawl.engine.site.facts import facts
from rdfcrawl.engine.site.leads import NOFOLLOW, TRAP, UNSELECTED, FoundLead
from rdfcrawl.engine.site.links import SiteLink, page_images, page_links, text_within
from rdfcrawl.engine.site.robots import page_says_nofollow
from rdfcrawl.engine.site.scope import Belongs, belongs_to
from rdfcrawl.engine.site.traps import suspicion
from rdfcrawl.metamodel.kinds.site_page import SitePage
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.ntriples import literal

_JSON: Final = terms.RDF + "JSON"
_LONGEST_TITLE: Final = 1_000


class SitePageReader:
    """Reads a page of a site; ``reading.list_address`` is where the site begins."""

    __slots__ = ()

    def read(self, reading: Reading, plan: PagePlan) -> None:
        """Read what the page says about itself, its links and images, its item if it has one, and its score."""
        page, result, document = plan.page, reading.result, reading.document
        assert isinstance(page, SitePage)
        if plan.item is not None:
            elements = reading.elements(plan.item.path, document.root)
            read_objects(reading, plan, plan.item, elements[:1], reading.top)
        links = list(page_links(document))
        targets = [clean_address(link.address, page.params) for link in links]
        result.links = [target for target in dict.fromkeys(targets) if target != reading.address]
        result.images = list(dict.fromkeys(page_images(document)))
        texts = dict.fromkeys((target, link.text) for target, link in zip(targets, links, strict=True) if link.text)
        if texts:
            result.link_texts = literal(json.dumps([*texts], ensure_ascii=False, separators=(",", ":")), _JSON)
        score = self._judged(reading, plan)
        weights = None if plan.leads is None else weights_of(plan.leads, document, links, score)
        belongs = belongs_to(reading.list_address, page.scope, page.skips)
        is_nofollow = page_says_nofollow(document.root)
        found = _leads(links, targets, belongs, _selected(reading, plan), is_nofollow)
        if weights is not None or reads_anchors(plan):
            _weigh(found, links, targets, weights, with_anchors=reads_anchors(plan))
        result.leads = [lead.to_line() for lead in found.values()]
        result.triples += facts(
            reading.address,
            title=page_title(document.root),
            language=page_language(document.root),
            linkCount=len(result.links),
            imageCount=len(result.images),
        )
        # A page that leads nowhere and has scripts may only lead somewhere once they have run.
        result.complete_entries = int(bool(result.links) or next(document.root.iter("script"), None) is None)

    def _judged(self, reading: Reading, plan: PagePlan) -> Decimal:
        """Judge the page, if the model looks for something, and read a find as what it is; returns the score."""
        if plan.focus is None:
            return Decimal(0)
        judgement = read_focus(reading, plan.focus)
        if plan.read_as is not None and plan.focus.is_find(judgement.score):
            reading.readers[type(plan.read_as.page)].read(reading, plan.read_as)
        return judgement.score

    def read_nested(self, reading: Reading, plan: PagePlan, holder: FoundObject) -> None:
        """Do nothing: a site is never part of another page."""


def _leads(
    links: Iterable[SiteLink],
    targets: Iterable[str],
    belongs: Belongs,
    selected: Collection[Element] | None,
    is_nofollow: bool,
) -> dict[str, FoundLead]:
    """The addresses of the site, each once; what nothing holds back goes before what something does."""
    found: dict[str, FoundLead] = {}
    for link, key in zip(links, targets, strict=True):
        held = NOFOLLOW if is_nofollow or link.nofollow else None
        if held is None and selected is not None and link.element not in selected:
            held = UNSELECTED
        known = found.get(key)
        if known is not None:
            if held is None and known.held in (NOFOLLOW, UNSELECTED):
                found[key] = known._replace(held=None)
        elif belongs(key):
            trap, family = suspicion(key)
            found[key] = FoundLead(key, link.address, held if trap is None else f"{TRAP}{trap}", family)
    return found


def _weigh(
    found: dict[str, FoundLead],
    links: Sequence[SiteLink],
    targets: Sequence[str],
    weights: Sequence[float] | None,
    *,
    with_anchors: bool,
) -> None:
    """Note what the heaviest link to each address weighs, and the texts of all links to it."""
    heaviest: dict[str, float] = {}
    texts: dict[str, set[str]] = {}
    for number, (link, key) in enumerate(zip(links, targets, strict=True)):
        if weights is not None:
            heaviest[key] = max(weights[number], heaviest.get(key, -inf))
        if with_anchors:
            texts.setdefault(key, set()).add(link.text)
    for key, lead in found.items():
        found[key] = lead._replace(score=heaviest.get(key, 0.0), anchors=joined_anchors(texts.get(key, ())))


def _selected(reading: Reading, plan: PagePlan) -> Collection[Element] | None:
    """All elements in which links are followed; ``None`` if that is everywhere."""
    if plan.follow is None:
        return None
    root = reading.document.root
    return {inside for element in reading.elements(plan.follow, root) for inside in element.iter()}


def page_language(root: Element) -> str:
    """The language that a page states for the whole of it."""
    return attribute_of(root, "lang") or attribute_of(root, "xml:lang") or ""


def page_title(root: Element) -> str:
    """The title of a page, not that of a drawing on it."""
    for element in root.iter("title"):
        parent = element.getparent()
        if parent is None or parent.tag != "svg":
            return text_within(element)[:_LONGEST_TITLE]
    return ""
