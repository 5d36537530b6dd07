"""The fields of every kind of page, and what each kind must define.

Only this folder and ``engine/extract/kinds`` may depend on the kind of a page; everything else uses these methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.forms import Fill
from rdfcrawl.metamodel.parts import Extent, Focus, Item, Link

if TYPE_CHECKING:
    from rdfcrawl.metamodel.statements.resource import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(ABC):
    """A page of the model. The name of a kind's class is its name in the vocabulary and in the digest of a model."""

    type_iri: ClassVar[str]
    """The value of ``:type`` by which a model names the kind."""
    is_list: ClassVar[bool]
    """Whether the page has entries, may have several parts and ends when there is nothing new."""
    address_names_object: ClassVar[bool]
    """Whether the address of the page is the IRI of the object that it contains."""
    is_survey: ClassVar[bool] = False
    """Whether every address that the page leads to is an object, level by level, whatever is there."""

    iri: str
    item: Item | None = None
    subs: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    params: tuple[str, ...] = ()
    render: bool | None = None
    next: str | None = None
    wait: int | None = None
    scroll: int | None = None
    wait_for: str | None = None
    clicks: tuple[str, ...] = ()
    more: str | None = None
    total: str | None = None
    load: tuple[str, ...] = ()
    fills: tuple[Fill, ...] = ()
    submit: str | None = None

    @property
    @abstractmethod
    def reads(self) -> str:
        """What is read from the page, in a few words."""

    @property
    @abstractmethod
    def root_path(self) -> str:
        """The XPath of what must be there before the page can be read; empty if nothing is required."""

    @property
    @abstractmethod
    def list_path(self) -> str:
        """The XPath of the page's list elements; empty if the whole document counts."""

    @property
    def entry_link(self) -> Link | None:
        """The links that the page itself consists of, as a link with the page's IRI; most kinds have only ``links``."""
        return None

    @property
    def all_links(self) -> tuple[Link, ...]:
        """All links on the page that lead to other pages."""
        entry_link = self.entry_link
        return self.links if entry_link is None else (entry_link, *self.links)

    @property
    def is_transparent(self) -> bool:
        """Whether the page has no objects itself, so that what it links to has the same parent as the page."""
        return not self.items

    @property
    def items(self) -> tuple[Item, ...]:
        """The classes of the objects that the page contains."""
        return () if self.item is None else (self.item,)

    @property
    def survey(self) -> Extent | None:
        """How far a survey that begins at such a page extends; nothing if the page is no site."""
        return None

    @property
    def focus(self) -> Focus | None:
        """What is looked for on such a page; nothing on most."""
        return None

    @property
    def read_as(self) -> str | None:
        """The page as which the same document is read as well, if it is a find."""
        return None

    @property
    def weighs(self) -> tuple[str, ...]:
        """The criteria of the page and of its links, in words, with their weights."""
        return ()

    @property
    def judgement(self) -> str:
        """What decides whether the page is a find, as a short text that differs where that does."""
        return ""

    def with_path(self, path: str) -> Self:
        """The page with another ``:path`` of its own; the same where its kind has none."""
        return self

    @classmethod
    def own_terms(cls, resource: Resource) -> dict[str, Any]:
        """The fields that only this kind has, read from a valid model."""
        return {}
