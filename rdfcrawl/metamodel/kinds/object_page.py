"""``type:object``: one object."""

from __future__ import annotations

from typing import ClassVar

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.kinds.page import Page
from rdfcrawl.metamodel.parts import Item
from rdfcrawl.rdf import terms


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectPage(Page):
    """One object, whose IRI is the address of the page."""

    type_iri: ClassVar[str] = terms.TYPE + "object"
    is_list: ClassVar[bool] = False
    address_names_object: ClassVar[bool] = True

    item: Item

    @property
    def reads(self) -> str:
        """One object."""
        return "one object"

    @property
    def root_path(self) -> str:
        """The root element of the object."""
        return self.item.path

    @property
    def list_path(self) -> str:
        """Empty: there is no list, so the whole document counts."""
        return ""
