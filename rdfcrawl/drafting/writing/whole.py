"""The model of a site from the kinds of its pages: each drafted from its documents, checked, and tried on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from rdfcrawl.drafting.reading.labels import find_labels
from rdfcrawl.drafting.reading.slots import Sample
from rdfcrawl.drafting.site.plan import LINKS, OBJECT, OBJECTS, PageKind, SitePlan
from rdfcrawl.drafting.site.result import Draft, SampledProperty
from rdfcrawl.drafting.ways.links import linking_path
from rdfcrawl.drafting.writing.assembly import draft_object_page
from rdfcrawl.drafting.writing.naming import Names, item_names, plural, topic
from rdfcrawl.drafting.writing.nested import drafted_item, find_groups, group_name
from rdfcrawl.drafting.writing.outline import DraftedLink, DraftedPage, Outline
from rdfcrawl.drafting.writing.turtle import write_turtle
from rdfcrawl.drafting.writing.verification import verified
from rdfcrawl.engine.document.tree import Document
from rdfcrawl.rdf import terms

_SHOWN: Final = 2
"""How many of the pages with one object are named for whoever wants to look at them."""


def drafted_site(plan: SitePlan, pages: Sequence[Sample]) -> Draft:
    """The draft of a site; one without a model if its pages have nothing that varies."""
    drafter = _Drafter(pages, plan.most)
    sections, drafted = _entered(drafter, (plan, *plan.more))
    if not drafted or not any(
        found.active for page in drafted for found in (page.item.properties if page.item else ())
    ):
        return Draft("", (), ("the sample pages have no values that differ from page to page",))
    outline = Outline(tuple(sections.items()), tuple(drafted), tuple(plan.doubts))
    outline = verified(outline, drafter.sampled)
    outline = replace(outline, doubts=(*outline.doubts, *_demanded(outline)))
    host = urlsplit(plan.starts[0]).hostname or "a site"
    items = ", ".join(dict.fromkeys(item.name for item in outline.items()))
    text = write_turtle(outline, f"{host}: {items}")
    shown = tuple(
        (page.name, document.address)
        for page in outline.all_pages()
        for document in drafter.sampled.get(page.name, ())[: _SHOWN if page.kind == OBJECT else 1]
    )
    return Draft(text, tuple(_sampled(outline)), outline.doubts, shown)


def _entered(drafter: _Drafter, plans: Sequence[SitePlan]) -> tuple[dict[str, str], list[DraftedPage]]:
    """The sections with their pages, and all pages; a section that has a page already gets more links."""
    sections: dict[str, str] = {}
    pages: dict[str, DraftedPage] = {}
    for plan in plans:
        found = drafter.pages(plan.first)
        pages |= {page.name: page for page in found}
        for start in plan.starts if found else ():
            known = pages[sections.setdefault(start, found[0].name)]
            first = found[0]
            if known is not first and known.kind == first.kind == LINKS and first.path and first.target:
                link = DraftedLink(first.name, first.path, first.target)
                if link not in known.links:
                    pages[known.name] = replace(known, links=(*known.links, link))
    joined = {link.name for page in pages.values() for link in page.links}
    return sections, drafter.linked([page for page in pages.values() if page.name not in joined])


def _demanded(outline: Outline) -> Iterator[str]:
    """What every sample has, so that the model demands it; other pages may lack it, or write it otherwise."""
    for item in outline.items():
        names = [f"{item.name}:{found.name}" for found in item.properties if found.active and not found.optional]
        if names:
            lacking = "what lacks one will be reported as missing, unless :optional, and what lacks all as no-values"
            yield f"all samples have {', '.join(names)}; {lacking}"
        else:
            yield f"no value of item:{item.name} is on all samples; objects without any will be reported as no-values"
        formed = [f"{item.name}:{found.name}" for found in item.properties if found.active and found.form.is_demanding]
        if formed:
            yield f"all samples of {', '.join(formed)} have one form; another one will be reported as misfit"


def _sampled(outline: Outline) -> Iterator[SampledProperty]:
    for item in outline.items():
        for found in item.properties:
            datatype = found.form.datatype.removeprefix(terms.XSD)
            yield SampledProperty(
                item.name, found.name, found.path, datatype, found.seen, found.pages, found.samples, found.active
            )


class _Drafter:
    """Drafts kinds of pages one after the other, and remembers which documents each page was drafted from."""

    def __init__(self, pages: Sequence[Sample], most: int) -> None:
        self._pages = pages
        self._most = most
        self._names = Names()
        self._is_english = (pages[0].document.root.get("lang") or "en").startswith("en")
        self.sampled: dict[str, list[Document]] = {}
        self._clusters: dict[int, str] = {}
        self._links_to: list[tuple[str, str, int]] = []

    def linked(self, pages: Sequence[DraftedPage]) -> list[DraftedPage]:
        """The pages, with the lists in them that lead to what was drafted elsewhere."""
        result = {page.name: page for page in pages}
        for name, path, cluster in self._links_to:
            target = self._clusters.get(cluster)
            if name in result and target in result:
                own = self._names.take(plural(target, is_english=self._is_english))
                sub = DraftedPage(own, LINKS, path=f".{path}", target=target)
                result[name] = replace(result[name], subs=(*result[name].subs, sub))
        return list(result.values())

    def pages(self, kind: PageKind, parents: Sequence[str] = ()) -> list[DraftedPage]:
        """The page of a kind, followed by those that it leads to; none if there is nothing on them.

        ``parents`` are the addresses of the objects that the pages belong to.
        """
        if kind.kind == LINKS:
            return self._links(kind, kind.path or "", parents)
        return self._objects(kind) if kind.kind == OBJECTS else self._object(kind, parents)

    def _links(self, kind: PageKind, path: str, parents: Sequence[str]) -> list[DraftedPage]:
        targets = self.pages(kind.target, parents) if kind.target else []
        if not targets:
            return []
        page = DraftedPage(
            self._names.take(plural(targets[0].name, is_english=self._is_english)),
            LINKS,
            path=path,
            next=kind.next,
            more=kind.more,
            scroll=kind.scroll,
            render=kind.render,
            target=targets[0].name,
        )
        self.sampled[page.name] = [self._pages[number].document for number in kind.documents]
        return [page, *targets]

    def _object(self, kind: PageKind, parents: Sequence[str]) -> list[DraftedPage]:
        samples = self._samples(kind)
        addresses = [sample.document.address for sample in samples]
        name = self._names.first(item_names(addresses, parents))
        for sub in kind.subs:
            sub.path = sub.path or linking_path(samples, sub.wanted)
        inner = [sub.path for sub in kind.subs if sub.path]
        drafted = draft_object_page(samples, name, most=self._most, inner=inner, names=self._names)
        if not drafted.item or not any(found.active for found in drafted.item.properties):
            return []
        self.sampled[name] = [sample.document for sample in samples]
        if kind.cluster is not None:
            self._clusters[kind.cluster] = name
        subs: list[DraftedPage] = list(drafted.subs)
        further: list[DraftedPage] = []
        for sub in kind.subs:
            if sub.path and sub.target and sub.target.cluster is not None:
                self._links_to.append((name, sub.path, sub.target.cluster))
            elif sub.path and (found := self._links(sub, f".{sub.path}", addresses)):
                self.sampled.pop(found[0].name)
                subs.append(found[0])
                further += found[1:]
        page = replace(drafted, subs=tuple(subs), render=kind.render, params=tuple(kind.params))
        return [page, *further]

    def _objects(self, kind: PageKind) -> list[DraftedPage]:
        samples = self._samples(kind)
        groups = find_groups(samples, find_labels(samples), nested=False)
        if not groups:
            return []
        addresses = [sample.document.address for sample in samples]
        name = self._names.take(topic(addresses[0], group_name(groups[0])))
        item = drafted_item(groups[0], samples, name, nested=False)
        page = DraftedPage(
            self._names.take(plural(name, is_english=self._is_english)),
            OBJECTS,
            item,
            next=kind.next,
            more=kind.more,
            scroll=kind.scroll,
            render=kind.render,
        )
        self.sampled[page.name] = [sample.document for sample in samples]
        return [page]

    def _samples(self, kind: PageKind) -> list[Sample]:
        return [self._pages[number].numbered(place) for place, number in enumerate(kind.documents)]
