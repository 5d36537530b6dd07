"""Whether an XPath stays cheap whatever the page is like.

XPath has no time limit, and libxml2 compares every node that a step finds with all that it has found: ``//li/following-
sibling::li`` takes 2 s on 2,000 entries and 20 s on 4,000. Expressions that can do such things are read elsewhere, in a
process that can be ended; the few that are left are bounded by the size of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lxml import etree

from rdfcrawl.engine.document.tree import Element, Path
from rdfcrawl.engine.extract.plan import PagePlan

TAME_TAGS: Final = 5_000
"""A page with more tags than this is not read in the crawl's own process."""
TAME_DEPTH: Final = 64
"""Nor is one that is nested more deeply."""

_LITERAL: Final = re.compile(r"\"[^\"]*\"|'[^']*'")
_SIDEWAYS: Final = re.compile(r"\b(?:following|preceding)(?:-sibling)?\s*::")
_DOWN: Final = re.compile(r"//|\bdescendant(?:-or-self)?\s*::")
_PREDICATE: Final = re.compile(r"\[[^\[\]]*\]")
_ANYWHERE: Final = re.compile(r"(?:^|[\s(|,=<>+*-])/|\$")
_MOST_DOWN: Final = 3

_is_deep = etree.XPath("boolean(" + "/*" * (TAME_DEPTH + 1) + ")")


def is_tame(plan: PagePlan) -> bool:
    """Whether all XPaths of a page, and of those nested in it, are cheap on a page of moderate size."""
    return all(is_tame_path(path.text, repeated) for path, repeated in _paths(plan))


def is_tame_path(expression: str, repeated: bool) -> bool:
    """Whether an XPath is cheap; one that is evaluated for every object must also stay inside it."""
    bare = _LITERAL.sub("''", expression)
    if _SIDEWAYS.search(bare):
        return False
    if repeated and _ANYWHERE.search(bare):
        return False
    outside = bare
    while (shorter := _PREDICATE.sub("", outside)) != outside:
        outside = shorter
    return len(_DOWN.findall(outside)) <= _MOST_DOWN and len(_DOWN.findall(bare)) == len(_DOWN.findall(outside))


def is_deep(root: Element) -> bool:
    """Whether a document is nested more deeply than pages are."""
    return bool(_is_deep(root))


def _paths(plan: PagePlan) -> Iterator[tuple[Path, bool]]:
    yield from ((path, False) for path in (plan.entries, plan.next, plan.total) if path is not None)
    yield from ((link.path, plan.item is not None) for link in plan.links)
    if plan.item is not None:
        yield plan.item.path, False
        yield from ((prop.path, True) for prop in plan.item.properties)
        if plan.item.id_path is not None:
            yield plan.item.id_path, True
    for sub in plan.subs:
        yield from ((path, True) for path, _ in _paths(sub))
