"""The root element of an object: the narrowest one with a lasting name that holds everything that was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from lxml.etree import _Element as Element

from rdfcrawl.drafting.reading.slots import Sample
from rdfcrawl.drafting.reading.xpaths import elements_at, literal, texts_at
from rdfcrawl.drafting.writing.outline import DraftedProperty

WHOLE_PAGE: Final = "//body"


def root_path(samples: Sequence[Sample], properties: Sequence[DraftedProperty], inner: Sequence[str]) -> str:
    """The path of the root; ``inner`` are the paths of nested rows and links, which must be inside it, too."""
    whole = [_found(WHOLE_PAGE, sample, properties, inner) for sample in samples]
    for path in _candidates(samples):
        pairs = zip(samples, whole, strict=True)
        if all(all_of_it and _holds(path, sample, properties, inner, all_of_it) for sample, all_of_it in pairs):
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


_Found = list[list[str] | list[Element]]
"""What each property and each nested path finds from a root."""


def _found(path: str, sample: Sample, properties: Sequence[DraftedProperty], inner: Sequence[str]) -> _Found | None:
    """What is found from the only root that a path leads to."""
    roots = elements_at(path, sample)
    return list(_finds(roots[0], sample, properties, inner)) if len(roots) == 1 else None


def _holds(
    path: str, sample: Sample, properties: Sequence[DraftedProperty], inner: Sequence[str], whole: _Found
) -> bool:
    """Whether as much is found from the root as from the whole page."""
    roots = elements_at(path, sample)
    if len(roots) != 1:
        return False
    return all(one == other for one, other in zip(_finds(roots[0], sample, properties, inner), whole, strict=False))


def _finds(
    root: Element, sample: Sample, properties: Sequence[DraftedProperty], inner: Sequence[str]
) -> Iterator[list[str] | list[Element]]:
    yield from (texts_at(found.path, sample, root) for found in properties)
    yield from (elements_at(each, sample, root) for each in inner)
