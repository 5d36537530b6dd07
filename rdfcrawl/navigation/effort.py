"""How much a search may cost: counted in steps, never in seconds, so that the same site has the same result."""

from __future__ import annotations

from typing import Final

from rdfcrawl.dataclass import dataclass

MOST_STEPS: Final = 200_000
"""About how many pairs of groups, or pairs of edges, are looked at for one reference group."""
MOST_STEPS_OF_DOCUMENT: Final = 400_000
"""And for all groups of one document."""
MOST_STEPS_OF_SITE: Final = 20_000_000
"""And for all documents of a site, which takes about half a minute."""


@dataclass(slots=True)
class Effort:
    """What is left of it; ``is_spent`` if it was not enough."""

    left: int = MOST_STEPS
    spent: int = 0
    is_spent: bool = False

    def spend(self, steps: int = 1) -> bool:
        """Whether there was enough left."""
        self.left -= steps
        self.spent += steps
        self.is_spent = self.is_spent or self.left < 0
        return not self.is_spent
