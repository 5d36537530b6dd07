"""Expected trouble, as data: a run reports it and continues."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ProblemKind(StrEnum):
    """What went wrong; the value is how a report names it."""

    UNREACHABLE = "unreachable"
    """The page could not be fetched: no connection, a timeout, a server error."""
    GONE = "gone"
    """The server says that there is no such page (404, 410)."""
    UNREADABLE = "unreadable"
    """The response is not a document: a download, a broken body, a type that has no elements."""
    NO_ROOT = "no-root"
    """An object page without its root element."""
    EMPTY_LIST = "empty-list"
    """A start list without any entry."""
    MISSING = "missing"
    """A mandatory property is missing."""
    MISFIT = "misfit"
    """A value does not fit its type."""
    NO_LINK = "no-link"
    """A link that is not optional is missing."""
    BAD_ADDRESS = "bad-address"
    """A link element without a usable address."""
    NO_VALUES = "no-values"
    """An object without any value; it is not written."""
    LOOP = "loop"
    """A list led back to one of its pages, or to a page with nothing new."""
    INCOMPLETE = "incomplete"
    """A list has fewer entries than the page itself states."""
    LIMIT = "limit"
    """A limit was reached: time, size, depth or number."""
    REFUSED = "refused"
    """The page must not be fetched: robots.txt forbids it, or its address leads into a private network."""
    NEEDS_BROWSER = "needs-browser"
    """The page needs a browser, which this run may not use."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that went wrong, with the place where it did."""

    kind: ProblemKind
    address: str
    page: str
    reason: str
    subject: str | None = None
    property: str | None = None
    path: str | None = None
    raw: str | None = None
