"""The path of the links on some pages that lead to known addresses, and to nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rdfcrawl.drafting.reading.records import linked
from rdfcrawl.drafting.reading.slots import Sample
from rdfcrawl.drafting.ways.fresh import paths_to

_LEAST_FOUND: Final = 0.8
_LEAST_RIGHT: Final = 0.95


def linking_path(samples: Sequence[Sample], wanted: Sequence[Sequence[str]]) -> str | None:
    """The first path that finds nearly all of the wanted links of every page, and hardly any other."""
    targets = [set(addresses) for addresses in wanted]
    elements = [
        (element, None)
        for sample, addresses in zip(samples, targets, strict=True)
        for element in sample.by_tag.get("a", ())
        if (address := sample.address_of(element)) and address.partition("#")[0] in addresses
    ]
    all_wanted = sum(map(len, targets))
    for path in paths_to(elements, several=True):
        found = [{address for _, address in linked(path, sample)} for sample in samples]
        right = sum(len(one & addresses) for one, addresses in zip(found, targets, strict=True))
        if right >= _LEAST_FOUND * all_wanted and right >= _LEAST_RIGHT * sum(map(len, found)):
            return path
    return None
