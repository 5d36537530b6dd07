"""What was read from a document, as a tree that has no names yet: objects, what is nested in them, where they link.

Names are given afterwards, from the top down: the name of an object can depend on the one around it, and two objects
that would get the same name are compared with all that is below them.
"""

from __future__ import annotations

from typing import NamedTuple

from rdfcrawl.engine.document.tree import Element
from rdfcrawl.engine.extract.plan import ItemPlan, PagePlan
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.recognise.finds import Find

PropertyTexts = list[tuple[str, str]]
"""Properties by their IRI, each with one of its texts."""


class Lack(NamedTuple):
    """What is wrong with an object or a page: a problem that still lacks the object's name."""

    kind: ProblemKind
    reason: str
    property: str | None = None
    path: str | None = None
    raw: str | None = None
    element: str | None = None


class FoundLink(NamedTuple):
    """A link: the page that it leads to, its address, and the key by which duplicates are recognised."""

    target: str
    address: str
    key: str


class FoundName(NamedTuple):
    """A name that was recognised: its final text, the predicate that it is written with, and how it was found."""

    text: str
    predicate: str
    find: Find


class Holder:
    """What links and objects hang from: the page itself, or an object. ``unread`` are targets of missing links."""

    __slots__ = ("element", "lacks", "links", "objects", "unread")

    def __init__(self, element: Element) -> None:
        self.element = element
        self.lacks: list[Lack] = []
        self.links: list[FoundLink] = []
        self.objects: list[FoundObject] = []
        self.unread: list[str] = []


class FoundObject(Holder):
    """An object: its values with their predicates, and what may name it.

    ``raw_values`` has every raw text, ``key_texts`` the final texts of the ``:key``, ``finds`` the names of people,
    ``address`` is what ``:id`` names; where it ``is_the_page``, the page's address is its name. It ``is_written`` if it
    has a value or needs none, and ``is_complete`` if it has all that it must have. ``outer`` is the root element around
    it.
    """

    __slots__ = (
        "address",
        "finds",
        "is_complete",
        "is_the_page",
        "is_written",
        "item",
        "key_texts",
        "outer",
        "plan",
        "raw_values",
        "values",
    )

    def __init__(self, plan: PagePlan, item: ItemPlan, element: Element, outer: Element, is_the_page: bool) -> None:
        # Not by way of the base class: there is one of these for every row of every table.
        self.element = element
        self.lacks = []
        self.links = []
        self.objects = []
        self.unread = []
        self.plan = plan
        self.item = item
        self.outer = outer
        self.is_the_page = is_the_page
        self.is_written = self.is_complete = True
        self.address: str | None = None
        self.values: list[str] = []
        self.raw_values: PropertyTexts = []
        self.key_texts: PropertyTexts = []
        self.finds: list[FoundName] = []
