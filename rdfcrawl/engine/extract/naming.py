"""Who decides the IRI of an object: its page, else its ``:id``, else its values.

What that takes: the page's address without its ``:param``s, the link that ``:id`` finds from the root element, and the
raw values of the properties that count. How addresses are cleaned and values hashed is in ``identity``.
"""

from __future__ import annotations

from rdfcrawl.engine.document.tree import Element, address_of
from rdfcrawl.engine.extract.identity import clean_address, hash_iri
from rdfcrawl.engine.extract.plan import ItemPlan, PagePlan
from rdfcrawl.engine.extract.reading import Reading, ReadObject
from rdfcrawl.engine.problem import ProblemKind

KeyValues = list[tuple[str, str]]
"""The properties that count for the name of an object, each with one of its raw values."""


def name_object(
    reading: Reading,
    plan: PagePlan,
    item: ItemPlan,
    element: Element,
    holder: ReadObject | None,
    key_values: KeyValues,
) -> str:
    """The IRI of the object at ``element``; ``holder`` is the object that it is nested in."""
    page = plan.page
    if holder is None and page.address_names_object:
        return reading.address
    if item.id_path is not None:
        outer = reading.document.root if holder is None else holder.element
        matches = reading.document.select(item.id_path, element, outer=outer, root=element)
        address = address_of(matches[0], reading.document.base) if matches else None
        if address is not None:
            return clean_address(address, page.params)
        reading.problem(
            ProblemKind.BAD_ADDRESS,
            "the link that :id names is not there or has no address; the object is named by its values instead",
            path=item.item.id_path,
        )
    return hash_iri(reading.address, key_values, page.params)


def entry_name(item: ItemPlan, subject: str) -> str:
    """How an object is known wherever a list shows it; one that is named by its values, by their hash alone."""
    return subject if item.id_path is not None else subject.rpartition("#")[2]
