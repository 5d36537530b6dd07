"""The addresses of a site that a page names, each with what keeps it from being read, if anything does."""

from __future__ import annotations

from typing import Final, NamedTuple

NOFOLLOW: Final = "nofollow"
"""Every link to the address asks not to be followed."""
UNSELECTED: Final = "not selected"
"""No link to the address is one of those that ``:follow`` selects."""
TOO_DEEP: Final = "depth"
"""The address is more links from the start than ``:depth`` allows."""
LIMIT: Final = "limit"
"""The pages or hours of the run were used up."""
TRAP: Final = "trap: "
"""The address is part of a trap, whose kind follows."""

_BETWEEN: Final = "\t"


class FoundLead(NamedTuple):
    """An address of the site: its name, how a link spells it, what holds it back, and its family of traps.

    An address that ``is_hop`` is not linked: the site redirects or names it, so it is as deep as the page that does.
    """

    key: str
    address: str
    held: str | None = None
    family: str | None = None
    is_hop: bool = False

    def to_line(self) -> str:
        """The lead in one line; an address has no tabulator."""
        spelled = "" if self.address == self.key else self.address
        return _BETWEEN.join((self.key, spelled, self.held or "", self.family or "", "1" if self.is_hop else ""))

    @classmethod
    def from_line(cls, line: str) -> FoundLead:
        """The lead that ``to_line`` wrote; raises ``ValueError``."""
        key, spelled, held, family, hop = line.split(_BETWEEN)
        return cls(key, spelled or key, held or None, family or None, bool(hop))
