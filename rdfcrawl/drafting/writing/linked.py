"""Values that are links to pages of their own become objects with these addresses: actors, authors, subjects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from lxml.etree import _Element as Element

from rdfcrawl.drafting.reading.records import is_file
from rdfcrawl.drafting.reading.slots import Sample
from rdfcrawl.drafting.reading.tracking import tracking_parameters
from rdfcrawl.drafting.reading.xpaths import elements_at
from rdfcrawl.drafting.writing.forms import Form
from rdfcrawl.drafting.writing.naming import Names, singular
from rdfcrawl.drafting.writing.outline import DraftedItem, DraftedPage, DraftedProperty

_LEAST_TARGETS: Final = 4
_NAME: Final = "name"


def with_linked(
    properties: Sequence[DraftedProperty], samples: Sequence[Sample], names: Names
) -> tuple[tuple[DraftedProperty, ...], list[DraftedPage]]:
    """The properties, and the pages of objects that take the place of some; these are only offered then."""
    kept: list[DraftedProperty] = []
    pages: list[DraftedPage] = []
    for found in properties:
        page = _page(found, samples, names)
        if page is not None:
            pages.append(page)
        kept.append(found if page is None else replace(found, active=False))
    return tuple(kept), pages


def _page(found: DraftedProperty, samples: Sequence[Sample], names: Names) -> DraftedPage | None:
    """The objects that the values of a property name, if each of them leads to a page of its own on the same site."""
    if not (found.active and found.multiple and found.form == Form() and found.attribute is None):
        return None
    elements = [(sample, element) for sample in samples for element in elements_at(found.path[1:], sample)]
    link = "." if all(element.tag == "a" for _, element in elements) else ".//a"
    targets: dict[str, set[str]] = defaultdict(set)
    for sample, element in elements:
        address = _target(element, sample)
        if address is None:
            return None
        targets[address].add(sample.text_of(element))
    texts = set().union(*targets.values())
    if len(targets) < _LEAST_TARGETS or len(texts) < len(targets) or any(len(named) > 1 for named in targets.values()):
        return None
    name = names.take(singular(found.name))
    label = DraftedProperty(_NAME, ".", found.samples, len(elements), len(elements), is_label=True)
    item = DraftedItem(name, found.path, (label,), id_path=link)
    return DraftedPage(names.take(f"{name}List"), "objects", item, params=tuple(tracking_parameters(targets)))


def _target(element: Element, sample: Sample) -> str | None:
    """Where an element leads that is a link to a page of the same host, or consists of one."""
    links = [element] if element.tag == "a" else list(element.iter("a"))
    if len(links) != 1 or sample.texts.get(links[0]) != sample.texts.get(element):
        return None
    address = sample.address_of(links[0]) if links[0].get("href") else None
    if address is None or "#" in address or is_file(address):
        return None
    here = sample.document.address
    is_near = urlsplit(address).hostname == urlsplit(here).hostname
    return address if is_near and address.partition("?")[0] != here.partition("?")[0] else None
