"""The parts of a model that say where something is on a page, from the outside to the inside."""

from __future__ import annotations

from collections.abc import Iterator

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.repair.facts import LINK
from rdfcrawl.metamodel.model import Item, Model, Page, Property
from rdfcrawl.rdf.ntriples import iri


@dataclass(frozen=True, slots=True)
class Part:
    """A selector: whose it is, which term, its text, and the predicates of what it finds.

    ``prop`` is the property that has it, ``item`` the class of objects that it is read from.
    """

    term: str
    name: str
    text: str
    predicates: frozenset[str]
    item: Item | None = None
    prop: Property | None = None


def parts_of(model: Model, page: Page) -> Iterator[Part]:
    """The selectors that are evaluated on a page, with those of the pages nested in it."""
    for link in page.all_links:
        yield Part(link.iri, "path", link.path, frozenset((f"{LINK}{link.target}",)), page.item)
    if page.item is not None:
        yield from _of_item(page.item)
    for nested in page.subs:
        yield from parts_of(model, model.page(nested))


def _of_item(item: Item) -> Iterator[Part]:
    edges = iri(item.predicate)
    yield Part(
        item.iri, "path", item.path, frozenset((edges, *(iri(prop.predicate) for prop in item.properties))), item
    )
    if item.id_path:
        yield Part(item.iri, "id", item.id_path, frozenset((edges,)), item)
    for prop in item.properties:
        yield Part(prop.iri, "path", prop.path, frozenset((iri(prop.predicate),)), item, prop)
