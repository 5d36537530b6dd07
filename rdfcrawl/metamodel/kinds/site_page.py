"""``type:site``: a whole site, surveyed link by link from where it begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rdfcrawl.metamodel.kinds.page import Page
from rdfcrawl.metamodel.parts import Extent, Item, Property
from rdfcrawl.rdf import terms

if TYPE_CHECKING:
    from rdfcrawl.metamodel.statements.resource import Resource

HOST: Final = terms.SCOPE + "host"
DOMAIN: Final = terms.SCOPE + "domain"
PATH: Final = terms.SCOPE + "path"
WEB: Final = terms.SCOPE + "web"
SCOPES: Final = (HOST, DOMAIN, PATH, WEB)

BROKEN: Final = ("error", "timeout", "unresolved", "browserError")
"""The kinds of addresses that a link should not lead to, by their names in the namespace of surveys."""


def _fact(name: str, datatype: str = terms.STRING, *, optional: bool = True, label: bool = False) -> Property:
    return Property(terms.SITE + name, "", optional=optional, datatype=datatype, label=label)


ADDRESSES: Final = Item(
    terms.SITE + "page",
    "",
    (
        _fact("kind", terms.ANY_URI, optional=False),
        _fact("depth", terms.INTEGER, optional=False),
        _fact("status", terms.INTEGER),
        _fact("title", label=True),
        _fact("language"),
        _fact("mediaType"),
        _fact("fileType"),
        _fact("bytes", terms.INTEGER),
        _fact("digest"),
        _fact("linkCount", terms.INTEGER),
        _fact("imageCount", terms.INTEGER),
        _fact("redirectsTo", terms.ANY_URI),
        _fact("duplicateOf", terms.ANY_URI),
        _fact("reason"),
    ),
)
"""The class of all addresses of a site, with what a survey says about them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePage(Page):
    """A site: everything that can be reached from where it begins, within ``depth`` links and its ``scope``."""

    type_iri: ClassVar[str] = terms.TYPE + "site"
    is_list: ClassVar[bool] = False
    address_names_object: ClassVar[bool] = True
    is_survey: ClassVar[bool] = True

    depth: int | None = None
    scope: str = DOMAIN
    skips: tuple[str, ...] = ()
    follow: str | None = None
    sitemap: bool = False

    @property
    def reads(self) -> str:
        """The site, and how far it is read."""
        depth = "" if self.depth is None else f" up to {self.depth} {'link' if self.depth == 1 else 'links'} deep"
        skipped = f", without {' and '.join(self.skips)}" if self.skips else ""
        sitemap = ", with its sitemaps" if self.sitemap else ""
        followed = f", following the links in {self.follow}" if self.follow else ""
        return f"a site ({self.scope.removeprefix(terms.SCOPE)}){depth}{sitemap}{followed}{skipped}"

    @property
    def root_path(self) -> str:
        """Empty: whatever an address returns is worth knowing."""
        return ""

    @property
    def list_path(self) -> str:
        """Empty: there is no list, so the whole document counts."""
        return ""

    @property
    def items(self) -> tuple[Item, ...]:
        """The addresses themselves, and what is read from every HTML page."""
        return (ADDRESSES,) if self.item is None else (ADDRESSES, self.item)

    @property
    def survey(self) -> Extent:
        """Everything that decides which addresses belong to the site."""
        return Extent(self.depth, self.scope, self.skips, self.follow, self.sitemap)

    @classmethod
    def own_terms(cls, resource: Resource) -> dict[str, Any]:
        """``:depth``, ``:scope``, ``:skip``, ``:follow`` and ``:sitemap``."""
        return {
            "depth": resource.number("depth"),
            "scope": resource.optional_text("scope") or DOMAIN,
            "skips": resource.texts("skip"),
            "follow": resource.optional_text("follow"),
            "sitemap": bool(resource.flag("sitemap")),
        }
