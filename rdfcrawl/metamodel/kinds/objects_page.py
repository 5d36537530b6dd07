"""``type:objects``: several objects."""

from __future__ import annotations

from typing import ClassVar

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.kinds.page import Page
from rdfcrawl.metamodel.parts import Item
from rdfcrawl.rdf import terms


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectsPage(Page):
    """A list of objects, each named by its ``:id`` or by its values."""

    type_iri: ClassVar[str] = terms.TYPE + "objects"
    is_list: ClassVar[bool] = True
    address_names_object: ClassVar[bool] = False

    item: Item

    @property
    def reads(self) -> str:
        """Any number of objects."""
        return "objects"

    @property
    def root_path(self) -> str:
        """The root elements of the objects."""
        return self.item.path

    @property
    def list_path(self) -> str:
        """The root elements of the objects are the entries."""
        return self.item.path
