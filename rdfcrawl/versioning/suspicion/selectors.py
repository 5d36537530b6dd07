"""A suspicion goes in; the part of the model that has probably died comes out.

The problems of the run are the best witnesses. Where there are none, it is the selector that leads to what is missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rdfcrawl.metamodel.edges import Step, trails_to
from rdfcrawl.metamodel.model import Item, Link, Model, Page, Property
from rdfcrawl.store.runs.suspicion import Suspicion
from rdfcrawl.versioning.suspicion.evidence import (
    BAD_ADDRESS,
    EMPTY_LIST,
    GONE,
    MISFIT,
    NO_LINK,
    NO_ROOT,
    NO_VALUES,
    Evidence,
    Trouble,
)


class SelectorPart(NamedTuple):
    """A term of the model with its value: the IRI of who has it, its name, and its text."""

    term: str
    name: str
    text: str


def dead_part(model: Model, suspicion: Suspicion, evidence: Evidence) -> SelectorPart | None:
    """What has probably died; nothing if the server itself says that the pages are gone."""
    pages = [page for page in model.pages.values() if page.item and page.item.predicate == suspicion.item]
    if suspicion.prop is not None:
        props = [prop for page in pages for prop in _properties(page.item) if prop.predicate == suspicion.prop]
        return _of_property(props, evidence) if props else None
    ways = [step for page in pages for step in _steps_to(model, page.iri, suspicion.parent)]
    witness = _witness(model, pages, ways, suspicion, evidence)
    if witness is not None and witness.kind == GONE:
        return None
    if witness is not None and (found := _accused(witness, pages, ways, evidence)):
        return found
    return _by_reasoning(pages, ways, suspicion, evidence)


def _witness(
    model: Model, pages: Iterable[Page], ways: Iterable[Step], suspicion: Suspicion, evidence: Evidence
) -> Trouble | None:
    """The most frequent problem of a page that leads to the objects or has them, if it explains half of the loss."""
    own, leading = _documents(model, pages), _documents(model, (step.page for step in ways))
    places = {
        GONE: own,
        NO_ROOT: own,
        NO_VALUES: own,
        EMPTY_LIST: own | leading,
        NO_LINK: leading,
        BAD_ADDRESS: own | leading,
    }
    heard = Counter({one: n for one, n in evidence.troubles.items() if one.page in places.get(one.kind, ())})
    for trouble, count in heard.most_common(1):
        if trouble.kind in (EMPTY_LIST, NO_LINK, BAD_ADDRESS) or 2 * count >= suspicion.lost:
            return trouble
    return None


def _documents(model: Model, pages: Iterable[Page]) -> set[str]:
    """The pages themselves and those that they are nested in: a problem names the page that was read."""
    found = {page.iri for page in pages}
    while around := {page.iri for page in model.pages.values() if found.intersection(page.subs)} - found:
        found |= around
    return found


def _accused(witness: Trouble, pages: list[Page], ways: list[Step], evidence: Evidence) -> SelectorPart | None:
    """The part of the model that a problem is about."""
    if witness.kind == NO_VALUES:
        return _of_property([prop for page in pages for prop in _properties(page.item)], evidence)
    for item in (page.item for page in pages if page.item is not None):
        if witness.path == item.path:
            return SelectorPart(item.iri, "path", item.path)
        if item.id_path and witness.path == item.id_path:
            return SelectorPart(item.iri, "id", item.id_path)
    links = (link for step in ways for link in step.page.all_links)
    return next((_of_link(link) for link in links if link.path == witness.path), None)


def _by_reasoning(pages: list[Page], ways: list[Step], suspicion: Suspicion, evidence: Evidence) -> SelectorPart | None:
    lists = [page for page in (*(step.page for step in ways), *pages) if page.is_list]
    if suspicion.lost < suspicion.known and not suspicion.come:
        for page in lists:
            if page.next:
                return SelectorPart(page.iri, "next", page.next)
            if page.more:
                return SelectorPart(page.iri, "more", page.more)
    items = [page.item for page in pages if page.item is not None]
    if suspicion.come and items and not any(page.address_names_object for page in pages):
        return _naming(items[0], evidence)
    for page in pages:
        if not page.address_names_object and page.item is not None:
            return SelectorPart(page.item.iri, "path", page.item.path)
    linked = [link for step in ways for link in step.page.all_links if link.path == step.path]
    if linked:
        return _of_link(linked[0])
    return SelectorPart(items[0].iri, "path", items[0].path) if items else None


def _naming(item: Item, evidence: Evidence) -> SelectorPart:
    """What names the objects: others have come in place of those that are missing."""
    if item.id_path:
        return SelectorPart(item.iri, "id", item.id_path)
    named = [prop for prop in item.properties if prop.iri in item.key] or list(item.properties)
    return (_of_property(named, evidence) if named else None) or SelectorPart(item.iri, "path", item.path)


def _of_property(properties: list[Property], evidence: Evidence) -> SelectorPart | None:
    """The property with the most problems, and of its terms the one that they are about."""
    heard: Counter[tuple[str, str, bool]] = Counter()
    for trouble, count in evidence.troubles.items():
        if trouble.property is not None:
            heard[trouble.property, trouble.kind, trouble.has_text] += count
    by_property = Counter({prop: sum(n for key, n in heard.items() if key[0] == prop.iri) for prop in properties})
    if not by_property:
        return None
    prop = by_property.most_common(1)[0][0]
    own = Counter({key: count for key, count in heard.items() if key[0] == prop.iri})
    _, kind, has_text = own.most_common(1)[0][0] if own else ("", "", False)
    if kind == MISFIT and prop.format:
        return SelectorPart(prop.iri, "format", prop.format)
    if kind != MISFIT and has_text and prop.pattern:
        return SelectorPart(prop.iri, "pattern", prop.pattern)
    return SelectorPart(prop.iri, "path", prop.path)


def _of_link(link: Link) -> SelectorPart:
    """A link, or the page that consists of such links; both have a path."""
    return SelectorPart(link.iri, "path", link.path)


def _properties(item: Item | None) -> tuple[Property, ...]:
    return item.properties if item is not None else ()


def _steps_to(model: Model, page: str, parent: str | None) -> Iterator[Step]:
    """The steps that lead to a page, the nearest first, from a class or start page (``parent``) or from anywhere."""
    for trail in trails_to(model, page):
        start = trail.start.page.item if trail.start else None
        begins = start.predicate if start else None
        starts = {section.page for section in model.sections}
        if parent is not None and begins != parent and not (trail.start is None and parent in starts):
            continue
        yield from trail.passed
        if trail.start is not None:
            yield trail.start
