"""How far an XPath without a match leads: its longest prefix that still matches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rdfcrawl.engine.document.tree import Document, Element, PathError, compile_path

_OPENING: Final = "[("
_CLOSING: Final = "])"


def where_path_stops(document: Document, path: str, context: Element, *, outer: Element, root: Element) -> str:
    """A sentence about a path that matches nothing from ``context``."""
    there = None
    for beginning in _beginnings(path):
        try:
            found = document.select(compile_path(beginning), context, outer=outer, root=root)
        except PathError:
            continue
        if not found:
            return f"{there} matches, {_flat(beginning)} does not" if there else f"nothing matches {_flat(beginning)}"
        there = _flat(beginning)
    return f"nothing matches {_flat(path)}"


def _beginnings(path: str) -> Iterator[str]:
    """The path up to each of its steps and predicates, the shortest first; the whole path last."""
    depth = 0
    quote = ""
    for place, char in enumerate(path):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif depth == 0 and char in "/[" and path[:place].strip(" ./"):
            yield path[:place].rstrip(" /")
        if not quote and char in _OPENING:
            depth += 1
        elif not quote and char in _CLOSING:
            depth -= 1
    yield path


def _flat(path: str) -> str:
    return " ".join(path.split())
