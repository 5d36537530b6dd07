"""What a page says about following its links: in its head, in the headers of its answer, on a link itself."""

from __future__ import annotations

from typing import Final

from rdfcrawl.engine.document.tree import Element

AGENT: Final = "rdfcrawl"
_ALL: Final = "robots"
_FORBID: Final = frozenset(("nofollow", "none"))


def page_says_nofollow(root: Element) -> bool:
    """Whether ``<meta name=robots>`` asks not to follow any link of the page."""
    return any(
        (meta.get("name") or "").strip().lower() in (_ALL, AGENT) and _forbids(meta.get("content") or "")
        for meta in root.iter("meta")
    )


def link_says_nofollow(rel: str | None) -> bool:
    """Whether a link asks not to be followed."""
    return bool(rel) and "nofollow" in str(rel).lower().split()


def header_says_nofollow(header: str) -> bool:
    """Whether ``X-Robots-Tag`` asks not to follow any link of the page.

    An agent's name before a colon limits what follows, up to the next name, to that agent.
    """
    applies = True
    for part in header.lower().split(","):
        agent, colon, rule = part.partition(":")
        if colon and agent.strip() != "unavailable_after":
            applies = agent.strip() in (_ALL, AGENT, "*")
            part = rule
        if applies and part.strip() in _FORBID:
            return True
    return False


def _forbids(content: str) -> bool:
    return not _FORBID.isdisjoint(part.strip() for part in content.lower().split(","))
