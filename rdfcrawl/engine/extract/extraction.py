"""What comes out of a document: its triples, where it leads, what is wrong with it."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.problem import Problem
from rdfcrawl.metamodel.model import Item

if TYPE_CHECKING:
    # A crawl has extractions, but nothing that reads documents.
    from rdfcrawl.engine.document.tree import Element, Match
    from rdfcrawl.engine.extract.plan import PropertyPlan


@dataclass(frozen=True, slots=True)
class Follow:
    """A link found on a page: the address as the link said it, and the key by which duplicates are recognised.

    Without ``parent`` the target hangs from whatever the page itself hangs from.
    """

    page: str
    address: str
    key: str
    parent: str | None = None


@dataclass(slots=True)
class Extraction:
    """Everything that one document says.

    ``triples`` are N-Triples statements without the final dot; ``tops`` the objects (predicate and IRI, as
    N-Triples text) that hang from the page's parents; ``entries`` identify what a list shows wherever it is shown;
    ``unread`` names target pages (with the parent) whose links should have been there and were not. ``list_address`` is
    the address of the list's first page, by which its keyed objects are named; it goes on to the list's next part.

    Of a page of a site, ``leads`` are the addresses of the site that it names, as lines of ``FoundLead``, ``links`` and
    ``images`` all addresses that it links to or shows, ``link_texts`` is a literal with the texts of the links, and
    ``digest`` recognises the same content elsewhere. ``mentions`` are statements about the names on the page, which are
    no part of the run's graph.
    """

    triples: list[str] = field(default_factory=list)
    tops: list[tuple[str, str]] = field(default_factory=list)
    follows: list[Follow] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unread: list[tuple[str | None, str]] = field(default_factory=list)
    next_address: str | None = None
    next_clicks: bool = False
    stated_total: int | None = None
    found: int = 0
    complete_entries: int = 0
    list_address: str | None = None
    leads: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    link_texts: str | None = None
    digest: str | None = None
    mentions: list[str] = field(default_factory=list)

    @property
    def is_bare(self) -> bool:
        """Whether no link and no complete object was found: scripts may still have to bring the content."""
        return self.complete_entries == 0


@dataclass(frozen=True, slots=True)
class Trace:
    """How one value of an object came about: where it stands and its raw text.

    Without ``raw`` there is no value in ``match``, without ``match`` the path found nothing. The path was evaluated at
    ``root``, the root element of the object, inside ``outer``, that of the enclosing one.
    """

    subject: str
    item: Item
    root: Element
    outer: Element
    plan: PropertyPlan
    match: Match | None
    raw: str | None
