"""The edges between sections, objects and the objects that they lead to.

Links pages are transparent: an edge starts at the nearest enclosing object or section. Only this module knows that.
"""

from __future__ import annotations

from collections.abc import Iterator

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.model import Item, Model, Page


@dataclass(frozen=True, slots=True)
class Step:
    """A step to another page: the page that it starts from, and the XPath of the links; ``None`` for a nested page."""

    page: Page
    path: str | None


@dataclass(frozen=True, slots=True)
class Trail:
    """A way to a page from where its edges start: the objects of ``start.page``, or a section if there is no ``start``.

    ``passed`` are the steps through transparent pages in between, the last one first.
    """

    start: Step | None
    passed: tuple[Step, ...] = ()


def items_below(model: Model, page: str) -> tuple[Item, ...]:
    """The items whose objects have the same parent as the page, ordered by IRI."""
    found: dict[str, Item] = {}
    waiting, seen = [page], {page}
    while waiting:
        reached = model.page(waiting.pop())
        found |= {item.iri: item for item in reached.items}
        if reached.read_as is not None and reached.read_as not in seen:
            seen.add(reached.read_as)
            waiting.append(reached.read_as)
        if reached.is_transparent:
            targets = {link.target for link in reached.all_links} - seen
            seen |= targets
            waiting += targets
    return tuple(found[iri] for iri in sorted(found))


def predicates_below(model: Model, page: str) -> frozenset[str]:
    """The predicates of the edges that reading this page can add to its parent."""
    return frozenset(item.predicate for item in items_below(model, page))


def predicates_inside(model: Model, page: Page) -> frozenset[str]:
    """The predicates of the edges that start at the objects of a page, to what is nested in it or linked from it."""
    below = (*page.subs, *(link.target for link in page.all_links))
    return frozenset(predicate for target in below for predicate in predicates_below(model, target))


def trails_to(model: Model, target: str, seen: frozenset[str] = frozenset()) -> Iterator[Trail]:
    """Every way to a page; none passes through one of the pages in ``seen``."""
    if any(section.page == target for section in model.sections):
        yield Trail(None)
    for page in model.pages.values():
        if page.iri in seen:
            continue
        if page.read_as == target:
            # Finds have the same parent as the pages that they are; what makes them finds is a part of the way.
            for trail in trails_to(model, page.iri, seen | {page.iri}):
                yield Trail(trail.start, (Step(page, page.judgement), *trail.passed))
        for step in _steps(page, target):
            if not page.is_transparent:
                yield Trail(step)
                continue
            for trail in trails_to(model, page.iri, seen | {page.iri}):
                yield Trail(trail.start, (step, *trail.passed))


def _steps(page: Page, target: str) -> Iterator[Step]:
    yield from (Step(page, link.path) for link in page.all_links if link.target == target)
    if target in page.subs:
        yield Step(page, None)
