"""Addresses of a site that is surveyed: what is read of them, how they are spelled and recognised again."""

from __future__ import annotations

from hashlib import sha1
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.address import BadAddress, resolve
from rdfcrawl.engine.criteria.page_parts import split_anchors
from rdfcrawl.engine.document.files.reading import READABLE
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.frontier.entries import Entry
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.site.media import file_type, is_html, media_type
from rdfcrawl.engine.site.sitemaps import guesses, may_be_sitemap
from rdfcrawl.metamodel.criteria import ANCHORS, CONTENT_PARTS
from rdfcrawl.metamodel.model import Page
from rdfcrawl.metamodel.parts import Extent

ROBOTS_TAG: Final = "x-robots-tag"


@dataclass(frozen=True, slots=True)
class SitePlace:
    """An address of a site: its entry, how its pages are read, how far the site extends and where it begins."""

    entry: Entry
    page: Page
    extent: Extent

    @property
    def start(self) -> str:
        """Where the site begins."""
        return self.entry.list_address or self.entry.key

    @property
    def is_start(self) -> bool:
        """Whether the site begins here."""
        return self.start == self.entry.key

    @property
    def is_guess(self) -> bool:
        """Whether nobody has named the address: it is only where sitemaps usually are."""
        entry = self.entry
        return self.extent.sitemap and entry.level == 0 and entry.part > 0 and entry.key in guesses(self.start)

    @property
    def may_name_addresses(self) -> bool:
        """Whether a file at this address may be one in which the site names its own addresses."""
        return self.extent.sitemap and self.entry.level == 0 and self.entry.part > 0

    def wants(self, content_type: str | None) -> bool:
        """Whether the body of such an answer is read."""
        if is_html(content_type) or not media_type(content_type):
            return True
        return self.reads_file(content_type) or (self.may_name_addresses and may_be_sitemap(content_type))

    def reads_file(self, content_type: str | None) -> bool:
        """Whether the text of such a file has a part in its score."""
        focus = self.page.focus
        if focus is None or is_html(content_type) or focus.parts.isdisjoint(CONTENT_PARTS):
            return False
        return file_type(self.entry.address, content_type) in READABLE


def redirect_target(location: str, address: str) -> str:
    """Where a redirect leads; raises ``FetchFailed``."""
    try:
        target = resolve(location, address)
    except BadAddress as error:
        raise FetchFailed(ProblemKind.UNREACHABLE, f"the redirect leads nowhere: {error}", status=300) from error
    if not target.startswith(("http://", "https://")):
        raise FetchFailed(
            ProblemKind.REFUSED, f"the redirect leads to {target}, which is not an http address", status=300
        )
    return target.partition("#")[0]


def spelled(address: str) -> str:
    """An address as browsers spell it, without its fragment."""
    try:
        return resolve(address, address).partition("#")[0]
    except BadAddress:
        return address.partition("#")[0]


def mark(found: bytes, robots: str | None, place: SitePlace) -> bytes:
    """The fingerprint of a page together with what its headers say about following links, and which lead to it."""
    return found + (robots or "").encode() + anchors_mark(place)


def anchors_mark(place: SitePlace) -> bytes:
    """What tells the texts of the links to a page from others; nothing where they make no difference."""
    if place.page.focus is None or ANCHORS not in place.page.focus.parts:
        return b""
    texts = "\n".join(split_anchors(place.entry.anchors))
    return sha1(texts.encode(), usedforsecurity=False).digest()
