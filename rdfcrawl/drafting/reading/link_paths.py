"""Paths to the links of a list, by names before steps.

An XPath takes a millisecond on a large page, and there are hundreds that might do. Most are refused by what the links
of the page and the elements around them are called; only those that are left are evaluated.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Final

from lxml.etree import _Element as Element

from rdfcrawl.drafting.reading.records import RecordList, linked, start_of
from rdfcrawl.drafting.reading.slots import Sample
from rdfcrawl.drafting.reading.xpaths import literal, predicates

_PARAMETER: Final = re.compile(r"[?&]([\w.-]+=)")
_MOST_PATHS: Final = 8
_MANY_LINKS: Final = 2_000
_FEW_PATHS: Final = 2
_MOST_STEPS: Final = 7


def link_paths(found: RecordList, sample: Sample) -> list[str]:
    """Paths that find the links of a list and no others."""
    wanted = set(found.addresses)
    paths = dict.fromkeys(_paths(found, sample))
    if len(wanted) > _MANY_LINKS:
        # What libxml2 takes for a path grows with the square of what it finds: seconds for ten thousand links.
        paths = dict.fromkeys(islice(paths, _FEW_PATHS))
    right = (path for path in paths if {address for _, address in linked(path, sample)} == wanted)
    return list(islice(right, 1 if len(wanted) > _MANY_LINKS else _MOST_PATHS))


def _paths(found: RecordList, sample: Sample) -> Iterator[str]:
    """Paths to a link and its like: by its own class, then by an ancestor's id or class and the elements between."""
    link, start = found.links[0], start_of(found.addresses[0])
    spoiled = _spoiled(found, sample, start)
    common = frozenset.intersection(*(_around(each, sample) for each in found.links))
    own, narrow = [*_own(link), ""], [*_by_start(link, start), *_by_parameters(link)]
    yield from (f"//a{each}" for each in own if each and each not in spoiled)
    steps: list[Element] = [link]
    narrowed: list[str] = []
    for ancestor in link.iterancestors():
        if ancestor.tag == "body" or len(steps) > _MOST_STEPS:
            break
        between = "/".join(str(step.tag) for step in reversed(steps))
        for name in _called(ancestor):
            if name in common:
                yield from (f"//{name}//a{each}" for each in own if name not in spoiled.get(each, ()))
                yield f"//{name}/{between}"
                narrowed += (f"//{name}//a{each}" for each in narrow if name not in spoiled.get(each, ()))
        steps.append(ancestor)
    yield from narrowed
    yield from (f"//a{each}" for each in narrow if each not in spoiled)
    yield f"//{'/'.join(str(step.tag) for step in reversed(steps))}"


def _spoiled(found: RecordList, sample: Sample, start: str) -> dict[str, set[str]]:
    """For each condition that links outside the list fulfil, too: what the elements around these are called."""
    wanted = set(found.addresses)
    # Links side by side have the same elements around them: their names are put together at the end, once.
    around: dict[str, set[frozenset[str]]] = defaultdict(set)
    for link in sample.by_tag.get("a", ()):
        address = sample.address_of(link)
        if address is not None and address.partition("#")[0] not in wanted:
            names = _around(link, sample)
            for condition in ("", *_known_conditions(link, sample), *_by_start(link, start)):
                around[condition].add(names)
    return {condition: set().union(*names) for condition, names in around.items()}


def _around(element: Element, sample: Sample) -> frozenset[str]:
    """What the elements around an element are called, each in all ways that a path can name it by."""
    known = sample.surroundings
    chain = [element]
    while chain[-1] not in known and (parent := chain[-1].getparent()) is not None:
        chain.append(parent)
    around = known.setdefault(chain.pop(), frozenset())
    while chain:
        inner = chain.pop()
        parent = inner.getparent()
        names = frozenset(_called(parent)) if parent is not None else frozenset()
        around = known[inner] = around if names <= around else around | names
    return around


def _called(element: Element) -> Iterator[str]:
    return (f"{element.tag}{predicate}" for predicate in predicates(element))


def _own(link: Element) -> Iterator[str]:
    """Conditions on a link itself."""
    if itemprop := link.get("itemprop"):
        yield f"[@itemprop={literal(itemprop)}]"
    yield from predicates(link)


def _known_conditions(link: Element, sample: Sample) -> tuple[str, ...]:
    """The conditions on a link, found out once: every list of a page asks for those of all links outside it."""
    known = sample.conditions.get(link)
    if known is None:
        known = sample.conditions[link] = (*_own(link), *_by_parameters(link))
    return known


def _by_start(link: Element, start: str) -> Iterator[str]:
    """The condition on the first part of the path that a link leads to."""
    part = f"/{start.partition('/')[2]}"
    if len(part) > 2 and part in (link.get("href") or ""):
        yield f"[contains(@href, {literal(part)})]"


def _by_parameters(link: Element) -> Iterator[str]:
    """Conditions on the parameters of where a link leads, or on its title."""
    for name in _PARAMETER.findall(link.get("href") or ""):
        yield f"[contains(@href, {literal(name)})]"
    if link.get("title"):
        yield "[@title]"
