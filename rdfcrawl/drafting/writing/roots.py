"""The root element of an object: the narrowest one with a lasting name that holds everything that was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rdfcrawl.drafting.reading.slots import Sample
from rdfcrawl.drafting.reading.xpaths import elements_at, literal, texts_at
from rdfcrawl.drafting.writing.outline import DraftedProperty

WHOLE_PAGE: Final = "//body"


def root_path(samples: Sequence[Sample], properties: Sequence[DraftedProperty], inner: Sequence[str]) -> str:
    """The path of the root; ``inner`` are the paths of nested rows and links, which must be inside it, too."""
    for path in _candidates(samples):
        if all(_holds(path, sample, properties, inner) for sample in samples):
            return path
    return WHOLE_PAGE


def _candidates(samples: Sequence[Sample]) -> Iterator[str]:
    """Paths of elements that every page has once, the narrowest first."""
    found: list[tuple[int, str]] = []
    for name, elements in samples[0].by_id.items():
        if all(len(sample.by_id.get(name, ())) == 1 for sample in samples) and samples[0].texts.get(elements[0]):
            found.append((samples[0].texts[elements[0]], f"//{elements[0].tag}[@id={literal(name)}]"))
    for tag in ("main", "article"):
        if all(len(sample.by_tag.get(tag, ())) == 1 for sample in samples):
            found.append((samples[0].texts.get(samples[0].by_tag[tag][0], 0), f"//{tag}"))
    return (path for _, path in sorted(found))


def _holds(path: str, sample: Sample, properties: Sequence[DraftedProperty], inner: Sequence[str]) -> bool:
    roots, whole = elements_at(path, sample), elements_at(WHOLE_PAGE, sample)
    if len(roots) != 1 or len(whole) != 1:
        return False
    for found in properties:
        if texts_at(found.path, sample, roots[0]) != texts_at(found.path, sample, whole[0]):
            return False
    return all(roots[0].xpath(each) == whole[0].xpath(each) for each in inner)
