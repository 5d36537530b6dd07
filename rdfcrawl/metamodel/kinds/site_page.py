"""``type:site``: a whole site, surveyed link by link from where it begins."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.criteria import LEAD_PARTS, PAGE_PARTS, Criterion, criterion_of, number, signed
from rdfcrawl.metamodel.kinds.page import Page
from rdfcrawl.metamodel.parts import Extent, Focus, Item, Property
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


_SCORES: Final = (
    _fact("score", terms.DECIMAL),
    _fact("find", terms.BOOLEAN),
    replace(_fact("meets", terms.ANY_URI), multiple=True),
)
"""What is said besides of the addresses of a site with criteria."""


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
    criteria: tuple[Criterion, ...] = ()
    threshold: float | None = None
    target: str | None = None
    leads: tuple[Criterion, ...] = ()
    lead_threshold: float | None = None

    @property
    def reads(self) -> str:
        """The site, and how far it is read."""
        depth = "" if self.depth is None else f" up to {self.depth} {'link' if self.depth == 1 else 'links'} deep"
        skipped = f", without {' and '.join(self.skips)}" if self.skips else ""
        sitemap = ", with its sitemaps" if self.sitemap else ""
        followed = f", following the links in {self.follow}" if self.follow else ""
        finds = f", with finds from a score of {number(self.threshold)}" if self.threshold is not None else ""
        leads = f", following leads from {number(self.lead_threshold)}" if self.lead_threshold is not None else ""
        return f"a site ({self.scope.removeprefix(terms.SCOPE)}){depth}{sitemap}{followed}{skipped}{finds}{leads}"

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
        addresses = ADDRESSES
        if self.criteria:
            # Facts by other criteria are other facts, as values with another path are.
            scores = tuple(replace(fact, path=self.judgement) for fact in _SCORES)
            addresses = replace(ADDRESSES, properties=(*ADDRESSES.properties, *scores))
        return (addresses,) if self.item is None else (addresses, self.item)

    @property
    def weighs(self) -> tuple[str, ...]:
        """The criteria, then those of leads, the heaviest first."""
        said = [("criterion", one) for one in _heaviest_first(self.criteria)]
        said += [("lead", one) for one in _heaviest_first(self.leads)]
        return tuple(f"{noun} {signed(one.weight)}: {one.said}" for noun, one in said)

    @property
    def judgement(self) -> str:
        """What decides which pages are finds, as a short text that differs where that does."""
        return hashlib.sha256(repr((self.criteria, self.threshold)).encode()).hexdigest()[:16]

    @property
    def focus(self) -> Focus | None:
        """The criteria, if there are any."""
        return Focus(self.criteria, self.threshold) if self.criteria else None

    @property
    def read_as(self) -> str | None:
        """The page as which finds are read."""
        return self.target

    @property
    def survey(self) -> Extent:
        """Everything that decides which addresses belong to the site."""
        return Extent(self.depth, self.scope, self.skips, self.follow, self.sitemap, self.leads, self.lead_threshold)

    @classmethod
    def own_terms(cls, resource: Resource) -> dict[str, Any]:
        """How far the site extends, what makes a find of a page, and which links are worth following."""
        return {
            "depth": resource.number("depth"),
            "scope": resource.optional_text("scope") or DOMAIN,
            "skips": resource.texts("skip"),
            "follow": resource.optional_text("follow"),
            "sitemap": bool(resource.flag("sitemap")),
            "criteria": _criteria(resource, "criterion", PAGE_PARTS[:1]),
            "threshold": _amount(resource, "threshold"),
            "target": resource.optional_text("target"),
            "leads": _criteria(resource, "lead", LEAD_PARTS[:1]),
            "lead_threshold": _amount(resource, "leadThreshold"),
        }


def _criteria(resource: Resource, term: str, default: tuple[str, ...]) -> tuple[Criterion, ...]:
    found = (criterion_of(node, resource.about, default) for node in resource.values(term))
    return tuple(sorted(found, key=lambda criterion: criterion.iri))


def _amount(resource: Resource, term: str) -> float | None:
    text = resource.optional_text(term)
    return None if text is None else float(text)


def _heaviest_first(criteria: tuple[Criterion, ...]) -> list[Criterion]:
    return sorted(criteria, key=lambda one: (-one.weight, one.said))
