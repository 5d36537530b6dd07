"""From sample pages to the pages and items of a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rdfcrawl.drafting.reading.labels import find_labels
from rdfcrawl.drafting.reading.slots import Sample
from rdfcrawl.drafting.reading.xpaths import elements_at
from rdfcrawl.drafting.site.plan import MOST_PROPERTIES
from rdfcrawl.drafting.ways.choice import choose
from rdfcrawl.drafting.ways.ranking import ranked
from rdfcrawl.drafting.writing.extras import attribute_properties, with_aliases
from rdfcrawl.drafting.writing.linked import with_linked
from rdfcrawl.drafting.writing.naming import Names
from rdfcrawl.drafting.writing.nested import drafted_item, find_groups, group_name
from rdfcrawl.drafting.writing.outline import DraftedItem, DraftedPage, DraftedProperty
from rdfcrawl.drafting.writing.properties import drafted_properties
from rdfcrawl.drafting.writing.roots import root_path

_MOST_GROUPS: Final = 6


def draft_object_page(
    samples: Sequence[Sample],
    name: str,
    *,
    most: int = MOST_PROPERTIES,
    inner: Sequence[str] = (),
    names: Names | None = None,
) -> DraftedPage:
    """The page that describes the samples: one object each, with what is nested in it.

    ``inner`` are the paths of lists of links that belong to the object, ``names`` those that are taken.
    """
    names = names or Names()
    labels = find_labels(samples)
    groups = find_groups(samples, labels)[:_MOST_GROUPS]
    taken = {place for group in groups for place in group.places(samples)}
    taken.update(place for path in inner for sample in samples for place in _places(path, sample))
    chosen = ranked(choose(samples, labels, taken), samples)
    told = drafted_properties(chosen, samples, labels, most=most)
    properties = with_aliases(_with_label(_limited((*told, *attribute_properties(samples, told)), most)), samples)
    properties, subs = with_linked(properties, samples, names)
    paths = [sub.item.path for sub in subs if sub.item]
    for group in groups:
        sub = names.take(group_name(group))
        subs.append(DraftedPage(names.take(f"{sub}List"), "objects", drafted_item(group, samples, sub, nested=True)))
    paths += [*(f".{group.path}" for group in groups), *(f".{path}" for path in inner)]
    root = root_path(samples, [found for found in properties if found.active], paths)
    return DraftedPage(name, "object", DraftedItem(name, root, properties), subs=tuple(subs))


def _places(path: str, sample: Sample) -> Iterator[tuple[int, int]]:
    """The places of the texts that links lead on with."""
    for element in elements_at(path, sample):
        first = sample.first.get(element)
        if first is not None:
            yield from ((sample.number, first + place) for place in range(sample.texts[element]))


def _limited(properties: Sequence[DraftedProperty], most: int) -> tuple[DraftedProperty, ...]:
    """The active properties, at most so many of them, before those that are only offered."""
    active = [found for found in properties if found.active]
    others = [found for found in properties if not found.active]
    return (*active[:most], *(replace(found, active=False) for found in active[most:]), *others)


def _with_label(properties: tuple[DraftedProperty, ...]) -> tuple[DraftedProperty, ...]:
    """The first property is what a person would call the object by."""
    return tuple(
        replace(found, is_label=True) if number == 0 and found.active and not found.optional else found
        for number, found in enumerate(properties)
    )
