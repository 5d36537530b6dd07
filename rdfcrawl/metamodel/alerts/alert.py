"""What a model says about alerts: which events are reported, and to whom."""

from __future__ import annotations

from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.rdf import terms

FOUND: Final = terms.ALERT + "found"
ADDED: Final = terms.ALERT + "added"
CHANGED: Final = terms.ALERT + "changed"
REMOVED: Final = terms.ALERT + "removed"
PROBLEM: Final = terms.ALERT + "problem"
EVENTS: Final = (FOUND, ADDED, CHANGED, REMOVED, PROBLEM)
OF_CLASSES: Final = (ADDED, CHANGED, REMOVED)
"""The events that ``:class`` narrows."""


@dataclass(frozen=True, slots=True)
class Alert:
    """``:alert``: events of some kinds, or new rows of a query, go to recipients, one by one or as a digest.

    ``classes`` are the predicates of the items that count; none means all. ``secret`` names the variable with which
    webhooks are signed.
    """

    on: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    query: str | None = None
    to: tuple[str, ...] = ()
    digest: bool = False
    secret: str | None = None
