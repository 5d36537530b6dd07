"""New paths to elements that are known to have what is looked for: by names before positions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from lxml.etree import _Element as Element

from rdfcrawl.drafting.reading.xpaths import has_class, literal

_NAMING: Final = ("itemprop", "id", "data-testid", "name", "rel", "property", "role")
_MOST_LEVELS: Final = 8
_MOST_PATHS: Final = 60


def paths_to(elements: Iterable[tuple[Element, Element | None]], *, several: bool = False) -> list[str]:
    """Paths to elements, each with the root that its path begins at, those that suit most of them first.

    Without a root the path begins at the document. ``several`` is whether the elements are alike: without positions.
    """
    votes: Counter[str] = Counter()
    order: dict[str, int] = {}
    for element, root in elements:
        for place, path in enumerate(dict.fromkeys(_paths(element, root, several=several))):
            votes[path] += 1
            order.setdefault(path, place)
    return sorted(votes, key=lambda path: (-votes[path], order[path], path))[:_MOST_PATHS]


def conditions(element: Element) -> Iterator[str]:
    """Conditions that recognise an element by what it is called; numbered names are those of one row only."""
    for name in _NAMING:
        if (value := element.get(name)) and not any(map(str.isdigit, value)):
            yield f"[@{name}={literal(value)}]"
    if names := element.get("class"):
        yield f"[@class={literal(names)}]"
        if len(names.split()) > 1:
            yield from (has_class(name) for name in names.split() if not any(map(str.isdigit, name)))


def _paths(element: Element, root: Element | None, *, several: bool) -> Iterator[str]:
    start = "" if root is None else "."
    if element is root:
        yield "."
        return
    own = [*conditions(element)]
    yield from (f"{start}//{element.tag}{each}" for each in own)
    if element.tag in ("h1", "h2", "time"):
        yield f"{start}//{element.tag}"
    steps, plain = _step(element, numbered=not several), str(element.tag)
    for level, ancestor in enumerate(element.iterancestors(), 1):
        if ancestor is root:
            yield f"./{steps}"
            return
        if ancestor.tag in ("body", "html") or level > _MOST_LEVELS:
            return
        for condition in conditions(ancestor):
            yield f"{start}//{ancestor.tag}{condition}//{element.tag}"
            yield from (f"{start}//{ancestor.tag}{condition}//{element.tag}{each}" for each in own[:1])
            yield f"{start}//{ancestor.tag}{condition}/{steps if not several else plain}"
        steps = f"{_step(ancestor, numbered=not several)}/{steps}"
        plain = f"{ancestor.tag}/{plain}"


def _step(element: Element, *, numbered: bool) -> str:
    """A step to an element, with its number if it has siblings of its name."""
    tag = str(element.tag)
    before = sum(1 for _ in element.itersiblings(tag, preceding=True))
    has_others = before or next(element.itersiblings(tag), None) is not None
    return f"{tag}[{before + 1}]" if numbered and has_others else tag
