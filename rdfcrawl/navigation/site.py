"""A site as its documents with their groups, and the neighbours of a group (definition 15)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from rdfcrawl.dataclass import dataclass
from rdfcrawl.navigation.identities import NO_LINKS, Anchor, Identities, LinkGroup


@dataclass(frozen=True, slots=True)
class AnchorsOfPage:
    """The links of a page as they are read: groups, links in no group, and links that are no ``<a href>``."""

    groups: Sequence[Sequence[Anchor]] = ()
    ungrouped: Sequence[Anchor] = ()
    others: Sequence[str] = ()

    @property
    def count(self) -> int:
        """How many links there are."""
        return sum(map(len, self.groups)) + len(self.ungrouped) + len(self.others)


@dataclass(frozen=True, slots=True, eq=False)
class SiteDocument:
    """A document of the site: its number, which is the v-ID of links to it, its host, and its links."""

    number: int
    host: str
    groups: tuple[LinkGroup, ...]
    ungrouped: LinkGroup = NO_LINKS
    others: tuple[int, ...] = ()

    def references(self) -> Iterator[int]:
        """The v-IDs of all of its links, in no particular order, each as often as it is there."""
        for group in (*self.groups, self.ungrouped):
            yield from group.references
        yield from self.others


_NO_ADDRESSES: Final[Mapping[str, str]] = {}


class LinkedSite:
    """The documents of a site.

    ``same`` says of addresses which other one has their document: where redirects lead, and what duplicates repeat.
    """

    def __init__(self, same: Mapping[str, str] = _NO_ADDRESSES) -> None:
        self.identities = Identities()
        self.documents: dict[int, SiteDocument] = {}
        self._same = same

    def add(self, address: str, page: AnchorsOfPage) -> SiteDocument:
        """Add a page of the site."""
        identities = self.identities
        document = SiteDocument(
            identities.reference(address),
            urlsplit(address).netloc,
            tuple(identities.group(self._resolved(group)) for group in page.groups),
            identities.group(self._resolved(page.ungrouped)) if page.ungrouped else NO_LINKS,
            tuple(identities.reference(self._same.get(target, target)) for target in page.others),
        )
        self.documents[document.number] = document
        return document

    def number_of(self, address: str) -> int:
        """The number of the document at an address."""
        return self.identities.reference(self._same.get(address, address))

    def neighbours(self, document: SiteDocument, references: Iterable[int]) -> list[SiteDocument]:
        """The neighbouring documents of a group: what it links to on the same host, each once.

        The document itself is none of them: two navigations of a system are in different documents. Neither is what was
        not read: nobody knows its groups.
        """
        found = (self.documents.get(number) for number in dict.fromkeys(references) if number != document.number)
        return [one for one in found if one is not None and one.host == document.host]

    def around(self, document: SiteDocument) -> list[SiteDocument]:
        """The documents of the same host that a document links to in any way."""
        return self.neighbours(document, document.references())

    def _resolved(self, anchors: Iterable[Anchor]) -> Iterator[Anchor]:
        for anchor in anchors:
            same = self._same.get(anchor.target)
            yield anchor if same is None else anchor._replace(target=same)


class LinksBack:
    """Which groups of other documents lead to a document; that is kept until another document is asked for."""

    def __init__(self) -> None:
        self._document = -1
        self._known: dict[int, list[LinkGroup]] = {}

    def groups(self, document: SiteDocument, others: Iterable[SiteDocument]) -> Iterator[LinkGroup]:
        """The groups of the others with a link to the document."""
        if document.number != self._document:
            self._document = document.number
            self._known.clear()
        for other in others:
            found = self._known.get(other.number)
            if found is None:
                found = [group for group in other.groups if document.number in group.references]
                self._known[other.number] = found
            yield from found
