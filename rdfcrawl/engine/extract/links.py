"""How links are read: where they lead, what they hang from, and what it means when they are not there."""

from __future__ import annotations

from rdfcrawl.engine.document.tree import Element, Match, address_of
from rdfcrawl.engine.extract.extraction import Follow
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.extract.plan import LinkPlan
from rdfcrawl.engine.extract.reading import Reading
from rdfcrawl.engine.problem import ProblemKind


def read_link(reading: Reading, plan: LinkPlan, element: Element, outer: Element, parent: str | None) -> None:
    """Follow a ``:link`` from ``element``; without ``parent`` it is one of the page itself."""
    link, result = plan.link, reading.result
    matches = reading.document.select(plan.path, element, outer=outer, root=element)
    if parent is None:
        result.found += len(matches)
        result.complete_entries += len(matches)
    for match in matches:
        follow(reading, match, link.target, plan.target_params, parent, link.path)
    if not matches and not link.optional:
        reading.problem(
            ProblemKind.NO_LINK,
            f"the link {link.iri} is not there; mark it :optional if it may be missing",
            subject=parent,
            path=link.path,
        )
        result.unread.append((parent, link.target))


def follow(
    reading: Reading, match: Match, target: str, target_params: tuple[str, ...], parent: str | None, path: str
) -> Follow | None:
    """Follow the link at ``match`` to the page ``target``; nothing where it has no address."""
    address = address_of(match, reading.document.base)
    if address is None:
        reading.problem(
            ProblemKind.BAD_ADDRESS,
            "the link element has no http address",
            subject=parent,
            path=path,
            raw=reading.document.text_of(match),
        )
        reading.result.unread.append((parent, target))
        return None
    found = Follow(target, address, clean_address(address, target_params), parent)
    reading.result.follows.append(found)
    return found
