"""From sample pages to the pages and items of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rdfcrawl.draft.reading.labels import find_labels
from rdfcrawl.draft.reading.slots import Sample
from rdfcrawl.draft.ways.choice import choose
from rdfcrawl.draft.ways.ranking import ranked
from rdfcrawl.draft.writing.naming import distinct
from rdfcrawl.draft.writing.nested import drafted_item, find_groups, group_name
from rdfcrawl.draft.writing.outline import DraftedItem, DraftedPage
from rdfcrawl.draft.writing.properties import drafted_properties

MOST_PROPERTIES: Final = 25
_MOST_GROUPS: Final = 6


def draft_object_page(samples: Sequence[Sample], name: str, *, most: int = MOST_PROPERTIES) -> DraftedPage:
    """The page that describes the samples: one object each, with what is nested in it."""
    labels = find_labels(samples)
    groups = find_groups(samples, labels)[:_MOST_GROUPS]
    taken = {place for group in groups for place in group.places(samples)}
    properties = drafted_properties(ranked(choose(samples, labels, taken), samples), samples, labels, most=most)
    names = distinct([name, *(group_name(group, samples) for group in groups)])[1:]
    subs = tuple(
        DraftedPage(
            f"{sub}s" if not sub.endswith("s") else f"{sub}List",
            "objects",
            drafted_item(group, samples, sub, nested=True),
        )
        for group, sub in zip(groups, names, strict=True)
    )
    item = DraftedItem(name, "//body", _with_label(properties))
    return DraftedPage(name, "object", item, subs=subs)


def _with_label(properties: tuple) -> tuple:
    """The first heading is what a person would call the object by."""
    return tuple(
        replace(found, is_label=True) if number == 0 and found.active and not found.optional else found
        for number, found in enumerate(properties)
    )
