"""One document being read: what every rule needs, and what the rules of one kind of page must be able to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from rdfcrawl.engine.document.tree import Document, Element, Path
from rdfcrawl.engine.extract.extraction import Extraction, Trace
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.metamodel.model import Page


class ReadObject(NamedTuple):
    """An object that was read: its root element, its IRI, the same as N-Triples text, and whether it lacks nothing."""

    element: Element
    subject: str
    name: str
    is_complete: bool


class KindReader(Protocol):
    """How one kind of page is read."""

    def read(self, reading: Reading, plan: PagePlan) -> None:
        """Read the document as a page of this kind."""

    def read_nested(self, reading: Reading, plan: PagePlan, holder: ReadObject) -> None:
        """Read a page of this kind that is nested in an object."""


Readers = Mapping[type[Page], KindReader]


class Reading:
    """A document on its way to an ``Extraction``. ``address`` is the page's own, without its ``:param``s."""

    __slots__ = ("address", "document", "page", "readers", "result", "traces")

    def __init__(self, page: Page, document: Document, readers: Readers, traces: list[Trace] | None = None) -> None:
        self.page = page
        self.document = document
        self.address = clean_address(document.address, page.params)
        self.readers = readers
        self.result = Extraction()
        self.traces = traces

    def elements(self, path: Path, context: Element) -> list[Element]:
        """The elements that a path finds from ``context``, without what it finds besides elements."""
        found = self.document.select(path, context, outer=context, root=context)
        return [match for match in found if not isinstance(match, str)]

    def problem(
        self,
        kind: ProblemKind,
        reason: str,
        *,
        subject: str | None = None,
        property: str | None = None,  # noqa: A002
        path: str | None = None,
        raw: str | None = None,
    ) -> None:
        """Report what is wrong."""
        self.result.problems.append(
            Problem(
                kind,
                self.document.address,
                self.page.iri,
                reason,
                subject=subject,
                property=property,
                path=path,
                raw=raw,
            )
        )
