"""``type:links``: links that lead to a target."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.kinds.page import Page
from rdfcrawl.metamodel.parts import Link
from rdfcrawl.rdf import terms

if TYPE_CHECKING:
    from rdfcrawl.metamodel.statements.resource import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class LinksPage(Page):
    """A list of links to ``target``; it has no objects itself."""

    type_iri: ClassVar[str] = terms.TYPE + "links"
    is_list: ClassVar[bool] = True
    address_names_object: ClassVar[bool] = False

    path: str
    target: str

    @property
    def reads(self) -> str:
        """Links, and their path."""
        return f"links at {self.path}"

    @property
    def root_path(self) -> str:
        """The link elements."""
        return self.path

    @property
    def list_path(self) -> str:
        """The link elements are the entries."""
        return self.path

    @property
    def entry_link(self) -> Link:
        """The links to the target."""
        return Link(self.iri, self.path, self.target)

    def with_path(self, path: str) -> Self:
        """The list with another path of its links."""
        return replace(self, path=path)

    @classmethod
    def own_terms(cls, resource: Resource) -> dict[str, Any]:
        """``:path`` and ``:target``."""
        return {"path": resource.text("path"), "target": resource.text("target")}


def links_at(path: str, scroll: int | None = None) -> Page:
    """A page of links for whoever looks at a site that has no model yet."""
    return LinksPage(iri="page://links", path=path, target="page://links", scroll=scroll)
