"""Expected trouble, as data: a run reports it and continues."""

from __future__ import annotations

from enum import StrEnum

from rdfcrawl.dataclass import dataclass


class ProblemKind(StrEnum):
    """What went wrong; the value is how a report names it."""

    UNREACHABLE = "unreachable"
    """The page could not be fetched: no connection, a timeout, a server error."""
    GONE = "gone"
    """The server says that there is no such page (404, 410)."""
    UNREADABLE = "unreadable"
    """The response is not a document: a download, a broken body, a type that has no elements."""
    RAGGED = "ragged"
    """A row of a CSV document has more or fewer cells than its header."""
    NO_ROOT = "no-root"
    """An object page without its root element."""
    EMPTY_LIST = "empty-list"
    """A start list without any entry."""
    MISSING = "missing"
    """A mandatory property is missing."""
    EMPTY = "empty"
    """A mandatory property is there, but its text is empty or nothing is left of it: that is no value."""
    MISFIT = "misfit"
    """A value does not fit its type."""
    NO_LINK = "no-link"
    """A link that is not optional is missing."""
    BAD_ADDRESS = "bad-address"
    """A link element without a usable address."""
    NO_VALUES = "no-values"
    """An object without any value; it is not written."""
    NO_KEY = "no-key"
    """No property of the object's ``:key`` has a value; the object is named by all of its values instead."""
    COLLISION = "collision"
    """Objects of a page that differ would get the same name; all but the first have a number appended to it."""
    CONFLICT = "conflict"
    """An object got several values of a property that is not ``:multiple``; all of them are kept."""
    LOOP = "loop"
    """A list led back to one of its pages, or to a page with nothing new."""
    INCOMPLETE = "incomplete"
    """A list has fewer entries than the page itself states."""
    LIMIT = "limit"
    """A limit was reached: time, size, depth or number."""
    TRAP = "trap"
    """Addresses that lead to ever new ones; only so many of them were read."""
    REFUSED = "refused"
    """The page must not be fetched: robots.txt forbids it, or its address leads into a private network."""
    NO_FORM = "no-form"
    """A form cannot be filled or sent: a field, an option or the button is not there."""
    LOGIN = "login"
    """A login has failed, so that nothing of the section was read."""
    NEEDS_BROWSER = "needs-browser"
    """The page needs a browser, which this run may not use."""
    INTERNAL = "internal"
    """A fault of rdfcrawl itself, met while the page was read; the reason says where in the code."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that went wrong, with the place where it did.

    ``path`` is the XPath as the model has it, ``element`` leads to the very element on the page.
    """

    kind: ProblemKind
    address: str
    page: str
    reason: str
    subject: str | None = None
    property: str | None = None
    path: str | None = None
    raw: str | None = None
    element: str | None = None
