"""How large a tree may become while it is built."""

from __future__ import annotations

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.document.errors import DocumentLimit


@dataclass(slots=True)
class TreeBounds:
    """How many elements a tree may have, and how deep it may be nested."""

    elements: int = 1_000_000
    depth: int = 1_000

    def check_count(self, elements: int) -> None:
        """Raise ``DocumentLimit`` for a tree with more elements."""
        if elements > self.elements:
            raise DocumentLimit(f"the document has more than {self.elements:,} elements, which is the limit")

    def check_depth(self, depth: int) -> None:
        """Raise ``DocumentLimit`` for a tree that is nested deeper."""
        if depth > self.depth:
            raise DocumentLimit(f"the document is nested more than {self.depth:,} levels deep, which is the limit")
