"""What becomes of links: what the two rules say, in one form."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from rdfcrawl.dataclass import dataclass
from rdfcrawl.navigation.identities import LinkGroup
from rdfcrawl.navigation.site import SiteDocument


class LinkClass(StrEnum):
    """What a link is for."""

    NAVIGATION = "navigation"
    """Part of a navigation of the page: the page is one of those that the navigation leads to."""
    OUTSIDER = "outsider"
    """Part of a navigation to which the page itself does not belong."""
    CONTENT = "content"


class NavigationRule(StrEnum):
    """How navigation is recognised."""

    TOLERANT = "tolerant"
    EXACT = "exact"


@dataclass(frozen=True, slots=True)
class GroupVerdict:
    """What the links of a group are, one by one; ``is_bounded`` where the exact search was given up."""

    classes: Sequence[LinkClass]
    is_bounded: bool = False


class NavigationJudge(Protocol):
    """A rule, applied to a site."""

    def group(self, document: SiteDocument, group: LinkGroup) -> GroupVerdict:
        """Judge a group of a document."""
        ...

    def ungrouped(self, document: SiteDocument) -> GroupVerdict:
        """Judge the links of a document that are in no group."""
        ...
