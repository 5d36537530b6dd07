"""``type:site``: the page is an address of a site, and what it links to are others."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Final

from rdfcrawl.engine.document.tree import Element
from rdfcrawl.engine.extract.found import FoundObject
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.extract.objects import read_objects
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
        """Read what the page says about itself, its links and images, and its item if it has one."""
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
        belongs = belongs_to(reading.list_address, page.scope, page.skips)
        is_nofollow = page_says_nofollow(document.root)
        result.leads = _leads(links, targets, belongs, _selected(reading, plan), is_nofollow)
        result.triples += facts(
            reading.address,
            title=_title(document.root),
            language=(document.root.get("lang") or document.root.get("xml:lang") or "").strip(),
            linkCount=len(result.links),
            imageCount=len(result.images),
        )
        # A page that leads nowhere and has scripts may only lead somewhere once they have run.
        result.complete_entries = int(bool(result.links) or next(document.root.iter("script"), None) is None)

    def read_nested(self, reading: Reading, plan: PagePlan, holder: FoundObject) -> None:
        """Do nothing: a site is never part of another page."""


def _leads(
    links: Iterable[SiteLink],
    targets: Iterable[str],
    belongs: Belongs,
    selected: Collection[Element] | None,
    is_nofollow: bool,
) -> list[str]:
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
    return [lead.to_line() for lead in found.values()]


def _selected(reading: Reading, plan: PagePlan) -> Collection[Element] | None:
    """All elements in which links are followed; ``None`` if that is everywhere."""
    if plan.follow is None:
        return None
    root = reading.document.root
    return {inside for element in reading.elements(plan.follow, root) for inside in element.iter()}


def _title(root: Element) -> str:
    for element in root.iter("title"):
        parent = element.getparent()
        if parent is None or parent.tag != "svg":
            return text_within(element)[:_LONGEST_TITLE]
    return ""
