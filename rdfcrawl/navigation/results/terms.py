"""The terms in which the navigation of a site is described, beside those of surveys."""

from __future__ import annotations

from typing import Final

from rdfcrawl.navigation.judging import LinkClass
from rdfcrawl.rdf import terms

REVISION: Final = 1
"""Results of other revisions of the rules are made again."""

LINK_TERMS: Final = {one: f"{one.value}Link" for one in LinkClass}
"""``site:navigationLink``, ``site:outsiderLink``, ``site:contentLink``: from a page to what it links to."""
PARENT: Final = "parent"
PLACE: Final = "place"
MENU_TEXT: Final = "menuText"
DESCRIBED: Final = ("rule", "revision", "documents", "groups", "ungrouped", "bounded")
SYSTEM: Final = terms.SITE + "NavigationSystem"


def system_iri(graph: str, number: int) -> str:
    """The name of a navigation system, the numbers of which begin with 1."""
    return f"{graph}/system/{number}"


def entry_iri(graph: str, system: int, place: int) -> str:
    """The name of an entry of a navigation system."""
    return f"{system_iri(graph, system)}/entry/{place}"


def agreement_term(tolerant: LinkClass, exact: LinkClass) -> str:
    """The term for how many links the tolerant rule calls one thing and the exact rule another or the same."""
    return f"{tolerant.value}And{exact.value.capitalize()}"
