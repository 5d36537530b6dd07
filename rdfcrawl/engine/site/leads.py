"""The addresses of a site that a page names, each with what keeps it from being read, if anything does."""

from __future__ import annotations

from math import isfinite
from typing import Final, NamedTuple

NOFOLLOW: Final = "nofollow"
"""Every link to the address asks not to be followed."""
UNSELECTED: Final = "not selected"
"""No link to the address is one of those that ``:follow`` selects."""
TOO_DEEP: Final = "depth"
"""The address is more links from the start than ``:depth`` allows."""
LIMIT: Final = "limit"
"""The pages or hours of the run were used up."""
LIGHT: Final = "lead"
"""Every lead to the address weighs less than ``:leadThreshold``."""
TRAP: Final = "trap: "
"""The address is part of a trap, whose kind follows."""

_BETWEEN: Final = "\t"


class FoundLead(NamedTuple):
    """An address of the site: its name, how a link spells it, what holds it back, and its family of traps.

    An address that ``is_hop`` is not linked: the site redirects or names it, so it is as deep as the page that does.
    ``score`` is what the heaviest of the links to it weighs, ``anchors`` are their texts where criteria ask for them.
    """

    key: str
    address: str
    held: str | None = None
    family: str | None = None
    is_hop: bool = False
    score: float = 0.0
    anchors: str = ""

    def to_line(self) -> str:
        """The lead in one line; an address has no tabulator."""
        spelled = "" if self.address == self.key else self.address
        parts = [self.key, spelled, self.held or "", self.family or "", "1" if self.is_hop else ""]
        if self.score or self.anchors:
            parts += [repr(self.score), self.anchors]
        return _BETWEEN.join(parts)

    @classmethod
    def from_line(cls, line: str) -> FoundLead:
        """The lead that ``to_line`` wrote; raises ``ValueError``."""
        key, spelled, held, family, hop, *weighed = line.split(_BETWEEN)
        score, anchors = weighed or ("0", "")
        return cls(key, spelled or key, held or None, family or None, bool(hop), _finite(score), anchors)


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text} is not a weight")
    return number
