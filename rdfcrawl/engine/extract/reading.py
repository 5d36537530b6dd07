"""One document being read: what every rule needs, and what the rules of one kind of page must be able to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from rdfcrawl.engine.criteria.page_parts import Arrival
from rdfcrawl.engine.document.tree import Document, Element, Path, element_path
from rdfcrawl.engine.extract.extraction import Extraction, Trace
from rdfcrawl.engine.extract.found import FoundObject, Holder, Lack
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.extract.recognised import MentionLog
from rdfcrawl.engine.problem import Problem
from rdfcrawl.metamodel.model import Page

_MOST_PLACES: Final = 1_000
"""How many problems of one document name their element; among thousands of siblings, each path takes long."""

_LONGEST_RAW: Final = 10_000
"""How much of a text a problem quotes."""


class KindReader(Protocol):
    """How one kind of page is read: what it finds hangs from ``reading.top``, or from the object around it."""

    def read(self, reading: Reading, plan: PagePlan) -> None:
        """Read the document as a page of this kind."""

    def read_nested(self, reading: Reading, plan: PagePlan, holder: FoundObject) -> None:
        """Read a page of this kind that is nested in an object."""


Readers = Mapping[type[Page], KindReader]


class Reading:
    """A document on its way to an ``Extraction``.

    ``address`` is the page's own, without its ``:param``s; ``list_address`` that of the first page of the list that it
    belongs to, which is the same where it is the first. From ``top`` hangs what was found; ``arrival`` is what was
    known of the page before.
    """

    __slots__ = (
        "_places",
        "address",
        "arrival",
        "document",
        "list_address",
        "mentions",
        "page",
        "readers",
        "result",
        "top",
        "traces",
    )

    def __init__(
        self,
        page: Page,
        document: Document,
        readers: Readers,
        traces: list[Trace] | None = None,
        list_address: str | None = None,
        arrival: Arrival | None = None,
    ) -> None:
        self.page = page
        self.document = document
        self.address = clean_address(document.address, page.params)
        self.list_address = list_address or self.address
        self.readers = readers
        self.result = Extraction()
        self.top = Holder(document.root)
        self.mentions = MentionLog()
        self.traces = traces
        self.arrival = arrival or Arrival()
        self._places = 0

    def elements(self, path: Path, context: Element) -> list[Element]:
        """The elements that a path finds from ``context``, without what it finds besides elements."""
        found = self.document.select(path, context, outer=context, root=context)
        return [match for match in found if not isinstance(match, str)]

    def place_of(self, element: Element) -> str | None:
        """A path that leads to an element, for a problem that is about it; nothing where there are too many."""
        self._places += 1
        return element_path(element) if self._places <= _MOST_PLACES else None

    def report(self, lack: Lack, subject: str | None = None) -> None:
        """Report what is wrong with an object, or with the page itself."""
        if lack.raw is not None and len(lack.raw) > _LONGEST_RAW:
            lack = lack._replace(raw=f"{lack.raw[: _LONGEST_RAW - 1]}…")
        kind, reason, *about = lack
        self.result.problems.append(Problem(kind, self.document.address, self.page.iri, reason, subject, *about))
